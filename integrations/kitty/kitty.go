// Package kitty opens popups in kitty as overlays: windows that cover the one
// below them until they end.
//
// It speaks kitty's remote control protocol over the socket that kitty listens
// on (https://sw.kovidgoyal.net/kitty/rc_protocol/) instead of running
// `kitty @`, which takes 350 ms to start where the answer takes 6 (kitty
// 0.26.5), and which is often not in PATH on macOS. The rule that must hold
// here: text is a JSON string in that protocol, and never on a command line.
//
// What is said of kitty here was measured with 0.26.5.
package kitty

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// instance is a kitty process, with the asking window in it.
type instance struct {
	adapter.Titled
	remote remote
	window string // its id; empty where it is not known
}

// window holds what kitty says of a window.
type window struct {
	ID      int
	Title   string
	Columns int
	Lines   int
	Focused bool `json:"is_focused"`
	Active  bool `json:"is_active"` // since 0.27; Focused is only one in the window that has the keyboard
	front   int  // the higher, the surer it is the one in front
	tab     int
}

func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "kitty", "KITTY_WINDOW_ID", []string{"KITTY_WINDOW_ID"}, func(env adapter.Environment, window string) (adapter.Found, error) {
		address := env("KITTY_LISTEN_ON")
		if address == "" {
			return nil, fmt.Errorf("inside kitty, but it takes no commands ($KITTY_LISTEN_ON is not set); %s", enable)
		}
		return newInstance(address, window)
	})
}

func newInstance(address, window string) (*instance, error) {
	r, err := parseAddress(address)
	k := &instance{remote: r, window: window}
	k.Titled = adapter.Titled{Pane: adapter.Pane{Program: "kitty", FindViewer: k.findViewer, Device: adapter.Own}, Title: k.title, SetTitle: k.setTitle}
	if window != "" {
		k.Words, k.Ref = "window "+window, window+" "+address
	}
	return k, err
}

// enable says what a person has to do for askpane to work in their kitty.
const enable = "put `allow_remote_control socket-only` and `listen_on unix:/tmp/kitty-{kitty_pid}` into kitty.conf and start kitty again"

func (k *instance) Kind() *host.Kind { return &Kind }

func (k *instance) list(ctx context.Context) ([]window, error) {
	text, err := k.remote.call(ctx, "ls", map[string]any{})
	if err != nil {
		return nil, err
	}
	return parseList(text)
}

// parseList reads what ls says: windows in tabs in desktop windows. The one in front is
// in front in its tab, and that tab in its desktop window; then it counts which desktop
// window that is. Of one that has not the keyboard, kitty tells since 0.27; before that
// any will do.
func parseList(text string) (all []window, err error) {
	var desktop []struct {
		Focused     bool `json:"is_focused"`
		LastFocused bool `json:"last_focused"` // of kitty's; true while another program has the focus
		Tabs        []struct {
			ID      int
			Focused bool `json:"is_focused"`
			Active  bool `json:"is_active"`
			Windows []window
		}
	}
	if err := json.Unmarshal([]byte(text), &desktop); err != nil {
		return nil, fmt.Errorf("kitty ls: %w", err)
	}
	for _, d := range desktop {
		for _, t := range d.Tabs {
			for _, w := range t.Windows {
				w.tab = t.ID
				switch inFront := (t.Focused || t.Active) && (w.Focused || w.Active); {
				case inFront && d.Focused:
					w.front = 3
				case inFront && d.LastFocused:
					w.front = 2
				case inFront:
					w.front = 1
				}
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// findViewer finds the window that has the keyboard, or had it last of kitty's. Only the
// size is taken from it: kitty puts an overlay without a target where the keyboard is.
// The viewer is its tab: an overlay that is open is a window of its own, and the next
// question is to wait for it and not to cover it while the person types there.
func (k *instance) findViewer(ctx context.Context) (host.Viewer, error) {
	all, err := k.list(ctx)
	if err != nil {
		return host.Viewer{}, err
	}
	return front(all)
}

func front(all []window) (host.Viewer, error) {
	if len(all) == 0 {
		return host.Viewer{}, fmt.Errorf("%w: kitty has no window open", host.ErrNoViewer)
	}
	w := slices.MaxFunc(all, func(a, b window) int { return cmp.Compare(a.front, b.front) })
	return host.Viewer{ID: fmt.Sprintf("kitty tab %d", w.tab), Width: w.Columns, Height: w.Lines}, nil
}

// Open covers the current window with an overlay. It always has the window's
// size: kitty has no boxes, and the form draws its own.
func (k *instance) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		// The variables are among the words: in its own field kitty expands
		// ${NAME} in their values.
		_, err := k.remote.call(ctx, "launch", map[string]any{
			"type": "overlay", "window_title": "askpane", "args": argv, "cwd": "/",
		})
		return err
	})
}

func (k *instance) setTitle(ctx context.Context, title string) error {
	_, err := k.remote.call(ctx, "set-window-title", map[string]any{"match": k.match(), "title": title, "temporary": false})
	return err
}

func (k *instance) match() string { return "id:" + k.window }

func (k *instance) title(ctx context.Context) (string, error) {
	all, err := k.list(ctx)
	if i := slices.IndexFunc(all, func(w window) bool { return strconv.Itoa(w.ID) == k.window }); i >= 0 {
		return all[i].Title, nil
	}
	return "", cmp.Or(err, fmt.Errorf("kitty: the asking window %s is not there any more", k.window))
}

func findPane(ref string) host.Pane {
	id, address, _ := strings.Cut(ref, " ")
	k, err := newInstance(address, id)
	if err != nil || !adapter.Number(id) {
		return nil
	}
	return k
}

func (k *instance) Screen(ctx context.Context) (string, error) {
	text, err := k.remote.call(ctx, "get-text", map[string]any{"match": k.match(), "extent": "all"})
	return host.Last(text), err
}

// GoTo gives the window the keyboard, in its tab and its desktop window.
func (k *instance) GoTo(ctx context.Context, _ string) error {
	_, err := k.remote.call(ctx, "focus-window", map[string]any{"match": k.match()})
	return err
}

var Kind = host.Kind{
	Name: "kitty", Find: find, Process: "kitty", Pane: findPane, Setup: &setup,
	Env: []string{"KITTY_LISTEN_ON", "KITTY_WINDOW_ID"},
}

// setup has kitty take commands, without which no overlay can be opened, and binds keys.
var setup = host.Setup{
	What: "keys and remote control", Comment: "#", Oldest: func() string { return "Ctrl+Alt+a" }, Inbox: "Ctrl+Alt+Shift+a",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		above := host.Dir(home, env("XDG_CONFIG_HOME"), ".config")
		return filepath.Join(host.Dir(above, env("KITTY_CONFIG_DIRECTORY"), "kitty"), "kitty.conf")
	},
	Lines: func(binary string) string {
		program := strings.ReplaceAll(hint.Word(binary), "$", "$$") // it replaces variables between quotes, too
		return "allow_remote_control socket-only\nlisten_on unix:/tmp/kitty-{kitty_pid}\n" +
			"map ctrl+alt+a launch --type=overlay " + program + " next\n" +
			"map ctrl+alt+shift+a launch --type=overlay " + program + " inbox\n"
	},
}
