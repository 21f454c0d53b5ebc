package popup

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/render"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/tests/golden"
)

// stage is a form on a screen that is only simulated.
type stage struct {
	*testing.T
	screen tcell.SimulationScreen
	view   *view
	m      *machine.Machine
	st     scene.Status
	asked  []string // what the view has asked for
	closed int      // how often the person has closed it, where it is only read
}

// origin is who asks on every screen here.
var origin = spool.Origin{Agent: "claude", Cwd: "/srv/shop", Host: "tmux", Pane: "main:2.1"}

// newStage shows a request, or what draft left of it, in width by height cells.
func newStage(t *testing.T, request string, draft *machine.Draft, width, height int) *stage {
	t.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	s := stageWith(t, f, draft)
	s.resize(width, height)
	return s
}

// stageOf shows a form.
func stageOf(t *testing.T, f form.Form) *stage {
	t.Helper()
	s := stageWith(t, f, nil)
	s.resize(80, 24)
	return s
}

func stageWith(t *testing.T, f form.Form, draft *machine.Draft) *stage {
	t.Helper()
	s := &stage{T: t, screen: tcell.NewSimulationScreen("UTF-8"), m: machine.New(&f, draft, true)}
	if err := s.screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.screen.Fini)
	s.st = scene.Status{Agent: origin.Agent, Cwd: origin.Cwd, Pane: origin.Pane, Waited: 65 * time.Second}
	s.view = newView(s.m, display.ThemeOf("auto", nil))
	s.view.owner = s.owner()
	s.view.previews = rendered{}.Rows
	s.view.Focus(nil)
	return s
}

// owner does what a session would, at once.
func (s *stage) owner() owner {
	asks := func(what string) func() { return func() { s.asked = append(s.asked, what) } }
	return owner{
		status: func() scene.Status { return s.st }, take: s.m.Handle, counts: func(string, bool, bool) bool { return s.m.Mode() != machine.Over },
		fit: asks("its size"), roomAgain: asks("a guard"), goThere: asks("the pane"), openPage: asks("the page"), putAside: asks("the list"),
		lookThere: func() { s.view.showPeek(s.view.pane.Screen(s.Context())) },
		suspend: func(run func()) bool {
			asks("the editor")()
			run()
			return true
		},
	}
}

// rendered gives previews as they are when cmd/askpane-preview has answered.
type rendered struct{}

func (rendered) Rows(p form.Preview, width int) []styled.Row {
	return render.Rows(p.Type, text.Visible(p.Content), width)
}

func (s *stage) resize(width, height int) {
	s.screen.SetSize(width, height)
	s.view.SetRect(0, 0, width, height)
	s.draw()
}

func (s *stage) draw() {
	s.screen.Clear()
	s.view.Draw(s.screen)
	s.screen.Show()
}

var keysByName = map[string]*tcell.EventKey{
	"Enter": tcell.NewEventKey(tcell.KeyEnter, 0, 0), "Esc": tcell.NewEventKey(tcell.KeyEscape, 0, 0),
	"Up": tcell.NewEventKey(tcell.KeyUp, 0, 0), "Down": tcell.NewEventKey(tcell.KeyDown, 0, 0),
	"Left": tcell.NewEventKey(tcell.KeyLeft, 0, 0), "Right": tcell.NewEventKey(tcell.KeyRight, 0, 0),
	"Tab": tcell.NewEventKey(tcell.KeyTab, 0, 0), "Shift+Tab": tcell.NewEventKey(tcell.KeyBacktab, 0, 0),
	"Home": tcell.NewEventKey(tcell.KeyHome, 0, 0), "End": tcell.NewEventKey(tcell.KeyEnd, 0, 0),
	"PgUp": tcell.NewEventKey(tcell.KeyPgUp, 0, 0), "PgDn": tcell.NewEventKey(tcell.KeyPgDn, 0, 0),
	"F1":     tcell.NewEventKey(tcell.KeyF1, 0, 0),
	"Ctrl+C": tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl), "Ctrl+J": tcell.NewEventKey(tcell.KeyCtrlJ, 0, tcell.ModCtrl),
	"Alt+Enter":   tcell.NewEventKey(tcell.KeyRune, 'm', tcell.ModAlt|tcell.ModCtrl),
	"Shift+Enter": tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModShift),
	"Ctrl+X":      tcell.NewEventKey(tcell.KeyCtrlX, 0, tcell.ModCtrl),
	"Ctrl+R":      tcell.NewEventKey(tcell.KeyCtrlR, 0, tcell.ModCtrl),
	"Ctrl+G":      tcell.NewEventKey(tcell.KeyCtrlG, 0, tcell.ModCtrl),
	"Ctrl+U":      tcell.NewEventKey(tcell.KeyCtrlU, 0, tcell.ModCtrl),
	"Ctrl+P":      tcell.NewEventKey(tcell.KeyCtrlP, 0, tcell.ModCtrl),
	"Ctrl+O":      tcell.NewEventKey(tcell.KeyCtrlO, 0, tcell.ModCtrl),
	"Ctrl+N":      tcell.NewEventKey(tcell.KeyCtrlN, 0, tcell.ModCtrl),
	"Ctrl+B":      tcell.NewEventKey(tcell.KeyCtrlB, 0, tcell.ModCtrl),
	"Ctrl+A":      tcell.NewEventKey(tcell.KeyCtrlA, 0, tcell.ModCtrl),
	"Ctrl+F":      tcell.NewEventKey(tcell.KeyCtrlF, 0, tcell.ModCtrl),
	"Ctrl+K":      tcell.NewEventKey(tcell.KeyCtrlK, 0, tcell.ModCtrl),
	"Ctrl+L":      tcell.NewEventKey(tcell.KeyCtrlL, 0, tcell.ModCtrl),
	"Ctrl+W":      tcell.NewEventKey(tcell.KeyCtrlW, 0, tcell.ModCtrl),
	"Ctrl+Y":      tcell.NewEventKey(tcell.KeyCtrlY, 0, tcell.ModCtrl),
	"Ctrl+_":      tcell.NewEventKey(tcell.KeyCtrlUnderscore, 0, tcell.ModCtrl),
	"Ctrl+/":      tcell.NewEventKey(tcell.KeyRune, '/', tcell.ModCtrl),
	"Alt+b":       tcell.NewEventKey(tcell.KeyRune, 'b', tcell.ModAlt),
	"Alt+d":       tcell.NewEventKey(tcell.KeyRune, 'd', tcell.ModAlt),
	"Alt+e":       tcell.NewEventKey(tcell.KeyRune, 'e', tcell.ModAlt),
	"Alt+f":       tcell.NewEventKey(tcell.KeyRune, 'f', tcell.ModAlt),
	"Alt+Back":    tcell.NewEventKey(tcell.KeyBackspace2, 0, tcell.ModAlt),
	"Alt+2":       tcell.NewEventKey(tcell.KeyRune, '2', tcell.ModAlt),
	"Alt+c":       tcell.NewEventKey(tcell.KeyRune, 'c', tcell.ModAlt),
	"Alt+u":       tcell.NewEventKey(tcell.KeyRune, 'u', tcell.ModAlt),
	"Space":       tcell.NewEventKey(tcell.KeyRune, ' ', 0),
	"Backspace":   tcell.NewEventKey(tcell.KeyBackspace, 0, 0),
}

// press gives keys by name; a text that is no name is typed rune by rune.
func (s *stage) press(names ...string) *stage {
	for _, name := range names {
		if e, ok := keysByName[name]; ok {
			s.view.InputHandler()(e, nil)
			s.draw()
			continue
		}
		for _, r := range name {
			s.view.InputHandler()(tcell.NewEventKey(tcell.KeyRune, r, 0), nil)
		}
		s.draw()
	}
	return s
}

func (s *stage) paste(text string) *stage {
	s.view.PasteHandler()(text, func(tview.Primitive) {})
	s.draw()
	return s
}

// mouse does a mouse action on the cell where text begins.
func (s *stage) mouse(action tview.MouseAction, text string) *stage {
	s.Helper()
	for y, row := range s.rows() {
		if i := strings.Index(row, text); i >= 0 {
			x := cells.Width(row[:i])
			s.view.MouseHandler()(action, tcell.NewEventMouse(x, y, tcell.Button1, 0), func(tview.Primitive) {})
			s.draw()
			return s
		}
	}
	s.Fatalf("there is no %q on\n%s", text, s.text())
	return s
}

// rows is what stands on the screen, without blanks at the ends.
func (s *stage) rows() []string { return golden.Rows(s.screen) }

func (s *stage) text() string { return strings.Join(s.rows(), "\n") }

func (s *stage) shows(text string) {
	s.Helper()
	if !strings.Contains(s.text(), text) {
		s.Errorf("no %q on\n%s", text, s.text())
	}
}

func (s *stage) hides(text string) {
	s.Helper()
	if strings.Contains(s.text(), text) {
		s.Errorf("%q on\n%s", text, s.text())
	}
}

// at checks where the machine is.
func (s *stage) at(mode machine.Mode, step, cursor int) *stage {
	s.Helper()
	if s.m.Mode() != mode || s.m.Step() != step || s.m.Cursor() != cursor {
		s.Errorf("at %s %d.%d, want %s %d.%d", s.m.Mode(), s.m.Step(), s.m.Cursor(), mode, step, cursor)
	}
	return s
}

// answered checks how the form ended.
func (s *stage) answered(want ...form.Answer) {
	s.Helper()
	r, over := s.m.Result()
	got, _ := json.Marshal(r.Answers)
	wanted, _ := json.Marshal(want)
	if !over || r.Outcome != form.Answered || string(got) != string(wanted) {
		s.Errorf("ended as %q (%v) with %s, want %s", r.Outcome, over, got, wanted)
	}
}

// golden compares the screen with its file: the text in a frame, the cursor's
// place, and, where marked, below it which cells stand out (see mark).
func (s *stage) golden(name string, marked bool) {
	s.Helper()
	width, height := s.screen.Size()
	var b strings.Builder
	b.WriteString(golden.Frame(s.screen))
	if marked {
		b.WriteString("B bold, d dim, c colour, C bold and colour, r reverse, u underlined\n")
	}
	for y := 0; marked && y < height; y++ {
		var marks strings.Builder
		for x := range width {
			cluster, style, _ := s.screen.Get(x, y)
			marks.WriteByte(mark(cluster, style))
		}
		b.WriteString("|" + strings.TrimRight(marks.String(), " ") + "\n")
	}
	golden.Check(s, name, b.String())
}

// mark is one sign for how a cell stands out; a plain or empty one has none.
func mark(cluster string, style tcell.Style) byte {
	fg, bg, attr := style.Decompose()
	colour := fg != tcell.ColorDefault || bg != tcell.ColorDefault
	switch {
	case cluster == " " && attr&(tcell.AttrReverse|tcell.AttrUnderline) == 0 && bg == tcell.ColorDefault:
		return ' '
	case attr&tcell.AttrReverse != 0:
		return 'r'
	case attr&tcell.AttrUnderline != 0:
		return 'u'
	case attr&tcell.AttrBold != 0 && colour:
		return 'C'
	case attr&tcell.AttrBold != 0:
		return 'B'
	case colour:
		return 'c'
	case attr&tcell.AttrDim != 0:
		return 'd'
	}
	return ' '
}
