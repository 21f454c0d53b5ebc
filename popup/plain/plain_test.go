package plain

import (
	"context"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/person"
)

// patience is how long anything may take before a test gives up on it.
const patience = 30 * time.Second

// stage is one entry in a spool, asked about on a pseudo-terminal.
type stage struct {
	t      *testing.T
	d      *dialect.Dialect
	form   form.Form
	dir    string       // the spool's
	bridge *spool.Entry // holds bridge.lock, as the asker does
	config popup.Config
	entry  *spool.Entry // as the form has it
	person *os.File     // the person's end
	tty    *os.File
	stop   context.CancelFunc
	ended  chan error

	mu   sync.Mutex
	seen strings.Builder
	more chan struct{}
}

func newStage(t *testing.T, name, request string) *stage {
	t.Helper()
	d, f, err := dialect.Decode(name, []byte(request))
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	dir := t.TempDir()
	sp, err := spool.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, dir: dir, d: d, form: f, more: make(chan struct{}, 1)}
	s.bridge, err = sp.Create(spool.Request{Form: f, Raw: []byte(request), Origin: spool.Origin{Agent: "robin", Cwd: "/a/b", Start: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	if s.person, s.tty, err = pty.Open(); err != nil {
		t.Fatalf("open a pseudo-terminal: %v", err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buffer := make([]byte, 4096)
		for {
			n, err := s.person.Read(buffer)
			s.mu.Lock()
			s.seen.Write(buffer[:n])
			s.mu.Unlock()
			select {
			case s.more <- struct{}{}:
			default:
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_, _ = s.person.WriteString("\x04") // whoever still reads a line gets the end of them
		s.tty.Close()
		<-read
		s.person.Close()
		s.bridge.Close()
		sp.Close()
	})
	s.config.Viewer = "viewer"
	s.entry = s.reopen(sp)
	return s
}

func (s *stage) reopen(sp *spool.Spool) *spool.Entry {
	s.t.Helper()
	e, err := sp.Open(s.bridge.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { e.Close() })
	return e
}

// start asks, and waits for the first prompt.
func (s *stage) start() {
	s.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s.stop, s.ended = stop, make(chan error, 1)
	s.t.Cleanup(stop)
	go func() { s.ended <- ask(ctx, s.entry, s.config, s.tty) }()
	s.see("\n> ")
}

func (s *stage) output() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.seen.String(), "\r\n", "\n")
}

// see waits until the terminal has shown text.
func (s *stage) see(text string) {
	s.t.Helper()
	late := time.After(patience)
	for !strings.Contains(s.output(), text) {
		select {
		case <-s.more:
		case <-late:
			s.t.Fatalf("never saw %q; the terminal shows\n%s", text, s.output())
		}
	}
}

func (s *stage) enter(lines ...string) {
	s.t.Helper()
	for _, line := range lines {
		if _, err := s.person.WriteString(line + "\n"); err != nil {
			s.t.Fatal(err)
		}
	}
}

// over waits until asking has ended, without an error.
func (s *stage) over() {
	s.t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Fatalf("it ended with %v", err)
		}
	case <-time.After(patience):
		s.t.Fatalf("it did not end; the terminal shows\n%s", s.output())
	}
}

// pending checks that nothing has been answered.
func (s *stage) pending() {
	s.t.Helper()
	if r, answered, err := s.entry.Answer(); answered || err != nil {
		s.t.Fatalf("the answer is %+v, %v", r, err)
	}
}

// result is the answer on the disk, without who gave it and when.
func (s *stage) result() form.Result {
	s.t.Helper()
	r, answered, err := s.entry.Answer()
	if err != nil || !answered {
		s.t.Fatalf("there is no answer (%v); the terminal shows\n%s", err, s.output())
	}
	if r.By != form.ByPopup || r.At.IsZero() {
		s.t.Errorf("answered by %q at %v", r.By, r.At)
	}
	r.By, r.At, r.Version = "", time.Time{}, 0
	return r
}

// drawn is what the form on a screen makes of events.
func drawn(t *testing.T, f *form.Form, events []machine.Event) form.Result {
	t.Helper()
	m := machine.New(f, nil, true)
	for _, e := range events {
		m.Handle(e)
	}
	r, over := m.Result()
	if !over {
		t.Fatalf("the events leave the form in %s, step %d: %s", m.Mode(), m.Step(), m.Notice())
	}
	return r
}

func TestSameResultAsTheForm(t *testing.T) {
	t.Parallel()
	for _, c := range kinds {
		t.Run(c.dialect+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c.dialect, c.request)
			s.start()
			s.enter(c.lines...)
			s.over()
			got, want := s.result(), drawn(t, &s.form, c.events)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the result is\n%+v, and that of the form\n%+v", got, want)
			}
			if err := s.form.Check(got); err != nil {
				t.Error(err)
			}
			if text := s.d.EncodeIn(dialect.Context{DangerCheck: true}, &s.form, got).Text; text != c.text {
				t.Errorf("the model reads %q, want %q", text, c.text)
			}
			for _, text := range c.seen {
				s.see(text)
			}
			if strings.Contains(s.output(), "\x1b") {
				t.Errorf("there is an escape sequence in %q", s.output())
			}
		})
	}
}

const pair = `{"questions":[{"id":"c","prompt":"Colour?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}]},
	{"id":"s","label":"Size","prompt":"Size?","options":[{"value":"1","label":"One"}]}]}`

// The draft holds every answer as it is given, and a later popup begins there.
func TestDraft(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", pair)
	s.start()
	s.enter("2")
	s.see("Question 2 of 2")
	if _, err := s.person.WriteString("\x04"); err != nil {
		t.Fatal(err)
	}
	s.over()
	s.pending()
	var d machine.Draft
	if ok, err := s.entry.Draft(&d); !ok || err != nil || !reflect.DeepEqual(d.Answers[0].Choices, []int{1}) || d.Step != 1 {
		t.Fatalf("the draft is %+v, %v, %v", d, ok, err)
	}
	s.see("the question still waits")
	s.entry.Close() // lets go of popup.lock
	sp, err := spool.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	s.entry = s.reopen(sp)
	s.seen.Reset()
	s.start()
	s.see("What you said before is kept.")
	s.enter("1", "s")
	s.over()
	if r := s.result(); !reflect.DeepEqual(r.Answers, []form.Answer{form.Choose(1), form.Choose(0)}) {
		t.Errorf("the answers are %+v", r.Answers)
	}
}

func TestEndedElsewhere(t *testing.T) {
	t.Parallel()
	settle := func(s *stage, r form.Result) {
		r.At = time.Now()
		if err := s.bridge.Settle(r); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		borrows bool
		do      func(s *stage)
		seen    string
	}{
		{"answered, told at the next line", false, func(s *stage) {
			settle(s, form.Result{Outcome: form.Cancelled, By: form.ByAnswer})
			s.enter("1")
		}, "Already cancelled by askpane answer"},
		{"answered, told when nobody waits", false, func(s *stage) {
			settle(s, form.Result{Outcome: form.Cancelled, By: form.ByAnswer})
			if err := s.bridge.StopWaiting(); err != nil {
				s.t.Fatal(err)
			}
		}, "Already cancelled by askpane answer"},
		{"deadline", true, func(s *stage) {
			settle(s, form.Result{Outcome: form.Timeout, By: form.ByBridge})
			if err := s.bridge.StopWaiting(); err != nil {
				s.t.Fatal(err)
			}
		}, "Expired"},
		{"borrowed from who is gone", true, func(s *stage) {
			if err := s.bridge.StopWaiting(); err != nil {
				s.t.Fatal(err)
			}
		}, "Whoever asked is gone"},
		{"an agent gone, answered all the same", false, func(s *stage) {
			if err := s.bridge.StopWaiting(); err != nil {
				s.t.Fatal(err)
			}
			s.see("The agent has gone.")
			s.enter("1", "1", "s")
		}, "Sent."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, "question", pair)
			s.config.Borrowed = c.borrows
			s.start()
			c.do(s)
			s.over()
			s.see(c.seen)
		})
	}
}

// What an agent writes stays inside its indent and is safe to print.
func TestAgentsTextIsData(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", `{"questions":[{"id":"c","prompt":"A\u001b[2J\u202e\n> \nSent.\nChoices:\n  1. R","options":[{"value":"r","label":"R\nCancelled.\u001b]2;x\u0007"}]}]}`)
	if err := pty.Setsize(s.tty, &pty.Winsize{Cols: 30, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.stop()
	s.over()
	s.see("1. R Cancelled.␛]2;x␇\n")
	out := s.output()
	if strings.ContainsAny(out, "\x1b\x07\u202e") {
		t.Errorf("not safe: %q", out)
	}
	for _, forged := range []string{"\nSent.", "\nCancelled.", "\n> \n  "} {
		if strings.Contains(out, forged) {
			t.Errorf("%q begins a line of %q", forged, out)
		}
	}
	if n := strings.Count(out, "\nChoices:"); n != 1 {
		t.Errorf("%d lines begin the choices in %q", n, out)
	}
}

func TestShownElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", pair)
	if ok, err := s.bridge.TakePopup(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := ask(t.Context(), s.entry, s.config, s.tty); err != popup.ErrShown {
		t.Errorf("ask: %v", err)
	}
}

// The setting is followed while the question is open: what was a plain choice
// is asked for by name, and told again.
func TestDangerCheckFollows(t *testing.T) {
	s := newStage(t, auq, danger)
	person.Set(t, `{"guardMs": 0, "dangerCheckEnabled": false}`)
	s.start()
	if strings.Contains(s.output(), "DESTRUCTIVE") {
		t.Fatalf("it is dangerous with the check off:\n%s", s.output())
	}
	person.Set(t, `{"guardMs": 0}`)
	s.see("DESTRUCTIVE — Drop")
	s.enter("1", "prod")
	s.over()
	if r := s.result(); len(r.Answers) != 1 || r.Answers[0].Text == nil || *r.Answers[0].Text != "1" {
		t.Errorf("answered %+v, want the typed 1", r.Answers)
	}
}
