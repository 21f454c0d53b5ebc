package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
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
	rejected:  func(error) object { return object{{"decision", undecided}} },
}

// subjects lists what a permission can be asked for: the member that says it, what is to be
// allowed in words, and how that is shown.
var subjects = []struct {
	member, asks string
	shows        func(n node, s *form.Subject)
}{
	{"command", "Allow %s to run this command?", func(n node, s *form.Subject) {
		s.Text, _ = n.v.(string)
		s.Shown = form.Preview{Type: "command", Content: s.Text}
	}},
	{"file", "Allow %s to change this file?", func(n node, s *form.Subject) { change(s, n) }},
	{"files", "Allow %s to change these files?", func(n node, s *form.Subject) { change(s, n.list()...) }},
	{"url", "Allow %s to reach this address?", func(n node, s *form.Subject) {
		s.Text, _ = n.v.(string)
		s.Shown = form.Preview{Type: "text", Content: s.Text}
	}},
	{"arguments", "Allow %s to be used with this?", func(n node, s *form.Subject) {
		s.Text = indented(n.v)
		s.Shown = form.Preview{Type: "json", Content: s.Text}
	}},
}

func decodePermission(top node, f *form.Form) {
	s := &form.Subject{Tool: top.string("tool"), Dir: top.string("directory")}
	q := form.Question{ID: "permission", Named: true, Kind: form.One, Subject: s, Other: "No, because…"}
	given := 0
	for _, one := range subjects {
		if n := top.field(one.member); n.given() {
			given++
			q.Prompt = fmt.Sprintf(one.asks, text.Agent(s.Tool, 80))
			one.shows(n, s)
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

// change reads changes of files.
func change(s *form.Subject, files ...node) {
	var paths []string
	for _, n := range files {
		s.Edits, paths = append(s.Edits, n.edit()), append(paths, n.string("path"))
	}
	s.Text = strings.Join(paths, ", ")
	s.Shown = form.Preview{Type: "text", Content: s.Text}
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
	given := 0
	for _, one := range []bool{e.Content != nil, len(e.Replace) > 0, e.Remove} {
		if one {
			given++
		}
	}
	if given != 1 {
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
	d, chosen := f.Decided(r)
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
	var rule int
	if chosen >= 0 {
		if n, _ := fmt.Sscanf(f.Questions[0].Options[chosen].Value, "always %d", &rule); n == 1 {
			return "Allowed, and by this rule from now on: " + strings.TrimPrefix(f.Questions[0].Options[chosen].Label, "Yes, always: "), append(details, member{"always", rule})
		}
	}
	return "Allowed once.", details
}
