package faults

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// tmuxSteps are for forms in tmux, where the client and the server die too.
var tmuxSteps = []step[*world]{
	{"form opened", 22, (*world).show},
	{"typed", 14, (*world).typing},
	{"form answered", 16, (*world).choose},
	{"answered by command", 5, (*world).answerByCommand},
	{"form struck", 6, (*world).strikeForm},
	{"bridge struck", 8, (*world).strikeBridge},
	{"detached bridge struck", 6, (*world).strikeLeft},
	{"asked again", 10, (*world).askAgain},
	{"second form", 2, (*world).secondForm},
	{"client struck", 6, (*world).strikeClient},
	{"client attached", 14, (*world).attach},
	{"server struck", 4, (*world).strikeServer},
	{"server started", 14, (*world).restart},
	{"disk filled", 3, (*world).fill},
	{"disk freed", 4, (*world).free},
	{"bridge stopped", 2, (*world).stop},
	{"bridge continued", 4, (*world).carryOn},
}

func TestTmuxFaults(t *testing.T) {
	needs.Program(t, "tmux")
	play(t, share(10), *atOnce, in(tmuxSteps, (*world).openTmux))
}

// server is a private tmux server with one client.
type server struct {
	*script
	dir, name string
	pid       int
	socket    string
	where     []string // how a call finds it
	screen    *screen  // the client's terminal
	client    *proc
}

func (w *world) openTmux() error {
	w.server = &server{script: w.script, dir: w.dir, name: "f" + strconv.FormatUint(w.number, 10)}
	if err := w.server.begin(); err != nil {
		return err
	}
	return w.server.attach()
}

func (s *server) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-L", s.name, "-f", os.DevNull}, args...)...)
	cmd.Env = append(environIn(s.dir), "TMUX_TMPDIR="+s.dir)
	return cmd
}

func (s *server) begin() error {
	var out []byte
	var err error
	until(func() bool { // tmux 3.3a ends now and then while it starts, if something else asks it just then: a call for its clients, say
		out, err = s.command("new-session", "-d", "-s", "main", "-x", "90", "-y", "30", "--", "sh", "-c", "stty -echo; exec cat >/dev/null",
			";", "display-message", "-p", "-t", "main:", "#{pid} #{socket_path}").CombinedOutput()
		return !strings.Contains(string(out), "server exited unexpectedly")
	})
	if err != nil {
		return fmt.Errorf("start tmux: %w: %s", err, out)
	}
	var pid string
	pid, s.socket, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if s.pid, err = strconv.Atoi(pid); err != nil {
		return fmt.Errorf("start tmux: it says %q", out)
	}
	s.where = []string{fmt.Sprintf("TMUX=%s,%d,0", s.socket, s.pid)}
	return nil
}

func (s *server) attach() error {
	var err error
	if s.screen, err = s.newScreen(); err != nil {
		return err
	}
	cmd := s.command("attach-session", "-t", "main")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.screen.device, s.screen.device, s.screen.device
	if s.client, err = s.screen.start(cmd); err != nil {
		return err
	}
	if !until(func() bool {
		out, err := s.command("list-clients").Output()
		return err == nil && len(out) > 0
	}) {
		return fmt.Errorf("no client attaches: %s", s.client)
	}
	return nil
}

func (s *server) attached() bool { return s.client != nil && !s.client.over() && !s.screen.closed }

func (s *server) up() bool {
	data, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.pid), "stat"))
	return len(data) > 0 && !strings.Contains(string(data), ") Z ")
}

// listens reports whether somebody has the socket: also a child that the server had just
// forked when it was killed.
func (s *server) listens() bool {
	c, err := net.Dial("unix", s.socket)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// watched reports whether a form can come up.
func (s *server) watched(w *world) bool { return s.up() && s.attached() }

// shows reports whether the one viewer has another question's form.
func (s *server) shows(w *world, q *question) bool {
	for _, other := range w.questions {
		if pid, _, _ := other.shown(); other != q && pid != 0 {
			return true
		}
	}
	return false
}

func (w *world) strikeClient() bool {
	s := w.server
	if !s.attached() {
		return false
	}
	w.strike(s.client, s.screen)
	w.ends(s.client, "the tmux client does not end")
	s.screen.close()
	w.formless()
	return true
}

func (w *world) attach() bool {
	if !w.server.up() || w.server.attached() {
		return false
	}
	if err := w.server.attach(); err != nil {
		w.fail("%v", err)
	}
	w.tell("a client is attached")
	return w.waitForForms()
}

func (w *world) strikeServer() bool {
	s := w.server
	if !s.up() {
		return false
	}
	sig := oneOf(w.script, syscall.SIGKILL, syscall.SIGTERM)
	w.tell("the tmux server gets %v", sig)
	_ = syscall.Kill(s.pid, sig)
	if !until(func() bool { return !s.up() && !s.listens() }) {
		w.fail("the tmux server does not end")
	}
	if s.client != nil {
		w.ends(s.client, "the tmux client does not end with its server")
	}
	if s.screen != nil {
		s.screen.close()
	}
	w.formless()
	return true
}

// formless waits for the forms in tmux to end: their terminal has gone. Between two questions
// a popup has the lock of neither. One that the schedule has opened by hand is elsewhere.
func (w *world) formless() {
	byHand := func(pid int) bool {
		return slices.ContainsFunc(w.started, func(p *proc) bool { return p.cmd.Process.Pid == pid })
	}
	inTmux := func(p stray) bool { return p.program == binary+"-popup" && !byHand(p.pid) }
	if !until(func() bool { return !slices.ContainsFunc(w.left(), inTmux) }) {
		w.fail("a popup outlives its terminal: %v", w.left())
	}
	for _, q := range w.questions {
		q.unsaved = false
		if q.form != nil && !q.form.over() { // it is elsewhere
			continue
		}
		id := q.open()
		if id != "" && !until(func() bool { return q.open() != id || !w.held(id, "popup.lock") }) {
			w.fail("the form of %s outlives its terminal", id)
		}
	}
}

func (w *world) restart() bool {
	if w.server.up() {
		return false
	}
	if err := w.server.begin(); err != nil {
		w.fail("%v", err)
		return true
	}
	w.tell("the tmux server is started again, pid %d", w.server.pid)
	if err := w.server.attach(); err != nil {
		w.fail("%v", err)
	}
	return w.waitForForms()
}

// atRest: tmux has done what it was told, since it answers in turn.
func (w *world) atRest() bool {
	if w.server == nil || !w.server.up() {
		return true
	}
	_ = w.server.command("list-clients").Run() // it may just be ending
	return len(w.left()) == 0
}

// checkPanes: nothing of ours is left in tmux.
func (w *world) checkPanes() {
	if !w.server.up() {
		return
	}
	panes := func() string {
		out, _ := w.server.command("list-panes", "-a", "-F", "#{pane_current_command}").Output()
		return strings.TrimSpace(string(out))
	}
	if !until(func() bool { return panes() == "cat" }) {
		w.fail("left in tmux: %s", panes())
	}
}

// endServer ends the server, which is ours alone.
func (w *world) endServer() {
	_ = w.server.command("kill-server").Run() // it may have been killed
	if !until(func() bool { return !w.server.up() }) {
		w.fail("the tmux server does not end")
	}
}
