package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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
	fits:   func(top node) bool { return top.field("survey").given() },
	schema: "{\"type\": \"object\", \"properties\": {\"survey\": {\"type\": \"string\", \"pattern\": \"\\\\S\"}}, \"required\": [\"survey\"]}",
	decode: func(top node, f *form.Form) {
		options := []form.Option{{Value: "y", Label: "Yes"}, {Value: "n", Label: "No"}}
		f.Title, f.Review = top.string("survey"), true
		f.Questions = []form.Question{
			{ID: "one", Label: "One", Prompt: "Is it good?", Kind: form.One, Options: options, Other: "Other"},
			{ID: "many", Label: "Many", Prompt: "When?", Kind: form.Many, Options: options},
			{ID: "number", Label: "Number", Prompt: "How often?", Kind: form.Number},
			{ID: "text", Label: "Text", Prompt: "Why?", Kind: form.Text, Multiline: true},
		}
	},
	cancelled: "Nobody said",
	encode: func(f *form.Form, r form.Result, _ Context) (string, object) {
		var said []string
		for i, a := range r.Answers {
			said = append(said, f.Questions[i].Say(a, "", nil))
		}
		return strings.Join(said, "; "), object{}
	},
	rejected: func(error) object { return object{} },
}
`

// recipe is what CONTRIBUTING has one write to add one thing: files that are new, and
// lines in files that are there.
type recipe struct {
	files map[string]string
	lines []addition
}

// addition is a line that a file of ours gets after what is in it.
type addition struct{ file, after, line string }

var dialectRecipe = recipe{
	files: map[string]string{"bridge/dialect/survey.go": survey},
	lines: []addition{{"bridge/dialect/dialect.go", "\n\t&buttons,\n", "\t&survey,\n"}},
}

// byTheRecipes is askpane with a toy of each kind added. It is built once: the toys do
// not know of each other.
func byTheRecipes(t *testing.T) (program string) {
	t.Helper()
	program, err := buildRecipes()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

var buildRecipes = sync.OnceValues(func() (program string, err error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(scratch, "recipes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	texts := map[string]string{}
	for _, r := range []recipe{dialectRecipe, hostRecipe, alertRecipe} {
		maps.Copy(texts, r.files)
		for _, a := range r.lines {
			if err := a.add(root, texts); err != nil {
				return "", err
			}
		}
	}
	replace := map[string]string{}
	for name, text := range texts {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-C", root, "-overlay", file, "-o", dir+"/", "./cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build askpane with additions: %w\n%s", err, out)
	}
	return filepath.Join(dir, "askpane"), nil
})

// add puts the line into its file's text, which is read where texts has none yet.
func (a addition) add(root string, texts map[string]string) error {
	if texts[a.file] == "" {
		text, err := os.ReadFile(filepath.Join(root, a.file))
		if err != nil {
			return err
		}
		texts[a.file] = string(text)
	}
	head, rest, ok := strings.Cut(texts[a.file], a.after)
	if !ok {
		return fmt.Errorf("%s has no %q", a.file, a.after)
	}
	texts[a.file] = head + a.after + a.line + rest
	return nil
}

// TestDialectByTheRecipe adds a dialect as CONTRIBUTING says, with no keys and no
// look of its own: its form works by the usual keys, and Esc leaves it.
func TestDialectByTheRecipe(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	request := filepath.Join(t.TempDir(), "request.json")
	if err := os.WriteFile(request, []byte(`{"survey":"Our coffee"}`), 0o600); err != nil {
		t.Fatal(err)
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
			quote(program)+" ask --output text >"+quote(out)+" --file "+quote(request)+"; exec cat")
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
	v.see("Our coffee", "Is it good?", "[○ One]", "> 1. Yes", "Enter choose")
	v.press(down)
	v.see("> 2. No")
	v.press(enter)
	v.see("[○ Many]", "> 1. ☐ Yes")
	v.press(" ")
	v.see("☑ Yes")
	v.press(enter)
	v.see("[○ Number]", "Enter type")
	v.press(enter)
	v.see("Enter answer")
	v.press("7", enter)
	v.see("[○ Text]", "Enter type")
	v.press(enter)
	v.see("Enter answer")
	v.press("so", enter)
	v.see("[Review]", "One: No", "Many: Yes", "Number: 7", "> Submit")
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
