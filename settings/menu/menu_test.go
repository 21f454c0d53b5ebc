package menu

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/settings"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	globalFile  = ".config/askpane/settings.json"
	projectFile = "src/shop/.askpane/settings.json"
)

var someFiles = map[string]string{
	globalFile:  `{"theme": "dark", "guardMs": 250, "onQuestionCommand": "notify-send \"askpane\" 'a question waits, and this is long enough to be cut'"}`,
	projectFile: `{"bellOnQuestion": false}`,
}

func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name          string // what the screen is there for
		width, height int
		act           func(*stage)
	}{
		{"list", 62, 16, func(*stage) {}},
		{"sources", 100, 24, func(s *stage) { s.press("p") }},
		{"search", 62, 16, func(s *stage) { s.press("/", "quiet") }},
		{"help", 80, 24, func(s *stage) { s.to("guardMs").press("?") }},
		{"long-value", 62, 16, func(s *stage) { s.to("onQuestionCommand") }},
		{"typing", 100, 24, func(s *stage) { s.to("idleSeconds").press("Enter") }},
		{"typing-small", 34, 7, func(s *stage) { s.to("idleSeconds").press("Enter") }},
		{"typing-wrong", 62, 16, func(s *stage) { s.to("idleSeconds").press("Enter", "0000") }},
		{"global", 62, 16, func(s *stage) { s.to("trustedProjects") }},
		{"forbidden", 100, 24, func(s *stage) { s.to("onQuestionCommand").press("p", "Enter") }},
		{"forbidden-small", 34, 7, func(s *stage) { s.to("guardMs").press("p", "Enter") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, someFiles, c.width, c.height)
			c.act(s)
			s.golden(c.name)
		})
	}
}

// On a tiny screen what went wrong stands below the row in focus, and not over it.
func TestNoticeOnATinyScreen(t *testing.T) {
	s := newStage(t, nil, 20, 5).to("guardMs").press("d").shows("> Ignor… 400 ms\n This file does no…")
	s.press("Enter", "99999", "Enter").shows("> 40099999\n expected a whole …")
}

func TestChanges(t *testing.T) {
	s := newStage(t, nil, 80, 24)
	s.to("bellOnQuestion").press("Enter").shows("off").file(globalFile, "{\n  \"bellOnQuestion\": false\n}\n")
	s.press(" ").file(globalFile, "{\n  \"bellOnQuestion\": true\n}\n")
	s.press("d").file(globalFile, "{}\n").press("Delete").shows("This file does not set it.")
	s.to("theme").press("Enter").shows("dark").press("Enter").shows("light").file(globalFile, "{\n  \"theme\": \"light\"\n}\n").press("d")
	s.to("host").press("Enter").shows("tmux").press("Enter", "Enter").file(globalFile, "{\n  \"host\": \"auto\"\n}\n").press("d")
	s.to("idleSeconds").press("Enter", "Ctrl+U", "9999", "Enter").shows("expected a whole number from 0 to 3600, got \"9999\"").file(globalFile, "{}\n")
	s.press("Ctrl+U", "12", "Enter").shows("12 s").file(globalFile, "{\n  \"idleSeconds\": 12\n}\n")
	s.press("Enter", "3", "Esc").shows("12 s").file(globalFile, "{\n  \"idleSeconds\": 12\n}\n").press("d")
	s.to("reminderMinutes").press("Enter", "5, 15", "Enter").shows("5, 15 min").file(globalFile, "{\n  \"reminderMinutes\": [5,15]\n}\n").press("d")
	if _, err := os.Stat(filepath.Join(s.home, projectFile)); err == nil {
		t.Error("the other file was made")
	}
	// p chooses the file, and letters are letters while something is typed.
	s.press("p").shows("Project’s file (p: your own): ~/" + projectFile).to("chain").press("Enter")
	s.file(projectFile, "{\n  \"chain\": false\n}\n").file(globalFile, "{}\n")
	s.press("p").shows("Your own file (p: project): ~/"+globalFile).to("onQuestionCommand").press("Enter", "dig pq", "Enter")
	s.file(globalFile, "{\n  \"onQuestionCommand\": \"dig pq\"\n}\n")
	if s.left {
		t.Error("it was left")
	}
	s.press("Esc")
	if !s.left {
		t.Error("Esc does not leave")
	}
}

// What is typed after / is looked for in names and in what is said of a setting.
func TestSearch(t *testing.T) {
	s := newStage(t, nil, 100, 24)
	s.press("/", "QUIETx").shows("No setting has that").press("Enter", "Enter", "d", "?").press("/", "Backspace").shows("Quiet hours")
	if len(s.v.Items) != 1 {
		t.Errorf("%d settings have it", len(s.v.Items))
	}
	s.press("Enter", "Enter", "22-7", "Enter").file(globalFile, "{\n  \"quietHours\": \"22-7\"\n}\n")
	s.press("Esc").shows("Reminders after")
	if s.v.field().Name != "quietHours" {
		t.Errorf("%s has the focus", s.v.field().Name)
	}
	for _, typed := range []string{"guardMs", "ignores keys", "Looks"} {
		if s.press("/", "Ctrl+U", typed, "Enter"); len(s.v.Items) == 0 {
			t.Errorf("nothing has %q", typed)
		}
	}
	if s.left {
		t.Error("it was left")
	}
}

// Every setting on the list has an effect, a name for people and its help.
func TestEveryRow(t *testing.T) {
	s := newStage(t, nil, 80, 40)
	if len(s.v.Items) < 28 {
		t.Fatalf("%d settings are listed", len(s.v.Items))
	}
	for i, f := range s.v.fields {
		if f.Label == f.Name {
			t.Errorf("%s: label %q", f.Name, f.Label)
		}
		s.v.Row = i
		s.press("?").shows(f.Label).shows("askpane settings set it is " + f.Name).shows("any key goes back").press("Enter")
		if s.v.Help {
			t.Fatal("the help stays")
		}
	}
}

func TestWhatIsOverruled(t *testing.T) {
	s := newStage(t, map[string]string{projectFile: `{"idleSeconds": 5}`}, 80, 24)
	t.Setenv("ASKPANE_BELL_ON_QUESTION", "true")
	s.to("bellOnQuestion").press("p", "Enter").file(projectFile, "{\"idleSeconds\": 5, \"bellOnQuestion\": false}")
	s.shows("Written, but it stays on here: ASKPANE_BELL_ON_QUESTION says so.")
	s.press("p").to("idleSeconds").press("Enter", "0", "Enter").file(globalFile, "{\n  \"idleSeconds\": 50\n}\n")
	s.shows("Written, but it stays 5 s here: the project file says so.")
}

// Enter goes on among what the file may say, and a list is typed.
func TestChoices(t *testing.T) {
	s := newStage(t, map[string]string{globalFile: "{}\n"}, 80, 24)
	s.to("chatWhen").press("p", "Enter").file(projectFile, "{\n  \"chatWhen\": \"never\"\n}\n")
	s.press("Enter").file(projectFile, "{\n  \"chatWhen\": \"away\"\n}\n")
	s.press("Enter").file(projectFile, "{\n  \"chatWhen\": \"never\"\n}\n").press("p")
	s.to("permissionSurfaces").press("Enter").shows("some of popup, inbox, page, answer, machines").press("Ctrl+U", "popup, page", "Enter")
	s.file(globalFile, "{\n  \"permissionSurfaces\": [\"popup\",\"page\"]\n}\n")
}

func TestWithoutAProject(t *testing.T) {
	s := newStage(t, nil, 80, 24)
	s.v = newView(Config{Dir: s.home})
	s.draw()
	s.shows("Your own file").press("p").shows("there is no project").shows("Your own file")
}

func TestFilesWithProblems(t *testing.T) {
	s := newStage(t, map[string]string{projectFile: "{\n \"guardMs\": 1,\n}", globalFile: `{"idleSeconds": -1}`}, 100, 24)
	s.shows("(2 problems)").to("idleSeconds").shows("expected a whole number from 0 to 3600, got -1; ignored")
	s.press("p", "Enter", "Ctrl+U", "7", "Enter").file(projectFile, "{\n \"guardMs\": 1,\n}")
	if words := strings.Join(strings.Fields(s.text()), " "); !strings.Contains(words, "mend it first") { // wherever the path has a line end
		t.Errorf("no word of mending on\n%s", s.text())
	}
	s.press("p", "Enter", "Ctrl+U", "7", "Enter").shows("(1 problem)").file(globalFile, `{"idleSeconds": 7}`)
}

// What a file holds cannot act on the terminal, nor be markup.
func TestHostileValues(t *testing.T) {
	s := newStage(t, map[string]string{projectFile: `{"ttsCommand": "x", "\u001b[2J[red]": 1, "quietHours": "\u202e[red]"}`,
		globalFile: `{"ttsCommand": "[red]a\u202eb[-]"}`}, 100, 24)
	for _, name := range []string{"ttsCommand", "quietHours", "guardMs"} {
		s.to(name)
		for _, row := range s.rows() {
			if text.Visible(row) != row {
				t.Errorf("row %q holds what should not be drawn", row)
			}
		}
	}
	s.to("ttsCommand").shows("[red]a⟨U+202E⟩b[-]")
}

func TestMouse(t *testing.T) {
	s := newStage(t, nil, 80, 24)
	mouse := func(action tview.MouseAction, text string) {
		t.Helper()
		for y, row := range s.rows() {
			if before, _, ok := strings.Cut(row, text); ok {
				s.v.MouseHandler()(action, tcell.NewEventMouse(cells.Width(before), y, tcell.Button1, 0), func(tview.Primitive) {})
				s.draw()
				return
			}
		}
		t.Fatalf("there is no %q on\n%s", text, s.text())
	}
	mouse(tview.MouseLeftClick, "Bell  ")
	s.shows("ring the terminal's bell")
	mouse(tview.MouseLeftDoubleClick, "Bell  ")
	s.file(globalFile, "{\n  \"bellOnQuestion\": false\n}\n")
	mouse(tview.MouseLeftDoubleClick, "Bell  ") // of a click that has changed it
	s.file(globalFile, "{\n  \"bellOnQuestion\": false\n}\n")
	mouse(tview.MouseLeftClick, "Enter change") // in the footer
	s.file(globalFile, "{\n  \"bellOnQuestion\": true\n}\n")
}

func TestTinyScreensDoNotPanic(t *testing.T) {
	s := newStage(t, someFiles, 80, 24)
	s.to("ttsCommand").press("Enter", "some text")
	for width := 1; width <= 24; width++ {
		for height := 1; height <= 8; height++ {
			s.screen.SetSize(width, height)
			s.draw()
		}
	}
	s.screen.SetSize(80, 24)
	s.draw()
	s.shows("some text")
}

func TestNoColour(t *testing.T) {
	s := newStage(t, someFiles, 62, 16)
	s.to("idleSeconds").press("Enter", "0000")
	before := s.text()
	t.Setenv("NO_COLOR", "1")
	s.draw()
	if s.text() != before {
		t.Errorf("NO_COLOR changes the text:\n%s\nwas\n%s", s.text(), before)
	}
	for y := range 16 {
		for x := range 62 {
			_, style, _ := s.screen.Get(x, y)
			if fg, bg, _ := style.Decompose(); fg != tcell.ColorDefault || bg != tcell.ColorDefault {
				t.Fatalf("colour %v on %v at %d,%d", fg, bg, x, y)
			}
		}
	}
}

// The whole menu, in tview's loop: another's change shows while it is open,
// and it leaves nothing running.
func TestRun(t *testing.T) {
	home, repo := newHome(t, map[string]string{globalFile: `{"debounceMs": 0}`})
	screen := newScreen(t, 80, 24)
	ended := make(chan error)
	v := newView(Config{Dir: repo, Hosts: []string{"auto"}})
	app := display.NewApp(screen, v)
	go func() { ended <- v.run(context.Background(), app) }()
	s := &stage{T: t, home: home, screen: screen}
	until := func(text string) {
		t.Helper()
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
			there := false
			app.QueueUpdate(func() { there = strings.Contains(s.text(), text) })
			if there {
				return
			}
		}
		t.Fatalf("%q never shows", text)
	}
	until("Your own file")
	global, err := settings.Writable(repo, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := global.Set("guardMs", "1234"); err != nil {
		t.Fatal(err)
	}
	until("1234")
	screen.InjectKey(tcell.KeyRune, 'q', 0)
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("q does not end it")
	}
	s.file(globalFile, `{"debounceMs": 0, "guardMs": 1234}`)
}

func TestRunEndsWithItsContext(t *testing.T) {
	_, repo := newHome(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	v := newView(Config{Dir: repo})
	go func() { ended <- v.run(ctx, display.NewApp(newScreen(t, 80, 24), v)) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on")
	}
}

func TestNoTerminal(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if err := Run(context.Background(), Config{}); err != ErrNoTerminal {
		t.Errorf("%v", err)
	}
}
