package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What every dialect has besides its own keys.

const ctrlG, ctrlR, ctrlX = "\x07", "\x12", "\x18"

func declineListed(t *testing.T, p place) {
	a := p.ask(typed)
	p.see("> 1. Postgres")
	p.press(ctrlX)
	p.see("Decline, and say why", "1. explain more first", "2. rephrase the question", "3. none of these fits", "4. another reason…")
	p.press(esc)
	p.see("> 1. Postgres")
	a.waits()
	p.press(ctrlX)
	p.see("Decline, and say why")
	p.press("2")
	a.ends("cancelled", 3, "User cancelled the questionnaire: rephrase the question")
	a.detailed(`{"questions":QUESTIONS,"answers":{},"lifecycle":"cancelled","url":null,"port":null,"debounceMs":300,"reason":"rephrase the question"}`)
}

// defaults is a request that says what it would have, of a danger too.
const defaults = `{"questions":[
 {"header":"Tool","question":"Which tool?","type":"select_one","options":[{"label":"One"},{"label":"Two"}],"default":"Two"},
 {"header":"Drop","question":"Drop the table?","type":"confirm_enum","default":"affirm","is_dangerous":true},
 {"header":"Tries","question":"How often?","type":"number","default":3}]}`

// takeAllRecommended: one key takes them all, but never a danger.
func takeAllRecommended(t *testing.T, p place) {
	a := p.ask(defaults)
	p.see("[□ Tool]", "> 2. Two")
	p.press(ctrlR)
	p.see("[Submit]", "Tool: Two", "Drop: not answered yet", "Tries: 3")
	p.press(enter)
	p.see("Not answered yet: Drop")
	a.waits()
	p.press(enter) // the cursor is on what is missing
	p.see("Type the resource name to confirm:")
	p.press("orders", enter)
	p.see("[Submit]", "Drop: ✎ orders", "> Submit")
	p.press(enter)
	a.answered("Tool: Two\nDrop: (Other) orders\nTries: 3")
}

// months has more options than digits reach.
var months = func() string {
	var options []string
	for _, m := range strings.Fields("January February March April May June July August September October November December") {
		options = append(options, fmt.Sprintf(`{"value":%q,"label":%q}`, strings.ToLower(m[:3]), m))
	}
	return `{"questions":[{"id":"m","prompt":"Which month?","options":[` + strings.Join(options, ",") + `]}]}`
}()

// shown is a request with a preview of more rows than a form has.
var shown = `{"questions":[{"header":"Plan","question":"Which plan?","type":"select_one","options":[
 {"label":"Sixty steps","preview":{"type":"text","content":"step 1` + strings.Repeat(`\nstep`, 58) + `\nthe last"}},
 {"label":"None"}]}]}`

func previewBelow(t *testing.T, p place) {
	a := p.ask(shown)
	p.see("> 1. Sixty steps", "2. None", "╭ PgDn/PgUp more", "│ step 1")
	p.unsee("the last")
	p.press("\x1b[6~", "\x1b[6~", "\x1b[6~", "\x1b[6~", "\x1b[6~", "\x1b[6~", "\x1b[6~")
	p.see("> 1. Sixty steps", "2. None", "│ the last")
	p.press("e")
	p.see("│ step 1", "Esc back")
	p.unsee("2. None")
	p.press(esc)
	p.see("> 1. Sixty steps", "2. None")
	p.press(down)
	p.see("> 2. None")
	p.unsee("step 1")
	p.press(enter)
	a.answered("Plan: None")
}

func previewBeside(t *testing.T, p place) {
	a := p.ask(shown)
	p.see("> 1. Sixty steps", "╷", "│ step 1")
	_, option := p.at("Sixty steps")
	if _, first := p.at("step 1"); first != option+1 { // below its name
		t.Errorf("the preview begins in row %d, its option is in row %d", first, option)
	}
	p.press("e") // over the whole form
	p.see("╭ Sixty steps", "│ step 1")
	p.unsee("2. None")
	p.press(enter)
	a.answered("Plan: Sixty steps")
}

// TestPreviewRendered: Markdown, code and diagrams are drawn by a program of their
// own, which stands beside askpane.
func TestPreviewRendered(t *testing.T) {
	t.Parallel()
	p := openTmux(t, 140, 40, unguarded)
	a := p.ask(`{"questions":[{"header":"Plan","question":"Which plan?","type":"select_one","options":[
 {"label":"Migrate","preview":{"type":"markdown","content":"# Steps\n\n- first **this**\n\n` + "```go\\nfunc f() {}\\n```" + `"}},
 {"label":"Draw","preview":{"type":"mermaid","content":"graph LR\nA[Ask]-->B[Answer]"}}]}]}`)
	p.see("│ Steps", "│ ═════", "│ • first this", "│   func f() {}")
	p.press(down)
	p.see("┌─────┐   ┌────────┐", "│ Ask │──►│ Answer │")
	p.press(enter)
	a.answered("Plan: Draw")
}

// With the setting off a dangerous question is an ordinary one.
func TestDangerCheckOff(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 100, 30, unguarded, "ASKPANE_DANGER_CHECK_ENABLED=false")
	a := p.ask(danger)
	p.see("Drop the old table?", "> 1. Affirm", "Submit")
	p.unsee("DESTRUCTIVE")
	p.press("1")
	p.see("Tell the team?")
	p.press("1")
	p.see("[Submit]", "> Submit")
	p.press(enter)
	a.answered("Drop: affirm\nTell: affirm")
}

// Ctrl+G gives what is typed to the person's editor and takes back what it
// saves; a popup's editor is the one of tmux's environment.
func TestEditor(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "editor")
	const text = "#!/bin/sh\ntr a-z A-Z <\"$1\" >\"$1.new\"\necho 'and more' >>\"$1.new\"\nmv \"$1.new\" \"$1\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newTmux(t)
	s.tmux("set-environment", "-g", "EDITOR", script)
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	v.press("mauve\n")
	v.see("│ mauve")
	v.press(ctrlG)
	v.see("│ MAUVE", "and more")
	a.waits()
	v.press(", please", enter)
	a.answered("Colour: user wrote: MAUVE\nand more, please")
}
