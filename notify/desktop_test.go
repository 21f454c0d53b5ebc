package notify

import (
	"bufio"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/needs"
)

// privateBus is a session bus of the test's own, which the desktop alert finds.
func privateBus(t *testing.T) string { return busThat(t, true) }

func busThat(t *testing.T, survives bool) string {
	t.Helper()
	needs.Program(t, "dbus-run-session")
	cmd := exec.Command("dbus-run-session", "--", "sh", "-c", `echo "$DBUS_SESSION_BUS_ADDRESS"; cat`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the session ends with its standard input
		in.Close()
		if err := cmd.Wait(); err != nil && survives {
			t.Errorf("dbus-run-session: %v", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address = strings.TrimSpace(address)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	return address
}

// daemon is a notification service.
type daemon struct {
	mu   sync.Mutex
	open map[uint32][]string // application, summary, body
	last uint32
	slow chan struct{} // it answers once this is closed; nil is at once
}

func (d *daemon) Notify(app string, _ uint32, _, summary, body string, _ []string, _ map[string]dbus.Variant, _ int32) (uint32, *dbus.Error) {
	d.mu.Lock()
	d.last++
	id := d.last
	d.open[id] = []string{app, summary, body}
	d.mu.Unlock()
	if d.slow != nil {
		<-d.slow
	}
	return id, nil
}

func (d *daemon) CloseNotification(id uint32) *dbus.Error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
	return nil
}

func (d *daemon) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "testd", "askpane", "1.0", "1.2", nil
}

func (d *daemon) state() (shown int, last []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.open), d.open[d.last]
}

// serve puts d on the bus.
func (d *daemon) serve(t *testing.T, address string) {
	t.Helper()
	d.open = map[uint32][]string{}
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.Export(d, dbusPath, dbusName); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(dbusName, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
}

var notified = settings.Settings{NotificationOnQuestion: true}

func TestDesktopByDBus(t *testing.T) {
	var d daemon
	d.serve(t, privateBus(t))
	var p pane
	a := begin(Question{Form: asked, Agent: "claude<b>"}, settings.Settings{NotificationOnQuestion: true}, p.routes(), p.fail)
	eventually(t, "it is shown", func() bool { n, _ := d.state(); return n == 1 })
	want := []string{"askpane", "askpane: claude<b> asks: Colour␛[31m of it", "A question waits for your answer."}
	if _, got := d.state(); !slices.Equal(got, want) {
		t.Errorf("shown %q, want %q", got, want)
	}
	a.Clear()
	eventually(t, "it is withdrawn", func() bool { n, _ := d.state(); return n == 0 })
	p.says(t, nil)
}

// A reminder takes the place of the one before.
func TestDesktopReminded(t *testing.T) {
	var d daemon
	d.serve(t, privateBus(t))
	var p pane
	a := begin(Question{Form: asked}, settings.Settings{NotificationOnQuestion: true, ReminderMinutes: []float64{0.0005}}, p.routes(), p.fail)
	eventually(t, "the second is the only one", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.last == 2 && len(d.open) == 1
	})
	a.Clear()
	eventually(t, "it is withdrawn", func() bool { n, _ := d.state(); return n == 0 })
	p.says(t, nil)
}

// The answer comes while the server still thinks about it.
func TestDesktopIsWithdrawnThoughItIsSlow(t *testing.T) {
	d := daemon{slow: make(chan struct{})}
	d.serve(t, privateBus(t))
	var p pane
	a := begin(Question{Form: asked}, notified, p.routes(), p.fail)
	eventually(t, "the server has it", func() bool { n, _ := d.state(); return n == 1 })
	cleared := make(chan struct{})
	go func() { a.Clear(); close(cleared) }()
	eventually(t, "Clear has begun", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return a.over })
	close(d.slow)
	<-cleared
	eventually(t, "it is withdrawn", func() bool { n, _ := d.state(); return n == 0 })
	p.says(t, nil)
}

// Nobody is there to show it: the terminal is next, and where that shows none
// either, the failure is told, and nothing else.
func TestDesktopWithoutAServer(t *testing.T) {
	privateBus(t)
	t.Setenv("PATH", t.TempDir()) // no notify-send
	for name, test := range map[string]struct {
		term host.Terminal
		ok   bool
	}{
		"a terminal that shows some": {host.Terminal{Program: "wezterm"}, true},
		"one that does not":          {host.Terminal{Name: "xterm-256color"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := pane{term: test.term}
			a := begin(Question{Form: asked}, settings.Settings{NotificationOnQuestion: true, TitleOnQuestion: true}, p.routes(), p.fail)
			eventually(t, "it was tried", func() bool {
				p.mu.Lock()
				defer p.mu.Unlock()
				return len(p.heard)+len(p.failed) == 2
			})
			a.Clear()
			if test.ok {
				p.says(t, []string{marked, "␛]777;notify;askpane: Colour␛[31m of it;A question waits for your answer.␛\\", "title back"})
				return
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(p.failed) != 1 || !strings.HasPrefix(p.failed[0], "desktop: D-Bus: ") || strings.Contains(p.failed[0], "\n") ||
				!strings.Contains(p.failed[0], "xterm-256color is not known to show notifications") {
				t.Errorf("failed %q", p.failed)
			}
		})
	}
}

// A bus that takes connections and never says a word.
func TestDesktopBusThatHangs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+path)
	t.Setenv("PATH", t.TempDir())
	t.Run("the terminal gets its turn", func(t *testing.T) {
		p := pane{term: host.Terminal{Program: "ghostty"}}
		a := begin(Question{Form: asked}, notified, p.routes(), p.fail)
		eventually(t, "the terminal shows it", func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.heard) == 1 })
		a.Clear()
		p.says(t, []string{"␛]777;notify;askpane: Colour␛[31m of it;A question waits for your answer.␛\\"})
	})
	t.Run("Clear does not wait for it", func(t *testing.T) {
		var p pane
		a := begin(Question{Form: asked}, notified, p.routes(), p.fail)
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		began := time.Now()
		a.Clear()
		if took := time.Since(began); took > patience {
			t.Errorf("Clear took %v", took)
		}
	})
}

// A bus that has died since leaves nothing behind, and is no failure.
func TestDesktopBusThatDies(t *testing.T) {
	var d daemon
	address := busThat(t, false)
	d.serve(t, address)
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	withdraw, err := byDBus(ctx, notification{"a", "b"})
	if err != nil {
		t.Fatal(err)
	}
	var pid uint32
	if err := conn.BusObject().Call("org.freedesktop.DBus.GetConnectionUnixProcessID", 0, "org.freedesktop.DBus").Store(&pid); err != nil {
		t.Fatal(err)
	}
	bus, err := os.FindProcess(int(pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the connection is gone", func() bool { return !conn.Connected() })
	if err := withdraw(ctx); err != nil {
		t.Errorf("withdraw: %v", err)
	}
}

func TestDesktopWays(t *testing.T) {
	if runtime.GOOS == "darwin" {
		needs.Cannot(t, "the ways to a desktop but macOS's", "this is macOS")
	}
	onDesktop, onTerminal := "D-Bus notify-send the viewer's terminal", "the viewer's terminal"
	for _, test := range []struct{ env, want string }{
		{"", onTerminal},
		{"DISPLAY=:0", onDesktop},
		{"WAYLAND_DISPLAY=wayland-0", onDesktop},
		{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x", onDesktop},
		{"DBUS_SESSION_BUS_ADDRESS=unix:path=/x SSH_CONNECTION=y", onTerminal},
		{"DISPLAY=:10 SSH_TTY=/dev/pts/1", onTerminal},
	} {
		t.Run(test.env, func(t *testing.T) {
			for _, e := range strings.Fields(test.env) {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
			}
			var names []string
			for _, way := range desktopWays(Routes{}) {
				names = append(names, way.name)
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// notify-send is for a desktop whose bus we cannot reach. The text is its
// argument, whatever it begins with.
func TestDesktopByNotifySend(t *testing.T) {
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\nprintf '[%s]' \"$@\" > " + said + "-\nmv " + said + "- " + said + "\n"
	if err := os.WriteFile(filepath.Join(dir, "notify-send"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":77")
	t.Setenv("XDG_RUNTIME_DIR", dir) // which has no bus
	var p pane
	a := begin(Question{Form: asked}, notified, p.routes(), p.fail)
	var got []byte
	eventually(t, "it ran", func() (ok bool) { got, _ = os.ReadFile(said); return len(got) > 0 })
	a.Clear()
	if want := "[--app-name=askpane][--][askpane: Colour␛[31m of it][A question waits for your answer.]"; string(got) != want {
		t.Errorf("its arguments are %s, want %s", got, want)
	}
	p.says(t, nil)
}
