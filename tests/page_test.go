package tests

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/desk/page"
	"github.com/askpane/askpane/tests/hostiletexts"
	"github.com/askpane/askpane/tests/needs"
)

// pages are the desk's pages over a spool, with somebody in the gate's place who knows
// one token.
type pages struct {
	testing.TB
	spool   *spool.Spool
	address string
	page    *page.Page
	server  *http.Server
}

const pageToken = "let-me-in"

func newPages(t testing.TB, dir spoolDir) *pages {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("ASKPANE_GUARD_MS", "0")
	sp, err := spool.Open(string(dir))
	if err != nil {
		t.Fatal(err)
	}
	p := &pages{TB: t, spool: sp, address: "127.0.0.1:0"}
	p.start()
	t.Cleanup(func() {
		p.stop()
		sp.Close()
	})
	return p
}

func (p *pages) start() {
	p.Helper()
	listener, err := net.Listen("tcp", p.address)
	if err != nil {
		p.Fatal(err)
	}
	p.address, p.page = listener.Addr().String(), page.New(page.Config{Spool: p.spool, Version: "1"})
	p.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/enter":
			fmt.Fprintf(w, `{"bearer":%q}`, pageToken)
		case strings.HasPrefix(r.URL.Path, "/api/") && r.Header.Get("Authorization") != "Bearer "+pageToken:
			page.Refuse(w, http.StatusUnauthorized, "This page needs a link: askpane page opens one.")
		default:
			p.page.ServeHTTP(w, r.WithContext(page.WithRights(r.Context(), page.Rights{Guarded: true})))
		}
	})}
	go p.server.Serve(listener)
}

func (p *pages) stop() {
	p.page.Close()
	p.server.Close()
}

// ask puts a question into the spool, whose caller waits as long as the test.
func (p *pages) ask(request string) *spool.Entry {
	p.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		p.Fatal(err)
	}
	e, err := p.spool.Create(spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/shop", Pane: "main:1.0", Start: time.Now()}})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { e.Close() })
	return e
}

// browserTab is a page in a real browser.
type browserTab struct {
	*pages
	ctx context.Context
}

// watchful has a page remember what went wrong on it.
const watchful = `window.wrong = []
for (const kind of ['error', 'unhandledrejection', 'securitypolicyviolation'])
  addEventListener(kind, (e) => wrong.push(kind + ': ' + (e.message ?? e.reason ?? e.blockedURI)))
window.alert = (text) => wrong.push('alert: ' + text)`

// browse opens a browser.
func (p *pages) browse() *browserTab {
	p.Helper()
	needs.Long(p, "the page in a browser")
	needs.Program(p, "chromium")
	path, _ := exec.LookPath("chromium")
	all, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath(path))...)
	p.Cleanup(end)
	ctx, end := chromedp.NewContext(all)
	p.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // begins the browser, without a limit, which would be the browser's
		p.Fatal(err)
	}
	t := &browserTab{p, ctx}
	t.ready()
	return t
}

func (t *browserTab) ready() {
	t.Helper()
	t.do(chromedp.EmulateViewport(360, 740), func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: watchful})
		return chromedp.Void{}, err
	})
}

func (t *browserTab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, 10*slack)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// at opens the page of a question, or another by the fragment of its address.
func (t *browserTab) at(fragment string) *browserTab {
	t.Helper()
	t.do(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+t.address+"/#t=once&"+fragment))
	return t
}

// eval is the value of an expression, as JSON.
func (t *browserTab) eval(expression string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, 10*slack)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression))
	if err != nil {
		t.Fatalf("%.200s: %v", expression, err)
	}
	return string(got)
}

// until waits for an expression to be true.
func (t *browserTab) until(expression string) *browserTab {
	t.Helper()
	if !pollFor(slack, func() bool { return t.eval("!!("+expression+")") == "true" }) {
		t.Fatalf("never %s; it has the focus on %s, and shows\n%s", expression, t.eval("document.activeElement?.id"), t.eval("document.body.innerText"))
	}
	return t
}

func (t *browserTab) sees(words string) *browserTab {
	t.Helper()
	return t.until(fmt.Sprintf("document.body.innerText.includes(%q)", words))
}

// types presses keys one by one; what looks like a name in braces is a key.
func (t *browserTab) types(text string) *browserTab {
	t.Helper()
	t.do(chromedp.KeyEvent(strings.NewReplacer("{Enter}", "\r", "{Tab}", "\t", "{Esc}", "\x1b").Replace(text)))
	return t
}

// well says what has gone wrong on the page.
func (t *browserTab) well() {
	t.Helper()
	if wrong := t.eval("wrong"); wrong != "[]" {
		t.Errorf("on the page there is %s", wrong)
	}
	if wide := t.eval("document.documentElement.scrollWidth <= innerWidth"); wide != "true" {
		t.Errorf("the page is wider than the window: %s", t.eval("document.documentElement.scrollWidth"))
	}
	if strings.Contains(t.eval("location.href"), "once") {
		t.Errorf("the token stays in the address")
	}
}

// told waits for the answer, as the agent is told it.
func (p *pages) told(e *spool.Entry) (said string) {
	p.Helper()
	if !pollFor(slack, func() bool { _, over, _ := e.Answer(); return over }) {
		p.Fatal("no answer")
	}
	r, _, err := e.Answer()
	if err != nil {
		p.Fatal(err)
	}
	req, err := e.Request()
	if err != nil {
		p.Fatal(err)
	}
	d, _, err := dialect.Decode(req.Form.Dialect, req.Raw)
	if err != nil {
		p.Fatal(err)
	}
	return d.EncodeIn(dialect.Context{}, &req.Form, r).Text
}

// Every kind of question is answered, on a phone's width. After each step stands what is
// waited for.
func TestPageKinds(t *testing.T) {
	p := newPages(t, newSpool(t))
	b := p.browse()
	focus := func(id string) string { return "document.activeElement.id == '" + id + "'" }
	press := func(selector string) string { return "!" + selector }
	for _, c := range []struct {
		name, request string
		steps         []string
		told          string
	}{
		{"a choice by its digit", `{"questions":[{"id":"c","label":"Colour","prompt":"Which?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}]}]}`,
			[]string{"2", ""}, "Colour: user selected: 2. Green"},
		{"other words", `{"questions":[{"id":"c","label":"Colour","prompt":"Which?","options":[{"value":"r","label":"Red"}]}]}`,
			[]string{press("#q0-c1"), focus("entry0"), "mauve{Enter}", ""}, "Colour: user wrote: mauve"},
		{"ticks, a number, a text", `{"questions":[{"header":"R","question":"Which?","type":"select_many","options":[{"label":"eu"},{"label":"us"}]},{"header":"N","question":"How many?","type":"number","default":3},{"header":"T","question":"What?","type":"free_text"}]}`,
			[]string{"2", "document.querySelector('#q0-c1[aria-checked=true]')", press(".primary button"), focus("entry1"), "42{Enter}", focus("entry2"), "some words{Enter}", focus("submit"), "{Enter}", ""},
			"R: us\nN: 42\nT: some words"},
		{"danger", `{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"old"}]}`,
			[]string{"ol{Enter}", "document.querySelector('#notice').textContent", "d{Enter}", ""}, "Old: (Other) old"},
		{"a secret", `{"questions":[{"id":"k","type":"text","label":"Key","prompt":"The key?","secret":true}]}`, []string{"hunter2{Enter}", ""}, "Key: hunter2"},
		{"a decision", `{"questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?","options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"}]}`,
			[]string{"{Enter}", focus("submit"), "{Enter}", ""}, "Store: Redis"},
		{"buttons", `{"prompt":"Which?","options":[{"label":"Red"},{"label":"Green"}]}`, []string{"{Tab}{Enter}", ""}, "User selected: Green"},
		{"cancelled", `{"prompt":"Which?","options":[{"label":"Red"},{"label":"Green"}]}`, []string{"{Esc}", ""}, "User cancelled"},
	} {
		e := p.ask(c.request)
		b.at("q=" + e.ID).until("document.activeElement.closest('#form')")
		for i := 0; i < len(c.steps); i += 2 {
			if selector, is := strings.CutPrefix(c.steps[i], "!"); is {
				b.eval(fmt.Sprintf("document.querySelector(%q).click()", selector))
			} else {
				b.types(c.steps[i])
			}
			if c.steps[i+1] != "" {
				b.until(c.steps[i+1])
			}
		}
		b.sees("in the browser, ")
		if told := p.told(e); told != c.told {
			t.Errorf("%s: the agent is told %q, want %q", c.name, told, c.told)
		}
		b.well()
	}
}

// What is typed in a popup is on the page and the other way round, and the first answer
// wins.
func TestPageBesidePopup(t *testing.T) {
	needs.Long(t, "the page in a browser")
	s := newTmux(t)
	p := newPages(t, s.spool)
	b := p.browse()
	v := s.attach("main", 100, 30)
	a := s.ask("main", colour)
	openEntry(place{terminal: v}, 4)
	b.at("q=" + s.spool.only(t)).sees("Which colour?").until("document.querySelector('#q0-c3')")
	b.eval("document.querySelector('#q0-c3').click()")
	b.until("document.activeElement.id == 'entry0'")
	v.press("teal")
	b.until("document.activeElement.value == 'teal'").types(" or so")
	v.see("│ teal", "“teal or so”")
	b.types("{Enter}").sees("Answered in the browser")
	a.answered("Colour: user wrote: teal or so")
	v.press(enter)
	b.well()
}

// Where the desk goes away in the middle of typing, the page says so and goes on with
// what was typed when it is there again.
func TestPageOutlivesTheDesk(t *testing.T) {
	p := newPages(t, newSpool(t))
	b := p.browse()
	e := p.ask(`{"questions":[{"id":"t","type":"text","label":"What","prompt":"What?"}]}`)
	b.at("q=" + e.ID).until("document.activeElement.id == 'entry0'").types("half")
	p.stop()
	b.sees("The connection to the desk is lost; it is tried again. What you type is kept.").types(" and half")
	p.start()
	b.until("document.querySelector('#said').textContent == '' && document.activeElement.value == 'half and half'")
	b.types("{Enter}").sees("Answered in the browser")
	if told := p.told(e); told != "What: half and half" {
		t.Errorf("the agent is told %q", told)
	}
	b.at("q=" + e.ID).sees("This was answered in the browser")
}

// A page that was loaded from an older desk says so.
func TestPageOutdated(t *testing.T) {
	p := newPages(t, newSpool(t))
	b := p.browse()
	b.at("").sees("No question waits")
	b.eval("document.documentElement.dataset.digest = 'older'")
	b.eval("location.hash = '#h='")
	b.sees("askpane was updated; what you typed is kept.").until("document.querySelector('#reload').offsetWidth")
}

// Nothing that an agent writes runs, leaves its box or makes the page wider than a phone.
func TestPageHostileTexts(t *testing.T) {
	p := newPages(t, newSpool(t))
	b := p.browse()
	trap := t.TempDir() + "/trap"
	for _, h := range append(hostiletexts.Texts(trap), hostiletexts.Text{Name: "script", Text: `<script>alert(1)</script><svg onload="alert(2)"><script>top.alert(3)</script></svg>`},
		hostiletexts.Text{Name: "long", Text: strings.Repeat("x", 1900)}) {
		text, _ := json.Marshal(h.Text)
		e := p.ask(strings.ReplaceAll(`{"questions":[{"header":"H","question":T,"type":"select_one","options":[{"label":"a","description":T,"preview":{"type":"html","content":T}},{"label":"b","preview":{"type":"markdown","content":T}}]}]}`, "T", string(text)))
		b.at("q=" + e.ID).until("document.querySelector('iframe')").types("{Tab}").until("!document.querySelector('iframe')")
		b.well()
		if title := b.eval("document.title"); strings.Contains(title, hostiletexts.Mark) {
			t.Errorf("%s: the title is %s", h.Name, title)
		}
		e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()})
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("something ran")
	}
}

// Where axe-core is, which knows the rules of accessibility that a program can look for.
const axe = "../.cache/axe/node_modules/axe-core/axe.min.js"

func TestPageForScreenReaders(t *testing.T) {
	needs.Long(t, "the page in a browser")
	script, err := os.ReadFile(axe)
	if err != nil {
		needs.Missing(t, "axe-core", "./tests/run --all installs it")
	}
	p := newPages(t, newSpool(t))
	b := p.browse()
	many := p.ask(`{"title":"Cache","intro":"Two.","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where? ` + "```\\nx\\n```" + `","multi":true,"options":[{"value":"m","label":"Memory","description":"Gone at restart","preview":"a **preview**"},{"value":"r","label":"Redis"}],"recommendation":["r"]},{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`)
	danger := p.ask(`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"old"}]}`)
	number := p.ask(`{"questions":[{"header":"N","question":"How many?","type":"number","min":1,"max":9}]}`)
	picture := p.ask(`{"questions":[{"header":"P","question":"Which?","type":"select_one","options":[{"label":"a","preview":{"type":"svg","content":"<svg xmlns='http://www.w3.org/2000/svg'/>"}},{"label":"b"}]}]}`)
	over := p.ask(colour)
	over.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(1)}, By: form.ByPopup, At: time.Now()})
	for scheme, widths := range map[string][]int64{"dark": {360}, "light": {1280}} {
		for _, width := range widths {
			b.do(chromedp.EmulateViewport(width, 800), func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, c, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
				return chromedp.Void{}, err
			})
			for _, c := range []struct{ fragment, sees, keys string }{
				{"", "Filter", ""}, {"h=", "Search what was", ""}, {"h=nothing", "No question that is over", ""}, {"q=01ARZ3NDEKTSV4RRFFQ69G5FAV", "There is no such question", ""},
				{"q=" + many.ID, "Store", ""}, {"q=" + many.ID, "Store", "c"}, {"q=" + many.ID, "Store", "?"}, {"q=" + danger.ID, "DESTRUCTIVE", ""},
				{"q=" + number.ID, "from 1 to 9", ""}, {"q=" + picture.ID, "Which?", ""}, {"q=" + over.ID, "This was answered", ""},
			} {
				b.at(c.fragment).sees(c.sees)
				if c.keys != "" {
					b.types(c.keys).until("document.activeElement.id == 'note0' || document.activeElement.id == 'close'")
				}
				b.eval(string(script) + "\n; window.found = 0; axe.run().then((r) => { found = r.violations.map((v) => v.id + ': ' + v.help + ' ' + v.nodes.map((n) => n.target + ' ' + n.failureSummary)) }); 0")
				if b.until("window.found"); b.eval("found") != "[]" {
					t.Errorf("%s %d %s %s: %s", scheme, width, c.fragment, c.keys, b.eval("found"))
				}
				b.well()
				if c.keys != "" {
					b.types("{Esc}").until("document.querySelector('#q0-c0:enabled')")
				}
			}
		}
	}
}
