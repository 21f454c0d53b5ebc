package tests

import "strings"

// The forms of TestKeys, each filled in by all of its keys.

// every is a request in which all keys of AskUserQuestion mean something.
const every = `{"questions":[
 {"header":"Plan","question":"Which plan?","type":"select_one","options":[{"label":"Fast","preview":{"type":"text","content":"to the end"}},{"label":"Slow"}]},
 {"header":"Checks","question":"Which checks?","type":"select_many","options":[{"label":"Unit"},{"label":"E2E"}]},
 {"header":"Port","question":"Which port?","type":"number","default":5},
 {"header":"Why","question":"Why so?","type":"free_text"}]}`

func (h *hand) typedForm() {
	a := h.ask(every)
	h.see("[□ Plan]", "> 1. Fast", "│ to the end")
	h.does("e → ╭ Fast", "e → > 1. Fast", "Down → > 2. Slow", "Up → > 1. Fast", "n → Note on this question:", "type one → │ one",
		"F1 → any key closes this", "type x → │ one", "Alt+? → any key closes this", "type x → │ one", "Ctrl+J", "type two → │ two",
		"also Alt+Enter", "type three → │ one & │ two & │ three")
	if h.bytes["Shift+Enter"] != "" {
		h.key("Shift+Enter")
		h.types("four", "│ three", "│ four")
	}
	h.does("Ctrl+G → │ ONE & │ TWO & │ THREE", "Enter → Note on this question: & Note saved. Enter again goes back.",
		"Enter → note: ONE & Esc cancel", "Tab → Note on this question:", "Tab → note: ONE & Esc cancel",
		"Tab → Note on this question:", "Esc → note: ONE & Esc cancel", "] → [□ Checks]", "[ → [□ Plan]", "Alt+3 → [□ Port]",
		"Alt+2 → [□ Checks]", "0 → [Submit]", "4 → [□ Why]", "0 → [Submit]", "Alt+1 → [□ Plan]", "Enter → ■ Plan & [□ Checks]",
		"Enter → ☑ Unit", "Space → ☐ Unit", "2 → ☑ E2E", "? → any key closes this", "type x → Esc cancel",
		"Ctrl+X → > 1. explain more first", "Down → > 2. rephrase the question", "Up → > 1. explain more first",
		"4 → Enter decline & Type your answer", "type small → │ small", "also F2 → │ SMALL", "Esc → [□ Checks] & ☑ E2E & Esc cancel",
		"] → > 5", "Up → > 6", "Down → > 5", "type 42 → │ 42", "Esc → > 42", "n → Note on this question:", "Tab → > 42",
		"Enter → │ 42", "Up → │ 43", "Down → │ 42", "Enter → [□ Why] & just type", "Enter → Type your answer", "Esc → just type",
		"type now → │ now", "Esc → ✎ not your answer yet: now", "Enter → │ now")
	h.key("Ctrl+U", "Type your answer") // the keys of a shell's line
	h.does("also Ctrl+Y → │ now", "also Alt+b", "type or  → │ or now", "also Alt+f", "type ! → │ or now!", "also Ctrl+A",
		"type x → │ xor now!", "also Ctrl+E", "also Ctrl+W → │ xor", "also Ctrl+A")
	h.send("Ctrl+K", "Type your answer") // at once: the help, closed, leaves the cursor at the end
	h.does("F7 → Within ten minutes", "Esc → Type your answer", "type so → │ so", "Alt+1 → [■ Plan]", "2 → [■ Checks]",
		"Ctrl+R → [Submit] & Port: 42", "Up → > 4. Why:", "Enter → [□ Why] & ✎ not your answer yet: so", "Enter → │ so",
		"Enter → [Submit] & Checks: E2E", "[ → [■ Why]", "Alt+2 → [■ Checks] & ☑ E2E")
	for range 3 {
		h.press("Down")
	}
	h.see("> [Select]")
	h.does("Enter → ■ Checks & [■ Port]", "[ → [■ Checks]", "Ctrl+D → [■ Port]", "] → [■ Why]", "] → [Submit] & Checks: E2E", "Up → > 4. Why:", "Down → > Submit",
		"Enter")
	a.answered("Plan: Slow\nChecks: E2E\nPort: 42\nWhy: so\nnote (Plan): " + h.note())
}

// note is what the note holds after the editor.
func (h *hand) note() string {
	if h.bytes["Shift+Enter"] != "" {
		return "ONE\nTWO\nTHREE\nFOUR"
	}
	return "ONE\nTWO\nTHREE"
}

func (h *hand) dangerForm() {
	a := h.ask(danger)
	h.see("DESTRUCTIVE — Drop")
	h.does("Alt+2 → [□ Tell]", "[ → DESTRUCTIVE — Drop", "type orders → │ orders", "Ctrl+G → │ ORDERS", "Enter → Tell the team?",
		"Alt+1 → DESTRUCTIVE — Drop", "Ctrl+X → Decline, and say why & Esc back", "Esc → DESTRUCTIVE — Drop & Esc cancel")
	h.press("Esc", leaving)
	h.key("Up", "DESTRUCTIVE — Drop", "│ ORDERS") // any other key keeps the form
	h.unsee(leaving)
	h.press("Esc", leaving)
	h.does("Esc")
	a.ends("cancelled", 3, "User cancelled the questionnaire")
}

func (h *hand) questionForm() {
	two := strings.TrimSuffix(months, "]}") + `,{"id":"w","prompt":"With whom?","options":[{"value":"a","label":"Alone"}]}]}`
	a := h.ask(two)
	h.see("[○ Q1]", "> 1. January")
	h.does("Down → > 2. February", "Up → > 1. January", "Right → [○ Q2]", "Left → [○ Q1]", "Tab → [○ Q2]", "Shift+Tab → [○ Q1]",
		"/ → Enter choose", "type mar → > 3. March", "Esc → 1. January", "/ → Enter choose", "type r → > 1. January",
		"Down → > 2. February", "Down → > 3. March", "Up → > 2. February", "Down → > 3. March", "Enter → [○ Q2]", "Left → [✓ Q1]",
		"3 → [○ Q2]", "2 → Type your answer", "Shift+Tab → [✓ Q1]", "Enter → [○ Q2]", "2 → Type your answer", "Tab → [Review]",
		"Left → [○ Q2]", "2 → Type your answer", "type Ada → │ Ada", "Esc → ✎ not your answer yet: Ada", "Enter → │ Ada",
		"Enter → [Review] & Q2: ✎ Ada & > Submit", "Shift+Tab → [✓ Q2]", "Right → [Review]", "Up → > 2. Q2:", "Down → > Submit",
		"1 → [✓ Q1]", "Enter → [Review]", "Up → > 2. Q2:", "Enter → [✓ Q2]", "1 → [Review] & Q2: Alone & > Submit", "Enter")
	a.answered("Q1: user selected: 3. March\nQ2: user selected: 1. Alone")
}

func (h *hand) yesOrNoForm() {
	const options = `"options":[{"value":"y","label":"Yes"},{"value":"n","label":"No"}]}`
	a := h.ask(`{"questions":[{"id":"a","prompt":"Build it?",` + options + `,{"id":"b","prompt":"Ship it?",` + options + `]}`)
	h.see("Build it?", "> 1. Yes")
	h.does("y → Ship it?", "n → [Review]", "Enter")
	a.answered("Q1: user selected: 1. Yes\nQ2: user selected: 2. No")
}

func (h *hand) controlsForm() {
	a := h.ask(controls)
	h.see("[· Database]", "> 1. PostgreSQL")
	h.does("Down → > 2. MySQL", "Up → > 1. PostgreSQL", "Right → [· Testing]", "Left → [· Database]", "Tab → [· Testing]",
		"Shift+Tab → [· Database]", "Down", "Down → > 3. Other...", "Enter → Type your answer", "Shift+Tab → [· Database]",
		"Enter → Type your answer", "Tab → [· Testing]", "Left → [· Database] & > 3. Other...", "Enter → Type your answer",
		"Esc → Enter choose", "Up → > 2. MySQL", "2 → ✓ Database & [· Testing]", "Left → [✓ Database]", "Enter → [· Testing]",
		"2 → ☑ End to end", "2 → ☐ End to end", "Up → > 1. ☐ Unit", "Space → ☑ Unit tests", "Enter → [· Name]",
		"Shift+Tab → [✓ Testing]", "Tab → [· Name]", "type shop → │ shop", "also Alt+Enter", "type two → │ shop & │ two",
		"Enter → [· Notes]", "Tab → [Submit]", "Left → [· Notes]", "Tab → [Submit]", "Up → > 4. Notes:", "Enter → [· Notes]",
		"Tab → [Submit]", "4 → [· Notes]", "Enter → [Submit] & Database: MySQL & Testing: Unit tests", "Enter")
	a.answered("Database: my\nTesting: unit\nName: shop\ntwo\nNotes: (empty)")
}

func (h *hand) decisionForm() {
	a := h.ask(decision)
	h.see("[✓ Tool]", "> 1. Biome [recommended] ✓")
	h.does("u → [○ Tool] & unanswered", "2 → ✓ Tool & [✓ Extras]", "2 → ☑ Knip", "2 → ☐ Knip", "Up → > 1. ☑ Vitest",
		"Left → [✓ Tool]", "u → [○ Tool] & unanswered", "R → ✓ Tool & [✓ Extras]", "Left → [✓ Tool]", "Down → > 2. Prettier",
		"Space → > 2. Prettier ✓", "Up → > 1. Biome", "Down → > 2. Prettier ✓", "n → Comment on “Prettier”:", "type slow → │ slow",
		"Enter → comment: slow", "c → Comment on this question:", "Esc → Esc cancel", "Enter → [✓ Extras]", "Tab → [✓ Goal]",
		"Shift+Tab → [✓ Extras]", "Shift+Tab → [✓ Tool]", "Right → [✓ Extras]", "Down → > 2. ☐ Knip", "Space → > 2. ☑ Knip",
		"Enter → [✓ Goal] & │ speed", "Alt+c → Comment on this question:", "type of what? → │ of what?", "Enter → comment: of what?",
		"Alt+u → [○ Goal]", "Tab → [Review] & Tool: Prettier", "Up → > 3. Goal:", "Enter → [○ Goal]", "Tab → [Review]",
		"3 → [○ Goal]", "Enter → [Review] & Goal: ✎ speed", "Left → [✓ Goal]", "Ctrl+R → [Review] & Tool: Biome",
		"c → Comment on the whole form: & Enter save", "Esc → Enter submit", "Enter")
	a.answered("Tool: Biome\nTool option comment (Prettier): slow\nExtras: Vitest\nGoal: speed\nGoal question comment: of what?")
}

// buttons: a row of them, and a list of many.
func (h *hand) buttonsForm() {
	a := h.ask(`{"prompt":"Which cache?","options":[{"label":"Redis","description":"Fast"},{"label":"Postgres","description":"Running"}],"allowOther":true}`)
	h.see("> Redis  ", "Fast")
	h.does("Right → Running", "Left → Fast", "3 → Type your answer", "Esc → Enter/1–3 choose", "Right", "Right",
		"Enter → Type your answer", "Esc → Enter/1–3 choose", "Ctrl+X → > 1. explain more first & Esc back", "Enter")
	a.ends("cancelled", 3, "User cancelled: explain more first")
}

func (h *hand) dropdownForm() {
	a := h.ask(`{"prompt":"Which regions?","options":[{"label":"Oslo"},{"label":"Rome"},{"label":"Lima"},{"label":"Kyoto"}],"multi":true}`)
	h.see("> 1. ☐ Oslo")
	h.does("Down → > 2. ☐ Rome", "Up → > 1. ☐ Oslo", "j → > 2. ☐ Rome", "k → > 1. ☐ Oslo", "End → > 4. ☐ Kyoto",
		"Home → > 1. ☐ Oslo", "G → > 4. ☐ Kyoto", "g → > 1. ☐ Oslo", "F7 → Within ten minutes", "Down → Within ten minutes",
		"Up → Within ten minutes", "Esc → > 1. ☐ Oslo", "Space → ☑ Oslo", "4 → ☑ Kyoto", "Enter")
	a.answered("User selected: Oslo, Kyoto")
}

// longForm: the keys that scroll, and those that go to another form where none waits.
func (h *hand) longForm() {
	a := h.ask(`{"questions":[{"id":"q","prompt":"First row` + strings.Repeat(`\nand so on`, 60) + `\nLast row","options":[{"value":"a","label":"Alone"}]}]}`)
	h.see("Last row", "> 1. Alone")
	h.does("PgUp", "PgUp → First row")
	h.unsee("Last row")
	h.does("PgDn", "PgDn → Last row & > 1. Alone")
	h.unsee("First row")
	h.does("Ctrl+N → No other question waits.", "Ctrl+B → No other question waits.", "1")
	a.answered("Q1: user selected: 1. Alone")
}

// waitingForms: the keys that are there in a multiplexer, where another form waits. A
// footer as narrow as the form names few of them.
func (h *hand) waitingForms(s *tmuxServer) {
	calls := s.inLine(h.terminal, []string{unguarded}, "Cup", "Plate")
	h.does("also Ctrl+N → Which Plate? & 1 more waiting")
	back := "Ctrl+B"
	if s.modal() { // there that is tmux's prefix
		h.mu.Lock()
		h.used[back], back = true, "F6"
		h.mu.Unlock()
	}
	h.key(back, "Which Cup?", "1 more waiting")
	h.does("also F5 → Which Plate? & 1 more waiting", "also F6 → Which Cup? & 1 more waiting", "also 3 → Type your answer",
		"type mine → │ mine")
	id := s.spool.pending()[0]
	eventually(h.t, "it is saved", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "mine") })
	elsewhere := typedElsewhere(h.t, s.spool, id, 3)
	elsewhere("theirs, begun at the same time")
	elsewhere("theirs") // which is the later one
	h.see("│ mine", "“theirs”")
	h.does("also Esc → “mine” & ? help", "also Ctrl+T → │ mine & “theirs”", "Esc → “theirs” & ? help",
		"also Alt+t → │ theirs & “mine”", "Esc → ? help", "also Ctrl+P → What the asking pane shows",
		"Down → What the asking pane shows", "Up → What the asking pane shows", "PgDn → What the asking pane shows",
		"PgUp → What the asking pane shows", "Esc → Which Cup?", "also F3 → What the asking pane shows", "also F3 → Which Cup?", "1")
	calls[0].answered("Cup: user selected: 1. First Cup")
	h.see("Which Plate?")
	h.does("also Ctrl+O")
	h.unsee("Which Plate?")
	calls[1].waits()
	next := s.next(h.terminal)
	h.see("Which Plate?")
	h.does("also F4")
	h.unsee("Which Plate?")
	_ = next.Wait()
	next = s.next(h.terminal)
	h.see("Which Plate?")
	h.does("Esc")
	calls[1].ends("cancelled", 3, closed)
	_ = next.Wait()
}
