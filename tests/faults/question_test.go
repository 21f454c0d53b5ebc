package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// question is one question of an agent, which may ask it again and again.
type question struct {
	w      *world
	name   string // in every text of it, and in no other's
	manual bool   // the person opens its forms by hand
	calls
	form *hand // the form that was opened by hand last

	entry   string // the one that what follows is about
	typed   string // what the open entry holds, and the draft must
	entered bool   // the entry is open
	unsaved bool   // the form is over and could not be saved; a key tries again
	// said are the texts that the agent may get: those the person has begun to say.
	said map[string]bool
	// given are the answers that the person knows are taken, by entry.
	given map[string]string
	// unread are the answers whose key a form may have left unread in its call's
	// terminal when it was struck, by entry. The form that comes up there in its
	// place reads it: the schedules are played without the guard (setting guardMs),
	// which keeps such keys back.
	unread map[string]string
	// got is every answer that came out somewhere.
	got []delivery
}

// delivery is an answer that a process has printed.
type delivery struct {
	id, text, by string
	killed       bool // it was killed afterwards, perhaps before it could say so in the spool
}

// hand is a form opened by hand, on a terminal of its own.
type hand struct {
	*proc
	screen *screen
	id     string
}

// call is one tool call that asks.
type call struct {
	*proc
	name   string
	screen *screen // its terminal; nil in tmux
	dir    string
	timed  bool // it has a deadline
	left   bool // it is ask --detach
}

func (w *world) newQuestion() *question {
	q := &question{w: w, name: w.newName(), manual: w.server == nil && w.chance(60), said: map[string]bool{}, given: map[string]string{}, unread: map[string]string{}}
	w.questions = append(w.questions, q)
	return q
}

func (q *question) request() string { return requestOf(q.name) }

func requestOf(name string) string {
	return fmt.Sprintf(`{"questions":[{"id":"q","label":%[1]q,"prompt":"%[1]s?","options":[`+
		`{"value":"v1","label":"%[1]s one"},{"value":"v2","label":"%[1]s two"},{"value":"v3","label":"%[1]s three"}]}]}`, name)
}

// chosen and wrote are what the agent is told.
func (q *question) chosen(n int) string { return chosenOf(q.name, n) }
func (q *question) wrote() string       { return fmt.Sprintf("%s: user wrote: %s", q.name, q.typed) }

func chosenOf(name string, n int) string {
	return fmt.Sprintf("%s: user selected: %d. %s %s", name, n, name, []string{"one", "two", "three"}[n-1])
}

// newName is one that stands in every text of a question, and in no other's.
func (w *script) newName() string {
	name := make([]byte, 8)
	for i := range name {
		name[i] = byte('A' + w.rng.IntN(26))
	}
	return string(name)
}

// ask makes a tool call.
func (w *world) ask(q *question) {
	c := &call{name: fmt.Sprintf("%s, call %d", q.name, len(q.calls)+1), dir: filepath.Join(w.dir, fmt.Sprintf("%s-%d", q.name, len(q.calls)))}
	args := []string{"ask", "--agent", q.name}
	if w.chance(10) {
		c.timed = true
		args = append(args, "--timeout", fmt.Sprintf("%.1f", 0.2+w.rng.Float64()*2))
	}
	if c.left = w.server != nil && w.chance(15); c.left { // on a terminal it would have no host
		args = append(args, "--detach")
	}
	cmd := exec.Command(binary, args...)
	cmd.Dir = w.dir
	cmd.Env = w.environ()
	if err := c.files(cmd, q.request()); err != nil {
		w.fail("%v", err)
		return
	}
	var err error
	if w.server != nil {
		cmd.Env = append(cmd.Env, w.server.where...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		c.proc, err = w.start(cmd)
	} else {
		if q.manual { // else the form is on the call's own terminal
			cmd.Env = append(cmd.Env, "ASKPANE_OPEN_MODE=manual")
		}
		if c.screen, err = w.newScreen(); err == nil {
			c.proc, err = c.screen.start(cmd)
		}
	}
	if err != nil {
		w.fail("%v", err)
		return
	}
	for _, f := range []any{cmd.Stdout, cmd.Stderr} {
		f.(*os.File).Close()
	}
	before := q.ids()
	q.calls = append(q.calls, c)
	w.tell("%s asks %v, manual %t", c.name, args[3:], q.manual)
	if w.chance(7) {
		w.moment(40)
		w.strike(c.proc, nil)
		return
	}
	if !until(func() bool { return c.over() || len(q.ids()) > len(before) || c.holds(q) }) {
		w.fail("%s is not in the spool", c.name)
	}
}

// files gives the call its request, and files for what it says: their end is
// the call's end, and not that of a pipe.
func (c *call) files(cmd *exec.Cmd, request string) error {
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(c.dir, "out"))
	if err != nil {
		return err
	}
	said, err := os.Create(filepath.Join(c.dir, "err"))
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr, cmd.Stdin = out, said, nil
	in := filepath.Join(c.dir, "in")
	if err := os.WriteFile(in, []byte(request), 0o600); err != nil {
		return err
	}
	cmd.Args = slices.Insert(cmd.Args, 2, "--file", in)
	return nil
}

func (c *call) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(c.dir, name)) // a world that is gone has none
	return string(data)
}

func (c *call) out() string        { return c.read("out") }
func (c *call) complaints() string { return c.read("err") }

// holds reports whether the call waits for an entry of q.
func (c *call) holds(q *question) bool {
	for _, id := range q.ids() {
		if q.w.held(id, "bridge.lock") {
			return true
		}
	}
	return false
}

// ids are the entries of the question that are not delivered.
func (q *question) ids() []string {
	var ids []string
	for id, dir := range q.w.entries() {
		if strings.HasSuffix(filepath.Dir(dir), "history") {
			continue
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "request.json")); bytes.Contains(data, []byte(q.name)) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// open is the entry that waits for an answer; empty where none does. Of two it is
// the one that a call waits for: one that was killed while it asked has left an
// entry that the next call may not find.
func (q *question) open() string {
	first := ""
	for _, id := range q.ids() {
		if q.w.has(id, "answer.json") {
			continue
		}
		if q.w.held(id, "bridge.lock") {
			return id
		}
		if first == "" {
			first = id
		}
	}
	return first
}

// calls are those of a question, the oldest first.
type calls []*call

// asking is the call that is not over; nil where none.
func (all calls) asking() *call {
	for _, c := range all {
		if !c.over() {
			return c
		}
	}
	return nil
}

// String says what came of each.
func (all calls) String() string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "  %s: %s; out %q, err %q\n", c.name, c.proc, c.out(), c.complaints())
	}
	return b.String()
}

func (w *world) has(id, name string) bool {
	dir, ok := w.entries()[id]
	if !ok {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// held reports whether somebody holds a lock of the entry.
func (w *world) held(id, name string) bool {
	dir, ok := w.entries()[id]
	return ok && held(filepath.Join(dir, name))
}

func held(lock string) bool {
	f, err := os.OpenFile(lock, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// shown is the form that is up for q: its process, what types into it, and
// its entry; 0 where none is.
func (q *question) shown() (pid int, press func(string), id string) {
	id = q.open()
	if id != "" && id != q.entry { // asked anew
		q.entry, q.typed, q.entered, q.unsaved = id, "", false, false
	}
	if id == "" || !q.w.held(id, "popup.lock") {
		return 0, nil, id
	}
	pid = q.w.popup(id)
	if pid == 0 || syscall.Kill(pid, 0) != nil {
		return 0, nil, id
	}
	switch {
	case q.form != nil && !q.form.over() && q.form.cmd.Process.Pid == pid:
		press = q.form.screen.press
	case q.w.server != nil:
		if q.w.server.attached() {
			press = q.w.server.screen.press
		}
	default:
		for _, c := range q.calls {
			if c.screen != nil && !c.screen.closed {
				press = c.screen.press
			}
		}
	}
	if press == nil {
		return 0, nil, id
	}
	return pid, press, id
}

// popup is the process that showed id last; 0 where none has.
func (w *world) popup(id string) int {
	data, _ := os.ReadFile(filepath.Join(w.entries()[id], "popup.lock"))
	var holder struct{ PID int }
	_ = json.Unmarshal(data, &holder) // what is no JSON yet is nobody
	return holder.PID
}

// answer is what answer.json of the entry says, wherever that is.
func (w *world) answer(id string) (text string, by string, outcome string) {
	for range 3 { // it may just be moving to the history
		if dir, ok := w.entries()[id]; ok {
			text, by, outcome = w.answerIn(id, dir)
		}
		if text != "" {
			break
		}
	}
	return
}

func (w *world) answerIn(id, dir string) (text string, by string, outcome string) {
	data, err := os.ReadFile(filepath.Join(dir, "answer.json"))
	if err != nil {
		return
	}
	var r struct {
		Outcome, By string
		Answers     []struct {
			Choices []int
			Text    *string
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		w.fail("answer.json of %s: %v: %q", id, err, data)
		return
	}
	q := w.owner(dir)
	if q == nil || r.Outcome != "answered" || len(r.Answers) != 1 {
		return "", r.By, r.Outcome
	}
	if a := r.Answers[0]; a.Text != nil {
		return fmt.Sprintf("%s: user wrote: %s", q.name, *a.Text), r.By, r.Outcome
	} else if len(a.Choices) == 1 {
		return q.chosen(a.Choices[0] + 1), r.By, r.Outcome
	}
	w.fail("answer.json of %s: %q", id, data)
	return
}

// owner is the question whose entry is in dir.
func (w *world) owner(dir string) *question {
	data, _ := os.ReadFile(filepath.Join(dir, "request.json"))
	for _, q := range w.questions {
		if bytes.Contains(data, []byte(q.name)) {
			return q
		}
	}
	return nil
}
