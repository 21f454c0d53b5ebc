package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/needs"
)

// machine is one of a fleet: a home and a spool, a desk, and a way to the hub.
type machine struct {
	*fleet
	name        string
	home, spool string
	person      bool
	way         *way
	byHand      bool // its desk is started by hand, and not by bridges alone
}

// environ is what every process there gets. There is no tmux on its path: a desk would
// find those of whoever runs the tests.
func (m *machine) environ() []string {
	return append(needs.Environ(),
		"ASKPANE_SPOOL="+m.spool, "HOME="+m.home, "TMPDIR="+m.home, "PATH="+m.home,
		"XDG_RUNTIME_DIR="+m.home, "LC_ALL=C.UTF-8", "TERM=xterm-256color", "ASKPANE_BELL_ON_QUESTION=false",
		"ASKPANE_ON_QUESTION_COMMAND=echo $ASKPANE_ID >>"+m.alerts(),
	)
}

// alerts is the file with a line for each alert that was raised there.
func (m *machine) alerts() string { return filepath.Join(m.home, "alerts") }

func (m *machine) state(path ...string) string {
	return filepath.Join(append([]string{m.home, ".local", "state", "askpane"}, path...)...)
}

func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = m.home, m.environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// must runs one of its commands that has to succeed.
func (m *machine) must(in string, args ...string) (out string, err error) {
	cmd := m.command(args...)
	cmd.Stdin = strings.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = &said
	data, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("askpane %v on %s: %w: %s", args, m.name, err, said.Bytes())
	}
	return string(data), err
}

// desks are its processes of that program.
func (m *machine) desks() []stray {
	return slices.DeleteFunc(processes(m.spool), func(s stray) bool { return !s.isDesk() })
}

// hasDesk reports whether a desk has the lock that says so, and is alive: one that was
// just killed has the lock for some moments more.
func (m *machine) hasDesk() bool {
	p, alive := process(m.deskLock(), m.spool)
	return alive && p.isDesk()
}

// deskLock is the process that has the lock, by what the kernel says; 0 where none has it.
func (m *machine) deskLock() int {
	f, err := os.Open(m.state("desk", "desk.lock"))
	if err != nil {
		return 0
	}
	defer f.Close()
	lock := unix.Flock_t{Type: unix.F_RDLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		m.fail("%v", err)
	}
	if lock.Type == unix.F_UNLCK {
		return 0
	}
	return int(lock.Pid)
}

func (s stray) isDesk() bool { return filepath.Base(s.program) == "askpane-desk" }

// startDesk starts one; where there is one already, that ends at once.
func (m *machine) startDesk() {
	cmd := m.command("desk", "--stay")
	said, err := os.OpenFile(filepath.Join(m.home, "desk.err"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		defer said.Close()
		cmd.Stderr = said
		_, err = m.start(cmd)
	}
	if err != nil {
		m.fail("the desk of %s: %v", m.name, err)
	}
}

// record is a question as it is in a machine's spool.
type record struct {
	id      string
	waits   bool // it is not in the history
	away    string
	choice  int // which option the answer is, from 1; 0 where it is none
	Outcome string
	By      string
	Machine string
	Reason  string
	At      time.Time
	Answers []form.Answer
	Held    spool.AwayState `json:"-"`
}

func (r record) String() string {
	return fmt.Sprintf("%s %d by %q of %q (%s)", r.Outcome, r.choice, r.By, r.Machine, r.Reason)
}

// look is a question in the machine's spool; nil where it is not there.
func (m *machine) look(id string) *record {
	for range 3 { // it may just be moving to the history
		for _, dir := range []string{filepath.Join(m.spool, id), filepath.Join(m.spool, "history", id)} {
			var req struct{ Origin struct{ Away *spool.Away } }
			if !m.decode(filepath.Join(dir, "request.json"), &req) {
				continue
			}
			r := &record{id: id, waits: filepath.Base(filepath.Dir(dir)) != "history"}
			if req.Origin.Away != nil {
				r.away = req.Origin.Away.Machine
			}
			if m.decode(filepath.Join(dir, "answer.json"), r) && len(r.Answers) == 1 && len(r.Answers[0].Choices) == 1 {
				r.choice = r.Answers[0].Choices[0] + 1
			}
			m.decode(filepath.Join(dir, "away.json"), &r.Held)
			if _, err := os.Stat(dir); err == nil {
				return r
			}
		}
	}
	return nil
}

// decode reads a file of JSON, if it is there.
func (m *machine) decode(path string, v any) bool {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		m.fail("%s: %v", path, err)
	}
	return err == nil
}

// ids are all questions in the machine's spool.
func (m *machine) ids() (ids []string) {
	all, err := entriesIn(m.spool)
	if err != nil {
		m.fail("%v", err)
	}
	for id := range all {
		ids = append(ids, id)
	}
	return ids
}

// try is somebody who answers, on one machine: by command, or as a popup does it.
type try struct {
	*machine
	id     string
	option int // 0 is a cancel
	popup  bool
	cmd    *proc
	said   bytes.Buffer
	done   chan struct{}
	err    error
}

// answer begins to answer.
func (m *machine) answer(q *asked, id string, option int, popup bool) *try {
	t := &try{machine: m, id: id, option: option, popup: popup, done: make(chan struct{})}
	q.said[option] = true
	if popup {
		go func() {
			defer close(t.done)
			t.err = t.settle()
		}()
		return t
	}
	args := []string{"answer", "--json", fmt.Sprintf(`{"answers":{"0":"v%d"}}`, option), id}
	if option == 0 {
		args = []string{"answer", "--cancel", id}
	}
	cmd := m.command(args...)
	cmd.Stdout, cmd.Stderr = &t.said, &t.said
	if t.cmd, t.err = m.start(cmd); t.err != nil {
		m.fail("%v", t.err)
		close(t.done)
		return t
	}
	go func() { <-t.cmd.ended; close(t.done) }()
	return t
}

// settle writes the answer as every surface does.
func (t *try) settle() error {
	sp, err := spool.Open(t.spool)
	if err != nil {
		return err
	}
	defer sp.Close()
	e, err := sp.Open(t.id)
	if err != nil {
		return err
	}
	defer e.Close()
	r := form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}
	if t.option > 0 {
		r.Outcome, r.Answers = form.Answered, []form.Answer{form.Choose(t.option - 1)}
	}
	return e.Settle(r)
}

// wait waits until it is done, and reports whether the person knows that it is taken.
func (t *try) wait() (taken bool) {
	select {
	case <-t.done:
	case <-time.After(patience):
		t.fail("answering %s on %s does not end", t.id, t.name)
		return false
	}
	late := errors.Is(t.err, spool.ErrAnswered) || errors.Is(t.err, spool.ErrNotFound)
	taken = t.err == nil
	if t.cmd != nil {
		code := t.cmd.code()
		taken, late = code == 0 || code == 7, code == 6 // with 7 the machine that asked has not got it yet
	}
	t.tell("%s is answered on %s with %d, %s: taken %t %v %s", t.id, t.name, t.option, t.surface(), taken, t.err, strings.TrimSpace(t.said.String()))
	if !taken && !late {
		t.fail("%s cannot be answered on %s, %s: %v %s", t.id, t.name, t.surface(), t.err, t.said.String())
	}
	return taken
}

func (t *try) surface() string {
	if t.popup {
		return form.ByPopup
	}
	return form.ByAnswer
}
