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
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/lifeline"
	"github.com/askpane/askpane/integrations/process"
)

// mux is the wezterm that this process runs in, and the asking pane in it.
type mux struct {
	bin    string
	socket string // $WEZTERM_UNIX_SOCKET; empty is wezterm's own choice
	pane   int    // -1 where it is not known

	seen host.Glance[sight]
}

// sight is what list-clients said at a time.
type sight struct {
	clients []client
	asked   time.Time
}

// client is what list-clients says of one.
type client struct {
	Idle    idle `json:"idle_time"`
	Focused *int `json:"focused_pane_id"` // null before it has shown any
}

type idle struct{ Secs, Nanos int64 }

// pane is what list says of one.
type pane struct {
	ID       int    `json:"pane_id"`
	TabTitle string `json:"tab_title"` // empty unless somebody has set it
	TTY      string `json:"tty_name"`
	Size     struct{ Rows, Cols int }
}

// find finds the wezterm that this process runs in, from the environment of its
// pane or else its own.
func find(ctx context.Context) (host.Host, error) {
	line := process.Line()
	up := depth(line)
	var failed error
	for _, env := range process.Environments(line, up) {
		id := env("WEZTERM_PANE")
		if id == "" {
			continue
		}
		bin, missing := binary(env)
		if missing != nil {
			return nil, fmt.Errorf("inside wezterm, but there is no wezterm command: %w", missing)
		}
		m := &mux{bin: bin, pane: -1, socket: env("WEZTERM_UNIX_SOCKET")}
		if n, err := strconv.Atoi(id); err == nil && up >= 0 { // else that is another's; as in zellij
			m.pane = n
		}
		saw, err := m.look(ctx)
		if err == nil {
			m.seen.Keep(saw)
			return m, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, host.NotInside{Program: "wezterm", Variable: "WEZTERM_PANE"}
}

// binary finds the wezterm command: in PATH, or beside the wezterm that the pane
// is in, which an application that was only unpacked or dragged leaves out of it.
func binary(env func(string) string) (string, error) {
	bin, err := exec.LookPath("wezterm")
	if dir := env("WEZTERM_EXECUTABLE_DIR"); err != nil && filepath.IsAbs(dir) {
		return exec.LookPath(filepath.Join(dir, "wezterm"))
	}
	return bin, err
}

// depth is how many parents up wezterm is, the window or the mux server; -1 where
// neither is.
func depth(line []host.Process) int { return process.DepthOf(line, "wezterm") }

// installed is the version of the wezterm command that is installed.
func installed(ctx context.Context) (string, error) {
	bin, err := binary(os.Getenv)
	var out []byte
	if err == nil {
		out, err = host.Program(ctx, bin, "--version").Output()
	}
	if err != nil {
		return "", fmt.Errorf("there is no wezterm command: %w", err)
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "wezterm "), nil
}

func (m *mux) Kind() *host.Kind { return &Kind }

// Asker is the pane's id, and that and the socket of its wezterm.
func (m *mux) Asker() (words, ref string) {
	if m.pane < 0 {
		return "", ""
	}
	return fmt.Sprintf("pane %d", m.pane), strings.TrimSpace(fmt.Sprintf("%d %s", m.pane, m.socket))
}

func (m *mux) look(ctx context.Context) (sight, error) {
	var saw sight
	err := m.ask(ctx, &saw.clients, "list-clients", "--format", "json")
	saw.asked = time.Now()
	return saw, err
}

func (m *mux) panes(ctx context.Context) ([]pane, error) {
	var all []pane
	return all, m.ask(ctx, &all, "list", "--format", "json")
}

// at is the pane with that id.
func (m *mux) at(ctx context.Context, id int) (pane, error) {
	all, err := m.panes(ctx)
	if err != nil {
		return pane{}, err
	}
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
	}
	return pane{}, fmt.Errorf("wezterm: pane %d is not there any more", id)
}

// Viewer is the pane that the client used last has the focus in.
func (m *mux) Viewer(ctx context.Context) (host.Viewer, error) {
	saw, err := m.seen.Or(ctx, m.look)
	if err != nil {
		return host.Viewer{}, err
	}
	id, idle, ok := focused(saw.clients)
	if !ok {
		return host.Viewer{}, fmt.Errorf("%w to wezterm", host.ErrNoViewer)
	}
	p, err := m.at(ctx, id)
	if err != nil {
		return host.Viewer{}, err
	}
	// What is typed into a form counts here: it is a pane as any other.
	return host.Viewer{ID: strconv.Itoa(id), Width: p.Size.Cols, Height: p.Size.Rows, Active: saw.asked.Add(-idle)}, nil
}

// focused is the pane in front of the person, and for how long they have typed
// nothing; ok is false where nobody looks.
// A mux server without a window has no clients: `wezterm cli` is none.
func focused(clients []client) (id int, idle time.Duration, ok bool) {
	looking := slices.DeleteFunc(slices.Clone(clients), func(c client) bool { return c.Focused == nil })
	if len(looking) == 0 {
		return 0, 0, false
	}
	c := slices.MinFunc(looking, func(a, b client) int {
		return cmp.Or(cmp.Compare(a.Idle.Secs, b.Idle.Secs), cmp.Compare(a.Idle.Nanos, b.Idle.Nanos))
	})
	return *c.Focused, time.Duration(c.Idle.Secs)*time.Second + time.Duration(c.Idle.Nanos), true
}

const (
	// share is the split's part of the pane, in percent; the width is the
	// pane's.
	share = 40
	// least is how many rows a form should have. A split with less is zoomed.
	least = 16
)

// splitArgs is the wezterm cli command line that opens argv.
func splitArgs(v host.Viewer, argv []string) []string {
	return append([]string{"split-pane", "--pane-id", v.ID, "--bottom", "--percent", strconv.Itoa(share), "--"}, argv...)
}

func zoomed(v host.Viewer) bool { return v.Height*share/100 < least }

// Open splits the pane; the split closes, and a zoomed one makes place for the
// others again, when the popup ends.
func (m *mux) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	o, err := lifeline.Start(v.ID, cmd, func(argv []string) error {
		out, err := m.run(ctx, splitArgs(v, argv)...)
		if err != nil {
			return err
		}
		id := strings.TrimSpace(out)
		if zoomed(v) {
			_, err = m.run(ctx, "zoom-pane", "--pane-id", id, "--zoom")
		}
		_, activate := m.run(ctx, "activate-pane", "--pane-id", id)
		if err = errors.Join(err, activate); err != nil {
			if _, gone := m.at(ctx, atoi(id)); gone != nil {
				return nil // it has ended already: that is not for us to judge
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// atoi is -1, a pane that is never there, for what is no number.
func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
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
	cmd := host.Program(ctx, m.bin, append([]string{"cli", "--no-auto-start"}, args...)...)
	if m.socket != "" {
		cmd.Env = append(os.Environ(), "WEZTERM_UNIX_SOCKET="+m.socket)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("wezterm cli %s: %s", args[0], strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	if err != nil {
		return "", fmt.Errorf("wezterm cli %s: %w", args[0], err)
	}
	return string(out), nil
}
