package popup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
)

// Requests of every dialect besides question, with one question of each kind.
const (
	typedForm = `{"questions":[
 {"header":"Store","question":"Which store?","type":"select_one","description":"All of them are installed.","options":[
  {"label":"PostgreSQL","description":"The team knows it","preview":{"type":"code","content":"package main\n\nfunc main() {\n\topen(\"pg\")\n}\n\nfunc open(name string) {\n\tprintln(name)\n}"}},
  {"label":"SQLite","preview":{"type":"markdown","content":"# One file\n\n- no **server**\n- one writer"}}]},
 {"header":"Parts","question":"Which parts?","type":"select_many","options":[{"label":"API"},{"label":"Web"}]},
 {"header":"Go on","question":"Shall I go on?","type":"confirm_enum","default":"affirm"},
 {"header":"Workers","question":"How many?","type":"number","min":1,"max":8,"default":4}]}`
	typedText   = `{"questions":[{"header":"Name","question":"What is it called?","type":"free_text","placeholder":"a short name"}]}`
	typedDanger = `{"questions":[{"header":"Drop shop","question":"Drop the database “shop”?","type":"confirm_enum","is_dangerous":true},
 {"header":"Then","question":"And then?","type":"select_one","default":"Stop","options":[{"label":"Stop"},{"label":"Go on"}]}]}`
	typedTwo = `{"questions":[{"header":"Name","question":"What is it called?","type":"free_text","default":"shop"},
 {"header":"Limit","question":"How many?","type":"number"}]}`
	typedName   = `{"questions":[{"header":"Name","question":"What?","type":"free_text"}]}`
	typedNumber = `{"questions":[{"header":"Limit","question":"How many?","type":"number","default":30,"min":5,"max":120}]}`
	plainForm   = `{"questions":[{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"API"},{"label":"Web","description":"all pages"}]}]}`

	plainTwo = `{"questions":[{"question":"Which parts?","header":"Parts","multiSelect":true,"options":[{"label":"API"},{"label":"Web"}]},
 {"question":"Which store?","header":"Store","options":[{"label":"PostgreSQL"},{"label":"SQLite"}]}]}`

	setupForm = `{"title":"New service","description":"Three things first.","questions":[
 {"id":"lang","type":"radio","label":"Language","prompt":"Which language?","options":[{"value":"go","label":"Go"},{"value":"rs","label":"Rust"}],"default":"go"},
 {"id":"parts","type":"checkbox","label":"Parts","prompt":"Which parts?","required":false,"options":[{"value":"api","label":"API"},{"value":"web","label":"Web"}]},
 {"id":"name","type":"text","label":"Name","prompt":"What is it called?","placeholder":"a short name"}]}`
	setupOne  = `{"questions":[{"id":"parts","type":"checkbox","prompt":"Which parts?","options":[{"value":"api","label":"API"},{"value":"web","label":"Web"}]}]}`
	setupText = `{"questions":[{"id":"name","type":"text","prompt":"What is it called?"}]}`

	decisionForm = `{"title":"Cache","intro":"Two decisions are open.","questions":[
 {"type":"choice","id":"way","header":"Way","prompt":"How shall we cache?","recommendation":"redis","options":[
  {"value":"none","label":"Not at all"},{"value":"redis","label":"Redis","description":"One more server","preview":"Redis\n─────\n\nruns on one port"}]},
 {"type":"choice","id":"what","header":"What","prompt":"What is cached?","multi":true,"options":[{"value":"a","label":"Pages"},{"value":"b","label":"Queries"}]},
 {"type":"text","id":"why","header":"Why","prompt":"Why so?","placeholder":"a sentence"}]}`

	permitted = `{"tool":"Bash","directory":"/srv/shop","command":"npm run build -- --mode production","why":"Build the shop before the tests","always":["Bash(npm run *) for this project"]}`
	typedRm   = `{"tool":"Bash","directory":"/srv/shop","command":"rm -rf dist","confirm":"rm"}`

	buttonsRow   = `{"prompt":"Deploy to production?","options":[{"label":"Deploy","emoji":"🚀","description":"All of it, now"},{"label":"Wait"}],"allowOther":true,"timeout":600}`
	buttonsMany  = `{"prompt":"Deploy where?","options":[{"label":"eu"},{"label":"us"},{"label":"asia"}],"multi":true}`
	yesNoRadio   = `{"questions":[{"id":"go","type":"radio","prompt":"Go on?","options":[{"label":"Yes"},{"label":"No"}]}]}`
	yesNoButtons = `{"prompt":"Go on?","options":[{"label":"Yes"},{"label":"No"}]}`
	yesNo        = `{"questions":[{"id":"go","prompt":"Go on?","options":[{"value":"y","label":"Yes"},{"value":"n","label":"No"}]}]}`

	elicitationForm = `{"message":"Set up the shop","serverName":"shop","requestedSchema":{"properties":{
 "name":{"type":"string","title":"Name","minLength":2},"workers":{"type":"integer","minimum":1,"default":2},"live":{"type":"boolean","default":true},
 "tests":{"type":"array","minItems":2,"items":{"enum":["unit","e2e","fuzz"]}}},"required":["name","tests"]}}`
	ofOpencode = `{"questions":[{"question":"Which parts?","header":"Parts","multiple":true,"options":[{"label":"API"},{"label":"Web"}]}]}`
	ofCodex    = `{"questions":[{"title":"Which store?","options":["PostgreSQL","SQLite"]},{"title":"Which name?"}]}`
	ofGemini   = `{"questions":[{"header":"Go","question":"Go on?","type":"yesno"},{"header":"Name","question":"Which name?","type":"text"}]}`
	ofCopilot  = `{"question":"Which store?","choices":["PostgreSQL","SQLite"]}`

	buttonsDropdown = `{"prompt":"Which region?","options":[{"label":"eu-west"},{"label":"eu-north"},{"label":"us-east"},{"label":"us-west"}]}`
)

// twelveOptions can be filtered.
var twelveOptions = func() string {
	var options []string
	for i := range 12 {
		options = append(options, fmt.Sprintf(`{"value":"v%d","label":"Region %d"}`, i, i+1))
	}
	return `{"questions":[{"type":"choice","id":"r","header":"Region","prompt":"Where?","options":[` + strings.Join(options, ",") + `]}]}`
}()

var everyRequest = []string{oneQuestion, threeQuestions, typedForm, typedText, typedNumber, typedTwo, typedDanger, plainForm, plainTwo, setupForm, setupOne, setupText,
	decisionForm, twelveOptions, buttonsRow, buttonsMany, buttonsDropdown, yesNoRadio, yesNoButtons, yesNo,
	planRequest, elicitationForm, ofOpencode, ofCodex, ofGemini, ofCopilot, permitted, typedRm}

// newForms are forms with everything that a form may have, of a dialect that popup
// knows nothing of.
func newForms() []form.Form {
	options := []form.Option{{Value: "a", Label: "A"}, {Value: "b", Label: "B"}}
	many := make([]form.Option, 12)
	for i := range many {
		many[i] = form.Option{Value: fmt.Sprint(i), Label: fmt.Sprint("Region ", i)}
	}
	questions := []form.Question{
		{Kind: form.One, Options: options, Other: "Other", Recommended: []int{1}, Initial: form.Choose(1)},
		{Kind: form.Many, Options: many, Other: "Other"},
		{Kind: form.Many, Options: options, SelectRow: true},
		{Kind: form.One, Options: []form.Option{{Value: "y", Label: "Yes"}, {Value: "n", Label: "No"}}, Style: form.Dropdown},
		{Kind: form.One, Options: options, Style: form.Buttons, Other: "Other"},
		{Kind: form.Many, Options: options, Style: form.Buttons},
		{Kind: form.Number},
		{Kind: form.Text, Multiline: true, Initial: form.Type("first")},
		{Kind: form.Text, Open: true},
		{Kind: form.One, Options: options, Dangerous: true},
	}
	var forms []form.Form
	for i := range questions {
		q := &questions[i]
		q.ID, q.Label, q.Prompt = fmt.Sprint("q", i), fmt.Sprint("Q", i), "Which?"
		forms = append(forms, form.Form{Dialect: "new", Questions: questions[i : i+1]})
	}
	return append(forms,
		form.Form{Dialect: "new", Questions: questions, Review: true},
		form.Form{Dialect: "new", Questions: questions, Review: true, Remarks: form.Notes},
		form.Form{Dialect: "new", Questions: questions, Review: true, Remarks: form.Comments, Partial: true})
}

// everyForm is those of everyRequest, and newForms.
func everyForm(t *testing.T) []form.Form {
	t.Helper()
	var forms []form.Form
	for _, request := range everyRequest {
		_, f, err := dialect.Decode("", []byte(request))
		if err != nil {
			t.Fatal(err)
		}
		forms = append(forms, f)
	}
	return append(forms, newForms()...)
}
