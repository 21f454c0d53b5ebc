package tests

import "testing"

// Every dialect's own form, typed through with its own keys. What the calls get
// is what docs/contracts.md says, in text and details.

const ctrlJ = "\n"

// typed is a request with four of the five types of AskUserQuestion.
const typed = `{"questions":[
 {"header":"Database","question":"Which database?","type":"select_one","options":[{"label":"Postgres"},{"label":"SQLite"}]},
 {"header":"Tests","question":"Which tests?","type":"select_many","options":[{"label":"Unit"},{"label":"E2E"},{"label":"Fuzz"}]},
 {"header":"Port","question":"Which port?","type":"number","min":1,"max":10,"default":5},
 {"header":"Why","question":"Why so?","type":"free_text","placeholder":"your reasons"}]}`

func typedForm(t *testing.T, p place) {
	a := p.ask(typed)
	p.see("[□ Database]", "□ Tests", "Submit", "> 1. Postgres", "3. Other", "⏱ ")
	p.press("n")
	p.see("Note on this question:")
	p.press("if it is 15", enter) // saves and stays
	p.see("Note on this question:", "if it is 15")
	p.press(tab)
	p.see("note: if it is 15", "Esc cancel")
	p.press(tab)
	p.see("Note on this question:")
	p.press(", no")
	p.see("if it is 15, no")
	p.press(esc) // what is unsaved goes
	p.see("note: if it is 15", "Esc cancel")
	p.unsee("15, no")
	p.press(down)
	p.see("> 2. SQLite")
	p.press(enter)

	p.see("■ Database", "[□ Tests]", "> 1. ☐ Unit", "[Select]")
	p.press(enter)
	p.see("> 1. ☑ Unit")
	p.press(down)
	p.see("> 2. ☐ E2E")
	p.press(" ")
	p.see("> 2. ☑ E2E")
	p.press(" ")
	p.see("> 2. ☐ E2E")
	p.press("3")
	p.see("> 3. ☑ Fuzz")
	p.press(down)
	p.see("> 4. ☐ Other")
	p.press(enter)
	p.see("Type your answer")
	p.press("by hand", enter)
	p.see("☑ Other", "     ✎ by hand", "[□ Tests]") // committed by nothing but [Select]
	p.press(down)
	p.see("> [Select]")
	p.press(enter)

	p.see("■ Tests", "[□ Port]", "> 5   from 1 to 10")
	p.press(up)
	p.see("> 6   from 1 to 10")
	p.press(down, down)
	p.see("> 4   from 1 to 10")
	p.press(enter, backspace, "11")
	p.see("│ 11")
	p.press(enter)
	p.see("above max 10", "[□ Port]")
	p.press(backspace, backspace, "7", enter)

	p.see("■ Port", "[□ Why]", "just type")
	p.press(enter)
	p.see("your reasons")
	p.press("line one", ctrlJ, "line two")
	p.see("line one", "line two")
	p.press(enter)
	p.see("[Submit]", "Database: SQLite", "note: if it is 15", "Tests: Unit, Fuzz, ✎ by hand", "Port: 7", "> Submit")
	p.press("[")
	p.see("[■ Why]", "line two")
	p.press("\x1b2") // Alt+2
	p.see("[■ Tests]", "☑ Unit", "☑ Fuzz", "✎ by hand")
	p.press("0")
	p.see("[Submit]", "> Submit")
	a.waits()
	p.press(enter)
	a.answered("Database: SQLite\nTests: Unit, Fuzz, (Other) by hand\nPort: 7\nWhy: line one\nline two\nnote (Database): if it is 15")
	a.detailed(`{"questions":QUESTIONS,"answers":{"0":{"mode":"option","value":"SQLite"},` +
		`"1":[{"mode":"option","value":"Unit"},{"mode":"option","value":"Fuzz"},{"mode":"other","text":"by hand"}],` +
		`"2":7,"3":"line one\nline two"},"notes":{"0":"if it is 15"},"lifecycle":"answered","url":null,"port":null,"debounceMs":300}`)
}

// danger is a request whose first question needs a name typed.
const danger = `{"questions":[
 {"header":"Drop","question":"Drop the old table?","type":"confirm_enum","is_dangerous":true},
 {"header":"Tell","question":"Tell the team?","type":"confirm_enum"}]}`

func dangerForm(t *testing.T, p place) {
	a := p.ask(danger)
	p.see("DESTRUCTIVE — Drop", "Type the resource name to confirm:")
	p.unsee("Submit")
	p.unsee("Affirm")
	p.press(down, up, enter)
	p.see("Nothing is typed yet.", "DESTRUCTIVE — Drop")
	p.press("   ", enter)
	p.see("Nothing is typed yet.", "DESTRUCTIVE — Drop")
	p.press(backspace, backspace, backspace, "orders_old", enter)
	p.see("Tell the team?", "> 1. Affirm", "2. Decline", "3. Other", "Submit")
	p.press("[")
	p.see("DESTRUCTIVE — Drop", "│ orders_old")
	p.press("\x1b2") // Alt+2
	p.see("Tell the team?", "> 1. Affirm")
	p.press("2")
	p.see("[Submit]", "Drop: ✎ orders_old", "Tell: Decline", "> Submit")
	a.waits()
	p.press(enter)
	a.answered("Drop: (Other) orders_old\nTell: decline")
	a.detailed(`{"questions":QUESTIONS,"answers":{"0":{"mode":"other","text":"orders_old"},` +
		`"1":{"mode":"option","value":"decline"}},"lifecycle":"answered","url":null,"port":null,"debounceMs":300}`)
}

// plain is a request in the second shape of AskUserQuestion.
const plain = `{"questions":[
 {"question":"Which cache?","header":"Cache for sessions","options":[{"label":"Redis","preview":"## One more service"},{"label":"None","description":"Slower"}]},
 {"question":"Which clients?","header":"Clients","multiSelect":true,"options":[{"label":"Web"},{"label":"App"},{"label":"Mail"}]}]}`

func plainForm(t *testing.T, p place) {
	a := p.ask(plain)
	p.see("Which cache?", "> 1. Redis", "One more service", "2. None", "3. Other")
	p.press("n", "for a week", enter, tab)
	p.see("note: for a", "week", "Esc cancel") // beside the preview, in the column of the choices
	p.press(enter)
	p.see("[□ Clients]", "> 1. ☐ Web")
	p.press("1")
	p.see("> 1. ☑ Web")
	p.press("3")
	p.see("> 3. ☑ Mail")
	p.press(down, down)
	p.see("> [Select]")
	p.press(enter)
	p.see("[Submit]", "Redis", "Clients: Web, Mail", "> Submit")
	p.press(enter)
	a.answered("Cache for sessions: Redis\nClients: Web, Mail\nnote (Cache for sessions): for a week")
	a.detailed(`{"questions":QUESTIONS,"answers":{"Which cache?":"Redis","Which clients?":"Web, Mail"},` +
		`"annotations":{"Which cache?":{"notes":"for a week","preview":"## One more service"}}}`)
}

// controls is a request of ask_user_question.
const controls = `{"title":"Project setup","description":"A few choices","questions":[
 {"id":"db","type":"radio","prompt":"Which database?","label":"Database","options":[{"value":"pg","label":"PostgreSQL","description":"Already there"},{"value":"my","label":"MySQL"}]},
 {"id":"tests","type":"checkbox","prompt":"Which tests?","label":"Testing","options":[{"value":"unit","label":"Unit tests"},{"value":"e2e","label":"End to end"}]},
 {"id":"name","type":"text","prompt":"What is it called?","label":"Name","placeholder":"a short name"},
 {"id":"more","type":"text","prompt":"Anything else?","label":"Notes","required":false}]}`
