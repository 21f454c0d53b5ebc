package menu

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

var update = flag.Bool("update", false, "rewrite the golden screens in testdata/screens")

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

var keys = map[string]tcell.Key{"Enter": tcell.KeyEnter, "Esc": tcell.KeyEscape, "Up": tcell.KeyUp, "Down": tcell.KeyDown, "End": tcell.KeyEnd,
	"Home": tcell.KeyHome, "PgDn": tcell.KeyPgDn, "Left": tcell.KeyLeft, "Delete": tcell.KeyDelete, "Ctrl+U": tcell.KeyCtrlU}

// press gives keys by name; a text that is no name is typed rune by rune.
func (s *stage) press(names ...string) *stage {
	for _, name := range names {
		if k, ok := keys[name]; ok {
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
	for s.v.inside {
		s.press("Esc")
	}
	for i := range s.v.sections {
		s.v.row = i
		s.v.open()
		for j, f := range s.v.fields() {
			if f.Name == name {
				s.v.row = j
				s.draw()
				return s
			}
		}
		s.v.back()
	}
	s.Fatalf("there is no %s", name)
	return s
}

func (s *stage) rows() []string {
	width, height := s.screen.Size()
	rows := make([]string, height)
	for y := range height {
		var b strings.Builder
		for x := 0; x < width; {
			cluster, _, w := s.screen.Get(x, y)
			b.WriteString(cluster)
			x += max(1, w)
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

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
	width, height := s.screen.Size()
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d", width, height)
	if x, y, visible := s.screen.GetCursor(); visible {
		fmt.Fprintf(&b, ", cursor at column %d, row %d", x, y)
	}
	edge := strings.Repeat("─", width)
	b.WriteString("\n┌" + edge + "┐\n")
	for _, row := range s.rows() {
		b.WriteString("│" + row + strings.Repeat(" ", max(0, width-uniseg.StringWidth(row))) + "│\n")
	}
	b.WriteString("└" + edge + "┘\n")
	path := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			s.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		s.Fatalf("%v; run go test ./settings/menu -update and look at it", err)
	}
	if string(want) != b.String() {
		s.Errorf("the screen is not %s any more. It is\n%s\nand was\n%s", path, b.String(), want)
	}
}
