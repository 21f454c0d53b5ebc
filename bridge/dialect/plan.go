package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// plan asks whether a plan may be carried out (docs/contracts.md). It is our own: agents that
// have a plan mode have a hook for it, and others askpane review.
var plan = Dialect{
	Name:   "plan",
	noTool: true,
	fits: func(top node) bool {
		_, is := top.field("plan").v.(string)
		return is && !top.field("questions").given() && !top.field("prompt").given()
	},
	early:     needPlan,
	remarks:   form.Comments,
	decode:    decodePlan,
	cancelled: "The person did not decide on the plan. Do not carry it out.",
	encode:    encodePlan,
}

// These are decided on a plan. Approving has a mode of the request's, too.
const (
	approve       = "approve"
	approveEdited = "approve_edited"
	keepPlanning  = "keep_planning"
)

// MostPlan limits a plan, in bytes: all of it is shown to whoever approves it.
const MostPlan = 256 << 10

func needPlan(top node) {
	switch p := top.field("plan"); {
	case !p.given() && top.field("file").given():
		p.fail("expected the text of the file, which ask --dialect plan reads")
	case !p.given():
		p.fail("expected a non-empty string, got %s", p.kind())
	case len(top.string("plan")) > MostPlan:
		p.fail("expected at most 256 KiB, got %d bytes", len(top.string("plan")))
	}
}

func decodePlan(top node, f *form.Form) {
	d := &form.Document{Text: document.Unix(top.string("plan")), Path: top.string("file")}
	d.Sum = document.Sum(d.Text)
	top.versionBefore(d)
	q := form.Question{ID: "plan", Label: top.string("title"), Prompt: top.string("question"), Kind: form.One, Other: "Approve as edited…", Document: d}
	if blank(q.Label) {
		q.Label = titleOf(d.Text)
	}
	q.Named = q.Label != planLabel
	values := unique{}
	for _, n := range top.field("modes").list() {
		o := form.Option{Value: n.string("value"), Label: n.string("label"), Description: n.string("description"), Allows: true}
		if blank(o.Value) {
			o.Value = o.Label
			n.set("value", o.Value)
		}
		if values.add(n.field("value")); o.Value == keepPlanning {
			n.field("value").fail("%q does not approve", keepPlanning)
		}
		q.Options = append(q.Options, o)
	}
	if len(q.Options) == 0 {
		q.Options = []form.Option{{Value: approve, Label: "Approve", Allows: true}}
	}
	q.Options = append(q.Options, form.Option{Value: keepPlanning, Label: top.string("revise"), Remarks: true})
	f.Questions, f.Title = []form.Question{q}, ""
}

const planLabel = "Plan"

// titleOf names a plan by its first heading.
func titleOf(plan string) string {
	for line := range strings.Lines(plan) {
		if title, is := strings.CutPrefix(line, "# "); is && !blank(title) {
			return text.OneLine(title, 60)
		}
	}
	return planLabel
}

// versionBefore takes over from the version before which lines have changed, and what the
// person said to it.
func (n node) versionBefore(d *form.Document) {
	before := n.field("before")
	if !before.given() {
		return
	}
	comments := map[int]string{}
	for _, c := range before.field("comments").list() {
		line, _ := c.field("line").v.(float64)
		comments[int(line)] = c.string("comment")
	}
	d.Changed, comments = document.Changes(document.Unix(before.string("plan")), d.Text, comments)
	if before.flag("sent") {
		d.Sent = comments
	} else {
		d.Kept = comments
	}
}

// planComment has what the person said to a place of a plan.
type planComment struct {
	Line    int    `json:"line"` // counted from 1
	Quote   string `json:"quote"`
	Comment string `json:"comment"`
}

func encodePlan(f *form.Form, r form.Result, _ Context) (said string, details object) {
	if r.Outcome != form.Answered || f.Questions[0].Document == nil {
		return "", object{{"decision", undecided}, {"reason", string(r.Outcome)}, {"message", some(r.Reason)}}
	}
	q, a := &f.Questions[0], r.Answers[0]
	about := strings.TrimSpace(r.Comment + "\n\n" + a.Note)
	comments, shown := []planComment{}, document.Parse(q.Document.Text)
	var parts []string
	if about != "" {
		parts = append(parts, about)
	}
	for _, line := range slices.Sorted(maps.Keys(a.LineNotes)) {
		c := planComment{line, shown.Quote(line), a.LineNotes[line]}
		comments = append(comments, c)
		parts = append(parts, fmt.Sprintf("Line %d:\n> %s\n%s", c.Line, strings.ReplaceAll(c.Quote, "\n", "\n> "), c.Comment))
	}
	message := strings.Join(parts, "\n\n")
	decision, mode := approveEdited, ""
	switch {
	case a.Text != nil:
		said = "The person approved the plan as they edited it. Carry out this one:\n\n" + *a.Text
	case q.Options[a.Choices[0]].Value == keepPlanning:
		decision, said = keepPlanning, "The person did not approve the plan: keep planning, and carry nothing out yet."
	default:
		decision, mode = approve, q.Options[a.Choices[0]].Value
		said = "The person approved the plan (" + q.Options[a.Choices[0]].Label + ")."
	}
	if message != "" {
		said += "\n\n" + message
	}
	details = object{{"decision", decision}, {"mode", some(mode)}, {"message", some(message)}, {"comment", some(about)}, {"comments", comments}, {"shown", q.Document.Sum}}
	if a.Text != nil {
		details = append(details, member{"plan", *a.Text})
	}
	return said, details
}
