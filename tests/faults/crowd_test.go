package faults

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/needs"
)

var (
	bridges = flag.Int("bridges", 100, "how many bridges wait at once in TestCrowd")
	entries = flag.Int("entries", 1000, "how many other questions are on the disk then")
)

// nobody runs the crowd where we are root, so that its hundreds of inotify
// instances are not taken from those of the user who runs the tests.
const nobody = 61234

// Hundreds of bridges wait at once, each on a terminal of its own, beside
// thousands of entries. A script answers all; each gets its own answer.
func TestCrowd(t *testing.T) {
	w := &world{script: newScript(0)}
	if err := w.open(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		w.end()
		if len(w.wrong) > 0 {
			t.Errorf("%d wrong, for instance: %s", len(w.wrong), strings.Join(w.wrong[:min(5, len(w.wrong))], "\n"))
		}
	}()
	c := &crowd{w: w, calls: map[string]*call{}}
	c.others(t, *entries)
	began := time.Now()
	for n := range *bridges {
		c.ask(t, n)
	}
	if !needs.Within(5*time.Minute, func() bool { return len(c.waiting()) == *bridges }) {
		t.Fatalf("%d of %d wait", len(c.waiting()), *bridges)
	}
	t.Logf("%d bridges wait beside %d entries after %v", *bridges, *entries, time.Since(began).Round(time.Millisecond))
	c.measure(t)
	c.answerAll(t)
	c.check(t)
}

type crowd struct {
	w     *world
	calls map[string]*call // by the question's name
}

// others fills the spool with questions whose agents are gone.
func (c *crowd) others(t *testing.T, n int) {
	sp, err := spool.Open(c.w.spool)
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	const raw = `{"questions":[{"id":"n","prompt":"An older one?","options":[{"value":"y","label":"Yes"}]}]}`
	_, f, err := dialect.Decode("", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		e, err := sp.Create(spool.Request{Form: f, Raw: json.RawMessage(raw), Origin: spool.Origin{Agent: "older", Cwd: "/", Start: time.Now().Add(-time.Hour)}})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chmod(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(c.w.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, nobody, nobody)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (c *crowd) as(attr *syscall.SysProcAttr) *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	return attr
}

func (c *crowd) ask(t *testing.T, n int) {
	t.Helper()
	name := fmt.Sprintf("CROWD%06d", n)
	q := &question{w: c.w, name: name}
	one := &call{name: name, dir: filepath.Join(c.w.dir, name)}
	cmd := exec.Command(binary, "ask", "--agent", name)
	cmd.Dir, cmd.Env = c.w.dir, c.w.environ("ASKPANE_OPEN_MODE=manual")
	if err := one.files(cmd, q.request()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(one.dir, 0o755); err != nil { // the request is in it
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(one.dir, "in"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := c.w.newScreen()
	if err != nil {
		t.Fatal(err)
	}
	one.screen = s
	cmd.ExtraFiles = []*os.File{s.device}
	cmd.SysProcAttr = c.as(&syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3})
	if one.proc, err = c.w.start(cmd); err != nil {
		t.Fatal(err)
	}
	for _, f := range []any{cmd.Stdout, cmd.Stderr} {
		f.(*os.File).Close()
	}
	s.device.Close() // a thousand of them are enough
	c.calls[name] = one
	c.w.questions = append(c.w.questions, &question{w: c.w, name: name, calls: []*call{one}})
	if n%20 == 19 { // not all at the same moment: that is another test
		if !until(func() bool { return one.over() || strings.Contains(c.request(name), name) }) {
			t.Fatalf("%s is not in the spool: %s", name, one.complaints())
		}
	}
}

// request is the request.json of the question with that name.
func (c *crowd) request(name string) string {
	for _, data := range c.waiting() {
		if strings.Contains(data, name) {
			return data
		}
	}
	return ""
}

// waiting are the requests in the spool that are the crowd's, by id.
func (c *crowd) waiting() map[string]string {
	all := map[string]string{}
	files, err := os.ReadDir(c.w.spool)
	if err != nil {
		panic(err) // a directory of our own
	}
	for _, f := range files {
		if data, err := os.ReadFile(filepath.Join(c.w.spool, f.Name(), "request.json")); err == nil && strings.Contains(string(data), "CROWD") {
			all[f.Name()] = string(data)
		}
	}
	return all
}

// measure says what a waiting bridge holds and uses.
func (c *crowd) measure(t *testing.T) {
	ticks := func() (sum int64) {
		for _, one := range c.calls {
			sum += cpuTicks(one.cmd.Process.Pid)
		}
		return sum
	}
	// Nothing is waited for here: it is the time that is measured over.
	before, began := ticks(), time.Now()
	<-time.After(5 * time.Second)
	used, over := ticks()-before, time.Since(began)
	var resident, share, polls int64
	for _, one := range c.calls {
		resident += kib(one.cmd.Process.Pid, "status", "VmRSS:")
		share += kib(one.cmd.Process.Pid, "smaps_rollup", "Pss:")
		said := strings.Count(one.complaints(), "looking for the answer once a second")
		if said > 1 {
			c.w.fail("%s says %d times that it polls", one.name, said)
		}
		polls += int64(said)
	}
	n := int64(len(c.calls))
	t.Logf("a waiting bridge: %.1f MiB resident, %.1f MiB its share (Pss); all %d together %.1f%% of one core; %d of them poll",
		float64(resident/n)/1024, float64(share/n)/1024, n, float64(used)/100/over.Seconds()*100, polls)
}

func cpuTicks(pid int) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(data), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return user + system
}

func kib(pid int, file, name string) int64 {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			return n
		}
	}
	return 0
}

// choice is what the script answers to the question with that name.
func choice(name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "CROWD"))
	if err != nil {
		panic(err) // names are ours
	}
	return 1 + n%3
}

// answerAll answers every question, four at once.
func (c *crowd) answerAll(t *testing.T) {
	began := time.Now()
	ids := make(chan [2]string)
	var scripts sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		scripts.Go(func() {
			for id := range ids {
				cmd := c.w.command("answer", "--json", fmt.Sprintf(`{"answers":{"0":"v%d"}}`, choice(id[1])), id[0])
				cmd.SysProcAttr = c.as(&syscall.SysProcAttr{Setsid: true})
				if out, err := cmd.CombinedOutput(); err != nil {
					mu.Lock()
					c.w.fail("askpane answer %s: %v: %s", id[0], err, out)
					mu.Unlock()
				}
			}
		})
	}
	for id, data := range c.waiting() {
		at := strings.Index(data, "CROWD")
		ids <- [2]string{id, data[at : at+len("CROWD000000")]}
	}
	close(ids)
	scripts.Wait()
	t.Logf("all are answered after %v", time.Since(began).Round(time.Millisecond))
	for name, one := range c.calls {
		c.w.ends(one.proc, "%s has its answer and does not return", name)
	}
	t.Logf("and every call has returned after %v", time.Since(began).Round(time.Millisecond))
}

// check: each call got its own answer, and nothing of the crowd is left.
func (c *crowd) check(t *testing.T) {
	for name, one := range c.calls {
		if !one.over() {
			continue
		}
		q := &question{w: c.w, name: name}
		var e struct{ Outcome, Text string }
		if err := json.Unmarshal([]byte(one.out()), &e); err != nil || one.code() != 0 || e.Outcome != "answered" || e.Text != q.chosen(choice(name)) {
			c.w.fail("%s: exit %d with %q, want %q; it said %s", name, one.code(), one.out(), q.chosen(choice(name)), one.complaints())
		}
	}
	if left := c.waiting(); len(left) != 0 {
		c.w.fail("%d questions are left", len(left))
	}
	if left := c.w.left(); len(left) != 0 {
		c.w.fail("%d processes are left, for instance %q", len(left), left[0].line)
	}
	if all := c.w.entries(); len(all) != *bridges+*entries {
		c.w.fail("%d entries of %d", len(all), *bridges+*entries)
	}
}
