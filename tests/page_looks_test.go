package tests

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/tests/hostiletexts"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

var pictures = flag.String("pictures", "", "a directory for pictures of the page")

// faults are what a person would find wrong with how the page looks: what lies beside the
// window or over something else, what a finger misses, and where an iPhone zooms.
const faults = `(() => {
  const wrong = [], box = (e) => e.getBoundingClientRect(), words = (e) => e.textContent.trim().replace(/\s+/g, ' ').slice(0, 30)
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2
  const seen = (e) => e.checkVisibility() && box(e).width > 1 && box(e).height > 1 && !e.closest('legend, .sr')
  const targets = [...document.querySelectorAll('a, button:enabled, input, textarea, summary')].filter((e) => seen(e) && !e.closest('.doc')) // a link in a sentence is as large as that
  for (const e of targets) {
    const {width, height} = box(e)
    if (width < 44 || height < 44) wrong.push('a target of ' + width + '×' + height + ': ' + words(e))
    if (e.matches('input, textarea') && parseFloat(getComputedStyle(e).fontSize) < 16) wrong.push('an entry in small type: ' + e.id)
    for (const other of targets) if (e !== other && over(box(e), box(other))) wrong.push('a target over another: ' + words(e) + ', ' + words(other))
  }
  const texts = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement
    if (!walk.currentNode.data.trim() || !seen(e) || e.matches('details:not([open])')) continue
    const range = document.createRange()
    range.selectNodeContents(walk.currentNode)
    const held = e.closest('pre, .table, .diagram, .prompt') // which scrolls, or is cut on purpose
    for (const r of range.getClientRects()) {
      if (!held && (r.left < 0 || r.right > innerWidth + 1)) wrong.push('a text beside the window: ' + words(e))
      if (!held) texts.push([r, e])
    }
  }
  for (const [a, e] of texts) for (const [b, f] of texts) if (e !== f && !e.contains(f) && !f.contains(e) && over(a, b)) wrong.push('a text over another: ' + words(e) + ', ' + words(f))
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('wider than the window')
  return [...new Set(wrong)]
})()`

// looks says what is wrong with how it looks.
func (t *browserTab) looks(where string) {
	t.Helper()
	if wrong := t.eval(faults); wrong != "[]" {
		t.Errorf("%s: there is %s", where, wrong)
	}
}

// dot is a picture of one pixel.
const dot = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// judged says what is wrong with what is on view, by how it looks and by axe-core, which knows the
// rules of accessibility that a program can look for: on a phone and on a desktop, dark and light.
func (t *browserTab) judged(where string) {
	t.Helper()
	const axe = "../.cache/axe/node_modules/axe-core/axe.min.js"
	script, err := os.ReadFile(axe)
	if err != nil {
		needs.Missing(t, "axe-core", "./tests/run --all installs it")
	}
	if t.eval("typeof axe") == `"undefined"` {
		t.eval(string(script))
	}
	for _, size := range []struct {
		name string
		as   chromedp.Action[chromedp.Void]
	}{{"phone", chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)}, {"desktop", chromedp.EmulateViewport(1280, 800)}} {
		t.do(size.as)
		for _, scheme := range []string{"dark", "light"} {
			as := strings.Join([]string{where, size.name, scheme}, "-")
			t.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
				_, err := cdp.Call(ctx, c, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
				return chromedp.Void{}, err
			})
			t.eval("window.found = 0; axe.run().then((r) => { found = r.violations.map((v) => v.id + ': ' + v.help + ' ' + v.nodes.map((n) => n.target + ' ' + n.failureSummary)) }); 0")
			if t.until("window.found"); t.eval("found") != "[]" {
				t.Errorf("%s: %s", as, t.eval("found"))
			}
			t.looks(as)
			if *pictures != "" {
				t.picture(filepath.Join(*pictures, as+".png"))
			}
		}
	}
}

// picture is for a person to look at.
func (t *browserTab) picture(path string) {
	t.Helper()
	data, err := chromedp.Run(t.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Inbox, forms, reviews and history are well to look at and to use, whoever looks.
func TestPageLooks(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	over, past := p.ask(colour)
	b.at("q=" + past).sees("#q0-c0").steps("1 → " + said)
	b.judged("answered")
	over.answered("Colour: user selected: 1. Red")
	id := map[string]string{}
	for name, request := range map[string]string{
		"trip": trip, "decision": decision, "typed": typed, "controls": controls, "danger": danger, "buttons": cache, "filter": months, "previews": plain,
		"document": `{"questions":[{"header":"Doc","question":"# The plan\n\n| step | how long it takes |\n|---|--:|\n| migrate | 3 h |\n\n1. see [the runbook](https://example.com/run)\n2. ` + "`make`" + `\n\n> quoted\n\n` + "```go\\nfunc f() {}\\n```" + `\n\nGo on?","type":"select_one","options":[{"label":"a","preview":{"type":"markdown","content":"#### Deep\n\n![dot](` + dot + `) and [a link](https://example.com)\n\n- [x] done"}},{"label":"b"}]}]}`,
		"drawn": `{"questions":[{"header":"Flow","question":"Which flow?","type":"select_one","options":[
			{"label":"Queue","preview":{"type":"mermaid","content":"graph TD\nA[Ask] -->|write| B(Spool)\nB --> C{Answered?}\nC -->|yes| D((Deliver))\nC -.->|no| A\nD ==> E[[Done]]\nsubgraph Desk\nB\nC\nend"}},
			{"label":"Calls","preview":{"type":"mermaid","content":"sequenceDiagram\nparticipant Agent\nAgent->>Spool: a question\nNote right of Spool: mode 0600\nloop until answered\nSpool-->>Agent: still pending\nend\nAgent-xSpool: cancel\nAgent->>Agent: wait"}},
			{"label":"Code","preview":{"type":"code","content":"// a.go\nfunc wait(ctx context.Context) error { return errors.Join(ctx.Err(), context.Cause(ctx)) } // a long line"}},
			{"label":"Words","preview":{"type":"text","content":"[ OK ]   [ Cancel ]\n\nA line of a mock-up that goes on for longer than a phone is wide, and is broken there."}},
			{"label":"Picture","preview":{"type":"svg","content":"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'><circle cx='10' cy='10' r='9'/></svg>"}}]}]}`,
		"secret": `{"questions":[{"header":"K","question":"The key?","type":"free_text","secret":true}]}`,
		"short":  `{"questions":[{"header":"Go","question":"Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`,
	} {
		_, id[name] = p.ask(request, "--agent", "Marvin")
	}
	for _, c := range []struct {
		name, at string
		steps    []string
	}{
		{"inbox", "", []string{" → Formatter & 12 waiting"}},
		{"nothing-found", "i=nothing", []string{" → No waiting question matches."}},
		{"history", "h=", []string{" → Red"}},
		{"history-nothing-found", "h=nothing", []string{" → No question that is over"}},
		{"no-such-question", "q=01ARZ3NDEKTSV4RRFFQ69G5FAV", []string{" → There is no such question"}},
		{"over", "q=" + past, []string{" → This was answered in the browser"}},
		{"choice", "q=" + id["trip"], []string{" → #q0-c0"}},
		{"other-words", "q=" + id["trip"], []string{"3 → #entry0", "mauve → mauve"}},
		{"help", "q=" + id["trip"], []string{"{Esc} → not your answer yet", "? → #close"}},
		{"decision", "q=" + id["decision"], []string{" → #q0-c0"}},
		{"comment", "q=" + id["decision"], []string{"c → #note0"}},
		{"review", "q=" + id["decision"], []string{"Ask Ada. → Ask Ada.", "[Save] → comment: Ask Ada.", "[Review] → #submit"}},
		{"choices", "q=" + id["typed"], []string{"1 → #q1-c0", "1 → ☑ Unit"}},
		{"number", "q=" + id["typed"], []string{"[□ Port] → #entry2"}},
		{"declining", "q=" + id["typed"], []string{"[No, because…] → #reason1"}},
		{"text", "q=" + id["controls"], []string{"[· Name] → #entry2"}},
		{"danger", "q=" + id["danger"], []string{" → DESTRUCTIVE"}},
		{"secret", "q=" + id["secret"], []string{"hunter2 → #entry0"}},
		{"buttons", "q=" + id["buttons"], []string{" → #q0-c0"}},
		{"filter", "q=" + id["filter"], []string{"/em → #filter0"}},
		{"previews", "q=" + id["previews"], []string{" → One more service"}},
		{"document", "q=" + id["document"], []string{" → the runbook (https://example.com/run) & how long it takes & ☑ done"}},
		{"flowchart", "q=" + id["drawn"], []string{" → Desk: Spool, Answered?"}},
		{"sequence", "q=" + id["drawn"], []string{"{Tab} → still pending"}},
		{"code", "q=" + id["drawn"], []string{"{Tab} → func wait"}},
		{"words", "q=" + id["drawn"], []string{"{Tab} → [ OK ]"}},
		{"picture", "q=" + id["drawn"], []string{"{Tab} → Source"}},
	} {
		b.do(chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch))
		b.at(c.at).until("document.querySelector('main').children.length").steps(c.steps...)
		b.judged(c.name)
		b.well()
	}
	desk, _ := p.desk()
	link, err := gate.Keys(p.home+"/.local/state/askpane/desk").Link(desk.URL, true, id["danger"])
	must.Do(t, err)
	phone := b.another()
	_, phone.token, _ = strings.Cut(link, "=")
	phone.do(func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"X-Forwarded-For": "192.0.2.1"}})
		return chromedp.Void{}, err
	}, chromedp.Navigate(link))
	phone.sees("This form has a dangerous or a secret question").judged("without-TLS")
	phone.well()
}

// A form is found in the inbox, filled in, looked over and sent by keys alone, and what
// can be done next has the focus all the way.
func TestPageByKeys(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, _ := p.ask(controls)
	b.sees("Project setup")
	tab := func(to string) {
		t.Helper()
		for range 30 {
			if b.eval("document.activeElement.innerText?.trim() == '"+to+"' || document.activeElement.innerText?.includes('"+to+"') && document.activeElement.matches('.rows a, .choices button')") == "true" {
				return
			}
			b.types("{Tab}")
		}
		t.Fatalf("Tab never leads to %s, but to %s", to, b.eval("document.activeElement.outerHTML"))
	}
	tab("Project setup")
	b.steps("{Enter} → #q0-c0", "{Down} → #q0-c1", "  → #q1-c0 & ✓ Database", "{Enter} → ☑ Unit tests", "{Down}  → ☑ End to end")
	tab("Answer")
	b.steps("{Enter} → #entry2", "shop{Enter} → #entry3", "{Enter} → #submit")
	tab("Testing: Unit tests, End to end")
	b.types("{Enter}").sees("#q1-c1").types("1").sees("☐ Unit tests")
	tab("Submit")
	b.types("{Enter}").sees("#submit", "Testing: End to end").types("{Enter}").sees(said, "#over")
	a.answered("Database: my\nTesting: e2e\nName: shop\nNotes: (empty)")
	b.well()
}

// Nothing that an agent writes runs, leaves its box or makes the page wider than a phone.
func TestPageHostileTexts(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	trap := filepath.Join(t.TempDir(), "trap")
	texts := append(hostiletexts.Texts(trap), hostiletexts.Text{Name: "script", Text: `<script>alert(1)</script><svg onload="alert(2)"><script>top.alert(3)</script></svg>`},
		hostiletexts.Text{Name: "long", Text: strings.Repeat("x", 1900)},
		hostiletexts.Text{Name: "links", Text: "[a](javascript:alert(4)) <javascript:alert(5)> [b](https://127.0.0.1:1/x) <img src=x onerror=alert(6)> ![c](https://127.0.0.1:1/c.png) ![d](data:image/svg+xml,<svg/onload=alert(7)>)"},
		hostiletexts.Text{Name: "nested HTML", Text: "<div><p>**x** <b onmouseover=alert(8)>y</b></p></div>\n\n> - <iframe srcdoc=\"<script>alert(9)</script>\">\n\n<style>body { display: none }</style>"},
		hostiletexts.Text{Name: "a wide table", Text: strings.Repeat("|column", 30) + "|\n" + strings.Repeat("|-", 30) + "|\n" + strings.Repeat("|"+strings.Repeat("x", 40), 30) + "|\n"},
		hostiletexts.Text{Name: "a deep quote", Text: strings.Repeat("> ", 300) + "x"})
	ids := []string{}
	for _, h := range texts {
		text, _ := json.Marshal(h.Text)
		drawn, _ := json.Marshal("graph LR\nA[\"" + h.Text + "\"] -->|" + h.Text + "| B")
		_, id := p.ask(strings.NewReplacer("T", string(text), "M", string(drawn)).Replace(`{"questions":[{"header":"H","question":T,"type":"select_one","options":[{"label":"a","description":T,"preview":{"type":"html","content":T}},{"label":"b","preview":{"type":"markdown","content":T}},{"label":"c","preview":{"type":"mermaid","content":M}}]}]}`),
			"--agent", strings.ReplaceAll(h.Text, "\x00", ""))
		ids = append(ids, id)
		b.at("q=" + id).until("document.querySelector('iframe')").types("{Tab}").until("!document.querySelector('iframe')")
		b.looks(h.Name)
		b.types("{Tab}").until("document.querySelector('.preview h3')?.innerText == 'c'").looks(h.Name + ", drawn")
		b.well()
		if hidden := b.eval(`/[\p{Cc}\p{Cf}]/u.test(document.title + document.body.innerText.replaceAll(/[\n\t]/g, ''))`); hidden != "false" {
			t.Errorf("%s: there are signs that nobody sees, title %s", h.Name, b.eval("document.title"))
		}
	}
	b.at("").sees(fmt.Sprint(len(texts), " waiting")).looks("inbox")
	for _, id := range ids {
		if out, err := p.command(binary, "answer", id, "--cancel").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	b.at("h=").until("document.querySelectorAll('.rows a').length == " + fmt.Sprint(len(texts))).looks("history")
	b.well()
	if _, err := os.Stat(trap); err == nil {
		t.Error("something ran")
	}
}
