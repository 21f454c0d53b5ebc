package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

func TestInbox(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tab := d.open("inbox", "", "").sees("Inbox", "No question waits. New ones appear by themselves.")
	e := d.ask(colours)
	tab.sees("Colour", "Which colour?", "claude · /srv/shop", "#q="+e.ID, "1 waiting").lacks("agent gone")
	other := d.ask(`{"prompt":"Which <cache>?","options":[{"label":"a"},{"label":"b"}]}`)
	tab.sees("Which &lt;cache&gt;?", "2 waiting")
	if tab.view.Title != "(2) askpane" {
		t.Errorf("the title is %q", tab.view.Title)
	}
	d.open("inbox", "", "CACHE").sees("1 of 2").lacks("Which colour?")
	must.Do(t, other.LetGo())
	tab.sees("agent gone")
	d.open("question", e.ID, "").sees("1 more").presses("Green")
	tab.lacks("Which colour?").sees("1 waiting")
}

// A question is dismissed from the list, where it can be said to be over as well.
func TestDismissed(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("inbox", "", "").sees("Which colour?").presses("Dismiss it").sees("No question waits.")
	if r, over, err := e.Answer(); err != nil || !over || r.Outcome != form.Cancelled || r.Dismissed || r.By != form.ByPage {
		t.Errorf("it is %+v, %v, %v", r, over, err)
	}
	for _, id := range []string{e.ID, "01ARZ3NDEKTSV4RRFFQ69G5FAV", "../../etc"} {
		if p := tab.does(event{Do: dismiss, Text: id}); p != "" {
			t.Errorf("of one that is over it says %q", p)
		}
	}
	must.Do(t, d.ask(colours).LetGo())
	tab.sees("agent gone").presses("Dismiss it").sees("No question waits.")
}

// Lists are as long as a page wants them, and say what there is besides.
func TestMoreRows(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range someRows + 30 {
		d.ask(fmt.Sprintf(`{"prompt":"Which %d?","options":[{"label":"a"},{"label":"b"}]}`, i))
	}
	rows := func(t *tab) int { return strings.Count(t.view.HTML, "<li id=") }
	if n := rows(d.open("inbox", "", "").sees("and 30 more", `href="#i=&amp;n=200"`)); n != someRows {
		t.Errorf("%d rows", n)
	}
	d.open("inbox", "", "which").sees("130 of 130", "and 30 more", `href="#i=which&amp;n=200"`)
	d.rows = "200"
	if n := rows(d.open("inbox", "", "").sees("130 waiting").lacks("more <a")); n != someRows+30 {
		t.Errorf("%d rows", n)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	empty := d.open("history", "", "").sees("No question is over.")
	e := d.ask(colours)
	d.open("question", e.ID, "").presses("Green").sees("Answered")
	empty.sees("Colour", "Green", "answered in the browser", "the agent has not got it yet")
	d.open("history", "", "GREEN").sees("#q=" + e.ID)
	d.open("history", "", "purple").sees("No question that is over has “purple” in it.")
	must.Do(t, e.Deliver())
	d.open("question", e.ID, "").sees("This was answered in the browser at ", "Which colour?", "Green").lacks("data-do")
	broken := d.ask(colours) // which hides no other, and is named
	must.Do(t, os.WriteFile(filepath.Join(d.spool.Path(), broken.ID, "answer.json"), nil, 0o600))
	d.open("history", "", "").sees("#q="+e.ID, "read answer.json of "+broken.ID)
}

// What is answered elsewhere is told on every page that has it open.
func TestAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	one, two := d.open("question", e.ID, ""), d.open("question", e.ID, "")
	other, err := d.spool.Open(e.ID)
	must.Do(t, err)
	defer other.Close()
	now := time.Now()
	must.Do(t, other.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: now}))
	at := now.Format("15:04")
	one.sees("Already answered in the popup, " + at + ".")
	two.sees("Already answered in the popup, " + at + ".")
	if p := two.does(event{Do: "pick", N: 1}); p != "This question is over: answered in the popup, "+at+". Nothing was changed." {
		t.Errorf("it says %q", p)
	}
}

// What was typed and not sent stays in the entry when the form is over.
func TestTypedAndAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "").presses("Something else").sees("entry0").types("mau")
	must.Do(t, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}))
	tab.sees("Already cancelled in the popup")
	w := e.Watch()
	defer w.Stop()
	var draft machine.Draft
	kept := func() bool {
		_, err := e.Draft(&draft)
		must.Do(t, err)
		return len(draft.Entries) > 0 && draft.Entries[0] == "mau"
	}
	for limit := time.After(patient); !kept(); {
		select {
		case <-w.Changed:
		case <-limit:
			t.Fatalf("the draft is %+v", draft)
		}
	}
}

func TestAgentGone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "")
	must.Do(t, e.LetGo())
	tab.sees("agent gone", "Dismiss")
}

// What was typed is there again on the next page, and for the popup.
func TestDraft(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	d.open("question", e.ID, "").presses("Something else").sees("entry0").types("mau").close()
	d.lookers(0)
	var draft machine.Draft
	if found, err := e.Draft(&draft); !found || err != nil || draft.Entries[0] != "mau" {
		t.Errorf("the draft is %+v, %v", draft, err)
	}
	if again := d.open("question", e.ID, "").sees("entry0"); again.view.Field == nil || again.view.Field.Value != "mau" {
		t.Errorf("the entry has %+v", again.view.Field)
	}
}

// A page that has lost its stream is told so, and its next one has what was typed.
func TestReconnects(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(`{"questions":[{"id":"t","type":"text","prompt":"What?"}]}`)
	tab := d.open("question", e.ID, "").sees("entry0").types("half")
	r, err := d.server.Client().Get(d.server.URL + "/api/events?at=question&id=" + e.ID + "&was=" + tab.page)
	must.Do(t, err)
	defer r.Body.Close()
	begun := make([]byte, 64<<10)
	n, err := io.ReadAtLeast(r.Body, begun, 1000)
	must.Do(t, err)
	if !strings.Contains(string(begun[:n]), `"value":"half"`) {
		t.Errorf("it begins with %s", begun[:n])
	}
	if p := tab.does(event{Do: "type", Text: "more"}); !strings.Contains(p, "was lost") {
		t.Errorf("it says %q", p)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.open("question", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "").sees("There is no such question", "nothing waits under")
	d.open("question", "../../etc", "").sees("is not a question&#39;s id")
	tab := d.open("question", d.ask(colours).ID, "")
	if p := tab.does(event{Do: "explode"}); !strings.Contains(p, "does not know “explode”") {
		t.Errorf("it says %q", p)
	}
	if p := tab.sends(map[string]any{"page": "nobody"}); !strings.Contains(p, "was lost") {
		t.Errorf("it says %q", p)
	}
	if p := tab.sends("nonsense"); !strings.Contains(p, "reload it") {
		t.Errorf("it says %q", p)
	}
	if p := tab.does(event{Do: "type", Text: strings.Repeat("x", maxBody)}); !strings.Contains(p, "at most 1 MiB") {
		t.Errorf("it says %q", p)
	}
	if p := d.open("inbox", "", "").does(event{Do: "pick", N: 1}); p != "There is nothing to answer here." {
		t.Errorf("it says %q", p)
	}
	tab.presses("Red").sees("Answered")
}

// A question that the list shows whole is answered there, and no other.
func TestAnsweredInPlace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ask := func(more string) *spool.Entry {
		return d.ask(`{"questions":[{"header":"H","question":"Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"` + more + `}]}]}`)
	}
	for name, more := range map[string]string{"a description": `,"description":"x"`, "a preview": `,"preview":{"type":"text","content":"x"}`, "a long label": `},{"label":"` + strings.Repeat("x", 41) + `"`} {
		e := ask(more)
		list := d.open("inbox", "", "").lacks(`class="quick"`)
		if p := list.does(event{Do: choose, Text: e.ID, N: 1}); p != "Open this question to answer it." {
			t.Errorf("%s: it says %q", name, p)
		}
		must.Do(t, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}))
		list.close()
	}
	danger := d.ask(`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`)
	begun := ask("")
	must.Do(t, begun.UpdateDraft(&machine.Draft{}, func(bool) (any, error) {
		return machine.Draft{Answers: []form.Answer{form.Choose(1)}}, nil
	}))
	beside := d.open("inbox", "", "")
	for _, e := range []*spool.Entry{danger, begun} {
		if p := beside.does(event{Do: choose, Text: e.ID, N: 1}); p != "Open this question to answer it." {
			t.Errorf("it says %q", p)
		}
		must.Do(t, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}))
	}
	beside.close()
	const drop = "Сейчас будет удалена вся база данных вместе со всеми её резервными копиями за прошлый год, восстановить её потом нельзя."
	whole := d.ask(`{"questions":[{"header":"H","question":"` + drop + ` Продолжить?","type":"select_one","options":[{"label":"Да"},{"label":"Нет"}]}]}`)
	d.open("inbox", "", "").sees(drop+" Продолжить?", ">Да</button>").close()
	must.Do(t, whole.Settle(form.Result{Outcome: form.Cancelled, By: form.ByPopup, At: time.Now()}))
	e := ask("")
	list := d.open("inbox", "", "").sees(`class="quick"`, ">Yes</button>", ">No</button>")
	if p := list.does(event{Do: choose, Text: e.ID, N: 3}); p != "This question has no such choice." {
		t.Errorf("it says %q", p)
	}
	if p := list.does(event{Do: choose, Text: e.ID, N: 2}); p != "" {
		t.Errorf("it says %q", p)
	}
	if r, over, err := e.Answer(); !over || err != nil || r.Outcome != form.Answered || r.By != form.ByPage || len(r.Answers) != 1 || !slices.Equal(r.Answers[0].Choices, []int{1}) {
		t.Errorf("it is %+v, %t, %v", r, over, err)
	}
	if p := list.does(event{Do: choose, Text: e.ID, N: 1}); p != "This question was over already. Nothing was changed." {
		t.Errorf("once more it says %q", p)
	}
}

// A preview that a browser draws is in a frame that runs and loads nothing, and is
// there as long as its page.
func TestFrame(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.Preview = func(args ...string) (*exec.Cmd, error) {
		return exec.Command("echo", `["<p>`+args[0]+` in colour</p>"]`), nil
	}
	e := d.ask(`{"questions":[{"header":"H","question":"Which?","type":"select_one","options":[{"label":"a","preview":{"type":"svg","content":"<svg onload=\"alert(1)\"/>"}}]}]}`)
	tab := d.open("question", e.ID, "").sees("<iframe sandbox ", "<summary>Source</summary>\n", `<div dir="auto" class="doc"><p>documents in colour</p>`)
	_, path, _ := strings.Cut(tab.view.HTML, `src="`)
	path, _, _ = strings.Cut(path, `"`)
	get := func() (int, http.Header, string) {
		r, err := d.server.Client().Get(d.server.URL + path)
		must.Do(t, err)
		defer r.Body.Close()
		body, _ := io.ReadAll(r.Body)
		return r.StatusCode, r.Header, string(body)
	}
	status, h, body := get()
	if status != http.StatusOK || body != `<svg onload="alert(1)"/>` || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox; default-src 'none';") {
		t.Errorf("the frame is %d %v %s", status, h, body)
	}
	tab.close()
	for limit := time.Now().Add(patient); status != http.StatusNotFound; status, _, _ = get() {
		if time.Now().After(limit) {
			t.Fatal("the frame outlives its page")
		}
	}
}

// All that a browser loads is small, is kept, and has a policy without an exception.
func TestStatic(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	total := 0
	for _, path := range []string{"/", "/static/page.js", "/static/enter.js", "/static/page.css", "/static/icon.svg", "/static/icon.png", "/static/manifest.webmanifest"} {
		r, err := d.server.Client().Get(d.server.URL + path)
		must.Do(t, err)
		body, err := io.ReadAll(r.Body)
		must.Do(t, err)
		r.Body.Close()
		total += len(body)
		if path == "/static/icon.png" {
			img, err := png.Decode(bytes.NewReader(body))
			must.Do(t, err)
			if img.Bounds() != image.Rect(0, 0, 192, 192) { // as the manifest says
				t.Errorf("the icon is %v", img.Bounds())
			}
			continue
		}
		if policy := r.Header.Get("Content-Security-Policy"); r.StatusCode != 200 || strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: %d %s", path, r.StatusCode, policy)
		}
		if bytes.Contains(body, []byte("//")) && bytes.Contains(body, []byte("https://")) {
			t.Errorf("%s names another place", path)
		}
		q, _ := http.NewRequest("GET", d.server.URL+path, nil)
		q.Header.Set("If-None-Match", r.Header.Get("ETag"))
		if r, err = d.server.Client().Do(q); err != nil || r.StatusCode != http.StatusNotModified {
			t.Errorf("%s once more: %v %v", path, r, err)
		}
		r.Body.Close()
	}
	if total > 100<<10 {
		t.Errorf("it is %d bytes", total)
	}
	r, err := d.server.Client().Get(d.server.URL + "/static/form.html")
	must.Do(t, err)
	if r.Body.Close(); r.StatusCode != http.StatusNotFound {
		t.Errorf("a template is served: %d", r.StatusCode)
	}
}

// lookers waits until so many pages are open.
func (d *desk) lookers(n int) {
	d.Helper()
	if !needs.Within(patient, func() bool { return d.Streams() == n }) {
		d.Fatalf("%d look, not %d", d.Streams(), n)
	}
}

func TestLookers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	tab := d.open("inbox", "", "")
	d.lookers(1)
	tab.close()
	d.lookers(0)
}

// A question of another machine names that in the inbox and on its page; an answer that
// came too late is told there and in the history.
func TestAnotherMachine(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, f, err := dialect.Decode("", []byte(colours))
	must.Do(t, err)
	e, err := d.spool.Mirror(spool.Request{ID: "01M7YX0STBP1474D78SPT0A4J6", Form: f, Raw: json.RawMessage(colours),
		Origin: spool.Origin{Agent: "claude", Start: time.Now(), Away: &spool.Away{Machine: "build1", Cwd: "/srv/shop"}}})
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	inbox := d.open("inbox", "", "build1")
	inbox.sees("claude on build1", "/srv/shop")
	page := d.open("question", e.ID, "")
	page.sees("claude on build1 asks", "/srv/shop")
	must.Do(t, e.SetAway(spool.AwayState{Unreachable: time.Now()}))
	inbox.sees("unreachable since ")
	page.sees("unreachable since ")
	must.Do(t, e.SetAway(spool.AwayState{}))
	page.lacks("unreachable")
	page.presses("Red").sees("Answered in the browser")
	won := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1)}, By: form.ByPopup, At: time.Now(), Machine: "build1"}
	must.Do(t, e.SetAway(spool.AwayState{Won: &won, Verdict: "too late: answered " + won.Surface()}))
	page.sees("Too late: answered in the popup on build1.")
	must.Do(t, e.Deliver())
	d.open("history", "", "build1").sees("claude on build1", "answered in the popup on build1", "came too late")
	d.open("question", e.ID, "").sees("What was said here does not count")
}

// A list that is drawn as the desk ends leaves nothing behind that watches a question, which
// the end would wait for without an end.
func TestListDrawnAsTheDeskEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.ask(`{"questions":[{"id":"c","label":"Colour","prompt":"Which colour?","options":[{"value":"r","label":"Red"}]}]}`)
	_, stop := d.board.subscribe()
	defer stop()
	d.board.close()
	d.board.list(wanted{rows: someRows}, d.board.draw)
	d.board.close()
}
