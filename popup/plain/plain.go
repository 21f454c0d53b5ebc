// Package plain asks one entry's questions on a terminal line by line, without
// a screen: for screen readers and for terminals that cannot draw. It drives the
// same machine as the form on a screen does, so the results are the same.
//
// It touches the terminal, which stays in its line mode, and the entry. The rule
// that must hold here: nothing but plain text is written, and what comes from
// outside never begins a line, where this package's own words stand.
package plain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup"
	"github.com/askpane/askpane/popup/machine"
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
	popup.Config
	popup.Settings
	req   spool.Request
	m     *machine.Machine
	tty   *os.File
	width int // columns of the terminal; 0 is not known

	since  time.Time    // since when no line has come too soon
	page   bool         // what is on view must be told again
	then   func(string) // takes the next line, where something was asked in between
	typing bool         // a text of several lines is being typed
	typed  []string     // its lines so far
	silent bool         // the terminal does not show what is typed
}

func ask(ctx context.Context, c popup.Config, tty *os.File) error {
	req, draft, notice, err := popup.Take(c.Entry)
	if err != nil {
		return err
	}
	s := &session{Config: c, Settings: c.Load(req.Origin), req: req, tty: tty, page: true, since: time.Now()}
	s.prepare()
	defer s.hush(false)
	if notice != "" {
		s.say("%s", notice)
	}
	s.m = machine.New(&req.Form, draft, s.DangerCheck)
	s.resume()
	s.intro(draft != nil)
	s.turn()
	if err := c.Entry.Painted(c.Viewer); err != nil {
		s.say("%v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.talk(ctx, c.Changes(ctx, req.Origin))
	return nil
}

// prepare throws away what was typed before the question came, which was meant
// for something else, and asks how wide the terminal is.
func (s *session) prepare() {
	raw, err := s.tty.SyscallConn()
	if err == nil {
		controlled := raw.Control(func(fd uintptr) {
			err = discardInput(int(fd))
			if size, e := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ); e == nil {
				s.width = int(size.Col)
			}
		})
		err = errors.Join(err, controlled)
	}
	if err != nil {
		s.say("What was typed before may be taken for an answer: %v", err)
	}
}

// talk takes lines until the form is over. What happens outside is told at once.
func (s *session) talk(ctx context.Context, changes <-chan popup.Settings) {
	stop := make(chan struct{})
	defer close(stop)
	lines := s.read(stop)
	agentGone := s.Entry.AgentGone()
	for {
		select {
		case <-ctx.Done():
			s.say("")
			s.save()
			return
		case <-agentGone:
			agentGone = nil
			if s.agentGone() {
				s.save()
				return
			}
		case s.Settings = <-changes:
			dangerous := s.m.Dangerous(s.m.Step())
			s.m.SetDangerCheck(s.DangerCheck)
			if s.m.Dangerous(s.m.Step()) != dangerous { // it is asked in another way now
				s.say("")
				s.page = true
				s.turn()
			}
		case line, open := <-lines:
			if !open {
				s.say("\nLeft open: the question still waits.")
				s.save()
				return
			}
			if s.take(line) {
				return
			}
		}
	}
}

// read hands over the terminal's lines. It ends with the input, or with the
// process: a read from a terminal cannot be taken back everywhere.
func (s *session) read(stop <-chan struct{}) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewReader(s.tty)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return // a line without an end was not meant yet
			}
			select {
			case lines <- strings.ToValidUTF8(strings.TrimRight(line, "\r\n"), "\uFFFD"):
			case <-stop:
				return
			}
		}
	}()
	return lines
}

// take does what one line says; done means that there is no more to ask.
func (s *session) take(line string) (done bool) {
	if time.Since(s.since) < s.Guard {
		s.since = time.Now()
		s.say("That line came too soon to be meant for this question.")
		s.prompt()
		return false
	}
	if r, answered, err := s.Entry.Answer(); err == nil && answered {
		s.say("%s", popup.Already(r))
		s.save()
		return true
	}
	s.handle(line)
	if r, over := s.m.Result(); over {
		return s.settle(r)
	}
	s.save()
	s.turn()
	return false
}

// turn tells what is on view, if it is new, and asks for a line.
func (s *session) turn() {
	if notice := s.m.Notice(); notice != "" {
		s.say("%s", notice)
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
	if err != nil {
		s.say("Your answer is not saved yet: %v. Enter tries again.", err)
		s.prompt()
		return false
	}
	if r.Outcome == form.Cancelled {
		s.say("Cancelled.")
	} else {
		s.say("Sent.")
	}
	return true
}

// agentGone looks why nobody waits any more; done means that there is no more
// to ask. On a terminal that was borrowed the form goes with whoever asked.
func (s *session) agentGone() (done bool) {
	r, answered, _ := s.Entry.Answer()
	switch {
	case answered && r.Outcome == form.Timeout:
		s.say("\nExpired: the deadline passed.")
	case answered:
		s.say("\n%s", popup.Already(r))
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

// save keeps what was said so far. A draft that cannot be saved is no reason to
// stop asking.
func (s *session) save() {
	if err := s.Entry.SaveDraft(s.m.Draft()); err != nil {
		s.say("What you type is not being saved: %v", err)
	}
}
