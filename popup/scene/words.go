package scene

import (
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// What a surface says in these words alone.
const (
	AgentGone = "agent gone"
	// Destructive stands before the name of a dangerous question.
	Destructive = "⚠️  DESTRUCTIVE — "
	// Advised stands behind what the agent recommends.
	Advised = "[recommended]"
	// NotYet stands before what is typed and not said.
	NotYet = "not your answer yet: "
	// Submit sends the form from its review.
	Submit = "Submit"
	// Dismiss cancels a form whose agent is gone.
	Dismiss = "dismiss"
	// YourReason is typed for a refusal.
	YourReason = "Your reason"
	// GotAsTyped is said of a secret.
	GotAsTyped = "The agent gets it as you type it."

	asks         = " asks"
	expired      = "expired"
	held         = "Keys are held back until you pause typing"
	twice        = "Keys count again. If the first is to answer, press it twice."
	confirm      = "Type the resource name to confirm:"
	confirmSends = "What you type is sent to the agent."
	aboutSecret  = "🔒 Secret: masked here and kept in no draft. " + GotAsTyped
	declining    = "Decline, and say why"
)

// NotSaved says that an answer is not on the disk.
func NotSaved(err error) string {
	return fmt.Sprintf("Not saved yet; what you do next tries again. %v", err)
}

// NotSaving says that a draft is not; empty where err is nil.
func NotSaving(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("What you type is not being saved: %v", err)
}

// Afresh says that there was a draft that cannot be read.
func Afresh(err error) string { return fmt.Sprintf("The form starts afresh: %v", err) }

// More says how many other questions wait.
func (s *Scene) More() string { return fmt.Sprintf("%d more waiting", s.Others) }

// Leaving says of a form when its cancel, which can still be taken back, ends it.
func Leaving(when string, agentGone bool) string {
	if agentGone {
		return "Dismissed " + when
	}
	return "Cancelled " + when + ", and the agent is told so"
}

// Unreachable says since when nothing was heard of the machine of a question, as in
// "unreachable since 12:03"; empty where it is there.
func Unreachable(s spool.Status) string {
	if s.Unreachable.IsZero() {
		return ""
	}
	return "unreachable since " + At(s.Unreachable)
}

// At is a time of today, and else with its day.
func At(at time.Time) string {
	layout := "15:04"
	if time.Since(at).Abs() > 12*time.Hour {
		layout = "2 Jan 15:04"
	}
	return at.Local().Format(layout)
}

// Ended is how and through what a form ended, as in "answered in the browser".
func Ended(r form.Result) string {
	how := string(r.Outcome)
	switch r.Outcome {
	case form.NeedsDiscussion:
		how = "sent with questions left open"
	case form.Timeout:
		how = "ended at its deadline"
	}
	return how + " " + text.OneLine(r.Surface(), 60)
}

// EndedAt is Ended with when that was, as in "answered in the browser, 12:03".
func EndedAt(r form.Result) string { return Ended(r) + ", " + At(r.At) }

// Over is a sentence on how a form has ended: mine is that of who has ended it, and
// verdict what its own machine said of that, if it is another.
func Over(r form.Result, mine bool, verdict string) string {
	words := EndedAt(r)
	switch {
	case verdict != "":
		words = text.OneLine(verdict, 200)
	case r.Outcome == form.Timeout:
		words = "expired: the deadline passed"
	case r.Outcome == form.Aborted:
		words = "withdrawn: the agent does not wait for it any more"
	case !mine:
		words = "already " + words
	}
	return Capital(words) + "."
}

// open says how many questions are open where the form is submitted; empty where none is.
func open(m *machine.Machine) string {
	open := m.Form().Missing(m.Answers())
	switch {
	case len(open) == 0:
		return ""
	case m.Form().Partial:
		return fmt.Sprintf("%d left for discussion", len(open))
	}
	return fmt.Sprintf("%d not answered yet", len(open))
}

// offered says what else was typed to what is on view; empty for nothing.
func offered(m *machine.Machine) string {
	if offered := m.Offered(); offered != "" {
		return "Another text was typed here: " + text.Quoted(offered, 60) + "."
	}
	return ""
}

// bounds says what a number may be; empty where that is anything.
func bounds(q *form.Question) string {
	switch {
	case q.Min != nil && q.Max != nil:
		return fmt.Sprintf("from %v to %v", *q.Min, *q.Max)
	case q.Min != nil:
		return fmt.Sprintf("at least %v", *q.Min)
	case q.Max != nil:
		return fmt.Sprintf("at most %v", *q.Max)
	}
	return ""
}

// remark says what the open remark is about.
func remark(m *machine.Machine) string { return Capital(noteWord(m.Form())) + " " + m.Remark() + ":" }

// noteWord is what the person's own word on a question is called.
func noteWord(f *form.Form) string {
	if f.Remarks == form.Comments {
		return "comment"
	}
	return "note"
}

// before is what a person has said, after a name for it; empty where they have not.
func before(name, said string) string {
	if said == "" {
		return ""
	}
	return name + text.Visible(said)
}

// Capital is words that begin a sentence.
func Capital(words string) string { return strings.ToUpper(words[:1]) + words[1:] }
