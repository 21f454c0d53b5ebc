package menu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/tests/golden"
)

// stage is the menu on a screen that is only simulated, of a person with a
// home of their own and a repository in it.
type stage struct {
	*testing.T
	home   string
	screen tcell.SimulationScreen
	v      *view
	left   bool
}

// newHome is a home with those files in it, and its repository.
func newHome(t *testing.T, files map[string]string) (home, repo string) {
	t.Helper()
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "ASKPANE_") {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("NO_COLOR", "")
	repo = filepath.Join(home, "src", "shop")
	if err := os.MkdirAll(filepath.Join(repo, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home, repo
}

func newScreen(t *testing.T, width, height int) tcell.SimulationScreen {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	screen.SetSize(width, height)
	return screen
}

func newStage(t *testing.T, files map[string]string, width, height int) *stage {
	t.Helper()
	home, repo := newHome(t, files)
	s := &stage{T: t, home: home, screen: newScreen(t, width, height)}
	t.Cleanup(s.screen.Fini)
	s.v = newView(Config{Dir: repo, Hosts: []string{"auto", "tmux", "plain"}})
	s.v.quit = func() { s.left = true }
	s.v.Focus(nil)
	s.draw()
	return s
}

func (s *stage) draw() {
	width, height := s.screen.Size()
	s.v.SetRect(0, 0, width, height)
	s.screen.Clear()
	s.v.Draw(s.screen)
	s.screen.Show()
}

var keyCodes = map[string]tcell.Key{"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Up": tcell.KeyUp, "Down": tcell.KeyDown, "End": tcell.KeyEnd,
	"Home": tcell.KeyHome, "Backspace": tcell.KeyBackspace2, "PgDn": tcell.KeyPgDn, "Left": tcell.KeyLeft, "Delete": tcell.KeyDelete, "Ctrl+U": tcell.KeyCtrlU}

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

// to goes to a setting, from wherever it is.
func (s *stage) to(name string) *stage {
	s.Helper()
	s.v.Over = nil
	s.v.ShowAll()
	for i, f := range s.v.fields {
		if f.Name == name {
			s.v.Row = i
			s.draw()
			return s
		}
	}
	s.Fatalf("there is no %s", name)
	return s
}

func (s *stage) rows() []string { return golden.Rows(s.screen) }

func (s *stage) text() string { return strings.Join(s.rows(), "\n") }

func (s *stage) shows(text string) *stage {
	s.Helper()
	if !strings.Contains(s.text(), text) {
		s.Errorf("no %q on\n%s", text, s.text())
	}
	return s
}

func (s *stage) file(name, want string) *stage {
	s.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, name))
	if string(data) != want {
		s.Errorf("%s is %q (%v), want %q", name, data, err, want)
	}
	return s
}

func (s *stage) golden(name string) {
	s.Helper()
	golden.Check(s, name, golden.Frame(s.screen))
}
