package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/tests/hostiletexts"
	"github.com/askpane/askpane/tests/needs"
)

// hostilePaths is every path that an agent's text takes to a person's terminal.
// visit takes it with all texts and gives back the terminals that were written
// to. A new path is a line here. (Notification, speech and the person's own
// command are in notify, which has the D-Bus service for it.)
var hostilePaths = []struct {
	name  string
	visit func(t *testing.T, texts []hostiletexts.Text) []*terminal
}{
	{"popup, tabs and review", hostilePopup},
	{"entries", hostileEntries},
	{"previews", hostilePreviews},
	{"buttons", hostileButtons},
	{"peek", hostilePeek},
	{"title and status line", hostileTitle},
	{"line by line", hostilePlain},
	{"commands", hostileCommands},
	{"inbox", hostileInbox},
	{"history", hostileHistory},
	{"environment", hostileEnvironment},
}

// Whatever a text holds, it reaches no shell and no tmux command, and a terminal
// as text alone.
func TestHostileTexts(t *testing.T) {
	for i, path := range hostilePaths {
		t.Run(path.name, func(t *testing.T) {
			t.Parallel()
			trap := filepath.Join(scratch, fmt.Sprint("trap", i)) // short, so that all texts fit a form
			terminals := path.visit(t, hostiletexts.Texts(trap))
			for _, v := range terminals {
				if found := harm(v.output()); len(found) > 0 {
					t.Errorf("the terminal got %d harmful things, first %s", len(found), found[0])
				}
				for _, title := range v.allTitles() {
					if strings.HasPrefix(title, hostiletexts.Mark) {
						t.Errorf("its title became %q", title)
					}
				}
			}
			if _, err := os.Stat(trap); err == nil {
				t.Error("a command of a text was run")
			}
		})
	}
}

func (v *terminal) allTitles() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string(nil), v.titles...)
}

// quiet: the bell that we ring ourselves is not to be taken for one of a text.
var quiet = []string{unguarded, "ASKPANE_BELL_ON_QUESTION=false"}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type hostileOption struct {
	Value       string            `json:"value,omitempty"`
	Label       string            `json:"label"`
	Description string            `json:"description,omitempty"`
	Preview     map[string]string `json:"preview,omitempty"`
}

// manyQuestions has a question for each text, which is in every place of it.
func manyQuestions(t *testing.T, texts []hostiletexts.Text) string {
	t.Helper()
	var questions []map[string]any
	for i, x := range texts {
		questions = append(questions, map[string]any{"id": fmt.Sprintf("q%d", i) + x.Text, "label": x.Text, "prompt": fmt.Sprintf("prompt %d: %s", i, x.Text),
			"options": []hostileOption{{Value: x.Text, Label: x.Text, Description: x.Text}, {Value: "b", Label: "end " + x.Text}}})
	}
	return marshal(t, map[string]any{"questions": questions})
}

func hostilePopup(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 110, 40)
	a := s.askWith(quiet, "main", manyQuestions(t, texts), "--agent", joinedForArgv(texts))
	for i := range texts {
		v.see(fmt.Sprintf("prompt %d:", i))
		v.press(down, "1") // answered, and on to the next
	}
	v.see("[Review]")
	for range len(texts) + 1 { // down to the end of the review
		v.press(down)
	}
	v.see("> Submit")
	v.press(enter)
	if r := a.result(); r.Outcome != "answered" {
		t.Errorf("the outcome is %s: %s", r.Outcome, r.Text)
	}
	return []*terminal{v}
}

// joinedForArgv is what can be on a command line: no NUL.
func joinedForArgv(texts []hostiletexts.Text) string {
	var all []string
	for _, x := range texts {
		all = append(all, strings.ReplaceAll(x.Text, "\x00", ""))
	}
	return strings.Join(all, " ")
}

func joinedLines(texts []hostiletexts.Text) string {
	var all []string
	for _, x := range texts {
		all = append(all, x.Text)
	}
	return strings.Join(all, "\n\n")
}

func hostilePreviews(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 130, 50)
	var options []hostileOption
	all := joinedLines(texts)
	for _, kind := range []string{"markdown", "code", "text", "mermaid", "svg", "html"} {
		content := all
		switch kind {
		case "mermaid":
			content = "graph TD\n"
			for i, x := range texts {
				content += fmt.Sprintf("  A%d[%q] -->|%s| B%d\n", i, x.Text, strings.ReplaceAll(x.Text, "\n", " "), i)
			}
		case "markdown":
			content = "# " + all + "\n\n```go\n" + all + "\n```\n| a | b |\n|---|---|\n| " + texts[0].Text + " | x |\n[l](http://x\x1b]2;" + hostiletexts.Mark + "\a)"
		}
		options = append(options, hostileOption{Label: "as " + kind, Description: "about " + kind, Preview: map[string]string{"type": kind, "content": content}})
	}
	request := marshal(t, map[string]any{"questions": []map[string]any{{"header": "H\x1b[2J\u202e", "question": "Which?", "description": clipped(all, 500), "type": "select_one", "options": options}}})
	a := s.askWith(quiet, "main", request)
	v.see("Which?")
	for i, o := range options {
		v.see(fmt.Sprintf("> %d. %s", i+1, o.Label))
		v.press("e", "\x1b[6~", "\x1b[6~", "e", down)
	}
	v.see("> 7. Other")
	v.press(esc)
	if r := a.result(); r.Outcome != "cancelled" {
		t.Errorf("the outcome is %s: %s", r.Outcome, r.Text)
	}
	return []*terminal{v}
}

func clipped(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

func hostileButtons(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 110, 40)
	for i := 0; i < len(texts); i += 4 {
		options := []map[string]string{}
		for _, x := range texts[i:min(i+4, len(texts))] {
			options = append(options, map[string]string{"label": x.Text, "emoji": x.Text, "description": x.Text})
		}
		for len(options) < 2 {
			options = append(options, map[string]string{"label": fmt.Sprint("more ", len(options))})
		}
		style := []string{"buttons", "select"}[i/4%2]
		a := s.askWith(quiet, "main", marshal(t, map[string]any{"prompt": fmt.Sprintf("round %d %s", i, texts[i].Text), "options": options, "style": style}))
		v.see(fmt.Sprintf("round %d", i))
		v.press(right, down, right, down, esc)
		v.until("has closed or asks on", func(screen string) bool {
			if strings.Contains(screen, fmt.Sprintf("round %d", i)) {
				v.press(esc)
				return false
			}
			return true
		})
		a.result()
	}
	return []*terminal{v}
}

// hostilePeek looks at a pane on which something was printed that tmux passes
// on as it is: what it acts on is its own business.
func hostilePeek(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 110, 40)
	file := filepath.Join(t.TempDir(), "said")
	said := ""
	for _, x := range texts {
		if !strings.ContainsFunc(x.Text, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f }) {
			said += x.Text + "\n"
		}
	}
	if err := os.WriteFile(file, []byte(said+"the last line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newAsker(t, s.spool, colour)
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "cat "+quote(file)+"; "+a.script(quiet)+"; exec cat")
	v.see("Which colour?")
	v.press("\x10") // Ctrl+P
	v.see("What the asking pane shows", "▎ the last line")
	v.press("g")
	v.press("G", esc)
	v.see("Which colour?")
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
	return []*terminal{v}
}

// hostileTitle has each text that tmux or a shell could act on in turn as the title of
// the pane on view, which the status line shows too. The title must be the text to the
// letter: nothing of it was expanded. (Of the others the title is of what text.OneLine
// leaves of them, like a popup's.)
func hostileTitle(t *testing.T, texts []hostiletexts.Text) []*terminal {
	texts = slices.DeleteFunc(texts, func(x hostiletexts.Text) bool {
		return !strings.HasPrefix(x.Name, "tmux") && !slices.Contains([]string{"title", "shell", "quotes", "option", "formats", "our own frame"}, x.Name)
	})
	if len(texts) < 10 {
		t.Fatalf("only %d texts", len(texts))
	}
	s := newTmux(t)
	s.tmux("set-option", "-g", "status-interval", "1")
	s.tmux("set-option", "-g", "status-right-length", "100")
	s.tmux("set-option", "-g", "status-right", "#{pane_title} #(ASKPANE_SPOOL="+quote(string(s.spool))+" "+quote(binary)+" status --format tmux)")
	v := s.attach("main", 140, 30)
	pane := s.tmux("new-window", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "sh", "-c", "stty -echo; exec sh")
	for _, x := range texts {
		s.tmux("select-pane", "-t", pane, "-T", "the agent's own")
		request := marshal(t, map[string]any{"questions": []map[string]any{{"id": "a", "label": x.Text, "prompt": "?"}}})
		a := newAsker(t, s.spool, request)
		s.tmux("respawn-pane", "-k", "-t", pane, "sh", "-c", a.script(append([]string{"ASKPANE_OPEN_MODE=manual"}, quiet...), "--agent", strings.ReplaceAll(x.Text, "\x00", ""))+"; exec cat")
		// tmux leaves a # doubled before [, where it would begin a style.
		want := "🔔 " + strings.ReplaceAll(text.OneLine(x.Text, 60), "#[", "##[")
		if !poll(func() bool { return s.format(pane, "pane_title") == want }) {
			t.Errorf("%s: the title is %q, want %q", x.Name, s.format(pane, "pane_title"), want)
		}
		eventually(t, "the status line shows it", func() bool { return strings.Contains(v.rows()[29], "🔔") })
		s.spool.answers(t, s.spool.only(t), "")
		a.result()
		if !poll(func() bool { return s.format(pane, "pane_title") == "the agent's own" }) {
			t.Errorf("%s: the title stays %q", x.Name, s.format(pane, "pane_title"))
		}
	}
	return []*terminal{v}
}

func hostilePlain(t *testing.T, texts []hostiletexts.Text) []*terminal {
	p := openTerminal(t, 100, 60, quiet...)
	a := p.ask(manyQuestions(t, texts), "--host", "plain", "--agent", joinedForArgv(texts))
	for i := range texts {
		p.see(fmt.Sprintf("Question %d of %d", i+1, len(texts)))
		p.press("1\n")
	}
	p.see("Type s to submit")
	p.press("q\n")
	p.see("Cancel the whole form?")
	p.press("y\n")
	a.result()
	return []*terminal{p.terminal}
}

// hostileCommands prints on a terminal what there is to know of questions whose
// every field is a hostile text.
func hostileCommands(t *testing.T, texts []hostiletexts.Text) []*terminal {
	dir, ids := hostileSpool(t, texts)
	if err := os.Mkdir(filepath.Join(string(dir), "not-ours\x1b]2;"+hostiletexts.Mark+"\a"), 0o700); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(marshal(t, map[string]any{"prompt": "p", "options": []any{}, joinedLines(texts): 1, "style": joinedLines(texts)})), 0o600); err != nil {
		t.Fatal(err)
	}
	v := newTerminal(t, 120, 40)
	t.Cleanup(v.close)
	run := []string{"list", "list --json", "status", "check --file " + quote(bad), "ask --host tmux --output text --file " + quote(bad), "doctor"}
	for _, x := range texts {
		arg := quote(strings.ReplaceAll(x.Text, "\x00", ""))
		run = append(run, "answer -- "+arg, "popup -- "+arg, "settings get -- "+arg, "ask --dialect "+arg, "ask --host="+arg, arg, "status --format="+arg,
			"settings set --global -- theme "+arg, "check --file "+arg)
	}
	run = append(run, "popup --plain "+ids[0]+" </dev/null")
	script := ""
	for _, args := range run {
		script += quote(binary) + " " + args + " </dev/null; "
	}
	v.start(environ(t.TempDir(), "ASKPANE_SPOOL="+string(dir), "TMUX="), "sh", "-c", script+"echo all has run; exec cat")
	if !needs.Within(6*patience, func() bool { return strings.Contains(v.screen(), "Type a number.") }) {
		t.Fatalf("the last command never asked; the screen is\n%s", frame(v.rows()))
	}
	v.press("\x04")                                                                                    // the end of its input
	if !needs.Within(6*patience, func() bool { return strings.Contains(v.screen(), "all has run") }) { // some hundred processes
		t.Errorf("they have not all run; the screen is\n%s", frame(v.rows()))
	}
	return []*terminal{v}
}

// hostileEnvironment: what the asker's environment has for us goes to the popup
// through tmux's own command parser.
func hostileEnvironment(t *testing.T, texts []hostiletexts.Text) []*terminal {
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	env := append([]string(nil), quiet...)
	for i, x := range texts {
		env = append(env, fmt.Sprintf("ASKPANE_HOSTILE_%d=%s", i, strings.ReplaceAll(x.Text, "\x00", "")))
	}
	a := s.askWith(env, "main", colour)
	v.see("Which colour?")
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
	return []*terminal{v}
}
