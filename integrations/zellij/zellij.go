// Package zellij opens popups in zellij, 0.44.1 and later, as floating panes.
//
// It runs the zellij command and nothing else. The rule that must hold here:
// the only words on a zellij command line are ours, ids, paths and settings,
// and the title that Mark is given, each a word of its own.
//
// What is said of zellij here was measured with 0.45.1.
package zellij

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/tty"
)

func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "zellij", paneID, []string{"ZELLIJ_SESSION_NAME", "ZELLIJ"}, func(env adapter.Environment, pane string) (adapter.Found, error) {
		return inside(env, pane), adapter.Installed("zellij")
	})
}

// anywhere finds every session of this user's. zellij does not say when somebody was active in
// one: the newest of all its clients' counts for each. No pane asks, so the popup's bell rings.
func anywhere([]string) (finds []func(context.Context) (host.Host, error)) {
	for _, socket := range sockets(os.Getenv) {
		if info, err := os.Stat(socket); err != nil || info.Mode()&fs.ModeSocket == 0 || filepath.Base(socket) == "web_server_bus" {
			continue
		}
		s := newSession(filepath.Base(socket), "", filepath.Dir(filepath.Dir(socket)))
		s.FindViewer = func(ctx context.Context) (v host.Viewer, err error) {
			if v, err = s.findViewer(ctx); err == nil {
				v.Active = typed(ctx, "zellij")
			}
			return v, err
		}
		s.Device = func(ctx context.Context, popup func(string) int) (string, error) {
			v, err := s.findViewer(ctx)
			if err != nil || popup == nil {
				return "", cmp.Or(err, errors.New("zellij does not say which terminal it is shown on"))
			}
			return tty.Of(popup(v.ID))
		}
		finds = append(finds, func(context.Context) (host.Host, error) { return s, adapter.Installed("zellij") })
	}
	return finds
}

// sockets lists what may be those of sessions, by where an environment has zellij put them.
func sockets(env adapter.Environment) (all []string) {
	own := fmt.Sprintf("/zellij-%d", os.Getuid())
	dirs := []string{env(socketDir), env("XDG_RUNTIME_DIR") + "/zellij", fmt.Sprintf("/run/user/%d/zellij", os.Getuid()), env("TMPDIR") + own, "/tmp" + own}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		all = append(all, adapter.Sockets(dir, `contract_version_*/[^\-]*`)...)
	}
	return all
}

// nameNow returns the session's name in the environment of one of its panes; where it got another since, that of the
// socket at which the server listens that this process has come from.
func nameNow(env adapter.Environment) string {
	name, all := env("ZELLIJ_SESSION_NAME"), sockets(env)
	if !slices.ContainsFunc(all, func(socket string) bool { return filepath.Base(socket) == name }) {
		for _, socket := range all {
			if process.Depth(process.Line(), process.Server(socket)) >= 0 {
				return filepath.Base(socket)
			}
		}
	}
	return name
}

// typed returns the time at which something was last typed at a terminal of this user's that
// a program with name in its name runs on, which the kernel tells in steps of eight seconds;
// zero where that is not known.
func typed(ctx context.Context, name string) (last time.Time) {
	out, _ := adapter.Command(ctx, "ps", "-A", "-o", "tty=,comm=").Output()
	for line := range strings.Lines(string(out)) {
		terminal, program, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.Contains(program, name) {
			continue
		}
		if read := tty.LastRead("/dev/" + terminal); read.After(last) {
			last = read
		}
	}
	return last
}

// paneID names the variable with the number of a pane.
const paneID = "ZELLIJ_PANE_ID"

// inside returns the session in an environment, with the pane that has that number.
func inside(env adapter.Environment, pane string) *session {
	if pane != "" {
		pane = "terminal_" + pane
	}
	s := newSession(nameNow(env), pane, env(socketDir))
	for _, place := range []string{"XDG_RUNTIME_DIR", "TMPDIR"} {
		if dir := env(place); dir != "" {
			s.places = append(s.places, place+"="+dir)
		}
	}
	s.waking.Store(pane != "")
	return s
}

// newSession calls it session:pane in words, with the number in $ZELLIJ_PANE_ID; a popup
// finds the pane again by it, the directory of the sockets where one is set, and the
// session, which may have blanks in its name.
func newSession(name, pane, dir string) *session {
	s := &session{bin: "zellij", name: name, pane: pane}
	if dir != "" {
		s.places = []string{socketDir + "=" + dir}
	}
	s.Titled = adapter.Titled{
		Pane:     adapter.Pane{Program: "zellij", Words: name, FindViewer: s.findViewer, Device: adapter.Own},
		Title:    func(ctx context.Context) (string, error) { return s.title(ctx, pane) },
		SetTitle: s.setTitle,
	}
	if dir == "" || strings.Contains(dir, " ") {
		dir = "-"
	}
	if pane != "" {
		s.Words, s.Ref = name+":"+strings.TrimPrefix(pane, "terminal_"), pane+" "+dir+" "+name
	}
	return s
}

const socketDir = "ZELLIJ_SOCKET_DIR"

func (s *session) Kind() *host.Kind { return &Kind }

func (s *session) Shares() string { return strings.Join(s.places, " ") + " " + s.name }

// tab holds what list-tabs says of a tab.
type tab struct {
	ID      int `json:"tab_id"`
	Name    string
	Active  bool `json:"active"`           // a client looks at it; false everywhere when nobody is attached
	Columns int  `json:"viewport_columns"` // without the bars
	Rows    int  `json:"viewport_rows"`
}

// findViewer finds the tab that a client looks at, and how many cells it has for panes.
// Which client zellij does not tell, and no command can name one; what is opened goes to
// the one used last.
func (s *session) findViewer(ctx context.Context) (host.Viewer, error) {
	var tabs []tab
	if err := s.list(ctx, &tabs, "list-tabs"); err != nil {
		return host.Viewer{}, err
	}
	return s.viewer(tabs)
}

func (s *session) viewer(tabs []tab) (host.Viewer, error) {
	for _, t := range tabs {
		if !t.Active {
			continue
		}
		v := host.Viewer{ID: fmt.Sprintf("%s tab %d", s.name, t.ID), Width: t.Columns, Height: t.Rows, Grows: true}
		if below, ok := strings.CutPrefix(t.Name, formTab); ok && adapter.Number(below) {
			v.ID = s.name + " tab " + below // what is asked now waits in line there
		}
		return v, nil
	}
	// A pane can be opened all the same, but in the first tab, where the person
	// may not be when they come.
	return host.Viewer{}, fmt.Errorf("%w to the zellij session %s", host.ErrNoViewer, s.name)
}

// zellij makes a floating pane half as large as the tab, then as large as was asked for. Where half of it is less than 5 rows or columns it starts the
// program, says so, and shows it nowhere; so it does with --in-place.
const leastFloating = 10

// formTab begins the name of a tab that is a form's; after it comes the ID of the
// tab that it was opened over. tabLayout is that of a tab of one pane and no bars,
// which are of no use on so few rows.
const (
	formTab   = "askpane over tab "
	tabLayout = "layout { pane borderless=true; }"
)

// runArgs makes the zellij command line that opens argv as a popup: in a floating
// pane, or in a tab of its own. It takes no environment; argv sees to that.
func runArgs(v host.Viewer, cmd host.Command, argv []string) []string {
	if v.Width < leastFloating || v.Height < leastFloating {
		below := v.ID[strings.LastIndex(v.ID, " ")+1:]
		return append([]string{"action", "new-tab", "--close-on-exit", "--name", formTab + below, "--layout-string", tabLayout, "--"}, argv...)
	}
	// Without --close-on-exit the pane stays and Enter runs the program again.
	args := []string{"run", "--floating", "--close-on-exit", "--name", "askpane"}
	if v.Small() {
		args = append(args, "--borderless", "true", "-x", "0", "-y", "0", "--width", "100%", "--height", "100%")
	} else {
		x, y, width, height := adapter.Box(v, cmd.Size)
		args = append(args, "-x", x, "-y", y, "--width", width, "--height", height)
	}
	return append(append(args, "--"), argv...)
}

// Open opens a floating pane, or a tab where that is too small for one. zellij focuses it and shows the layer that it is in, however many others are there, so
// that there is no busy viewer.
func (s *session) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		_, err := s.run(ctx, runArgs(v, cmd, argv)...)
		return err
	})
}

// resize is host.Kind's Resize, for a form in a floating pane. One that is in a tab of
// its own has no place to be resized in, and zellij says so.
func resize(ctx context.Context, size host.Size) error {
	s := inside(os.Getenv, os.Getenv(paneID))
	v, err := s.findViewer(ctx)
	if err != nil || v.Small() {
		return err
	}
	x, y, width, height := adapter.Box(v, size)
	_, err = s.run(ctx, "action", "change-floating-pane-coordinates", "--pane-id", s.pane, "-x", x, "-y", y, "--width", width, "--height", height)
	return err
}

// setTitle gives the asking pane a name, which covers the title that the program in it
// sets.
func (s *session) setTitle(ctx context.Context, title string) error {
	args := []string{"action", "rename-pane", "--pane-id", s.pane, "--", title}
	if title == "" {
		args = []string{"action", "undo-rename-pane", "--pane-id", s.pane}
	}
	_, err := s.run(ctx, args...)
	return err
}

// title asks for what zellij shows as a pane's title.
func (s *session) title(ctx context.Context, pane string) (string, error) {
	var panes []struct {
		ID     int
		Plugin bool `json:"is_plugin"`
		Title  string
	}
	err := s.list(ctx, &panes, "list-panes")
	for _, p := range panes {
		if !p.Plugin && fmt.Sprintf("terminal_%d", p.ID) == pane {
			return p.Title, nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("zellij: the pane %s is not there any more", pane))
}

func findPane(ref string) host.Pane {
	// the pane, the directory of the sockets or -, and the session
	f := regexp.MustCompile(`^(terminal_[0-9]{1,9}) (-|/[^ ]*) ([^-].*)$`).FindStringSubmatch(ref)
	if f == nil || adapter.Installed("zellij") != nil {
		return nil
	}
	return newSession(f[3], f[1], strings.TrimPrefix(f[2], "-"))
}

func (s *session) Screen(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, "dump-screen", "--full", "--pane-id", s.pane)
	return host.Last(out), err
}

// GoTo moves the client that was used last; no command can name one. It goes to the pane's
// tab and, where the pane is none of them, hides the floating ones.
func (s *session) GoTo(ctx context.Context, _ string) error {
	_, err := s.run(ctx, "action", "focus-pane-id", s.pane)
	return err
}

var Kind = host.Kind{
	Name: "zellij", Find: find, Anywhere: anywhere, Process: "zellij", Pane: findPane, Quirks: quirks, Resize: resize, Setup: &setup, Coarse: true,
	Version: []string{"zellij", "--version"}, Env: []string{"ZELLIJ", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID"}, Attach: "zellij attach",
}

// In a pane zellij (0.45.1, as it is set up at first) keeps keys for itself; these are
// those that a form could use at all. While it is locked it hands them on; nothing tells
// whether it is. Its panes have frames.
var quirks = []host.Quirks{{On: "ZELLIJ", Framed: true, Keeps: []string{"Ctrl+B", "Ctrl+G", "Ctrl+N", "Ctrl+O", "Ctrl+P", "Ctrl+Q", "Ctrl+S", "Ctrl+T"}}}

// setup takes Alt-a and Alt-Shift-a. zellij reads only the first keybinds block of
// its file.
var setup = host.Setup{
	What: "keys", Comment: "//", Oldest: func() string { return "Alt+a" }, Inbox: "Alt+A",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		return filepath.Join(host.Dir(home, env("ZELLIJ_CONFIG_DIR"), ".config", "zellij"), "config.kdl")
	},
	Lines: func(binary string) string {
		bind := func(key, command string) string {
			return fmt.Sprintf("        bind %s {\n            Run %s %s {\n                floating true\n                close_on_exit true\n            }\n        }\n",
				hint.JSON(key), hint.JSON(binary), hint.JSON(command))
		}
		return "keybinds {\n    shared_except \"locked\" {\n" + bind("Alt a", "next") + bind("Alt A", "inbox") + "    }\n}\n"
	},
	Fit: func(content []byte, lines string) (int, string, error) {
		if regexp.MustCompile(`(?m)^\s*keybinds\b`).Match(content) {
			return 0, "", errors.New("there is a keybinds block, and zellij reads only one; put what stands inside the one that `askpane install zellij` shows into yours")
		}
		return len(content), lines, nil
	},
}
