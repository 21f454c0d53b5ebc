package tests

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/needs"
)

// crowd is one askpane mcp in which many calls wait, and a client that writes
// the protocol's lines itself.
type crowd struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	texts chan string // what each call has returned, as "id text"
	ended chan error
}

// crowd starts the server in a pane of s, with these as standard error and
// environment.
func (s *tmuxServer) crowd(t *testing.T, stderr *os.File, env ...string) *crowd {
	t.Helper()
	cmd, in, out, ended := startMCP(t, append(s.agentEnv(), env...), "", stderr, "--call-limit", "0")
	t.Cleanup(func() { out.Close() })
	c := &crowd{t: t, cmd: cmd, in: in, texts: make(chan string, 2000), ended: ended}
	go c.read(out)
	c.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"crowd","version":"1"}}}`)
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *crowd) say(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

func (c *crowd) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result struct {
				Content []struct{ Text string }
			}
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && len(m.Result.Content) > 0 {
			c.texts <- fmt.Sprintf("%s %s", m.ID, m.Result.Content[0].Text)
		}
	}
}

// ask makes the calls 1 to n, and waits until all are in the spool.
func (c *crowd) ask(sp *spool.Spool, n int) (ids []string) {
	c.t.Helper()
	for i := range n {
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"question","arguments":{"questions":[{"id":"q","prompt":"Question %d?","options":[{"value":"a","label":"A%d"},{"value":"b","label":"B"}]}]}}}`, i+1, i+1, i+1))
	}
	if !needs.Within(3*time.Minute, func() bool {
		ids, _, _ = sp.Scan()
		return len(ids) == n
	}) {
		for len(c.texts) > 0 {
			c.t.Errorf("the call that nobody has answered returns %q", <-c.texts)
		}
		c.t.Fatalf("%d of %d questions wait", len(ids), n)
	}
	return ids
}

// answer gives every question its first option, and checks that each call
// returns its own.
func (c *crowd) answer(sp *spool.Spool, ids []string) {
	c.t.Helper()
	for _, id := range ids {
		e, err := sp.Open(id)
		if err != nil {
			c.t.Fatal(err)
		}
		if err := e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()}); err != nil {
			c.t.Fatal(err)
		}
		e.Close()
	}
	late := time.After(patience)
	for n := range ids {
		select {
		case text := <-c.texts:
			id, said, _ := strings.Cut(text, " ")
			if !strings.HasSuffix(said, "A"+id) {
				c.t.Errorf("the call %s returns %q", id, said)
			}
		case <-late:
			c.t.Fatalf("%d of %d answers have arrived", n, len(ids))
		}
	}
}

// leave ends the input; the server has to end then.
func (c *crowd) leave() {
	c.t.Helper()
	c.in.Close()
	select {
	case err := <-c.ended:
		if err != nil {
			c.t.Errorf("the server: %v", err)
		}
	case <-time.After(patience):
		c.t.Error("the server has not ended")
	}
}

func (s *tmuxServer) openSpool(t *testing.T) *spool.Spool {
	t.Helper()
	sp, err := spool.Open(string(s.spool))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	return sp
}

// A client need not read what a server says on standard error.
func TestMCPStderrUnread(t *testing.T) {
	t.Parallel()
	s := newTmux(t) // nobody is attached, which every question says
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd := int(w.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for err == nil { // until there is room for nothing more
		_, err = unix.Write(fd, make([]byte, 4096))
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
	c := s.crowd(t, w)
	w.Close()
	sp := s.openSpool(t)
	c.answer(sp, c.ask(sp, 40))
	c.leave()
}

// What concerns every question is said once.
func TestMCPWarnsOnce(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	path := filepath.Join(t.TempDir(), "err")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := s.crowd(t, f)
	sp := s.openSpool(t)
	ids := c.ask(sp, 20)
	said := ""
	eventually(t, "it says why the questions wait", func() bool {
		data, _ := os.ReadFile(path)
		said = string(data)
		return strings.Contains(said, "the question waits")
	})
	c.answer(sp, ids)
	c.leave()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if said = string(data); strings.Count(said, "\n") != 1 {
		t.Errorf("20 questions say %q", said)
	}
}

var mcpCalls = flag.Int("calls", 100, "how many calls wait in one askpane mcp in TestMCPCrowd; just soak has 1000, which want the machine for themselves")

// Many questions in one process cost little, and nothing that other programs
// run short of.
func TestMCPCrowd(t *testing.T) {
	if runtime.GOOS != "linux" {
		needs.Cannot(t, "/proc", "what a process uses is counted there; Linux has it")
	}
	t.Parallel()
	s := newTmux(t)
	s.attach("main", 100, 30)
	c := s.crowd(t, nil)
	sp := s.openSpool(t)
	ids := c.ask(sp, *mcpCalls)
	inLine := func() (n int) {
		files, _ := filepath.Glob(filepath.Join(string(s.spool), "viewers", "*", "0*"))
		return len(files)
	}
	eventually(t, "all but one wait in line", func() bool { return inLine() == *mcpCalls-1 })
	var used used
	eventually(t, "a call has three descriptors at most", func() bool {
		used = usedBy(t, c.cmd.Process.Pid)
		return used.descriptors <= 3*(*mcpCalls)+50
	})
	t.Logf("%d calls: %+v", *mcpCalls, used)
	if used.threads > 50 { // of which Go keeps all that it has made
		t.Errorf("%d threads; at most 50", used.threads)
	}
	if most := 30<<20 + *mcpCalls*72<<10; used.memory > most { // of a thousand calls, 100 MiB
		t.Errorf("%d KiB resident; at most %d", used.memory>>10, most>>10)
	}
	if used.inotify > 1 {
		t.Errorf("%d inotify instances; a user has 128", used.inotify)
	}
	c.answer(sp, ids)
	c.leave()
	eventually(t, "the popup has said who answered, and closed", func() bool { return len(s.spool.processes("popup")) == 0 })
}

// used counts what a process takes of the machine.
type used struct{ threads, memory, descriptors, inotify int }

func usedBy(t *testing.T, pid int) (u used) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		switch n, _ := strconv.Atoi(strings.Fields(value + " 0")[0]); name {
		case "Threads":
			u.threads = n
		case "VmRSS":
			u.memory = n << 10 // in kB
		}
	}
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	u.descriptors = len(fds)
	for _, fd := range fds {
		if to, _ := os.Readlink(filepath.Join(dir, fd.Name())); to == "anon_inode:inotify" {
			u.inotify++
		}
	}
	return u
}
