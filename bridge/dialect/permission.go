package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// permission asks whether an agent may do one thing (docs/contracts.md). It is our own, for what
// carries agents' prompts.
var permission = Dialect{
	Name:   "permission",
	noTool: true,
	fits: func(top node) bool {
		return top.field("tool").given() && !top.field("questions").given() && !top.field("prompt").given()
	},
	decode:    decodePermission,
	cancelled: "Not decided",
	encode:    encodePermission,
}

// subjects lists what a permission can be asked for: the member that says it, the question, the
// type of the preview that shows it, and how the text of that is read.
var subjects = []struct {
	member, asks, shows string
	text                func(n node, s *form.Subject) string
}{
	{"command", "Allow %s to run this command?", "command", word},
	{"file", "Allow %s to change this file?", "text", func(n node, s *form.Subject) string { return change(s, n) }},
	{"files", "Allow %s to change these files?", "text", func(n node, s *form.Subject) string { return change(s, n.list()...) }},
	{"url", "Allow %s to reach this address?", "text", word},
	{"arguments", "Allow %s to be used with this?", "json", func(n node, _ *form.Subject) string { return indented(n.v) }},
}

// signs stand for what a screen breaks a line at, and a shell takes for a part of a word.
var signs = strings.NewReplacer("\r", "␍", "\v", "␋", "\f", "␌", "\u0085", "⟨U+0085⟩", "\u2028", "⟨U+2028⟩", "\u2029", "⟨U+2029⟩")

// word reads a member that is a string, and so is shown as it is.
func word(n node, _ *form.Subject) string {
	said, _ := n.v.(string)
	return said
}

func decodePermission(top node, f *form.Form) {
	s := &form.Subject{Tool: top.string("tool"), Dir: top.string("directory")}
	q := form.Question{ID: "permission", Named: true, Kind: form.One, Subject: s, Other: "No, because…"}
	given := 0
	for _, one := range subjects {
		if n := top.field(one.member); n.given() {
			given++
			q.Prompt = fmt.Sprintf(one.asks, text.Agent(s.Tool, 0))
			s.Text = one.text(n, s)
			s.Shown = form.Preview{Type: one.shows, Content: document.NameTwins(signs.Replace(s.Text))}
		}
	}
	if given != 1 {
		top.fail("expected one of command, file, files, url and arguments, got %d", given)
		return
	}
	q.Label = text.OneLine(s.Tool+": "+s.Text, 80)
	if why := top.string("why"); !blank(why) {
		q.Description = text.Quoted(why, 0)
	}
	q.Options = append(q.Options, form.Option{Value: "once", Label: "Yes, once", Allows: true})
	rules := unique{}
	for i, rule := range top.field("always").list() {
		rules.add(rule)
		q.Options = append(q.Options, form.Option{Value: fmt.Sprintf("always %d", i), Label: "Yes, always: " + fmt.Sprint(rule.v), Allows: true})
	}
	q.Options = append(q.Options, form.Option{Value: "no", Label: "No"})
	if typed := top.string("confirm"); typed != "" {
		q.Endanger(typed)
	}
	f.Questions = []form.Question{q}
}

// change reads changes of files, and returns their paths.
func change(s *form.Subject, files ...node) string {
	var paths []string
	for _, n := range files {
		s.Edits, paths = append(s.Edits, n.edit()), append(paths, n.string("path"))
	}
	return strings.Join(paths, ", ")
}

// edit reads the change of one file.
func (n node) edit() form.Edit {
	e := form.Edit{Path: n.string("path"), Remove: n.flag("remove")}
	if content, all := n.field("content").v.(string); all {
		e.Content = &content
	}
	for _, r := range n.field("replace").list() {
		line, _ := r.field("line").v.(float64)
		e.Replace = append(e.Replace, form.Replacement{Old: r.string("old"), New: r.string("new"), All: r.flag("all"), Line: int(line)})
	}
	if given := text.If(e.Content != nil, 1, 0) + min(1, len(e.Replace)) + text.If(e.Remove, 1, 0); given != 1 {
		n.fail("expected content, replace or remove")
	}
	return e
}

// indented writes a value as JSON for a person.
func indented(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(v) // it was read from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

const undecided = "none"

func encodePermission(f *form.Form, r form.Result, _ Context) (said string, details object) {
	d := f.Decided(r)
	switch d {
	case form.Undecided:
		return "", object{{"decision", undecided}}
	case form.Deny:
		reason := r.Reason
		if len(r.Answers) > 0 && r.Answers[0].Text != nil {
			reason = *r.Answers[0].Text
		}
		if said = "Denied."; reason != "" {
			said = "Denied: " + reason
		}
		return said, object{{"decision", d}, {"reason", some(reason)}}
	}
	details = object{{"decision", d}}
	for _, chosen := range r.Answers[0].Choices { // one, or none where words were typed
		rule, option := 0, f.Questions[0].Options[chosen]
		if n, _ := fmt.Sscanf(option.Value, "always %d", &rule); n == 1 {
			return "Allowed, and by this rule from now on: " + strings.TrimPrefix(option.Label, "Yes, always: "), append(details, member{"always", rule})
		}
	}
	return "Allowed once.", details
}
