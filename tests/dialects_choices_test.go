package tests

import (
	"testing"
	"time"
)

// decision is a request of ask_user.
const decision = `{"title":"Formatter","intro":"Two choices and a word.","questions":[
 {"type":"choice","id":"tool","header":"Tool","prompt":"Which formatter?","options":[{"value":"biome","label":"Biome"},{"value":"prettier","label":"Prettier"}],"recommendation":"biome"},
 {"type":"choice","id":"extras","header":"Extras","prompt":"Which extras?","multi":true,"options":[{"value":"vitest","label":"Vitest"},{"value":"knip","label":"Knip"}],"recommendation":["vitest"]},
 {"type":"text","id":"goal","header":"Goal","prompt":"Optimise for what?","recommendation":"speed"}]}`

func decisionForm(t *testing.T, p place) {
	a := p.ask(decision)
	p.see("Formatter", "Two choices and a word.", "[✓ Tool]", "> 1. Biome [recommended] ✓", "2. Prettier")
	p.press(down, "n")
	p.see("Comment on “Prettier”:")
	p.press("not in this repository", enter)
	p.see("comment: not in this repository", "Esc cancel")
	p.press(up, "n")
	p.see("Comment on “Biome”:")
	p.press("half a")
	p.see("│ half a")
	p.press(esc) // discards, and does not leave the form
	p.unsee("half a")
	p.see("> 1. Biome [recommended] ✓", "Esc cancel")
	p.press("c")
	p.see("Comment on this question:")
	p.press("ask Ada too", enter)
	p.see("comment: ask Ada too", "Esc cancel")
	p.press(enter)

	p.see("[✓ Extras]", "> 1. ☑ Vitest [recommended]", "☐ Knip")
	p.press(down, " ")
	p.see("> 2. ☑ Knip")
	p.press(enter) // accepts and advances, never toggles
	p.see("[✓ Goal]", "│ speed")
	p.press(" and calm", enter)
	p.see("[Review]", "Tool: Biome", "Extras: Vitest, Knip", "Goal: ✎ speed and calm", "> Submit")
	p.press("c")
	p.see("Comment on the whole form:")
	p.press("all good", enter)
	p.see("comment: all good", "> Submit")
	a.waits()
	p.press(enter)
	a.answered("Form comment: all good\nTool: Biome\nTool question comment: ask Ada too\n" +
		"Tool option comment (Prettier): not in this repository\nExtras: Vitest; Knip\nGoal: speed and calm")
	a.detailed(`{"title":"Formatter","intro":"Two choices and a word.","questions":QUESTIONS,"outcome":"submitted","comment":"all good","responses":[` +
		`{"questionId":"tool","questionComment":"ask Ada too","answer":{"kind":"choice","answered":true,"options":[` +
		`{"value":"biome","label":"Biome","selected":true},{"value":"prettier","label":"Prettier","selected":false,"comment":"not in this repository"}]}},` +
		`{"questionId":"extras","answer":{"kind":"choice","answered":true,"options":[` +
		`{"value":"vitest","label":"Vitest","selected":true},{"value":"knip","label":"Knip","selected":true}]}},` +
		`{"questionId":"goal","answer":{"kind":"text","answered":true,"value":"speed and calm"}}]}`)
}

func needsDiscussion(t *testing.T, p place) {
	a := p.ask(decision)
	p.see("[✓ Tool]")
	p.press("u")
	p.see("[○ Tool]", "1. Biome", "unanswered")
	p.press("c", "which one is quicker?", enter)
	p.see("comment: which one is quicker?", "Esc cancel")
	p.press(tab)
	p.see("[✓ Extras]")
	p.press(enter)
	p.see("[✓ Goal]")
	p.press("\x1bu") // Alt+U
	p.see("[○ Goal]")
	p.press(tab)
	p.see("[Review]", "2 left for discussion", "> Submit")
	p.press(enter)
	a.ends("needs_discussion", 0, "User needs discussion before a complete decision.\nUnanswered: Tool, Goal\n"+
		"Tool question comment: which one is quicker?\nExtras: Vitest")
	a.detailed(`{"title":"Formatter","intro":"Two choices and a word.","questions":QUESTIONS,"outcome":"needs_discussion","responses":[` +
		`{"questionId":"tool","questionComment":"which one is quicker?","answer":{"kind":"choice","answered":false,"options":[]}},` +
		`{"questionId":"extras","answer":{"kind":"choice","answered":true,"options":[{"value":"vitest","label":"Vitest","selected":true}]}},` +
		`{"questionId":"goal","answer":{"kind":"text","answered":false}}]}`)
}

// While one ask_user form of a session is open, its second is refused at once; a
// session is the process that asks. That of another waits in line.
func TestTmuxOneDecisionAtATime(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	p := newPerson(t, s.spool, "TMUX="+s.tmux("display-message", "-p", "#{socket_path},#{pid},0"))
	first := p.runs(decision, "ask")
	v.see("[✓ Tool]")
	refused := p.runs(decision, "ask")
	refused.ends(false)
	refused.finds(`"outcome":"rejected","text":"Error: another ask_user form is already in flight; wait for its answer before you ask again".*"isError":true`)
	other := s.ask("main", decision)
	v.see("1 more waiting")
	v.press(esc)
	first.ends(false)
	v.press(esc)
	other.ends("cancelled", 3, "The user interaction was cancelled.")
}

// cache is a request of buttons.
const cache = `{"prompt":"Which cache?","options":[{"label":"Redis","emoji":"⚡","description":"Fast"},{"label":"Postgres","description":"Already running"}],"allowOther":true}`

func buttonsRow(t *testing.T, p place) {
	a := p.ask(cache)
	p.see("Which cache?", "Redis    [ Postgres ]  [ Other... ]", "Fast", "left")
	p.press(right)
	p.see("Already running")
	p.unsee("Fast")
	a.waits()
	p.press(enter)
	a.answered("User selected: Postgres")
	a.detailed(`{"answered":true,"selected":"Postgres","index":1}`)
}

func buttonsMulti(t *testing.T, p place) {
	a := p.ask(`{"prompt":"Which regions?","options":[{"label":"Oslo"},{"label":"Rome"},{"label":"Lima"},{"label":"Kyoto"}],"multi":true}`)
	p.see("Which regions?", "☐ Oslo", "☐ Kyoto")
	p.press(enter)
	p.see("Nothing is chosen yet.")
	p.press(down, " ")
	p.see("☑ Rome")
	p.press("4")
	p.see("☑ Kyoto", "☑ Rome", "☐ Lima")
	p.press(enter)
	a.answered("User selected: Rome, Kyoto")
	a.detailed(`{"answered":true,"selected":["Rome","Kyoto"],"index":[1,3]}`)
}

// brief is a request with a deadline, which is far enough for a form to come up in time
// where other programs have the cores.
const brief = `{"prompt":"Which cache?","options":[{"label":"Redis"},{"label":"Postgres"}],"timeout":6}`

func deadline(t *testing.T, p place) {
	a := p.ask(brief)
	p.see("> Redis    [ Postgres ]", "s left")
	timedOut(t, a)
	p.unsee("Which cache?") // in a plain terminal the form goes with the call
}

// timedOut checks that a call with brief came back after its deadline, empty-handed.
func timedOut(t *testing.T, a *asker) {
	t.Helper()
	r := a.ends("timeout", 4, "No answer before the deadline (6 s)")
	if r.IsError || r.took < 6*time.Second {
		t.Errorf("isError %t, and the call with a deadline of 6 s took %v", r.IsError, r.took)
	}
	a.detailed(`{"answered":false,"reason":"timeout"}`)
}

// The call is over at its deadline; the form turns grey, says so, and takes
// nothing more.
func TestTmuxExpiredForm(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", brief)
	v.see("Which cache?", "s left")
	if v.faint("Postgres") {
		t.Error("the form is grey before its deadline")
	}
	timedOut(t, a.asker)
	v.see("Expired: the deadline passed.", "Which cache?")
	eventually(t, "the form is grey", func() bool { return v.faint("Postgres") })
	v.press(enter) // answers nothing, and closes
	v.unsee("Which cache?")
}

// elicited is a request of elicitation, whose answer keeps to its schema.
const elicited = `{"message":"Set up the shop","serverName":"shop","requestedSchema":{"properties":{
 "mail":{"type":"string","title":"Contact","format":"email"},"workers":{"type":"integer","title":"Workers","minimum":1,"maximum":8},
 "tests":{"type":"array","title":"Tests","minItems":2,"items":{"enum":["unit","e2e","fuzz"]}},"live":{"type":"boolean","title":"Go live?"}},"required":["mail","workers","tests","live"]}}`

func elicitation(t *testing.T, p place) {
	a := p.ask(elicited)
	p.see("shop", "Set up the shop", "[○ Contact]", "An email address.")
	p.press("ops", enter)
	p.see("The answer is not an email address.", "│ ops")
	p.press("@example.org", enter)
	p.see("[○ Workers]", "from 1 to 8", "A whole number.")
	p.press(enter, "2.5", enter)
	p.see("no whole number", "│ 2.5")
	p.press(backspace, backspace, enter)
	p.see("[○ Tests]", "> 1. ☐ unit", "At least 2 choices.")
	p.press(" ", enter)
	p.see("The answer has 1 choice; it takes at least 2 choices.", "[○ Tests]", "☑ unit")
	p.press("3", enter)
	p.see("[○ Go live?]", "> 1. Yes")
	p.press("n")
	p.see("[Review]", "Contact: ✎ ops@example.org", "Workers: 2", "Tests: unit, fuzz", "Go live?: No", "> Submit")
	a.waits()
	p.press(enter)
	a.answered("Contact: ops@example.org\nWorkers: 2\nTests: unit, fuzz\nGo live?: No")
	a.detailed(`{"action":"accept","content":{"mail":"ops@example.org","workers":2,"tests":["unit","fuzz"],"live":false}}`)
}
