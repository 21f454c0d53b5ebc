package page

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/hostiletexts"
	"github.com/askpane/askpane/tests/must"
)

// said is what an agent is told.
func (d *desk) said(e *spool.Entry) string {
	d.Helper()
	r := d.answered(e)
	req, err := e.Request()
	must.Do(d.T, err)
	spoken, _, err := dialect.Decode(req.Form.Dialect, req.Raw)
	must.Do(d.T, err)
	return spoken.EncodeIn(dialect.Context{}, &req.Form, r).Text
}

func TestTypedQuestions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"questions":[
		{"header":"Regions","question":"In which regions?","type":"select_many","options":[{"label":"eu"},{"label":"us"},{"label":"ap"}]},
		{"header":"TTL","question":"How long?","type":"number","min":5,"max":120},
		{"header":"Name","question":"What is it called?","type":"free_text"},
		{"header":"Old table","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"sessions_old"}]}`)
	tab := d.open("question", e.ID, "").sees(`role="checkbox"`, `aria-checked="false"`, "□", "Submit")
	tab.presses("eu").sees(`aria-checked="true"`).presses("ap").presses(":commit").sees("from 5 to 120")
	tab.types("500").presses(":accept").sees("The answer is 500, above max 120.")
	tab.types("30").presses(":noteQuestion").sees("Note on this question:").types("or less").presses(":leave").lacks("note1").sees("note: or less")
	tab.presses(":accept").sees("What is it called?").types("sessions").presses(":accept")
	tab.sees("⚠️  DESTRUCTIVE — Old table", "Type the resource name to confirm:", "“sessions_old”", "What you type is sent to the agent.")
	if strings.Contains(tab.view.HTML, `role="radio"`) || strings.Contains(tab.view.HTML, ">Submit<") {
		t.Errorf("a danger offers a choice or the way past it\n%s", tab.view.HTML)
	}
	tab.types("sessions").presses(":accept").sees("The answer must be exactly “sessions_old”, as shown.")
	tab.types("sessions_old").presses(":accept").sees("Submit", "eu, ap", "note: or less")
	tab.presses("Submit").sees("Answered in the browser")
	want := "Regions: eu, ap\nTTL: 30\nName: sessions\nOld table: (Other) sessions_old\nnote (TTL): or less"
	if got := d.said(e); got != want {
		t.Errorf("the agent is told\n%s\nwant\n%s", got, want)
	}
}

// A phone shows its pad of digits only where no minus is needed, which that of an iPhone does not have.
func TestPadOfDigits(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for bounds, pad := range map[string]bool{`"min":0,`: true, `"min":-5,`: false, ``: false} {
		e := d.ask(`{"questions":[{"header":"T","question":"How warm?",` + bounds + `"type":"number"}]}`)
		tab := d.open("question", e.ID, "").sees(`data-type="`, "Down by 1")
		if strings.Contains(tab.view.HTML, `inputmode="decimal"`) != pad {
			t.Errorf("with %q there is\n%s", bounds, tab.view.HTML)
		}
		tab.close()
	}
}

func TestFormWithASecret(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"questions":[{"id":"db","type":"radio","prompt":"Which?","label":"Database","options":[{"value":"pg","label":"PostgreSQL"}]},
		{"id":"k","type":"text","prompt":"The key?","label":"Key","secret":true},{"id":"n","type":"text","prompt":"Else?","label":"Notes","required":false}]}`)
	tab := d.open("question", e.ID, "").presses("PostgreSQL").sees(`type="password"`, `autocomplete="new-password"`, "Secret: masked here")
	tab.types("hunter2").types("hunter22").presses(":accept").sees("Else?")
	tab.presses(":accept").sees("•••", "left empty")
	tab.presses("Submit").sees("Answered in the browser")
	if got := d.said(e); !strings.Contains(got, "Key: hunter22") {
		t.Errorf("the agent is told %q", got)
	}
	if data, _ := json.Marshal(tab.seen); strings.Contains(string(data), "hunter") {
		t.Errorf("the secret was sent to the page: %s", data)
	}
	var draft json.RawMessage
	if _, err := e.Draft(&draft); err != nil || strings.Contains(string(draft), "hunter") {
		t.Errorf("the draft is %s, %v", draft, err)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"title":"Cache","intro":"Two decisions.","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?","options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"},
		{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`)
	tab := d.open("question", e.ID, "").sees("Cache", "Two decisions.", "[recommended]", "✓")
	if n := strings.Count(tab.view.HTML, "[recommended]"); n != 1 {
		t.Errorf("recommended is said %d times", n)
	}
	tab.does(event{Do: "look", N: 0})
	tab.sees("Comment on “Memory”").presses("Comment on “Memory”").sees("Comment on “Memory”:").types("too small").presses(":accept").lacks("note0").sees("✎ comment: too small")
	tab.presses(":noteQuestion").sees("Comment on this question:").types("hm").presses(":accept").lacks("note0").sees("comment: hm")
	tab.presses("Redis").sees("Why?").presses(":next").sees("left for discussion", "Submit")
	tab.presses(":noteForm").sees("Comment on the whole form:").types("soon").presses(":accept").lacks("note2").sees("comment: soon").presses("Submit").sees("Sent with questions left open in the browser")
	want := "User needs discussion before a complete decision.\nUnanswered: Why\nForm comment: soon\nStore: Redis\nStore question comment: hm\nStore option comment (Memory): too small"
	if got := d.said(e); got != want {
		t.Errorf("the agent is told\n%s\nwant\n%s", got, want)
	}
}

func TestButtons(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"prompt":"Which cache?","options":[{"label":"Redis","emoji":"⚡","description":"Fast"},{"label":"Postgres"}],"multi":true,"allowOther":true}`)
	tab := d.open("question", e.ID, "").sees("inarow", "⚡ Redis", "Fast")
	tab.presses("Redis").presses("Other...").sees(`id="entry0"`).types("a file").presses(":accept").sees("✎ a file").presses(":commit").sees("Answered")
	if got := d.said(e); got != "User selected: Redis, a file" {
		t.Errorf("the agent is told %q", got)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var options []string
	for _, name := range strings.Fields("ash birch cedar elm fir hazel larch maple oak pine rowan yew") {
		options = append(options, `{"value":"`+name+`","label":"`+name+`"}`)
	}
	e := d.ask(`{"questions":[{"id":"t","prompt":"Which tree?","options":[` + strings.Join(options, ",") + `]}]}`)
	tab := d.open("question", e.ID, "").sees(`id="filter0"`, "birch", "yew")
	note := d.open("question", d.ask(`{"title":"T","questions":[{"type":"choice","id":"t","header":"Tree","prompt":"Which tree?","options":[`+strings.Join(options, ",")+`]}]}`).ID, "").sees(`id="filter0"`)
	if note.presses(":noteQuestion").sees(`id="note0"`); strings.Contains(note.view.HTML, "filter0") {
		t.Error("what is typed into the filter would be the note")
	}
	tab.does(event{Do: "find"}, event{Do: "type", Text: "ar"})
	tab.lacks("birch").sees("cedar").presses("larch").sees("Answered")
	if got := d.said(e); !strings.Contains(got, "larch") {
		t.Errorf("the agent is told %q", got)
	}
}

func TestDecline(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "").presses(":refuse").sees("Decline, and say why", "explain more first", "another reason…")
	tab.presses("another reason").sees(`id="reason"`).types("Ask me tomorrow").presses(":accept").sees("Cancelled in the browser")
	if r := d.answered(e); r.Outcome != form.Cancelled || r.Reason != "Ask me tomorrow" {
		t.Errorf("it is %+v", r)
	}
}

func TestCancelIsConfirmed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "").presses("Something else").types("mau").presses(":back").sees("not your answer yet: mau")
	tab.presses(":cancel").sees("Cancel this question?", "Keep it").presses("Keep it").sees("Which colour?")
	if _, over, _ := e.Answer(); over {
		t.Fatal("it was kept and is over")
	}
	tab.presses(":cancel").sees("Keep it").presses("Cancel it").sees("Cancelled in the browser")
	if r := d.answered(e); r.Outcome != form.Cancelled {
		t.Errorf("it is %+v", r)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tab := d.open("question", d.ask(colours).ID, "").presses(":help").sees("1–3", "choose", "Esc", "cancel")
	tab.presses("Close").sees("Which colour?")
}

// What is pressed on a view that another has replaced does nothing.
func TestPressedTooLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"questions":[{"id":"a","prompt":"First?","options":[{"value":"x","label":"X"}]},{"id":"b","prompt":"Second?","options":[{"value":"y","label":"Y"}]}]}`)
	tab := d.open("question", e.ID, "")
	first := tab.view.N
	tab.presses("X").sees("Second?")
	tab.seq++
	tab.sends(map[string]any{"page": tab.page, "seq": tab.seq, "seen": first, "events": []event{{Do: "pick", N: 1}}})
	tab.presses(":next").sees("not answered yet")
	// And once is once, however often it is sent.
	tab.sends(map[string]any{"page": tab.page, "seq": tab.seq, "seen": tab.view.N, "events": []event{{Do: "last"}, {Do: "choose"}}})
	if strings.Contains(tab.view.HTML, "Not answered yet:") {
		t.Error("what was sent twice was done twice")
	}
}

// A form with a dangerous or a secret question takes nothing where that can be read on
// its way.
func TestGuarded(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.rights = Rights{}
	for _, request := range []string{
		`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`,
		`{"questions":[{"header":"Key","question":"The key?","type":"free_text","secret":true}]}`,
	} {
		e := d.ask(request)
		tab := d.open("question", e.ID, "").sees("answer it in the popup")
		if strings.Contains(tab.view.HTML, "<input") || strings.Contains(tab.view.HTML, "data-do") && strings.Contains(tab.view.HTML, "Cancel") {
			t.Errorf("there is something to press\n%s", tab.view.HTML)
		}
		if p := tab.does(event{Do: "open"}, event{Do: "type", Text: "x"}, event{Do: "accept"}); !strings.Contains(p, "answer it in the popup") {
			t.Errorf("it says %q", p)
		}
		if p := d.open("inbox", "", "").does(event{Do: dismiss, Text: e.ID}); !strings.Contains(p, "answer it in the popup") {
			t.Errorf("in the list it says %q", p)
		}
		if _, over, _ := e.Answer(); over {
			t.Error("it was answered")
		}
	}
	d.open("question", d.ask(colours).ID, "").presses("Red").sees("Answered")
}

// Whatever an agent writes is text: no tag, no attribute and no row of ours comes of it.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ours := regexp.MustCompile(`^/?(article|header|h1|h2|h3|span|time|a|nav|ol|li|ul|button|section|p|div|pre|code|fieldset|legend|strong|textarea|input|label|dl|dt|dd|kbd|iframe|details|summary)\b|^form role="search"|^/form>`)
	for _, h := range hostiletexts.Texts("/tmp/trap") {
		text, _ := json.Marshal(h.Text)
		e := d.ask(strings.ReplaceAll(`{"questions":[{"header":"H","question":T,"description":T,"type":"select_one","options":[{"label":T,"description":T,"preview":{"type":"markdown","content":T}},{"label":"b"}]},
			{"header":"I","question":T,"type":"free_text","placeholder":T}]}`, "T", string(text)))
		tab := d.open("question", e.ID, "").sees(`id="q0-c0"`)
		first := tab.view.HTML
		tab.does(event{Do: "goto", N: 1})
		for _, html := range []string{first, tab.sees(`id="entry1"`).view.HTML, d.open("inbox", "", "").view.HTML} {
			for _, tag := range strings.Split(html, "<")[1:] {
				if !ours.MatchString(tag) {
					t.Errorf("%s: <%.60s", h.Name, tag)
				}
			}
			if strings.ContainsFunc(html, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b }) {
				t.Errorf("%s: a sign that nobody sees\n%q", h.Name, html)
			}
		}
		tab.close()
	}
}
