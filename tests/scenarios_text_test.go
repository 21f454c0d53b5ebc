package tests

import (
	"strings"
	"testing"
)

// wide is a request in signs that take two cells, or several runes.
const wide = `{"questions":[{"id":"essen","label":"夕食","prompt":"今日の夕食は何にしますか？ 🍜","options":[
 {"value":"sushi","label":"寿司 🍣","description":"新鮮な魚"},
 {"value":"cafe","label":"Cafe\u0301 cre\u0300me"}]}]}`

func wideText(t *testing.T, p place) {
	a := p.ask(wide)
	p.see("今日の夕食は何にしますか？ 🍜", "> 1. 寿司 🍣", "新鮮な魚", "2. Cafe\u0301 cre\u0300me")
	openEntry(p, 3)
	p.press("天ぷら 🎉 nai\u0308f")
	p.see("│ 天ぷら 🎉 nai\u0308f")
	p.press(enter)
	a.answered("夕食: user wrote: 天ぷら 🎉 nai\u0308f")
}

// fits waits until the whole form is on view after a resize: the row with its
// keys is the last one, or has only the popup's border and tmux's status below.
func fits(p place) {
	p.t.Helper()
	p.until("showed the form's last row", func(string) bool {
		rows := p.rows()
		return strings.Contains(strings.Join(rows[len(rows)-3:], "\n"), "Enter")
	})
}

func resizeWhileOpen(t *testing.T, p place) {
	a := p.ask(colour)
	p.see("> 1. Red")
	p.resize(40, 10)
	fits(p)
	p.see("Which colour?", "> 1. Red")
	p.press(down)
	p.see("> 2. Green")
	p.resize(120, 40)
	p.see("Which colour?", "1. Red", "> 2. Green", "3. Blue", "4. "+other, "Esc cancel")
	p.press(down)
	p.see("> 3. Blue")
	a.waits()
	p.press(enter)
	a.answered("Colour: user selected: 3. Blue")
}

func resizeWhileTyping(t *testing.T, p place) {
	a := p.ask(colour)
	openEntry(p, 4)
	p.press("typed before")
	p.see("typed before")
	p.resize(40, 10)
	fits(p)
	p.see("typed before")
	p.press(" and small")
	p.see("typed before and small")
	p.resize(120, 40)
	p.see("Which colour?", "1. Red", "typed before and small")
	p.press(" and large")
	p.see("typed before and small and large")
	a.waits()
	p.press(enter)
	a.answered("Colour: user wrote: typed before and small and large")
}

// hostile is a request that would play tricks if its text were not literal.
const hostile = `{"questions":[{"id":"q","label":"\u001b[2JQ","prompt":"[red]Delete[-]? \u001b]0;PWNED\u0007\u001b[2J\u001b[H end","options":[
 {"value":"a","label":"[::b]abc\u202etxt.exe","description":"\u009b31mC1 [\"region\"]x[\"\"]"},
 {"value":"b","label":"Two\nlines"}]}]}`

func literalText(t *testing.T, p place) {
	a := p.ask(hostile, "--agent", "\x1b[31m[red]Eve")
	p.see("“␛[31m[red]Eve” asks", "[red]Delete[-]? ␛]0;PWNED␇␛[2J␛[H end",
		"> 1. [::b]abc⟨U+202E⟩txt.exe", `⟨U+009B⟩31mC1 ["region"]x[""]`, "2. Two", "lines")
	p.press("1")
	// The agent gets its own text back, as it was.
	a.answered("\x1b[2JQ: user selected: 1. [::b]abc\u202etxt.exe")
	for _, sequence := range []string{"\x1b]0;PWNED", "\x1b]2;PWNED", "\u202e", "\u009b"} {
		if strings.Contains(p.output(), sequence) {
			t.Errorf("the terminal was sent %q", sequence)
		}
	}
}

// smallForm goes through three questions, with a typed answer and a change.
func smallForm(t *testing.T, p place) {
	a := p.ask(trip)
	p.see("Where to?", "> 1. Seaside")
	p.press(down)
	p.see("> 2. Hills")
	p.press(enter)
	p.see("In which month?")
	p.press(down, down)
	p.see("> 3. " + other)
	p.press(enter)
	p.see("Type your answer")
	p.press("in the rainy season, whenever that may be")
	p.see("that may be") // wrapped, its end on view
	p.press(enter)
	p.see("With whom?")
	p.press("2")
	toSubmit(p)
	p.press("\x1b[5~")
	p.see("Where: Hills") // above what fits
	p.press("\x1b[6~")
	p.see("> Submit")
	p.press(up)
	p.see("> 3. Who:")
	p.press(enter)
	p.see("With whom?", "> 2. With the dog")
	p.press("1")
	toSubmit(p)
	a.waits()
	p.press(enter)
	a.answered("Where: user selected: 2. Hills\nWhen: user wrote: in the rainy season, whenever that may be\nWho: user selected: 1. Alone")
}

// toSubmit scrolls down to where the review can be submitted: one that does not
// fit is shown from its top, to be read first.
func toSubmit(p place) {
	p.t.Helper()
	p.see("[Review]", "Who: ")
	if !strings.Contains(p.screen(), "> Submit") {
		p.press(down)
	}
	p.see("> Submit")
}

func answeredElsewhere(t *testing.T, p place) {
	a := p.ask(colour)
	p.see("> 1. Red")
	id := p.spool.only(t)
	if out, code := p.spool.run(t, `{"colour":"Violet"}`, "answer", id); code != 6 || !strings.Contains(out, "Violet") {
		t.Fatalf("an answer that is no option: exit %d, %s", code, out)
	}
	p.see("> 1. Red")
	a.waits()
	if out, code := p.spool.run(t, `{"colour":"Blue"}`, "answer", id); code != 0 {
		t.Fatalf("askpane answer: exit %d, %s", code, out)
	}
	p.until("said who was first, or closed", func(screen string) bool {
		return strings.Contains(screen, "Already answered by askpane answer, ") || !strings.Contains(screen, "Which colour?")
	})
	a.answered("Colour: user selected: 3. Blue")
	if _, code := p.spool.run(t, `{"colour":"Red"}`, "answer", id); code != 6 {
		t.Errorf("a second answer: exit %d, want 6", code)
	}
	p.press(" ") // any key closes it
	p.unsee("Which colour?")
}

func delivered(t *testing.T, p place) {
	a := p.ask(colour, "--agent", "Marvin")
	p.see("> 1. Red")
	id := p.spool.only(t)
	openEntry(p, 4)
	p.press("so far")
	eventually(t, "the draft has what was typed", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "so far") })
	seen := strings.Join(p.spool.modes(t), " ")
	for _, name := range []string{"request.json", "bridge.lock", "popup.lock", "draft.json"} {
		if !strings.Contains(seen, name) {
			t.Errorf("no %s in the entry; there are %s", name, seen)
		}
	}
	list := p.spool.listed(t)
	if len(list) != 1 || list[0].ID != id || list[0].State != "shown" || list[0].Header != "Colour" || list[0].Agent != "Marvin" {
		t.Errorf("askpane list says %+v", list)
	}
	p.press(enter)
	if r := a.answered("Colour: user wrote: so far"); r.ID != id {
		t.Errorf("the result is of %s, the entry of %s", r.ID, id)
	}
	if pending := p.spool.pending(); len(pending) != 0 {
		t.Errorf("still pending: %v", pending)
	}
	if history := p.spool.history(); len(history) != 1 || history[0] != id {
		t.Errorf("the history has %v, want %s", history, id)
	}
	if answer := p.spool.read("history", id, "answer.json"); !strings.Contains(answer, "so far") {
		t.Errorf("answer.json is %q", answer)
	}
	p.spool.modes(t)
	if list := p.spool.listed(t); len(list) != 0 {
		t.Errorf("askpane list says %+v", list)
	}
}
