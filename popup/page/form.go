package page

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// The template form.html shows the scene, and what a page adds to it.
type (
	formPage struct {
		scene.Scene
		Asked   []asked
		Taken   []scene.Answer // how it was answered
		Clock   *clock
		Next    string      // leads to another question that waits
		Frozen  bool        // it takes nothing now
		Warning string      // why it cannot be answered here
		Keys    [][2]string // the help
		Filter  *entry
		Entry   *entry
		Preview *shown
		Subject *shown // what is to be allowed
		Parts   []part // of the document that it is about
		Inside  bool   // the entry stands in one of them
		First   string // the id of the first button
		// Attaches: pictures can go with the answer; Attached has those that do.
		Attaches bool
		Attached []attached
	}
	entry struct {
		*scene.Entry
		ID, Hint  string
		Rows      int    // that it shows of a text at least
		Key       string // by which it gets the focus
		Do, Enter string // before what is typed, and after it at Enter
		Again     string // leads to it, from wherever the form is
	}
	// clock tells the browser a time to count from or to.
	clock struct{ Before, At, Kind string }
)

// encode writes events as a button carries them.
func encode(events ...event) string {
	b, _ := json.Marshal(events)
	return string(b)
}

func action(name string) event { return event{Do: name} }

// encodeEvents writes events of the machine so.
func encodeEvents(events []machine.Event) string {
	var all []event
	for _, e := range events {
		all = append(all, event{Do: actionNames[e.Action], N: e.N, Text: e.Text})
	}
	return encode(all...)
}

// render shows the form as it is now.
func (s *session) render() {
	st, next := s.Status(), ""
	st.Others, next = s.board.others(s.Entry.ID)
	p := formPage{Scene: scene.Of(s.M, st), Next: next, Warning: s.barred(&s.Req.Form, s.rights)}
	focus, title := "over", text.OneLine(s.Req.Form.Header(), 60)+" — "+text.OneLine(s.Req.Origin.Agent, 24)
	if p.Over == "" {
		title, p.Clock = "🔔 "+title, ticking(p.Scene.Clock)
		focus = s.body(&p)
	} else if len(s.First.Answers) > 0 {
		p.Taken = scene.Of(machine.Finished(s.M.Form(), *s.First), scene.Status{}).Answers
	}
	p.Frozen = p.Warning != "" || p.Mode == machine.Note || p.Over != ""
	if p.Warning != "" {
		p.Primary, p.Actions, p.Entry, p.Filter = nil, nil, nil, nil
	}
	s.attachments(&p)
	if place := s.Place(); place != s.place {
		s.place, s.since, s.focus = place, s.sent.N+1, focus
	}
	v := view{Seq: s.did.Seq, Key: fmt.Sprint(s.Entry.ID, s.M.Anews()), Guard: int(s.Guard().Milliseconds()), Focus: s.focus, Title: title, HTML: render("form", &p)}
	if e := cmp.Or(p.Entry, p.Filter); e != nil {
		v.Field = s.field(e)
	}
	s.show(v)
}

// ticking returns a clock for the browser; nil where nothing is counted.
func ticking(c scene.Clock) *clock {
	if c.At.IsZero() {
		return nil
	}
	return &clock{c.Before, c.At.Format(time.RFC3339Nano), text.If(c.Down, "left", "since")}
}

// body adds what lies below the head: the question, the review, or what is over them. It
// returns the id of what gets the focus when that comes on view.
func (s *session) body(p *formPage) (focus string) {
	switch {
	case s.M.Leaving():
		p.First = "keep"
	case p.Mode == machine.Help:
		p.First, p.Keys = "close", s.keys()
	case p.Answers != nil:
		p.First = "submit"
	}
	s.M.Seen = true // a page shows all that is to be approved, above the answer
	p.Asked, p.Parts, p.Inside = s.asked(p.Scene.Asked), s.document(p), s.M.NotesLine()
	if s.entries(p); p.Entry == nil {
		return cmp.Or(p.First, p.ID(max(0, p.Cursor)))
	}
	if len(p.Primary) > 0 {
		p.Entry.Enter = encodeEvents(p.Primary[0].Events)
	}
	return p.Entry.ID
}

// entries adds what is typed into, and the preview beside the choices. The entry of a question
// that is answered by typing is always open here.
func (s *session) entries(p *formPage) {
	id, again, e := fmt.Sprintf("entry%d", p.Step), event{Do: "goto", N: p.Step}, p.Scene.Entry
	switch {
	case p.Mode == machine.Reason:
		p.Entry = &entry{Entry: p.Remark, ID: "reason"}
	case s.M.NotesLine():
		p.Entry = &entry{Entry: p.Remark, ID: fmt.Sprintf("line%d", s.M.Line())}
	case p.Remark != nil:
		p.Entry = &entry{Entry: p.Remark, ID: fmt.Sprintf("note%d", p.Step)}
	case p.Typed:
		p.Entry = &entry{Entry: e, ID: id, Hint: cmp.Or(e.About, e.Bounds), Do: encode(action("open")), Again: encode(again, action("open"))}
	case p.Mode == machine.Entry && e != nil:
		p.Entry = &entry{Entry: e, ID: id, Again: encode(again, event{Do: "pick", N: len(p.Question.Options) + 1})}
	case p.Filters:
		p.Filter = &entry{Entry: &scene.Entry{Label: "Filter"}, ID: fmt.Sprintf("filter%d", p.Step), Key: "/", Do: encode(action("find")), Enter: encode(action("find"), action("accept"))}
	}
	if p.Entry != nil {
		if p.Entry.Rows = 3; p.Scene.Document != nil && p.Remark == nil {
			p.Entry.Rows = 20
		}
	}
	if subject := s.M.Form().Subject(); subject != nil && p.Question != nil {
		p.Subject = s.preview(subject.Shown, scene.Subject(subject, 200))
	} else if preview := p.Scene.Preview; preview != nil && !p.Typed {
		p.Preview = s.preview(*preview, scene.Label(scene.Name(p.Question, p.Cursor), 60))
	}
}

// back leads to the question or the review under what is over it.
func (p *formPage) back() []event {
	return map[machine.Mode][]event{machine.Note: {action("leave")}, machine.Filter: {action("back")}, machine.Decline: {action("back")},
		machine.Reason: {action("back")}, machine.Help: {action("back")}}[p.Mode]
}

// Go shows step i.
func (p *formPage) Go(i int) string { return encode(append(p.back(), event{Do: "goto", N: i})...) }

// Pick picks row i of what is on view: of the choices, the reasons for declining or the review.
func (p *formPage) Pick(i int) string {
	switch pick := (event{Do: "pick", N: i + 1}); p.Mode {
	case machine.Filter:
		return encode(event{Do: "look", N: i}, action("accept"))
	case machine.Entry:
		return encode(action("back"), pick)
	case machine.Reason:
		return encode(action("back"), action("refuse"), pick)
	case machine.Note:
		return encode(action("leave"), pick)
	default:
		return encode(pick)
	}
}

// Look moves to choice i, where that shows more.
func (p *formPage) Look(i int) string {
	if p.Question == nil || p.Form.Remarks != form.Comments && !slices.ContainsFunc(p.Question.Options, func(o form.Option) bool { return o.Preview != nil }) {
		return ""
	}
	return encode(event{Do: "look", N: i})
}

// ID names choice i in the page.
func (p *formPage) ID(i int) string {
	if p.Mode == machine.Decline || p.Mode == machine.Reason {
		return "reason" + strconv.Itoa(i+1)
	}
	return fmt.Sprintf("q%d-c%d", p.Step, i)
}

// Many reports whether any number of the choices can be taken.
func (p *formPage) Many() bool { return p.Question != nil && p.Question.Kind == form.Many }

// InARow reports whether they stand beside each other.
func (p *formPage) InARow() bool { return p.Question != nil && p.Question.Style == form.Buttons }

// number counts row i as a person does.
func number(i int) int { return i + 1 }

// typeable returns those keys that a browser keeps for nothing of its own.
func typeable(keys []string) string {
	var ours []string
	for _, k := range keys {
		switch {
		case k == "Esc":
			ours = append(ours, "Escape")
		case utf8.RuneCountInString(k) == 1:
			ours = append(ours, k)
		}
	}
	return strings.Join(ours, " ")
}

// keys lists for the help the keys of the question or the review under it.
func (s *session) keys() (keys [][2]string) {
	under := *s.M
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	if n := under.Picks(); n > 0 && under.Mode() != machine.Number && under.Mode() != machine.Closed {
		keys = append(keys, [2]string{"1–" + strconv.Itoa(min(n, 9)), "choose"})
	}
	keys = append(keys, [2]string{"Tab, Shift+Tab", "go through what can be done"}, [2]string{"Enter, Space", "do it"}, [2]string{"↑ ↓", "another choice"},
		[2]string{"Shift+Enter", "new line"})
	for _, a := range scene.Of(&under, s.Status()).Actions {
		if key := typeable(a.Keys); key != "" {
			keys = append(keys, [2]string{strings.ReplaceAll(strings.ReplaceAll(key, "Escape", "Esc"), " ", ", "), strings.ToLower(a.Label[:1]) + a.Label[1:]})
		}
	}
	return keys
}

// field returns the content of the open entry. A secret is never sent.
func (s *session) field(e *entry) *field {
	value := s.M.Buffer()
	if mode := s.M.Mode(); mode == machine.Number || mode == machine.Closed {
		value = s.M.EntryText(s.M.Step())
	}
	if e.Secret {
		value = s.typed.Value
	}
	if s.typed.ID != e.ID {
		if e.Secret {
			value = ""
		}
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	} else if s.typed.Value != value {
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	}
	shown := s.typed
	if e.Secret {
		shown.Value = ""
	}
	return &shown
}
