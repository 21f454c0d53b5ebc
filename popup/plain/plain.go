// Package plain asks one entry's questions on a terminal line by line, without
// a screen: for screen readers and for terminals that cannot draw. It drives the
// same machine as the form on a screen does, so the results are the same.
//
// It touches the terminal, which stays in its line mode, and the entry. The rule
// that must hold here: nothing but plain text is written, and what comes from
// outside never begins a line, where this package's own words stand.
package plain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/drafts"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/settings"
)

// device is the controlling terminal; standard input and output may be something else.
const device = "/dev/tty"

// Run asks on the controlling terminal until the person ends the form, somebody
// else does, the input ends, or ctx does. Of these only the first writes an answer.
func Run(ctx context.Context, c popup.Config) error {
	tty, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open the terminal: %w", err)
	}
	defer tty.Close()
	return ask(ctx, c, tty)
}

// session is one entry being asked about. Its fields belong to talk's loop.
type session struct {
	terminal
	popup.Config
	settings.Settings
	req spool.Request
	m   *machine.Machine

	guard  machine.Guard
	page   bool         // what is on view must be shown again
	about  string       // what stands behind the letter of a command
	then   func(string) // takes the next line, where something was asked in between
	typing bool         // a text of several lines is being typed
}

func ask(ctx context.Context, c popup.Config, tty *os.File) error {
	taken, err := popup.Take(c.Entry)
	if err != nil {
		return err
	}
	req, draft := taken.Request, taken.Draft
	live := settings.Follow(req.Origin.Cwd)
	defer live.Watch(nil, nil)()
	now, _ := live.Now() // the bridge has said what is wrong with them
	s := &session{terminal: terminal{File: tty}, Config: c, Settings: now.Settings, req: req, page: true}
	s.guard.Pause = time.Duration(s.GuardMs) * time.Millisecond
	s.guard.Begin(time.Now(), c.Typed)
	s.open()
	defer s.hush(false)
	if taken.Notice != "" {
		s.say("%s", taken.Notice)
	}
	s.m = resume(&req.Form, draft, s.DangerCheckEnabled)
	s.intro(draft != nil)
	s.next()
	if err := c.Entry.Painted(c.Viewer, c.ViewerName); err != nil {
		s.say("%v", err)
	}
	s.talk(ctx, live)
	return nil
}

// resume goes on where a draft left the form, with nothing open that the form on a
// screen may have had open: a filter, say, for every choice has its number here.
// What was typed stays where it was; a remark that was begun is kept.
func resume(f *form.Form, draft *machine.Draft, dangerCheck bool) *machine.Machine {
	m := machine.New(f, draft, dangerCheck).As(form.ByPopup)
	m.Handle(machine.Event{Action: machine.Leave})
	m.Handle(machine.Event{Action: machine.Back}) // reasons for declining
	return m
}

// talk takes lines until there is no more to ask. What happens outside is said at once.
func (s *session) talk(ctx context.Context, live *settings.Live) {
	stop := make(chan struct{})
	defer close(stop)
	lines := s.lines(stop)
	agentGone := s.Entry.AgentGone()
	for done := false; !done; {
		now, changed := live.Now()
		s.follow(now.Settings)
		select {
		case <-ctx.Done():
			s.say("")
			return
		case <-agentGone:
			agentGone = nil
			done = s.agentGone()
		case <-changed:
		case line, open := <-lines:
			if !open {
				s.say("\nLeft open: the question still waits.")
				return
			}
			done = s.take(line)
		}
	}
}

// follow takes over the settings. A dangerous question that is now asked in another
// way is shown again.
func (s *session) follow(now settings.Settings) {
	s.Settings, s.guard.Pause = now, time.Duration(now.GuardMs)*time.Millisecond
	was := s.dangerous()
	s.m.SetDangerCheck(now.DangerCheckEnabled)
	if s.dangerous() != was {
		s.say("")
		s.page = true
		s.next()
	}
}

// take does what one line says; done means that there is no more to ask.
func (s *session) take(line string) (done bool) {
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
	if r, answered, err := s.Entry.Answer(); err == nil && answered {
		s.say("%s", popup.Already(r))
		return true
	}
	s.m.Unsay()
	s.handle(line)
	if r, over := s.m.Result(); over && s.settle(r) {
		return true
	}
	s.save()
	s.next()
	return false
}

// next shows what is on view, if it is new, and asks for a line.
func (s *session) next() {
	if notice := s.m.Notice(); notice != "" {
		s.say("%s", notice)
	}
	if offered := s.m.Offered(); offered != "" {
		s.say("Another text was typed here: %s.", text.Quoted(offered, 200))
	}
	if s.page {
		s.page = false
		s.show()
	}
	s.prompt()
}

// settle writes the answer. If it cannot be written the next line tries again.
func (s *session) settle(r form.Result) (done bool) {
	r.By, r.At = form.ByPopup, time.Now()
	err := s.Entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		if first, ok, err := s.Entry.Answer(); ok && err == nil {
			s.say("%s", popup.Already(first))
			return true
		}
	}
	switch {
	case err != nil:
		s.say("Your answer is not saved yet: %v. Enter tries again.", err)
	case r.Outcome == form.Cancelled:
		s.say("Cancelled.")
	default:
		s.say("Sent.")
	}
	return err == nil
}

// agentGone says why nobody waits any more; done means that there is no more to
// ask. On a terminal that was borrowed the form goes with whoever asked.
func (s *session) agentGone() (done bool) {
	r, answered, _ := s.Entry.Answer()
	switch {
	case answered && r.Outcome == form.Timeout:
		s.say("\nExpired: the deadline passed.")
	case answered:
		s.say("\n%s", popup.Already(r))
	case !s.Entry.Status().AgentGone:
		return false // another machine's, and only the desk has ended
	case s.Borrowed:
		s.say("\nWhoever asked is gone; what you typed is kept.")
	default:
		kept := "for when it asks again"
		if s.m.Form().Guarded() {
			kept = "for whoever has the question's ID"
		}
		s.say("\nThe agent has gone. Your answer is kept %s; cancelling dismisses the question.", kept)
		s.prompt()
		return false
	}
	return true
}

// save keeps what was said so far, after each line, and takes over what was said on
// another surface. A draft that cannot be saved is no reason to stop asking.
func (s *session) save() {
	draft, _, err := drafts.Write(s.Entry, s.m.Draft())
	if err != nil {
		s.say("What you type is not being saved: %v", err)
	} else if s.m.Meet(draft) {
		s.say("Something was answered elsewhere meanwhile.")
		s.page = true
	}
}
