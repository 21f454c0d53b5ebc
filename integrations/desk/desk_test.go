package desk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/needs"
)

// TestMain is a desk too, where a test starts it as one.
func TestMain(m *testing.M) {
	if version := os.Getenv("DESK"); version != "" {
		os.Exit(serve(version))
	}
	os.Exit(m.Run())
}

func serve(version string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	sp, err := spool.Open(os.Getenv("ASKPANE_SPOOL"))
	if err != nil {
		panic(err)
	}
	defer sp.Close()
	grace, _ := time.ParseDuration(os.Getenv("GRACE"))
	err = Serve(ctx, Config{Version: version, Spool: sp, Settings: settings.Follow(""), Stay: grace == 0 || os.Getenv("STAY") != "", Grace: grace,
		Ready: func(address.Address) { os.Stdout.Close() }})
	if err != nil && !errors.Is(err, address.ErrUp) {
		return 1
	}
	return 0
}

// stand is a person's directories, and the desks that a test starts there.
type stand struct {
	*testing.T
	spool *spool.Spool
	dir   string
}

func newStand(t *testing.T) *stand {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "spool")
	t.Setenv("ASKPANE_SPOOL", path)
	sp, err := spool.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	dir, err := address.Dir()
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t, sp, dir}
	t.Cleanup(func() {
		if a, up := address.Up(); up {
			_ = syscall.Kill(a.PID, syscall.SIGTERM)
			s.until("the last desk ends", func() bool { _, up := address.Up(); return !up })
		}
	})
	return s
}

// start is Start of a desk of that version.
func (s *stand) start(version string, env ...string) (address.Address, error) {
	return Start(s.Context(), version, func() (*exec.Cmd, error) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), "DESK="+version), env...)
		return cmd, nil
	})
}

func (s *stand) started(version string, env ...string) address.Address {
	s.Helper()
	a, err := s.start(version, env...)
	if err != nil {
		s.Fatal(err)
	}
	r, err := http.Get(a.URL)
	if err != nil || r.StatusCode != 200 {
		s.Fatalf("%s: %v, %v", a.URL, r, err)
	}
	r.Body.Close()
	return a
}

func (s *stand) until(what string, is func() bool) {
	s.Helper()
	if !within(30*time.Second, is) {
		s.Fatalf("it never was so: %s", what)
	}
}

// stays holds that the desk is up much longer than a grace of 50 ms.
func (s *stand) stays(why string) {
	s.Helper()
	if within(400*time.Millisecond, s.down) {
		s.Fatalf("it has ended while %s", why)
	}
}

// within asks for so long whether it is so: of a process that comes or goes nobody tells.
func within(long time.Duration, is func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(long); !is(); <-tick.C {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func (s *stand) down() bool { _, up := address.Up(); return !up }

func (s *stand) question() *spool.Entry {
	s.Helper()
	e, err := s.spool.Create(spool.Request{Origin: spool.Origin{Start: time.Now()}, Form: form.Form{Dialect: "question", Questions: []form.Question{{ID: "q1", Label: "Which?", Prompt: "Which?", Kind: form.Text}}}})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { e.Close() })
	return e
}

func TestOneDeskForAPersonAndItsPortStays(t *testing.T) {
	s := newStand(t)
	type result struct {
		a   address.Address
		err error
	}
	results := make(chan result)
	for range 4 { // at once
		go func() {
			a, err := s.start("1")
			results <- result{a, err}
		}()
	}
	first := <-results
	for range 3 {
		if r := <-results; first.err != nil || r.err != nil || r.a.PID != first.a.PID {
			t.Errorf("%+v, then %+v", first, r)
		}
	}
	a := s.started("1")
	if a.PID != first.a.PID || !strings.HasPrefix(a.URL, fmt.Sprintf("http://127.0.0.1:%d/", a.Port)) {
		t.Errorf("%+v, then %+v", first.a, a)
	}
	if err := syscall.Kill(a.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.until("the desk is gone", s.down)
	again := s.started("1")
	if again.PID == a.PID || again.Port != a.Port || len(again.Notes) > 0 || again.Died != 1 {
		t.Errorf("killed and started again: %+v, then %+v", a, again)
	}
	if now := s.started("2"); now.PID == again.PID || now.Version != "2" || now.Port != a.Port || now.Died != 0 {
		t.Errorf("of another version: %+v, then %+v", again, now)
	}
}

// A desk that stays takes the place of one that would end, and keeps it; the next version's, which
// takes that, stays as well.
func TestDeskThatStays(t *testing.T) {
	s := newStand(t)
	a := s.started("1", "GRACE=1h")
	run := func(env ...string) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), "DESK=1"), env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	service := run("STAY=1", "GRACE=1h")
	go func() { _ = service.Wait() }()
	s.until("it has taken the place", func() bool {
		now, up := address.Up()
		return up && now.PID == service.Process.Pid && now.Stay && now.Port == a.Port
	})
	if err := run("GRACE=1h").Wait(); err != nil {
		t.Errorf("one that does not stay: %v", err)
	}
	if now, up := address.Up(); !up || now.PID != service.Process.Pid {
		t.Errorf("then there is %+v", now)
	}
	if now := s.started("2", "GRACE=1h"); now.Version != "2" || !now.Stay {
		t.Errorf("after an upgrade there is %+v", now)
	}
}

func TestPortTakenBySomebodyElse(t *testing.T) {
	s := newStand(t)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := other.Addr().(*net.TCPAddr).Port
	if err := (address.Address{Port: taken}).Write(s.dir); err != nil {
		t.Fatal(err)
	}
	a := s.started("1")
	if a.Port == taken || len(a.Notes) != 1 || !strings.Contains(a.Notes[0], fmt.Sprintf("port %d", taken)) {
		t.Errorf("%+v", a)
	}
	if c := address.Checks("1")[0]; !strings.Contains(c.Detail, fmt.Sprintf("port %d was taken", taken)) {
		t.Errorf("doctor says %+v", c)
	}
}

// Who has the port of before could show a page our proof as its own, and a phone our code:
// all that was let in is forgotten, where that was on this machine or on the network.
func TestPortTakenFromPagesAndPhones(t *testing.T) {
	s := newStand(t)
	s.paired(s.started("1"))
	for _, at := range []string{"127.0.0.1", "127.0.0.2"} {
		a := s.started("1")
		s.paired(a)
		s.end(a)
		other, err := net.Listen("tcp", net.JoinHostPort(at, fmt.Sprint(a.Port)))
		if err != nil {
			needs.Cannot(t, at, fmt.Sprintf("%v: all of 127.0.0.0/8 is the machine's own on Linux alone", err))
		}
		now := s.started("1", "ASKPANE_PAGE_LISTEN=127.0.0.2")
		if left, err := gate.Keys(s.dir).Devices(); err != nil || len(left) > 0 || len(now.Notes) == 0 {
			t.Errorf("%s: left are %+v, %v; %v", at, left, err, now.Notes)
		}
		other.Close()
		s.end(now)
	}
	a := s.started("1")
	id := s.paired(a)
	s.end(a)
	s.started("1")
	if left, err := gate.Keys(s.dir).Devices(); err != nil || len(left) != 1 || left[0].ID != id {
		t.Errorf("on its own port the desk knows %+v, %v", left, err)
	}
}

// paired pairs a device with the desk.
func (s *stand) paired(a address.Address) (id string) {
	s.Helper()
	link, err := gate.Keys(s.dir).Link(a.URL, true, "")
	if err != nil {
		s.Fatal(err)
	}
	_, secret, _ := strings.Cut(link, "#p=")
	r, err := http.NewRequest("POST", a.URL+"api/enter", strings.NewReader(`{"pair":"`+secret+`"}`))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Origin", strings.TrimSuffix(a.URL, "/"))
	r.Header.Set("Content-Type", "application/json")
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer w.Body.Close()
	var got struct{ Bearer string }
	if err := json.NewDecoder(w.Body).Decode(&got); err != nil || w.StatusCode != 200 {
		s.Fatalf("a device is paired: %d %v", w.StatusCode, err)
	}
	id, _, _ = strings.Cut(got.Bearer, ".")
	return id
}

// end tells a desk to end.
func (s *stand) end(a address.Address) {
	s.Helper()
	_ = syscall.Kill(a.PID, syscall.SIGTERM)
	s.until("it has ended", s.down)
}

func TestListeningWhereThereIsNoSuchAddress(t *testing.T) {
	s := newStand(t)
	for listen, want := range map[string]string{"203.0.113.7": "203.0.113.7", "my-laptop": "pageListen is neither"} {
		a := s.started("1", "ASKPANE_PAGE_LISTEN="+listen)
		if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], want) || len(a.Hosts) != 0 {
			t.Errorf("%s: %+v", listen, a)
		}
		s.end(a)
	}
}

// A desk that is up follows what is set, on the same port and in the same process.
func TestDeskFollowsHowItIsReached(t *testing.T) {
	s := newStand(t)
	global := settings.Files("")[1]
	set := func(name, value string) {
		if err := global.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	set("debounceMs", "0")
	s.question()
	a := s.started("1", "GRACE=50ms")
	named := func(name string) bool {
		r, err := http.NewRequest("GET", a.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = name
		w, err := http.DefaultClient.Do(r)
		if err != nil {
			return false // it listens again
		}
		w.Body.Close()
		return w.StatusCode == 200
	}
	if named("desk.example") {
		t.Error("it has a name that nobody gave it")
	}
	set("pageHosts", "desk.example")
	s.until("it goes by its new name", func() bool { return named("desk.example") })
	set("pageListen", "203.0.113.7")
	s.until("it says that there is no such address", func() bool {
		now, up := address.Up()
		return up && len(now.Notes) == 1 && now.PID == a.PID && now.Port == a.Port && now.Since.Equal(a.Since)
	})
	set("pageHosts", "")
	s.until("it has lost the name", func() bool { return !named("desk.example") && named("localhost") })
}

func TestDeskThatCannotStartSaysWhy(t *testing.T) {
	s := newStand(t)
	if err := os.WriteFile(filepath.Join(s.dir, "links"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.start("1"); err == nil || !strings.Contains(err.Error(), "links") {
		t.Errorf("Start says %v", err)
	}
	if c := address.Checks("1")[0]; !strings.Contains(c.Detail, "links") {
		t.Errorf("doctor says %+v", c)
	}
	if err := os.Remove(filepath.Join(s.dir, "links")); err != nil {
		t.Fatal(err)
	}
	s.started("1")
}
