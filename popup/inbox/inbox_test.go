package inbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/golden"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/person"
)

func TestMain(m *testing.M) { person.Main(m, "{}") }

// stage is the inbox over a real spool, on a screen that is only simulated. The
// list is read when the test says so, and not by follow.
type stage struct {
	*testing.T
	dir    string // the spool's
	spool  *spool.Spool
	screen tcell.SimulationScreen
	v      *view
	left   func() string // what it was left for
	gone   bool          // it was left
}

func newStage(t *testing.T, width, height int) *stage {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "spool")
	sp, err := spool.Open(dir)
	must.Do(t, err)
	t.Cleanup(func() { sp.Close() })
	s := &stage{T: t, dir: dir, spool: sp, screen: tcell.NewSimulationScreen("UTF-8")}
	must.Do(t, s.screen.Init())
	t.Cleanup(s.screen.Fini)
	s.use(newView(Config{Spool: sp, Muted: func() string { return "" }, Pane: func(string, string) host.Pane { return nil }, Shows: func(int) bool { return false }}))
	s.screen.SetSize(width, height)
	return s
}

const request = `{"questions":[{"id":"db","label":%s,"prompt":%s,"options":[{"value":"pg","label":"PostgreSQL"}]},{"id":"x","prompt":"And?"}]}`

func inJSON(text string) string {
	data, _ := json.Marshal(text) // a string always can be
	return string(data)
}

// ask puts a question into the spool, whose bridge waits until the test ends.
func (s *stage) ask(agent, cwd, header, prompt string, ago time.Duration) *spool.Entry {
	s.Helper()
	raw := fmt.Appendf(nil, request, inJSON(header), inJSON(prompt))
	_, f, err := dialect.Decode("question", raw)
	must.Do(s.T, err)
	e, err := s.spool.Create(spool.Request{Form: f, Raw: raw, Origin: spool.Origin{
		Agent: agent, Cwd: cwd, Host: "tmux", Pane: "main:2.1", Start: time.Now().Add(-ago)}})
	must.Do(s.T, err)
	s.Cleanup(func() { e.Close() })
	return e
}

// use shows v, whose loop never runs.
func (s *stage) use(v *view) {
	s.v = v
	v.app = display.NewApp(s.screen, v)
	v.leave = func(with func() string) { s.left, s.gone = with, true }
}

// read reads the spool as follow would, and draws.
func (s *stage) read() *stage {
	s.v.takeIn(s.spool.Scan())
	return s.draw()
}

func (s *stage) draw() *stage {
	width, height := s.screen.Size()
	s.v.SetRect(0, 0, width, height)
	s.screen.Clear()
	s.v.Draw(s.screen)
	s.screen.Show()
	return s
}

var keyCodes = map[string]tcell.Key{"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Up": tcell.KeyUp, "Down": tcell.KeyDown, "End": tcell.KeyEnd,
	"Home": tcell.KeyHome, "PgDn": tcell.KeyPgDn, "Delete": tcell.KeyDelete, "Backspace": tcell.KeyBackspace2, "Ctrl+U": tcell.KeyCtrlU, "Ctrl+N": tcell.KeyCtrlN, "Ctrl+P": tcell.KeyCtrlP, "Ctrl+O": tcell.KeyCtrlO}

// press gives keys by name; a text that is no name is typed rune by rune.
func (s *stage) press(names ...string) *stage {
	for _, name := range names {
		if k, ok := keyCodes[name]; ok {
			s.v.InputHandler()(tcell.NewEventKey(k, 0, 0), nil)
		} else {
			for _, r := range name {
				s.v.InputHandler()(tcell.NewEventKey(tcell.KeyRune, r, 0), nil)
			}
		}
		s.draw()
	}
	return s
}

func (s *stage) rows() []string { return golden.Rows(s.screen) }

func (s *stage) text() string { return strings.Join(s.rows(), "\n") }

func (s *stage) shows(texts ...string) *stage {
	s.Helper()
	for _, text := range texts {
		if !strings.Contains(s.text(), text) {
			s.Errorf("no %q on\n%s", text, s.text())
		}
	}
	return s
}

func (s *stage) hides(text string) *stage {
	s.Helper()
	if strings.Contains(s.text(), text) {
		s.Errorf("%q on\n%s", text, s.text())
	}
	return s
}

func (s *stage) golden(name string) {
	s.Helper()
	for _, row := range s.rows() {
		if text.Visible(row) != row {
			s.Errorf("row %q holds what should not be drawn", row)
		}
	}
	screen := golden.Frame(s.screen)
	for _, id := range s.v.ids { // it differs each time
		for n := len(id); n >= 4; n-- {
			screen = strings.ReplaceAll(screen, id[:n]+"…", strings.Repeat("I", n)+"…")
		}
		screen = strings.ReplaceAll(screen, id, strings.Repeat("I", len(id)))
	}
	golden.Check(s, name, screen)
}

// several is what waits on most screens here: one of each kind.
func (s *stage) several() *stage {
	s.Helper()
	s.ask("claude", "/srv/shop", "Database", "Which database should the shop use?", 3*time.Hour+5*time.Second)
	gone := s.ask("codex", "/srv/api", "Migration", "The migration touches every table. How shall it run, and who watches it while it does? Say what you think is best.", 4*time.Minute+5*time.Second)
	must.Do(s.T, gone.Close())
	shown := s.ask("pi", "/srv/tools", "日本語のとても長い見出しなので行に入りません", "どれ?", 26*time.Hour)
	must.Do(s.T, saveDraft(shown, machine.Draft{Version: 1, Entries: []string{"x", ""}}))
	popup, err := s.spool.Open(shown.ID)
	must.Do(s.T, err)
	s.Cleanup(func() { popup.Close() })
	ok, err := popup.TakePopup()
	if !ok || err != nil {
		s.Fatalf("TakePopup = %v, %v", ok, err)
	}
	must.Do(s.T, popup.Painted("@7", "/dev/pts/7"))
	begun := s.ask("evil\x1b[2J\u202e” asks [red]", "/srv/\x1b]0;x\a/[red]", "[red]not red[-] \x1b[31m\n❯ forged", "[::b]bold?\x1b[2J", 50*time.Hour)
	must.Do(s.T, saveDraft(begun, machine.Draft{Version: 1, Entries: []string{"x", ""}}))
	newer := s.ask("later", "/srv/x", "Newer", "?", 100*time.Hour)
	must.Do(s.T, os.WriteFile(filepath.Join(s.dir, newer.ID, "request.json"), []byte(`{"version":99}`), 0o600))
	return s.read()
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string // what the screen is there for
		width, height int
		act           func(*stage)
	}{
		{"none", 34, 7, func(s *stage) { s.read() }},
		{"columns", 120, 24, func(s *stage) { s.several().press("Down") }},
		{"narrow", 62, 16, func(s *stage) { s.several().press("Down") }},
		{"small", 34, 7, func(s *stage) { s.several().press("Down") }},
		{"newer-format", 62, 16, func(s *stage) { s.several().press("Home") }},
		{"agent-gone", 80, 24, func(s *stage) { s.several().press("End").read() }},
		{"take-over", 62, 16, func(s *stage) { s.several().press("Down", "Down", "Enter") }},
		{"dismiss-small", 34, 7, func(s *stage) { s.several().press("Down", "d") }},
		{"filter", 62, 16, func(s *stage) { s.several().press("/", "shop").read() }},
		{"help", 80, 24, func(s *stage) { s.several().press("?") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.width, c.height)
			c.act(s)
			s.golden(c.name)
		})
	}
}

// The focus stays on its question whatever comes and goes around it, and goes to
// the one in its place when that goes.
func TestFocusStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	a := s.ask("a", "/srv", "First", "?", 3*time.Minute)
	b := s.ask("b", "/srv", "Second", "?", 2*time.Minute)
	s.ask("c", "/srv", "Third", "?", time.Minute)
	s.read().press("Down").shows("b asks")
	must.Do(t, a.Settle(form.Result{Outcome: form.Cancelled, By: "x", At: time.Now()}))
	s.ask("z", "/srv", "Earlier", "?", time.Hour)
	s.read().shows("3 waiting", "b asks").hides("First")
	must.Do(t, b.Settle(form.Result{Outcome: form.Cancelled, By: "x", At: time.Now()}))
	s.read().shows("2 waiting", "c asks")
	s.press("Home").shows("z asks").press("Up").shows("z asks").press("End").shows("c asks")
}

// On a tiny screen what wants a yes stands below the question, and not over it.
func TestDismissOnATinyScreen(t *testing.T) {
	t.Parallel()
	s := newStage(t, 20, 5)
	s.ask("a", "/srv", "First", "First?", time.Minute)
	s.read().press("d").shows(">    1m  2 · First?", "Dismiss “First” of")
}

func TestDismissWants(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	e := s.ask("a", "/srv", "First", "?", time.Minute)
	s.read().press("d").shows("Dismiss “First” of a?").press("Enter", " ", "x", "q", "/").shows("Dismiss “First”")
	s.press("n").hides("Dismiss “First”")
	if _, ok, _ := e.Answer(); ok || s.gone {
		t.Fatal("it was dismissed without a yes")
	}
	s.press("d", "y").shows("Cancelled in the inbox: “First”.")
	if r, ok, err := e.Answer(); !ok || err != nil || r.Outcome != form.Cancelled || r.By != form.ByInbox {
		t.Errorf("the answer is %+v, %v, %v", r, ok, err)
	}
	// Somebody was first: theirs stands, and that is said.
	e = s.ask("a", "/srv", "Second", "?", time.Minute)
	s.read().press("d")
	must.Do(t, e.Settle(form.Result{Outcome: form.Answered, By: "popup", At: time.Now()}))
	s.press("y").shows("Answered in the popup: “Second”.")
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	s.ask("a", "/srv", "First", "?", time.Minute)
	s.read().press("Ctrl+O").shows("Its pane is not within reach from here.")
	s.press("/", "zzz").shows("/zzz", "No waiting question matches.").press("Backspace", "Backspace", "Backspace", "f").read().shows("1 of 1")
	s.v.PasteHandler()("ir\nst\x1b", func(tview.Primitive) {})
	s.read().shows("/fir st␛", "0 of 1").press("Ctrl+U").shows("1 waiting").press("Esc").shows("q quit")
	s.press("Esc")
	if !s.gone || s.left != nil {
		t.Error("Esc does not leave")
	}
	bound := map[string]bool{}
	for state, set := range map[string]func(){
		"list": func() {}, "filter typed": func() { s.v.Typing = true }, "filtered": func() { s.v.Typing, s.v.Filter = false, "x" },
		"asks": func() { s.v.ask(confirmation{}) },
	} {
		s.use(newView(s.v.Config))
		set()
		for _, b := range keys {
			for _, k := range b.Keys {
				if b.When(s.v) {
					if bound[state+k] {
						t.Errorf("%s: %s is bound twice", state, k)
					}
					bound[state+k] = true
				}
			}
		}
	}
}

func TestTinyScreensDoNotPanic(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	s.several()
	for _, keys := range [][]string{{"Down"}, {"d"}, {"Esc", "?"}, {"x", "/", "shop"}} {
		s.press(keys...)
		for width := 1; width <= 40; width += 3 {
			for height := 1; height <= 9; height++ {
				s.screen.SetSize(width, height)
				s.draw()
			}
		}
	}
}

// Many wait: what is on view is read and nothing else, until a filter wants all.
func TestMany(t *testing.T) {
	t.Parallel()
	s := newStage(t, 100, 30)
	many(t, s.spool, 100)
	s.read()
	s.shows("100 waiting", "question 0 ")
	if n := len(s.v.rows); n > 30 {
		t.Errorf("%d were read for a screen of 30 rows", n)
	}
	for range 100 {
		s.press("Down")
	}
	s.press("/", "question 99").read().shows("1 of 100", "question 99")
}

// many puts n questions into the spool, without their bridges.
func many(t testing.TB, s *spool.Spool, n int) {
	t.Helper()
	begin := time.Now().Add(-time.Duration(n) * time.Second)
	for i := range n {
		raw := fmt.Appendf(nil, request, `"Which"`, inJSON(fmt.Sprintf("question %d ", i)))
		_, f, err := dialect.Decode("question", raw)
		must.Do(t, err)
		e, err := s.Create(spool.Request{Form: f, Raw: raw, Origin: spool.Origin{Agent: "a", Cwd: "/srv", Host: "tmux", Start: begin.Add(time.Duration(i) * time.Second)}})
		must.Do(t, err)
		must.Do(t, e.Close())
	}
}

// The whole inbox, in tview's loop: what comes, changes and goes shows by itself,
// and it leaves nothing running.
func TestRun(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	ended := make(chan error, 1)
	app := display.NewApp(s.screen, s.v)
	go func() {
		_, err := s.v.run(context.Background(), app)
		ended <- err
	}()
	until := func(text string) {
		t.Helper()
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		late, last := time.After(30*time.Second), ""
		for {
			seen := make(chan string, 1) // read in the event loop, between two drawings
			go app.QueueUpdate(func() { seen <- s.text() })
			select {
			case last = <-seen:
				if strings.Contains(last, text) {
					return
				}
				<-tick.C
			case <-late:
				t.Fatalf("no %q on\n%s", text, last)
			}
		}
	}
	until("0 waiting")
	e := s.ask("claude", "/srv", "First", "?", time.Minute)
	until("claude asks")
	must.Do(t, saveDraft(e, machine.Draft{Version: 1, Entries: []string{"x", ""}}))
	until("draft begun")
	must.Do(t, e.StopWaiting())
	until("agent gone")
	other := s.ask("codex", "/srv", "Second", "?", 0)
	until("2 waiting")
	must.Do(t, other.Settle(form.Result{Outcome: form.Cancelled, By: "x", At: time.Now()}))
	until("1 waiting")
	s.screen.InjectKey(tcell.KeyRune, '/', 0)
	s.screen.InjectKey(tcell.KeyRune, 'z', 0)
	until("0 of 1")
	s.screen.InjectKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end")
	}
}
