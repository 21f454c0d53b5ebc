// Package plain asks one entry's questions on a terminal line by line, without
// a screen: for screen readers and for terminals that cannot draw. It drives the
// same machine as the form on a screen does, so the results are the same.
//
// It touches the terminal, which stays in its line mode, and the entry. The rule
// that must hold here: nothing but plain text is written, and what comes from
// outside never begins a line, where this package's own words stand.
package plain

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
)

// Run asks on the controlling terminal until the person ends the form, somebody
// else does, the input ends, or ctx does. Of these only the first writes an answer.
func Run(ctx context.Context, entry *spool.Entry, c popup.Config) error {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // standard input and output may be something else
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer tty.Close()
	return ask(ctx, entry, c, tty)
}

// session asks about one entry. Its fields belong to talk's loop.
type session struct {
	terminal
	popup.Config
	*sitting.Sitting

	guard  machine.Guard
	page   bool         // what is on view must be shown again
	about  string       // what stands behind the letter of a command
	then   func(string) // takes the next line, where something was asked in between
	typing bool         // a text of several lines is being typed
	gone   bool         // it was said that the agent has gone
}

func ask(ctx context.Context, entry *spool.Entry, c popup.Config, tty *os.File) error {
	req, err := popup.Take(entry)
	if err != nil {
		return err
	}
	happens := make(chan func())
	s := &session{terminal: terminal{File: tty}, Config: c, page: true}
	s.Sitting = sitting.New(ctx, entry, req, sitting.Surface{By: form.ByPopup, Name: form.ByPopup, Asks: true, Post: sitting.Into(happens), Begins: c.Begins})
	defer s.Close()
	// Nothing stays open that the form on a screen may have had open: a filter, say, for every
	// choice has its number here. A remark that was begun is kept.
	s.M.Handle(machine.Event{Action: machine.Leave})
	s.M.Handle(machine.Event{Action: machine.Back}) // reasons for declining
	s.guard.Pause = s.Guard()
	s.guard.Start(time.Now(), c.Typed)
	s.open()
	defer s.open()
	if s.Notice != "" {
		s.say("%s", s.Notice)
	}
	s.intro(s.Resumed)
	s.next()
	if err := entry.Painted(c.Viewer, c.ViewerName); err != nil {
		s.say("%v", err)
	}
	s.talk(ctx, happens)
	return nil
}

// talk takes lines until there is no more to ask. What happens outside is said at once.
func (s *session) talk(ctx context.Context, happens <-chan func()) {
	stop := make(chan struct{})
	defer close(stop)
	lines := s.lines(stop)
	s.Follow()
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	for done := s.happened(false); !done; {
		select {
		case <-ctx.Done():
			s.say("")
			return
		case <-again: // after Ctrl+Z: the shell has set the terminal's mode, which may show a secret
			s.prompt()
		case do := <-happens:
			dangerous := s.dangerous()
			do()
			done = s.happened(s.dangerous() != dangerous)
		case line, open := <-lines:
			if !open {
				if s.Borrowed { // else it would be back at once
					_ = s.Entry.PutAside(s.Viewer, s.ViewerName)
				}
				s.say("\nLeft open: the question still waits. askpane next opens it.")
				return
			}
			done = s.receive(line)
		}
	}
}

// happened says what has happened outside; done means that there is no more to ask. On a
// terminal that was borrowed the form goes with whoever asked. A dangerous question that is
// now asked in another way is shown again.
func (s *session) happened(otherwise bool) (done bool) {
	s.guard.Pause = s.Guard()
	gone := s.Asker.AgentGone && !s.gone
	s.gone = s.Asker.AgentGone
	switch {
	case s.First != nil:
		s.say("\n%s", s.ending())
		return true
	case gone && s.Borrowed:
		s.say("\nWhoever asked is gone; what you typed is kept.")
		return true
	case gone:
		kept := "for when it asks again"
		if s.Req.Guarded() {
			kept = "for whoever has the question's ID"
		}
		s.say("\nThe agent has gone. Your answer is kept %s; cancelling dismisses the question.", kept)
		s.prompt()
	case otherwise, s.Met && s.then == nil && !s.typing:
		s.say("")
		s.page = true
		s.next()
	}
	return false
}

// ending says how the form has ended.
func (s *session) ending() string {
	switch {
	case !s.Mine, s.First.Outcome == form.Elsewhere:
		return s.Scene().Over
	case s.First.Outcome == form.Cancelled:
		return "Cancelled."
	}
	return "Sent."
}

// receive does what one line says, if it counts; done means that there is no more to ask.
func (s *session) receive(line string) (done bool) {
	now := time.Now()
	s.guard.Tick(now)
	if !s.guard.Takes(now, "Enter", strings.TrimSpace(line) == "") {
		how := "That line came too soon to be meant for this question. Answer after a pause."
		if s.guard.Twice() {
			how = "Lines count again. To answer with an empty one, type it once more."
		}
		s.say("%s", how)
		s.prompt()
		return false
	}
	switch {
	case s.Unsaved():
		s.Handle(machine.Event{})
	case len(line) >= longest:
		s.say("The terminal has cut that line after %d bytes, so it was not taken. Answer in shorter lines, or by askpane answer.", longest)
	default:
		s.M.Unsay()
		s.handle(strings.ToValidUTF8(line, "\uFFFD"))
	}
	if s.First != nil {
		s.say("%s", s.ending())
		return true
	}
	if said := cmp.Or(s.Notice, s.Unsaving); said != "" {
		s.say("%s", said)
	}
	s.next()
	return false
}

// next shows what is on view, if it is new, and asks for a line.
func (s *session) next() {
	for _, said := range []string{s.M.Notice(), s.Scene().Offered} {
		if said != "" {
			s.say("%s", said)
		}
	}
	if s.Met {
		s.Met, s.page = false, true
		s.say("Something was answered elsewhere meanwhile.")
	}
	if s.page {
		s.page = false
		s.show()
	}
	s.prompt()
}
