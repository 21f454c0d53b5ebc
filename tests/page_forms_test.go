package tests

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// said is what a page says of a question that was answered there.
const said = "Answered in the browser, "

// Every kind of question in every dialect is answered, on a phone's width, and the agent
// is told the same as by a popup.
func TestPageForms(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	for _, c := range []struct {
		name, request string
		steps         []string
		told          string
	}{
		{"question", trip, []string{"[Hills] → #q1-c0 & ✓ Where", "3 → #entry1", "June{Enter} → #q2-c0", "{Down} → #q2-c1", "{Enter} → #submit & Where: Hills", "[Submit] → " + said},
			"Where: user selected: 2. Hills\nWhen: user wrote: June\nWho: user selected: 2. With the dog"},
		{"question, one", colour, []string{"2 → " + said}, "Colour: user selected: 2. Green"},
		{"question, without options", `{"questions":[{"id":"n","prompt":"What?"}]}`, []string{"1 → #entry0", "this{Enter} → " + said}, "Q1: user wrote: this"},
		{"question, many options", months, []string{"/ → #filter0", "vem → November", "{Enter} → " + said}, "Q1: user selected: 11. November"},
		{"AskUserQuestion", typed, []string{"2 → #q1-c0", "[Unit] → ☑ Unit", "3 → ☑ Fuzz", "[Other] → #entry1", "by hand{Enter} → ✎ by hand", "[Select] → #entry2",
			"11{Enter} → above max 10", "{Del}{Del}7{Enter} → #entry3", "my reasons{Enter} → #submit & Tests: Unit, Fuzz, ✎ by hand", "{Enter} → " + said},
			"Database: SQLite\nTests: Unit, Fuzz, (Other) by hand\nPort: 7\nWhy: my reasons"},
		{"AskUserQuestion, danger", danger, []string{"{Enter} → Nothing is typed yet", "orders_old{Enter} → #q1-c0", "[Decline] → #submit & Drop: ✎ orders_old", "{Enter} → " + said},
			"Drop: (Other) orders_old\nTell: decline"},
		{"AskUserQuestion, danger by name", `{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"old"}]}`,
			[]string{"ol{Enter} → must be exactly “old”", "d{Enter} → " + said}, "Old: (Other) old"},
		{"AskUserQuestion, secret", `{"questions":[{"header":"K","question":"The key?","type":"free_text","secret":true}]}`, []string{"hunter2{Enter} → " + said}, "K: hunter2"},
		{"AskUserQuestion, second shape", plain, []string{"n → #note0", "for a week{Enter} → Note saved", "{Enter} → note: for a week", "1 → #q1-c0", "1 → ☑ Web", "3 → ☑ Mail", "[Select] → #submit", "{Enter} → " + said},
			"Cache for sessions: Redis\nClients: Web, Mail\nnote (Cache for sessions): for a week"},
		{"AskUserQuestion, previews", `{"questions":[{"header":"Plan","question":"Which plan?","type":"select_one","options":[{"label":"Migrate","preview":{"type":"markdown","content":"# Steps\n\n- first **this**"}},
			{"label":"Draw","preview":{"type":"mermaid","content":"graph LR\nA[Ask]-->B[Answer]"}},{"label":"Code","preview":{"type":"code","content":"a := 1"}}]}]}`,
			[]string{"{Tab} → Ask Answer", "{Tab} → a := 1", "{Up}{Up} → first this", "{Enter} → " + said}, "Plan: Migrate"},
		{"ask_user_question", controls, []string{"[MySQL] → #q1-c0", "2 → ☑ End to end", "[Other...] → #entry1", "smoke{Enter} → ✎ smoke", "[Answer] → #entry2", "shop{Enter} → #entry3", "{Enter} → #submit & Testing: End to end, ✎ smoke", "{Enter} → " + said},
			"Database: my\nTesting: e2e, (wrote) smoke\nName: shop\nNotes: (empty)"},
		{"ask_user_question, secret", `{"questions":[{"id":"k","type":"text","label":"Key","prompt":"The key?","secret":true}]}`, []string{"hunter2{Enter} → " + said}, "Key: hunter2"},
		{"ask_user", decision, []string{"{Down}n → #note0", "not here{Enter} → comment: not here", "1 → #q1-c0", "[Knip] → ☑ Knip", "[Answer] → #entry2 & speed", " and calm{Enter} → #submit", "c → #note3", "all good{Enter} → comment: all good & #submit", "{Enter} → " + said},
			"Form comment: all good\nTool: Biome\nTool option comment (Prettier): not here\nExtras: Vitest; Knip\nGoal: speed and calm"},
		{"buttons", cache, []string{"[⚡ Redis] → " + said}, "User selected: Redis"},
		{"buttons, other words", cache, []string{"[Other...] → #entry0", "memcached{Enter} → " + said}, "User selected: memcached"},
		{"buttons, several", `{"prompt":"Which?","options":[{"label":"Oslo"},{"label":"Rome"},{"label":"Lima"}],"multi":true}`, []string{"3 → ☑ Lima", "[Oslo] → ☑ Oslo", "[Done] → " + said}, "User selected: Oslo, Lima"},
	} {
		a, id := p.ask(c.request)
		b.at("q=" + id).until("document.activeElement.closest('#form')").steps(c.steps...).well()
		a.answered(c.told)
		if desk, _ := p.desk(); strings.HasPrefix(c.name, "AskUser") && c.name != "AskUserQuestion, second shape" && !strings.Contains(a.read("out"), `"url":"`+desk.URL+`"`) {
			t.Errorf("%s: the details do not have where the page is: %s", c.name, a.read("out"))
		}
	}
	for _, c := range []struct {
		name, request string
		steps         []string
		outcome       string
		code          int
		told          string
	}{
		{"left open", decision, []string{"[Unanswered] → ○ Tool", "[Review] → 1 left for discussion", "[Submit] → Sent with questions left open in the browser, "}, "needs_discussion", 0,
			"User needs discussion before a complete decision.\nUnanswered: Tool\nExtras: Vitest\nGoal: speed"},
		{"declined", typed, []string{"[No, because…] → Decline, and say why", "[rephrase the question] → Cancelled in the browser, "}, "cancelled", 3, "User cancelled the questionnaire: rephrase the question"},
		{"cancelled", cache, []string{"{Esc} → Cancelled in the browser, "}, "cancelled", 3, "User cancelled"},
		{"too late", strings.Replace(brief, `"timeout":6`, `"timeout":8`, 1), []string{" → Expired"}, "timeout", 4, "No answer before the deadline (8 s)"},
	} {
		a, id := p.ask(c.request)
		b.at("q=" + id).until("document.activeElement.closest('#form')").steps(c.steps...).well()
		a.ends(c.outcome, c.code, c.told)
	}
	if files := holding(t, p.home, "hunter2"); len(files) > 0 {
		t.Errorf("a secret is in %v", files)
	}
}
