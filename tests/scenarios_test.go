package tests

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

// colour is a request of one question.
const colour = `{"questions":[{"id":"colour","label":"Colour","prompt":"Which colour?","options":[
 {"value":"r","label":"Red","description":"Easy to find after dark"},
 {"value":"g","label":"Green"},
 {"value":"b","label":"Blue"}]}]}`

// trip is a request of three.
const trip = `{"questions":[
 {"id":"where","label":"Where","prompt":"Where to?","options":[{"value":"sea","label":"Seaside"},{"value":"hill","label":"Hills"}]},
 {"id":"when","label":"When","prompt":"In which month?","options":[{"value":"may","label":"May"},{"value":"oct","label":"October"}]},
 {"id":"who","label":"Who","prompt":"With whom?","options":[{"value":"alone","label":"Alone"},{"value":"dog","label":"With the dog"}]}]}`

const (
	other  = "Something else…"
	closed = "User cancelled"
)

type scenario struct {
	name string
	// width and height of the person's terminal; 100x30 where zero.
	width, height int
	run           func(t *testing.T, p place)
}

// scenarios are what hangs on the host: keys, mouse and pastes that it passes on, what
// it draws, the room it gives, and how a popup goes. They are played in each.
var scenarios = []scenario{
	{"arrows", 0, 0, arrows},
	{"click", 0, 0, click},
	{"typed answer", 0, 0, typedAnswer},
	{"Esc twice in one breath", 0, 0, escTwice},
	{"Esc from the list", 0, 0, escFromList},
	{"paste into the entry", 0, 0, pasteIntoEntry},
	{"wide text", 0, 0, wideText},
	{"resize", 0, 0, resizeWhileOpen},
	{"resize while typing", 0, 0, resizeWhileTyping},
	{"agent's text is literal", 0, 0, literalText},
	{"34x7", 34, 7, smallForm},
	{"40x10", 40, 10, smallForm},
	{"20 rows", 80, 20, smallForm},
	{"answered elsewhere", 0, 0, answeredElsewhere},
	{"preview beside", 140, 40, previewBeside},
	{"keys with Alt and Ctrl", 0, 0, typedForm},
	{"decline with a reason", 0, 0, declineListed},
}

// forms are what a person does with a form, which is the same wherever it stands. They
// are played in a plain terminal, beside those that TestKeys fills in by every key.
var forms = []scenario{
	{"entry shows all", 0, 0, entryShowsAll},
	{"delivered to the history", 0, 0, delivered},
	{"AskUserQuestion danger", 0, 0, dangerForm},
	{"AskUserQuestion second shape", 0, 0, plainForm},
	{"ask_user", 0, 0, decisionForm},
	{"ask_user needs discussion", 0, 0, needsDiscussion},
	{"buttons", 0, 0, buttonsRow},
	{"buttons multi dropdown", 0, 0, buttonsMulti},
	{"elicitation", 0, 0, elicitation},
	{"deadline", 0, 0, deadline},
	{"all recommended", 0, 0, takeAllRecommended},
	{"preview below", 84, 30, previewBelow},
}

func TestScenarios(t *testing.T) {
	passed := make([]atomic.Int64, len(hosts))
	for i, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			for name := range h.without {
				if !slices.ContainsFunc(scenarios, func(s scenario) bool { return s.name == name }) {
					t.Errorf("there is no scenario %q to leave out", name)
				}
			}
			play(t, h.open, scenarios, h.without, &passed[i])
		})
	}
	t.Cleanup(func() {
		for i, h := range hosts {
			if n := int(passed[i].Load()); *updateHosts && n == len(scenarios)-len(h.without) {
				updateRow(t, h.name, h.version, n)
			}
		}
	})
}

func TestForms(t *testing.T) {
	t.Run("terminal", func(t *testing.T) { play(t, openTerminal, forms, nil, new(atomic.Int64)) })
}

// play plays in a host what without does not name, and counts the ones that pass.
func play(t *testing.T, open opener, scenarios []scenario, without map[string]string, passed *atomic.Int64) {
	for _, s := range scenarios {
		if why, out := without[s.name]; out {
			t.Logf("left out: %s: %s", s.name, why)
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t, open(t, cmp.Or(s.width, 100), cmp.Or(s.height, 30), unguarded))
			if !t.Failed() {
				passed.Add(1)
			}
		})
	}
}

func arrows(t *testing.T, p place) {
	a := p.ask(colour, "--agent", "Marvin")
	p.see("Marvin asks", "Which colour?", "> 1. Red", "Easy to find after dark", "2. Green", "4. "+other)
	p.press(down)
	p.see("> 2. Green")
	p.press(down)
	p.see("> 3. Blue")
	p.press(up)
	p.see("> 2. Green")
	a.waits()
	p.press(enter)
	r := a.answered("Colour: user selected: 2. Green")
	if len(r.Details.Answers) != 1 || r.IsError || r.Details.Cancelled {
		t.Fatalf("details %+v, isError %t", r.Details, r.IsError)
	}
	if got := r.Details.Answers[0]; got.ID != "colour" || got.Value != "g" || got.Label != "Green" || got.Index != 2 || got.WasCustom {
		t.Errorf("the answer is %+v", got)
	}
	p.unsee("Which colour?")
}

func click(t *testing.T, p place) {
	a := p.ask(colour)
	p.see("> 1. Red", "3. Blue")
	p.click("Blue")
	a.answered("Colour: user selected: 3. Blue")
}

// openEntry opens the entry under the last of n choices.
func openEntry(p place, n int) {
	p.t.Helper()
	p.see(fmt.Sprintf("%d. %s", n, other))
	p.press(fmt.Sprint(n))
	p.see("Type your answer")
}

func typedAnswer(t *testing.T, p place) {
	a := p.ask(colour)
	openEntry(p, 4)
	p.press("Mauve, like 1 of the otherx", backspace, "s")
	p.see("Mauve, like 1 of the others")
	p.press(enter)
	r := a.answered("Colour: user wrote: Mauve, like 1 of the others")
	if got := r.Details.Answers[0]; got.Value != "Mauve, like 1 of the others" || got.Label != got.Value || !got.WasCustom || got.Index != 0 {
		t.Errorf("the answer is %+v", got)
	}
}

// Two quick presses are one Esc, and the key after them is not lost: tcell takes
// ESC ESC for the beginning of something that never ends.
func escTwice(t *testing.T, p place) {
	a := p.ask(colour)
	openEntry(p, 4)
	p.press("half a thought")
	p.see("│ half a thought")
	p.press(esc + esc)
	p.see("Esc cancel")
	a.waits()
	p.press("2")
	a.answered("Colour: user selected: 2. Green")
}

func escFromList(t *testing.T, p place) {
	a := p.ask(colour)
	p.see("> 1. Red")
	p.press(esc)
	r := a.ends("cancelled", 3, closed)
	if r.IsError || !r.Details.Cancelled || len(r.Details.Answers) != 0 {
		t.Errorf("isError %t, details %+v", r.IsError, r.Details)
	}
	p.unsee("Which colour?")
}

func pasteIntoEntry(t *testing.T, p place) {
	a := p.ask(colour)
	openEntry(p, 4)
	p.press(paste("first line\n2 second\rthird"))
	p.see("third")
	a.waits()
	p.press(enter)
	a.answered("Colour: user wrote: first line\n2 second\nthird")
}

// entryShowsAll: as long as there is room, all of what is typed is on view; and a line
// break is one, however the clipboard writes it.
func entryShowsAll(t *testing.T, p place) {
	a := p.ask(colour)
	openEntry(p, 4)
	p.press(paste("first line\r\nsecond line"))
	p.see("first line", "second line")
	p.press("\n", "third line") // Ctrl+J
	p.see("first line", "second line", "third line")
	p.press(enter)
	a.answered("Colour: user wrote: first line\nsecond line\nthird line")
}
