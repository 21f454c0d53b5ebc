// Package wezterm opens popups in wezterm as a split at the bottom of the pane
// that the person is in: wezterm has no floating panes
// (https://github.com/wezterm/wezterm/issues/270).
//
// It runs `wezterm cli` and nothing else. The rule that must hold here: the only
// words on its command line are ours, ids, paths and settings, and the title
// that Mark is given, each a word of its own.
//
// What is said of wezterm here was measured with 20250223-062404-4ff581a8 and
// its mux server; that has no window, so what a window shows was not seen.
package wezterm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// mux stands for the wezterm that this process runs in, with the asking pane in it.
type mux struct {
	adapter.Titled
	bin    string
	socket string // $WEZTERM_UNIX_SOCKET; empty is wezterm's own choice
	pane   string // its id; empty where it is not known
}

func newMux(bin, pane, socket string) *mux {
	m := &mux{bin: bin, socket: socket, pane: pane}
	m.Titled = adapter.Titled{Pane: adapter.Pane{Program: "wezterm", FindViewer: m.findViewer, Device: m.device}, Title: m.title, SetTitle: m.setTitle}
	if pane != "" {
		m.Words, m.Ref = "pane "+pane, strings.TrimSpace(pane+" "+socket)
	}
	return m
}

// client holds what list-clients says of a client.
type client struct {
	Idle    struct{ Secs, Nanos int64 } `json:"idle_time"`       // how long nothing was typed
	Focused *int                        `json:"focused_pane_id"` // null before it has shown any
}

func (c client) idle() time.Duration {
	return time.Duration(c.Idle.Secs)*time.Second + time.Duration(c.Idle.Nanos)
}

// pane holds what list says of a pane.
type pane struct {
	ID       int    `json:"pane_id"`
	TabTitle string `json:"tab_title"` // empty unless somebody has set it
	TTY      string `json:"tty_name"`
	Size     struct{ Rows, Cols int }
}

func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "wezterm", "WEZTERM_PANE", []string{"WEZTERM_PANE"}, func(env adapter.Environment, pane string) (adapter.Found, error) {
		bin, missing := binary(env)
		if missing != nil {
			return nil, fmt.Errorf("inside wezterm, but there is no wezterm command: %w", missing)
		}
		return newMux(bin, pane, env("WEZTERM_UNIX_SOCKET")), nil
	})
}

// binary finds the wezterm command: in PATH, or beside the wezterm that the pane
// is in, which an application that was only unpacked or dragged leaves out of it.
func binary(env adapter.Environment) (string, error) {
	bin, err := exec.LookPath("wezterm")
	if dir := env("WEZTERM_EXECUTABLE_DIR"); err != nil && filepath.IsAbs(dir) {
		return exec.LookPath(filepath.Join(dir, "wezterm"))
	}
	return bin, err
}

func (m *mux) Kind() *host.Kind { return &Kind }

func (m *mux) paneByID(ctx context.Context, id string) (pane, error) {
	var all []pane
	err := m.ask(ctx, &all, "list", "--format", "json")
	if i := slices.IndexFunc(all, func(p pane) bool { return strconv.Itoa(p.ID) == id }); i >= 0 {
		return all[i], nil
	}
	return pane{}, cmp.Or(err, fmt.Errorf("wezterm: pane %s is not there any more", id))
}

// findViewer finds the pane that the client used last has the focus in. One that has shown
// nothing yet does not count. A mux server without a window has no client: `wezterm cli` is
// none.
func (m *mux) findViewer(ctx context.Context) (host.Viewer, error) {
	var clients []client
	if err := m.ask(ctx, &clients, "list-clients", "--format", "json"); err != nil {
		return host.Viewer{}, err
	}
	asked := time.Now()
	clients = slices.DeleteFunc(clients, func(c client) bool { return c.Focused == nil })
	if len(clients) == 0 {
		return host.Viewer{}, fmt.Errorf("%w to wezterm", host.ErrNoViewer)
	}
	c := slices.MinFunc(clients, func(a, b client) int { return cmp.Compare(a.idle(), b.idle()) })
	p, err := m.paneByID(ctx, strconv.Itoa(*c.Focused))
	if err != nil { // it has just closed, and they look at another
		return host.Viewer{}, fmt.Errorf("%w to wezterm: %w", host.ErrNoViewer, err)
	}
	// What is typed into a form counts here: it is a pane as any other.
	return host.Viewer{ID: strconv.Itoa(p.ID), Width: p.Size.Cols, Height: p.Size.Rows, Active: asked.Add(-c.idle())}, nil
}

// share bounds a split to so many percent of the pane's rows; its width is the pane's.
const share = 40

// splitArgs makes the wezterm cli command line that opens argv.
func splitArgs(v host.Viewer, cmd host.Command, argv []string) []string {
	rows := max(1, min(cmd.Size.Rows, v.Height*cmd.Size.Height/100, v.Height*share/100))
	return append([]string{"split-pane", "--pane-id", v.ID, "--bottom", "--cells", strconv.Itoa(rows), "--"}, argv...)
}

// zoomed reports whether a split there has fewer rows than a form should have.
func zoomed(v host.Viewer) bool { return v.Height*share/100 < host.SmallHeight }

// Open splits the pane; the split closes, and a zoomed one makes place for the
// others again, when the popup ends.
func (m *mux) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		out, err := m.run(ctx, splitArgs(v, cmd, argv)...)
		if err != nil {
			return err
		}
		id := strings.TrimSpace(out)
		if zoomed(v) {
			_, err = m.run(ctx, "zoom-pane", "--pane-id", id, "--zoom")
		}
		_, activate := m.run(ctx, "activate-pane", "--pane-id", id)
		if err = errors.Join(err, activate); err != nil {
			if _, gone := m.paneByID(ctx, id); gone != nil {
				return nil // it has ended already: that is not for us to judge
			}
		}
		return err
	})
}

// title asks for the title of the asking pane's tab. Not for the pane's own, by OSC 2:
// wezterm ignores CSI 22 t and 23 t, so it could not be put back.
func (m *mux) title(ctx context.Context) (string, error) {
	p, err := m.paneByID(ctx, m.pane)
	return p.TabTitle, err
}

func (m *mux) setTitle(ctx context.Context, title string) error {
	_, err := m.run(ctx, "set-tab-title", "--pane-id", m.pane, "--", title)
	return err
}

// device asks wezterm for the asking pane's terminal.
func (m *mux) device(ctx context.Context, _ func(string) int) (string, error) {
	p, err := m.paneByID(ctx, m.pane)
	return p.TTY, err
}

// ask runs one command and reads the JSON that it prints.
func (m *mux) ask(ctx context.Context, into any, args ...string) error {
	out, err := m.run(ctx, args...)
	return adapter.Decode(out, err, "wezterm cli "+args[0], into)
}

// run runs one command and returns what it printed. --no-auto-start: for a
// socket that nobody listens on, wezterm would start a server of its own and
// take five seconds for it.
func (m *mux) run(ctx context.Context, args ...string) (string, error) {
	cmd := adapter.Command(ctx, m.bin, append([]string{"cli", "--no-auto-start"}, args...)...)
	if m.socket != "" {
		cmd.Env = append(os.Environ(), "WEZTERM_UNIX_SOCKET="+m.socket)
	}
	out, err := adapter.Output(cmd, "wezterm cli "+args[0])
	if err != nil {
		err = errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return out, err
}

func findPane(ref string) host.Pane {
	id, socket, _ := strings.Cut(ref, " ")
	bin, err := binary(os.Getenv)
	if err != nil || !adapter.Number(id) || socket != "" && !filepath.IsAbs(socket) {
		return nil
	}
	return newMux(bin, id, socket)
}

func (m *mux) Screen(ctx context.Context) (string, error) {
	return m.run(ctx, "get-text", "--pane-id", m.pane, "--start-line", strconv.Itoa(-host.History))
}

// GoTo takes the window to the pane's tab and the pane.
func (m *mux) GoTo(ctx context.Context, _ string) error {
	_, err := m.run(ctx, "activate-pane", "--pane-id", m.pane)
	return err
}

var Kind = host.Kind{
	Name: "wezterm", Find: find, Process: "wezterm", Pane: findPane, Setup: &setup,
	Version: []string{"wezterm", "--version"}, Env: []string{"WEZTERM_PANE", "WEZTERM_UNIX_SOCKET"}, Attach: "wezterm connect",
}

// setup binds keys. wezterm's file is a program that returns a table; the lines go
// in before that.
var setup = host.Setup{
	What: "keys", Comment: "--", Oldest: func() string { return "Ctrl+Alt+a" }, Inbox: "Ctrl+Alt+Shift+a",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		return host.Dir(home, env("WEZTERM_CONFIG_FILE"), ".wezterm.lua")
	},
	Lines: func(binary string) string {
		key := func(mods, command string) string {
			return fmt.Sprintf("table.insert(CONFIG.keys, { key = 'a', mods = %s, action = require('wezterm').action.SplitPane {\n"+
				"  direction = 'Down', size = { Percent = 40 }, command = { args = { %s, %s } } } })\n",
				hint.JSON(mods), hint.JSON(binary), hint.JSON(command))
		}
		return "CONFIG.keys = CONFIG.keys or {}\n" + key("CTRL|ALT", "next") + key("CTRL|ALT|SHIFT", "inbox")
	},
	Fit: func(content []byte, lines string) (int, string, error) {
		if len(content) == 0 {
			return 0, "local config = {}\n" + strings.ReplaceAll(lines, "CONFIG", "config") + "return config\n", nil
		}
		at := regexp.MustCompile(`(?m)^return[ \t]+([A-Za-z_]\w*)[ \t]*;?\s*\z`).FindSubmatchIndex(content)
		if at == nil {
			return 0, "", errors.New("it does not end with the return of a variable; put the lines that `askpane install wezterm` shows before its end, with your table in the place of CONFIG")
		}
		return at[0], strings.ReplaceAll(lines, "CONFIG", string(content[at[2]:at[3]])), nil
	},
}
