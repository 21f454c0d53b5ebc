package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/tests/needs"
)

// person is somebody with a home and a spool of their own, and the desk that serves it.
type person struct {
	testing.TB
	home  string
	env   []string
	spool spoolDir
}

// newPerson is one with that environment besides. A desk of theirs is ended with the test.
func newPerson(t testing.TB, spool spoolDir, env ...string) *person {
	t.Helper()
	return newPersonAt(t, t.TempDir(), spool, env...)
}

// newPersonAt is newPerson with a home that others have, too.
func newPersonAt(t testing.TB, home string, spool spoolDir, env ...string) *person {
	t.Helper()
	p := &person{t, home, environ(home, append([]string{"ASKPANE_SPOOL=" + string(spool), unguarded}, env...)...), spool}
	t.Cleanup(func() { spool.noneLeft(t) })
	endDesk(t, home)
	return p
}

// desk is where the desk is, if it is up.
func (p *person) desk() (a address.Address, up bool) {
	a, err := address.Last(filepath.Join(p.home, ".local/state/askpane/desk"))
	return a, err == nil && slices.Contains(atHome(p.home), a.PID)
}

// end ends a process of theirs.
func (p *person) end(pid int, by syscall.Signal) {
	p.Helper()
	_ = syscall.Kill(pid, by) // it may just have ended
	eventually(p, "it ends", func() bool { return !slices.Contains(atHome(p.home), pid) })
}

// command is one of theirs, from where no form can open.
func (p *person) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.SysProcAttr = p.env, &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// ask makes a tool call that waits for the page alone.
func (p *person) ask(request string, args ...string) (a *asker, id string) {
	p.Helper()
	a = newAsker(p, p.spool, request)
	before := p.spool.pending()
	call := p.command("sh", "-c", a.script([]string{"ASKPANE_PAGE_ALONE=true"}, args...))
	if err := call.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		_ = syscall.Kill(-call.Process.Pid, syscall.SIGTERM) // the call, too, where nobody answered it
		_ = call.Wait()
	})
	eventually(p, "the question waits", func() bool {
		for _, id = range p.spool.pending() {
			if !strings.HasPrefix(id, ".") && !slices.Contains(before, id) {
				return true
			}
		}
		return a.returned()
	})
	return a, id
}

// link leads to a question, or to the inbox, once; the desk is started for it.
func (p *person) link(id string) string {
	p.Helper()
	out, err := p.command(binary, append([]string{"page", "--link"}, strings.Fields(id)...)...).Output()
	if err != nil {
		p.Fatalf("askpane page: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// browserTab is a page in a real browser.
type browserTab struct {
	*person
	ctx   context.Context
	token string // by which it came
}

// watchful has a page remember what went wrong on it.
const watchful = `window.wrong = []
for (const kind of ['error', 'unhandledrejection', 'securitypolicyviolation'])
  addEventListener(kind, (e) => wrong.push(kind + ': ' + (e.message ?? e.reason ?? e.blockedURI)))
window.alert = (text) => wrong.push('alert: ' + text)`

// browse opens a browser, as wide as a phone, and in it the inbox.
func (p *person) browse() *browserTab {
	p.Helper()
	return p.browser().comes(p.link(""))
}

// browser opens one with such options and an empty tab.
func (p *person) browser(how ...chromedp.ExecAllocatorOption) *browserTab {
	p.Helper()
	needs.Long(p, "the page in a browser")
	needs.Program(p, "chromium")
	path, _ := exec.LookPath("chromium")
	dir := shortDir(p) // where it leaves a socket, whose path has to be short
	how = append(how, chromedp.NoSandbox, chromedp.ExecPath(path), chromedp.Env("TMPDIR="+dir))
	all, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], how...)...)
	p.Cleanup(end)
	return (&browserTab{person: p, ctx: all}).another()
}

// another is an empty tab in the same browser, by itself in a window of its own.
func (t *browserTab) another(how ...chromedp.ContextOption) *browserTab {
	t.Helper()
	n := t.tab(how...)
	n.do(chromedp.EmulateViewport(360, 740), func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: watchful})
		return chromedp.Void{}, err
	})
	return n
}

// tab is one in the same browser.
func (t *browserTab) tab(how ...chromedp.ContextOption) *browserTab {
	t.Helper()
	ctx, end := chromedp.NewContext(t.ctx, how...)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil { // begins it, without a limit, which would be the browser's
		t.Fatal(err)
	}
	return &browserTab{person: t.person, ctx: ctx}
}

// comes comes by a link.
func (t *browserTab) comes(link string) *browserTab {
	t.Helper()
	_, t.token, _ = strings.Cut(link, "#t=")
	t.token, _, _ = strings.Cut(t.token, "&")
	t.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	return t.until("sessionStorage.askpane")
}

// serverError is the code of what a browser cannot do at the moment (JSON-RPC 2.0).
const serverError = -32000

// slowly is how long a browser may take for one thing: it is not small, and may just be starting.
const slowly = 3 * patience

func (t *browserTab) do(steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, slowly)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// at opens a page by the fragment of its address.
func (t *browserTab) at(fragment string) *browserTab {
	t.Helper()
	desk, _ := t.desk()
	t.do(chromedp.Navigate("about:blank"), chromedp.Navigate(desk.URL+"#"+fragment))
	return t
}

// eval is the value of an expression, as JSON.
func (t *browserTab) eval(expression string) string {
	t.Helper()
	got, err := t.evaluate(expression)
	if err != nil {
		t.Fatalf("%.200s: %v", expression, err)
	}
	return got
}

func (t *browserTab) evaluate(expression string) (string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, slowly)
	defer cancel()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[[]byte](expression))
	return string(got), err
}

// until waits for an expression to be true. It is not true while the page is being left for
// another, when the browser answers with an error.
func (t *browserTab) until(expression string) *browserTab {
	t.Helper()
	if !poll(func() bool {
		got, err := t.evaluate("!!(document.body && (" + expression + "))")
		var refused *cdproto.Error
		if errors.As(err, &refused) && refused.Code == serverError {
			return false
		}
		if err != nil {
			t.Fatalf("%.200s: %v", expression, err)
		}
		return got == "true"
	}) {
		t.Fatalf("never %s; it has the focus on %s, and shows\n%s", expression, t.eval("[document.activeElement?.id, document.activeElement?.value]"), t.eval("document.body.innerText"))
	}
	return t
}

// sees waits until the words are on view, of which the blanks do not count, or are in
// the entry that has the focus; or, of #id, until that has the focus.
func (t *browserTab) sees(words ...string) *browserTab {
	t.Helper()
	for _, w := range words {
		if id, is := strings.CutPrefix(w, "#"); is {
			t.until(fmt.Sprintf("document.activeElement?.id == %q", id))
			continue
		}
		t.until(fmt.Sprintf(`(document.body.innerText.replace(/\s+/g, ' ') + document.activeElement?.value).includes(%q)`, w))
	}
	return t
}

var pageKeys = strings.NewReplacer("{Enter}", kb.Enter, "{Tab}", kb.Tab, "{Esc}", kb.Escape, "{Up}", kb.ArrowUp, "{Down}", kb.ArrowDown, "{Del}", kb.Backspace)

// types presses keys one by one; what looks like a name in braces is a key.
func (t *browserTab) types(text string) *browserTab {
	t.Helper()
	t.do(chromedp.KeyEvent(pageKeys.Replace(text), func(e *input.DispatchKeyEventParams) {
		if e.Type == kb.KeyDown {
			e.Type = kb.KeyRawDown // as a keyboard does; else a sign comes though its key was taken
		}
	}))
	return t
}

// clicks moves the mouse to where that is written, and presses it.
func (t *browserTab) clicks(label string) *browserTab {
	t.Helper()
	at := t.place(fmt.Sprintf("[...document.querySelectorAll('button:enabled, a')].find((b) => (b.querySelector('[id$=-name], strong') ?? b).innerText.trim() === %q)", label))
	t.do(chromedp.MouseClickXY(at[0], at[1]))
	return t
}

// place returns the middle of an element.
func (t *browserTab) place(element string) (at [2]float64) {
	t.Helper()
	find := `(() => {
		const b = ` + element + `
		b?.scrollIntoView({block: 'center'})
		const r = b?.getBoundingClientRect()
		return r && [r.x + r.width / 2, r.y + r.height / 2]
	})()`
	t.until(find)
	if err := json.Unmarshal([]byte(t.eval(find)), &at); err != nil {
		t.Fatal(err)
	}
	return at
}

// isRight waits until the page takes what is pressed: it may have lost the desk for a
// moment, where the machine is busy.
func (t *browserTab) isRight() *browserTab {
	t.Helper()
	return t.until("!document.body.matches('.lost')")
}

// steps are what is done, each with what is seen then: "[Label] → words" clicks, and
// "keys → words" types.
func (t *browserTab) steps(all ...string) *browserTab {
	t.Helper()
	for _, step := range all {
		do, see, _ := strings.Cut(step, " → ")
		t.isRight()
		if label, is := strings.CutPrefix(do, "["); is {
			t.clicks(strings.TrimSuffix(label, "]"))
		} else {
			t.types(do)
		}
		t.sees(strings.Split(see, " & ")...)
	}
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
	if page := t.eval("location.href + document.documentElement.outerHTML"); strings.Contains(page, t.token) {
		t.Error("the token stays on the page or in its address")
	}
}
