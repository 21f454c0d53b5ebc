package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// survey is a dialect as CONTRIBUTING has them added: a file, and a line in
// bridge/dialect/dialect.go.
const survey = `package dialect

import (
	"strings"

	"github.com/askpane/askpane/bridge/form"
)

var survey = Dialect{
	Name:   "survey",
	fits:   func(top map[string]any) bool { return node{v: top}.field("survey").given() },
	schema: "{\"type\": \"object\", \"properties\": {\"survey\": {\"type\": \"string\", \"pattern\": \"\\\\S\"}}, \"required\": [\"survey\"]}",
	decode: func(top node) form.Form {
		about := top.field("survey").text()
		options := []form.Option{{Value: "y", Label: "Yes"}, {Value: "n", Label: "No"}}
		return form.Form{Title: about, Review: true, Echo: mustJSON(map[string]any{"survey": about}), Questions: []form.Question{
			{ID: "one", Label: "One", Prompt: "Is it good?", Kind: form.One, Options: options, Other: "Other"},
			{ID: "many", Label: "Many", Prompt: "When?", Kind: form.Many, Options: options},
			{ID: "number", Label: "Number", Prompt: "How often?", Kind: form.Number},
			{ID: "text", Label: "Text", Prompt: "Why?", Kind: form.Text, Multiline: true},
		}}
	},
	encode: func(f *form.Form, r form.Result, _ Context) Reply {
		if r.Outcome != form.Answered {
			return Reply{Text: notAnswered("Nobody said", f, r), Details: mustJSON(map[string]any{})}
		}
		var said []string
		for i := range f.Questions {
			said = append(said, f.Questions[i].Say(r.Answers[i], "", nil))
		}
		return Reply{Text: strings.Join(said, "; "), Details: mustJSON(map[string]any{})}
	},
	reject: func(err error) Reply { return Reply{Text: err.Error(), Details: mustJSON(map[string]any{}), IsError: true} },
	answer: answerAny,
}
`

// TestDialectByTheRecipe adds a dialect as CONTRIBUTING says, with no keys and no
// look of its own: its form works by the usual keys, and Esc leaves it.
func TestDialectByTheRecipe(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	list := filepath.Join(root, "bridge", "dialect", "dialect.go")
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), "\n\t&buttons,\n")
	if !ok {
		t.Fatalf("%s has no list of dialects that ends with buttons", list)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		list: write("dialect.go", head+"\n\t&buttons,\n\t&survey,\n"+rest),
		filepath.Join(filepath.Dir(list), "survey.go"): write("survey.go", survey),
	}})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "askpane")
	build := exec.Command("go", "build", "-overlay", write("overlay.json", string(overlay)), "-o", program, "./cmd/askpane")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build askpane with one dialect more: %v\n%s", err, out)
	}
	ask := func() (*terminal, func() string) {
		v := newTerminal(t, 100, 30)
		spool := newSpool(t)
		t.Cleanup(func() {
			spool.noneLeft(t)
			v.close()
		})
		out := filepath.Join(t.TempDir(), "out")
		v.start(environ(t.TempDir(), unguarded, "ASKPANE_SPOOL="+string(spool)), "sh", "-c",
			quote(program)+" ask --output text >"+quote(out)+" --file "+quote(write("request.json", `{"survey":"Our coffee"}`))+"; exec cat")
		return v, func() string {
			var text []byte
			eventually(t, "the call has returned", func() bool {
				text, _ = os.ReadFile(out)
				return len(text) > 0
			})
			return strings.TrimSpace(string(text))
		}
	}

	v, result := ask()
	v.see("Our coffee", "Is it good?", "[· One]", "❯ 1. Yes", "Enter/1–3 choose")
	v.press(down)
	v.see("❯ 2. No")
	v.press(enter)
	v.see("[· Many]", "❯ 1. ☐ Yes")
	v.press(" ")
	v.see("☑ Yes")
	v.press(enter)
	v.see("[· Number]", "Enter type")
	v.press(enter)
	v.see("Enter answer")
	v.press("7", enter)
	v.see("[· Text]", "Enter open")
	v.press(enter)
	v.see("Enter answer")
	v.press("so", enter)
	v.see("[Review]", "One: No", "Many: Yes", "Number: 7", "❯ Submit")
	v.press(enter)
	if got := result(); got != "No; Yes; 7; so" {
		t.Errorf("the answer is %q", got)
	}

	v, result = ask()
	v.see("Is it good?")
	v.press(esc)
	if got := result(); got != "Nobody said" {
		t.Errorf("Esc gave %q", got)
	}
}
