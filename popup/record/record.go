// Package record shows a question to somebody who does not answer it now: its row in an
// inbox, its review when it is over, what a search finds it by.
//
// It reads the entry, and the file HEAD of the repository that its agent works in. It
// knows no terminal. The rule that must hold here: nothing is taken, and nothing of an
// entry changes by being read.
package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// Reading shows the record on its review. Where begun is there, what stands on it was begun
// and not sent: the person has said it so far, or had when the question ended without
// their answer.
func Reading(r spool.Record) (m *machine.Machine, begun *machine.Draft) {
	f := &r.Request.Form
	if r.Result != nil && len(r.Result.Answers) > 0 {
		return machine.Finished(f, *r.Result), nil
	}
	if json.Unmarshal(r.Draft, &begun) != nil || begun == nil || !begun.Begun(f) {
		begun = nil
	}
	return machine.Reading(f, begun), begun
}

// How says in a few words how the question stands.
func How(r spool.Record) string {
	if said := Decided(r); said != "" {
		return said
	}
	switch {
	case r.Result != nil && r.Unconfirmed:
		return string(r.Result.Outcome) + ", not confirmed by " + text.Product(r.Request.Origin.Agent)
	case r.Result != nil && r.Result.Outcome == form.Elsewhere:
		return scene.Ended(r.Request.Origin.Agent, *r.Result)
	case r.Result != nil:
		return string(r.Result.Outcome)
	case scene.Unreachable(r.Status) != "":
		return "waits, " + scene.Unreachable(r.Status)
	case r.Status.AgentGone:
		return "waits, " + scene.AgentGone
	}
	return "waits"
}

// Decided says what became of a permission, as far as that is known: answered, until the agent
// has confirmed it. It is empty of any other question, and where nobody has decided.
func Decided(r spool.Record) string {
	if r.Result == nil {
		return ""
	}
	switch d := r.Request.Form.Decided(*r.Result); {
	case d == form.Undecided:
		return ""
	case r.Unconfirmed || !r.Status.Delivered:
		return "answered " + string(d)
	case d == form.Allow:
		return "allowed"
	}
	return "denied"
}

// Notes says in sentences how the question ended, or stands. They hold texts of
// others: Visible has not seen them.
func Notes(r spool.Record) []string {
	var notes []string
	if res := r.Result; res != nil {
		if said := Decided(r); said != "" {
			notes = append(notes, scene.Capital(said)+".")
		}
		notes = append(notes, fmt.Sprintf("This was %s at %s.", scene.Ended(r.Request.Origin.Agent, *res), res.At.Local().Format(time.DateTime)))
		if late := r.Late; late != nil {
			said := Summary(spool.Record{Request: r.Request, Result: late})
			notes = append(notes, fmt.Sprintf("What was said here does not count (%s): %s", text.OneLine(r.Verdict, 200), text.Quoted(said, 200)))
		} else if r.Verdict != "" {
			notes = append(notes, "This answer was "+text.OneLine(r.Verdict, 200)+".")
		}
		if res.Reason != "" {
			notes = append(notes, "Reason: "+res.Reason)
		}
		for _, a := range res.Attachments {
			notes = append(notes, "Attached: "+a.Path)
		}
		switch {
		case !r.Status.Delivered:
			notes = append(notes, "The agent has not got it yet.")
		case r.Unconfirmed:
			notes = append(notes, "It is not confirmed by "+text.Product(r.Request.Origin.Agent)+".")
		}
	} else if away := scene.Unreachable(r.Status); away != "" {
		notes = append(notes, fmt.Sprintf("It waits. Its machine is %s, and gets the answer when it is back.", away))
	} else if r.Status.AgentGone {
		notes = append(notes, "It waits, and its agent is gone.")
	} else {
		notes = append(notes, "It waits for an answer.")
	}
	if m, begun := Reading(r); begun != nil {
		end := "."
		if words := begunWords(&r.Request.Form, m, begun); len(words) > 0 {
			end = ": " + strings.Join(words, "; ")
		}
		notes = append(notes, "You had begun an answer; it was not sent"+end)
	}
	return notes
}

// begunWords returns what the person had chosen and typed in a form that was not sent, but
// for secrets.
func begunWords(f *form.Form, m *machine.Machine, d *machine.Draft) (words []string) {
	untouched := machine.New(f, nil, true).Draft()
	for i := range f.Questions {
		q, said, a := &f.Questions[i], "", m.Answer(i)
		if a.Given() && !reflect.DeepEqual(a.Said(), untouched.Answers[i]) {
			said = q.Say(a, "", nil)
		}
		words = append(append(words, said), a.Notes()...)
		if i < len(d.Entries) && !q.Secret && !slices.Contains([]string{"", said, untouched.Entries[i]}, d.Entries[i]) {
			words = append(words, d.Entries[i])
		}
	}
	words = append(words, m.Comment(), d.Note, d.Reason)
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

// Summary is the answers in a few words, or the reason where there are none.
func Summary(r spool.Record) string {
	m, _ := Reading(r)
	var parts []string
	for i, a := range m.Answers() {
		if a.Given() {
			parts = append(parts, m.Form().Questions[i].Say(a, "", nil))
		}
	}
	if len(parts) == 0 && r.Result != nil {
		return r.Result.Reason
	}
	return strings.Join(parts, "; ")
}

// Has reports whether search, in lower case, is in anything that was asked or said.
func Has(r spool.Record, search string) bool {
	f, o := &r.Request.Form, r.Request.Origin
	m, _ := Reading(r)
	machine, cwd, _, _ := o.Where()
	texts := []string{r.Request.ID, o.Agent, machine, cwd, f.Header(), m.Comment()}
	if r.Result != nil {
		texts = append(texts, string(r.Result.Outcome), r.Result.Reason)
	}
	for i := range f.Questions {
		q, a := &f.Questions[i], m.Answer(i)
		texts = append(append(texts, q.Label, q.Prompt, q.Say(a, "", nil)), a.Notes()...)
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), search) })
}

// Over returns when the question ended, or was asked where that is not known.
func Over(r spool.Record) time.Time {
	if r.Result != nil {
		return r.Result.At
	}
	return r.Request.Origin.Start
}
