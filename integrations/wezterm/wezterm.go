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
	"encoding/json"
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

// mux is the wezterm that this process runs in, and the asking pane in it.
type mux struct {
	adapter.Titled
	bin    string
	socket string // $WEZTERM_UNIX_SOCKET; empty is wezterm's own choice
	pane   string // its id; empty where it is not known
}

func newMux(bin, pane, socket string) *mux {
	m := &mux{bin: bin, socket: socket, pane: pane}
	m.Titled = adapter.Titled{Pane: adapter.Pane{Program: "wezterm", Look: m.look, Device: m.device}, Title: m.title, SetTitle: m.setTitle}
	if pane != "" {
		m.Words, m.Ref = "pane "+pane, strings.TrimSpace(pane+" "+socket)
	}
	return m
}

// client is what list-clients says of one.
type client struct {
	Idle    struct{ Secs, Nanos int64 } `json:"idle_time"`       // how long nothing was typed
	Focused *int                        `json:"focused_pane_id"` // null before it has shown any
	active  time.Time
}

// pane is what list says of one.
type pane struct {
	ID       int    `json:"pane_id"`
	TabTitle string `json:"tab_title"` // empty unless somebody has set it
	TTY      string `json:"tty_name"`
	Size     struct{ Rows, Cols int }
}

// find finds the wezterm that this process runs in.
func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "wezterm", []string{"WEZTERM_PANE"}, func(env adapter.Environment, ours bool) (adapter.Found, error) {
		bin, missing := binary(env)
		if missing != nil {
			return nil, fmt.Errorf("inside wezterm, but there is no wezterm command: %w", missing)
		}
		pane := env("WEZTERM_PANE")
		if !ours || !adapter.Number(pane) {
			pane = ""
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

// clients asks who looks, without those that have shown nothing yet. A mux server
// without a window has none: `wezterm cli` is none.
func (m *mux) clients(ctx context.Context) (all []client, err error) {
	err = m.ask(ctx, &all, "list-clients", "--format", "json")
	asked := time.Now()
	all = slices.DeleteFunc(all, func(c client) bool { return c.Focused == nil })
	for i := range all {
		idle := time.Duration(all[i].Idle.Secs)*time.Second + time.Duration(all[i].Idle.Nanos)
		all[i].active = asked.Add(-idle)
	}
	return all, err
}

// at is the pane with that id.
func (m *mux) at(ctx context.Context, id string) (pane, error) {
	var all []pane
	err := m.ask(ctx, &all, "list", "--format", "json")
	if i := slices.IndexFunc(all, func(p pane) bool { return strconv.Itoa(p.ID) == id }); i >= 0 {
		return all[i], nil
	}
	return pane{}, cmp.Or(err, fmt.Errorf("wezterm: pane %s is not there any more", id))
}

// look finds the pane that the client used last has the focus in.
func (m *mux) look(ctx context.Context) (host.Viewer, error) {
	clients, err := m.clients(ctx)
	if err != nil {
		return host.Viewer{}, err
	}
	if len(clients) == 0 {
		return host.Viewer{}, fmt.Errorf("%w to wezterm", host.ErrNoViewer)
	}
	c := slices.MaxFunc(clients, func(a, b client) int { return a.active.Compare(b.active) })
	p, err := m.at(ctx, strconv.Itoa(*c.Focused))
	if err != nil { // it has just closed, and they look at another
		return host.Viewer{}, fmt.Errorf("%w to wezterm: %w", host.ErrNoViewer, err)
	}
	// What is typed into a form counts here: it is a pane as any other.
	return host.Viewer{ID: strconv.Itoa(p.ID), Width: p.Size.Cols, Height: p.Size.Rows, Active: c.active}, nil
}

// share is the most that a split takes of the pane's rows, in percent; its width is the
// pane's.
const share = 40

// splitArgs is the wezterm cli command line that opens argv.
func splitArgs(v host.Viewer, cmd host.Command, argv []string) []string {
	_, rows := cmd.Size(v.Width, v.Height)
	rows = max(1, min(rows, v.Height*share/100))
	return append([]string{"split-pane", "--pane-id", v.ID, "--bottom", "--cells", strconv.Itoa(rows), "--"}, argv...)
}

// zoomed: it has fewer rows than a form should have.
func zoomed(v host.Viewer) bool { return v.Height*share/100 < host.SmallHeight }

// Open splits the pane; the split closes, and a zoomed one makes place for the
// others again, when the popup ends.
func (m *mux) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(argv []string) error {
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
			if _, gone := m.at(ctx, id); gone != nil {
				return nil // it has ended already: that is not for us to judge
			}
		}
		return err
	})
}

// title is that of the asking pane's tab. Not the pane's own, by OSC 2: wezterm
// ignores CSI 22 t and 23 t, so it could not be put back.
func (m *mux) title(ctx context.Context) (string, error) {
	p, err := m.at(ctx, m.pane)
	return p.TabTitle, err
}

func (m *mux) setTitle(ctx context.Context, title string) error {
	_, err := m.run(ctx, "set-tab-title", "--pane-id", m.pane, "--", title)
	return err
}

// device is the asking pane's terminal, as wezterm names it.
func (m *mux) device(ctx context.Context, _ func(string) int) (string, error) {
	p, err := m.at(ctx, m.pane)
	return p.TTY, err
}

// ask runs one command and reads the JSON that it prints.
func (m *mux) ask(ctx context.Context, into any, args ...string) error {
	out, err := m.run(ctx, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("wezterm cli %s said %.80q: %w", args[0], out, err)
	}
	return nil
}

// run runs one command and returns what it printed. --no-auto-start: for a
// socket that nobody listens on, wezterm would start a server of its own and
// take five seconds for it.
func (m *mux) run(ctx context.Context, args ...string) (string, error) {
	cmd := adapter.Command(ctx, m.bin, append([]string{"cli", "--no-auto-start"}, args...)...)
	if m.socket != "" {
		cmd.Env = append(os.Environ(), "WEZTERM_UNIX_SOCKET="+m.socket)
	}
	out, err := adapter.Output(cmd)
	if err != nil {
		return "", fmt.Errorf("wezterm cli %s: %s", args[0], strings.Join(strings.Fields(err.Error()), " "))
	}
	return out, nil
}

func findPane(ref string) host.Pane {
	id, socket, _ := strings.Cut(ref, " ")
	bin, err := binary(os.Getenv)
	if err != nil || !adapter.Number(id) || socket != "" && !filepath.IsAbs(socket) {
		return nil
	}
	return newMux(bin, id, socket)
}

// Screen is host.Pane's.
func (m *mux) Screen(ctx context.Context) (string, error) {
	return m.run(ctx, "get-text", "--pane-id", m.pane, "--start-line", strconv.Itoa(-host.History))
}

// GoTo takes the window to the pane's tab and the pane.
func (m *mux) GoTo(ctx context.Context, _ string) error {
	_, err := m.run(ctx, "activate-pane", "--pane-id", m.pane)
	return err
}

// Kind is the host wezterm.
var Kind = host.Kind{
	Name: "wezterm", Find: find, Depth: adapter.Depth("wezterm"), Pane: findPane, Setup: &setup,
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
