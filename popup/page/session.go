package page

import (
	"fmt"
	"html/template"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/popup/sitting"
)

// session shows a question on a page: its events come from the browser, and its state goes
// there as HTML.
type session struct {
	*stream
	*sitting.Sitting
	place   string // what is on view, and the view since which it is
	since   int
	focus   string                         // what got the focus with it
	typed   field                          // the open entry as the page has it
	picture []byte                         // as much as has come of it
	kept    map[preview.Text]template.HTML // of texts on view
}

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
	// When it is settled it may be on no list, and have no bridge that moves it.
	happens := make(chan func())
	on := sitting.Surface{By: form.ByPage, Name: "browser " + s.me, Buttons: true, Post: sitting.Into(happens), Settled: s.board.change}
	n := &session{stream: s, Sitting: sitting.New(s.ctx, entry, req, on), kept: map[preview.Text]template.HTML{}}
	defer n.Sitting.Close()
	n.Follow()
	news, stop := s.board.subscribe()
	defer stop()
	s.serve(n.render, n.apply, news, happens)
}

// apply carries out what the page has done.
func (s *session) apply(r request) (problem string) {
	late := r.Seen < s.since && r.Events[0].Do != doAttach // it was meant for what is not on view any more
	switch {
	case r.Seq <= s.did.Seq, (s.Mine || late) && r.repeats(s.did), s.Mine && r.Events[0].Do == "look":
		return "" // it is sent again, since its answer was lost or is slow; or whoever has answered looks on
	case s.First != nil:
		return "This question is over: " + scene.EndedAt(s.Req.Origin.Agent, *s.First) + ". Nothing was changed."
	case s.barred(&s.Req.Form, r.rights) != "":
		return s.barred(&s.Req.Form, r.rights)
	case late && r.Events[len(r.Events)-1].Do == "type": // and nothing was pressed
		return "Not taken: what you typed last was for a question that is no longer on view."
	case late:
		return ""
	}
	s.did.Seq = r.Seq
	for _, e := range r.Events {
		if problem, is := s.attach(e); problem != "" {
			return problem
		} else if !is && !s.event(e) {
			return fmt.Sprintf("The desk does not know %s; reload this page.", text.Quoted(e.Do, 40))
		}
	}
	return ""
}

// actions names what a page may do.
var actions = map[string]machine.Action{
	"up": machine.Up, "down": machine.Down, "first": machine.First, "last": machine.Last, "choose": machine.Choose, "commit": machine.Commit, "pick": machine.Pick,
	"next": machine.Next, "prev": machine.Prev, "goto": machine.GoTo, "open": machine.Open, "type": machine.Type, "accept": machine.Accept,
	"back": machine.Back, "leave": machine.Leave, "unanswer": machine.Unanswer, "noteOption": machine.NoteOption, "noteQuestion": machine.NoteQuestion,
	"noteForm": machine.NoteForm, "find": machine.Find, "recommend": machine.Recommend, "recommendAll": machine.RecommendAll,
	"refuse": machine.Refuse, "help": machine.ShowHelp, "cancel": machine.Cancel, "takeOffer": machine.TakeOffer, "look": machine.Focus, "handBack": machine.HandBack,
	"toLine": machine.ToLine, "noteLine": machine.NoteLine,
}

// actionNames inverts actions.
var actionNames = func() map[machine.Action]string {
	names := map[machine.Action]string{}
	for name, a := range actions {
		names[a] = name
	}
	return names
}()

// event carries out one event, and reports false where its action is unknown.
func (s *session) event(e event) bool {
	action, known := actions[e.Do]
	if known {
		if action == machine.Type {
			if s.M.Typing() && e.Text == s.M.Buffer() { // a note that is saved stays so
				return true
			}
			if e.N == 0 || e.N < s.typed.Rev { // at 0 the page has not seen what stands there
				if !s.M.SaidHere() {
					s.M.KeepBeside(e.Text)
				}
				if !s.M.TypingSecret() { // which is not sent back
					s.typed.Rev++ // the page is told, since it may have been filled meanwhile
				}
			}
			s.typed.Value = e.Text
		}
		s.Handle(machine.Event{Action: action, N: e.N, Text: e.Text})
		if (action == machine.Pick || action == machine.TakeOffer) && s.M.Typing() {
			s.focused = "" // what was pressed took it, and the entry stands open
		}
	}
	return known
}
