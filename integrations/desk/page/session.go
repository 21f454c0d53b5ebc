package page

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/drafts"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/settings"
)

// session is a question on a page: the same machine as in a popup, whose events come
// from the browser and whose state goes there as HTML.
type session struct {
	*stream
	entry *spool.Entry
	req   spool.Request
	m     *machine.Machine
	now   settings.Settings

	asker   spool.Status // as it was last looked at
	first   *form.Result // how the form has ended
	mine    bool         // and that was said here
	notice  string
	unsaved *form.Result // the answer that could not be written yet
	leaves  time.Time    // when it is cancelled, unless that is taken back
	lapse   *time.Timer
	seq     int    // of what the page has done last
	place   string // what is on view, and the view since which it is
	since   int
	focus   string // what got the focus with it
	typed   field  // the open entry as the page has it

	drafts   drafts.Drafts
	settled  atomic.Bool // the answer from here is on the disk
	previews *preview.Renderer
	posts    chan func() // what others want done in the loop
}

// secondThoughts is how long a cancel may be taken back where it would lose something,
// as in a popup.
const secondThoughts = 5 * time.Second

// question shows one question, whether it waits or is over.
func (s *stream) question(id string) {
	entry, err := s.Spool.Find(id)
	if err != nil {
		s.problem("There is no such question", err)
		return
	}
	defer entry.Close()
	req, err := entry.Request()
	if err != nil {
		s.problem("This question cannot be read", err)
		return
	}
	if _, over, err := entry.Answer(); over || err != nil || entry.Status().Over() {
		s.review(entry)
		return
	}
	live := settings.Follow(req.Origin.Cwd)
	now, changed := live.Now()
	defer live.Watch(nil, nil)()
	n := &session{stream: s, entry: entry, req: req, asker: entry.Status(), now: now.Settings, lapse: stopped(), posts: make(chan func())}
	var saved machine.Draft
	if found, err := entry.Draft(&saved); found {
		n.m = machine.New(&n.req.Form, &saved, n.now.DangerCheckEnabled)
	} else {
		n.m = machine.New(&n.req.Form, nil, n.now.DangerCheckEnabled)
		if err != nil {
			n.notice = fmt.Sprintf("The form starts afresh: %v", err)
		}
	}
	n.m.As("browser " + s.me).ConfirmCancel(n.now.ConfirmCancel)
	n.previews = preview.New(s.Preview, n.post)
	defer n.previews.Close()
	n.drafts.Entry, n.drafts.Over = entry, n.settled.Load // a form that has its answer has no more use for one
	n.drafts.Met = func(d machine.Draft) { n.post(func() { n.m.Meet(d) }) }
	n.drafts.Failed = func(err error) {
		n.post(func() {
			if n.notice = ""; err != nil {
				n.notice = fmt.Sprintf("What you type is not being saved: %v", err)
			}
		})
	}
	defer n.drafts.Close()
	n.follow(live, changed)
}

// post has do run in the loop, unless that has ended.
func (s *session) post(do func()) {
	select {
	case s.posts <- do:
	case <-s.ctx.Done():
	}
}

// stopped is a timer that does not run.
func stopped() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

// follow is the loop of a question's page.
func (s *session) follow(live *settings.Live, changed <-chan struct{}) {
	watch := s.entry.Watch()
	defer watch.Stop()
	news, stop := s.board.subscribe()
	defer stop()
	agentGone := s.entry.AgentGone()
	for {
		s.render()
		select {
		case <-s.ctx.Done():
			return
		case d := <-s.does:
			d.said <- s.take(d)
		case <-watch.Changed:
			s.look()
			if s.asker = s.entry.Status(); agentGone == nil && !s.asker.AgentGone { // it has asked again
				agentGone = s.entry.AgentGone()
			}
		case <-agentGone:
			agentGone = nil
			s.asker = s.entry.Status()
			s.look()
		case <-news:
		case do := <-s.posts:
			do()
		case <-s.lapse.C:
			if s.m.Leaving() {
				s.handle(machine.Event{Action: machine.Cancel})
			}
		case <-changed:
			var now *settings.Loaded
			now, changed = live.Now()
			s.now = now.Settings
			s.m.SetDangerCheck(s.now.DangerCheckEnabled)
			s.m.ConfirmCancel(s.now.ConfirmCancel)
		}
	}
}

// look follows what other surfaces have done to the question.
func (s *session) look() {
	if s.first != nil {
		return
	}
	if r, over, err := s.entry.Answer(); over {
		s.ended(r)
	} else if err != nil {
		s.notice = err.Error()
	}
	var draft machine.Draft
	if found, err := s.entry.Draft(&draft); found && err == nil {
		s.m.Meet(draft)
	}
}

// ended: the form is over, here or elsewhere. What was typed and not sent stays in
// the entry.
func (s *session) ended(r form.Result) {
	go s.drafts.Close() // which hands us what it has met
	s.first, s.unsaved, s.notice = &r, nil, ""
	s.m.Handle(machine.Event{Action: machine.End})
}

// take does what the page has done.
func (s *session) take(d done) (problem string) {
	switch {
	case d.Seq <= s.seq:
		return "" // it is sent again, since its answer was lost
	case s.first != nil:
		return "This question is over: " + record.EndedAt(*s.first) + ". Nothing was changed."
	case s.barred(&s.req.Form, d.rights) != "":
		return s.barred(&s.req.Form, d.rights)
	}
	s.seq = d.Seq
	if d.Seen < s.since { // it was meant for what is not on view any more
		return ""
	}
	for _, e := range d.Events {
		if !s.event(e) {
			return fmt.Sprintf("The desk does not know %s; reload this page.", text.Quoted(e.Do, 40))
		}
	}
	return ""
}

// actions are what a page may do, by name.
var actions = map[string]machine.Action{
	"up": machine.Up, "down": machine.Down, "last": machine.Last, "choose": machine.Choose, "commit": machine.Commit, "pick": machine.Pick,
	"next": machine.Next, "prev": machine.Prev, "goto": machine.GoTo, "open": machine.Open, "type": machine.Type, "accept": machine.Accept,
	"back": machine.Back, "leave": machine.Leave, "unanswer": machine.Unanswer, "noteOption": machine.NoteOption, "noteQuestion": machine.NoteQuestion,
	"noteForm": machine.NoteForm, "find": machine.Find, "recommend": machine.Recommend, "recommendAll": machine.RecommendAll,
	"refuse": machine.Refuse, "help": machine.ShowHelp, "cancel": machine.Cancel, "takeOffer": machine.TakeOffer,
}

// named is the name of an action.
var named = func() map[machine.Action]string {
	names := map[machine.Action]string{}
	for name, a := range actions {
		names[a] = name
	}
	return names
}()

// event does one thing, if there is such.
func (s *session) event(e did) bool {
	if e.Do == "look" {
		s.lookAt(e.N)
		return true
	}
	action, known := actions[e.Do]
	if known {
		if action == machine.Type {
			if e.N < s.typed.Rev {
				s.m.KeepBeside(e.Text)
				if !s.m.TypingSecret() { // which is not sent back
					s.typed.Rev++ // the page is told, since it may have been filled meanwhile
				}
			}
			s.typed.Value = e.Text
		}
		s.handle(machine.Event{Action: action, N: e.N, Text: e.Text})
		if (action == machine.Pick || action == machine.TakeOffer) && s.m.Typing() {
			s.focused = "" // what was pressed took it, and the entry stands open
		}
	}
	return known
}

// lookAt moves the cursor to choice c of the question on view.
func (s *session) lookAt(c int) {
	if mode := s.m.Mode(); mode != machine.List && mode != machine.Filter || s.m.Leaving() {
		return
	}
	shown := s.m.Shown()
	for range shown {
		s.handle(machine.Event{Action: machine.Up})
	}
	for _, row := range shown {
		if row >= c {
			break
		}
		s.handle(machine.Event{Action: machine.Down})
	}
}

// handle gives the machine an event, and does what follows from it.
func (s *session) handle(e machine.Event) {
	if s.unsaved != nil { // whatever it is tries again
		s.settle(*s.unsaved)
		return
	}
	s.notice = ""
	s.m.Handle(e)
	r, over := s.m.Result()
	switch {
	case s.first != nil:
	case over:
		s.settle(r)
	case s.m.Leaving():
		s.leaves = time.Now().Add(secondThoughts)
		s.lapse.Reset(secondThoughts)
	default:
		s.leaves = time.Time{}
		s.drafts.Save(s.m)
	}
}

// settle writes the answer. If it cannot be written the form stays, says why, and
// tries again.
func (s *session) settle(r form.Result) {
	r.By, r.At = form.ByPage, time.Now()
	err := s.entry.Settle(r)
	if errors.Is(err, spool.ErrAnswered) {
		if first, ok, err := s.entry.Answer(); ok && err == nil {
			s.ended(first)
			return
		}
	}
	if err != nil {
		s.unsaved = &r
		s.notice = fmt.Sprintf("Not saved yet; try again. %v", err)
		return
	}
	s.settled.Store(true)
	s.mine, s.first, s.unsaved = true, &r, nil
	poke(s.board.changed) // it may be on no list, and have no bridge that moves it
}

// status is what the form shows beside itself.
func (s *session) status() layout.Status {
	return record.Asked(s.req.Origin, s.asker)
}
