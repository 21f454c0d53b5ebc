package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
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
	cmd := exec.Command(binary, "mcp", "--tools", "question", "--call-limit", "0")
	cmd.Env = append(environ(t.TempDir(), "ASKPANE_SPOOL="+string(s.spool), unguarded,
		"TMUX="+s.tmux("display-message", "-p", "-t", "main", "#{socket_path},#{pid},0"), "TMUX_PANE="+s.tmux("display-message", "-p", "-t", "main", "#{pane_id}")), env...)
	cmd.Stderr, cmd.SysProcAttr = stderr, &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	c := &crowd{t: t, cmd: cmd, in: in, texts: make(chan string, 2000), ended: make(chan error, 1)}
	go func() { c.ended <- cmd.Wait() }()
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // one that has ended is no matter
		out.Close()
	})
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
	eventually(c.t, fmt.Sprintf("%d questions wait", n), func() bool {
		ids, _ = spool.Unanswered(sp.Path())
		return len(ids) == n
	})
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
	size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, size)); err != nil { // there is room for nothing more
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
