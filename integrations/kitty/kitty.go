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
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/lifeline"
	"github.com/askpane/askpane/integrations/process"
)

// instance is one kitty process, and the asking window in it.
type instance struct {
	remote  remote
	listens string // the remote as $KITTY_LISTEN_ON names it
	window  int    // 0 where it is not known

	seen host.Glance[[]osWindow]
}

// osWindow, tab and window are what ls says of them.
type osWindow struct {
	Focused     bool `json:"is_focused"`
	LastFocused bool `json:"last_focused"` // of kitty's; true while another program has the focus
	Tabs        []tab
}

type tab struct {
	// Focused only in the window that has the keyboard, Active in every one.
	Focused bool  `json:"is_focused"`
	Active  *bool `json:"is_active"` // since 0.27
	Windows []window
}

type window struct {
	ID      int
	Focused bool  `json:"is_focused"`
	Active  *bool `json:"is_active"` // since 0.27
	Title   string
	Columns int
	Lines   int
}

// find finds the kitty that this process runs in, from the environment of its
// window or else its own, and checks that it may be told what to do.
func find(ctx context.Context) (host.Host, error) {
	line := process.Line()
	up := depth(line)
	var failed error
	for _, env := range process.Environments(line, up) {
		if env("KITTY_WINDOW_ID") == "" {
			continue
		}
		k, err := inside(ctx, env)
		if err == nil {
			if up < 0 {
				k.window = 0 // that is another's; as in zellij
			}
			return k, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, host.NotInside{Program: "kitty", Variable: "KITTY_WINDOW_ID"}
}

func inside(ctx context.Context, env process.Environment) (*instance, error) {
	address := env("KITTY_LISTEN_ON")
	if address == "" {
		return nil, fmt.Errorf("inside kitty, but it takes no commands ($KITTY_LISTEN_ON is not set); %s", enable)
	}
	r, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	k := &instance{remote: r, listens: address}
	k.window, _ = strconv.Atoi(env("KITTY_WINDOW_ID")) // 0, and no mark, where it is none
	all, err := k.list(ctx)
	if err != nil {
		return nil, err
	}
	k.seen.Keep(all)
	return k, nil
}

// depth is how many parents up kitty is; -1 where it is not.
func depth(line []host.Process) int { return process.DepthOf(line, "kitty") }

// enable is what a person has to do for askpane to work in their kitty.
const enable = "put `allow_remote_control socket-only` and `listen_on unix:/tmp/kitty-{kitty_pid}` into kitty.conf and start kitty again"

func (k *instance) Kind() *host.Kind { return &Kind }

// Asker is the window's id, and that and where kitty listens.
func (k *instance) Asker() (words, ref string) {
	if k.window == 0 {
		return "", ""
	}
	return fmt.Sprintf("window %d", k.window), fmt.Sprintf("%d %s", k.window, k.listens)
}

func (k *instance) list(ctx context.Context) ([]osWindow, error) {
	data, err := k.remote.call(ctx, "ls", nil)
	if err != nil {
		return nil, err
	}
	return parseList(data)
}

// parseList reads the answer to ls: JSON in a JSON string.
func parseList(data json.RawMessage) ([]osWindow, error) {
	var text string
	var all []osWindow
	err := json.Unmarshal(data, &text)
	if err == nil {
		err = json.Unmarshal([]byte(text), &all)
	}
	if err != nil {
		return nil, fmt.Errorf("kitty ls: %w", err)
	}
	return all, nil
}

// Viewer is the window that has the keyboard, or had it last of kitty's.
func (k *instance) Viewer(ctx context.Context) (host.Viewer, error) {
	all, err := k.seen.Or(ctx, k.list)
	if err != nil {
		return host.Viewer{}, err
	}
	w, ok := current(all)
	if !ok {
		return host.Viewer{}, fmt.Errorf("%w: kitty has no window open", host.ErrNoViewer)
	}
	return host.Viewer{ID: fmt.Sprintf("kitty window %d", w.ID), Width: w.Columns, Height: w.Lines}, nil
}

// current is the window in front of the person. Only the size is taken from it:
// kitty puts an overlay without a target where the keyboard is.
func current(all []osWindow) (window, bool) {
	for _, front := range []func(osWindow) bool{
		func(o osWindow) bool { return o.Focused },
		func(o osWindow) bool { return o.LastFocused },
		func(osWindow) bool { return true },
	} {
		for _, o := range all {
			if !front(o) {
				continue
			}
			for _, t := range o.Tabs {
				if !t.Focused && (t.Active == nil || !*t.Active) {
					continue
				}
				for _, w := range t.Windows {
					if w.Focused || w.Active != nil && *w.Active {
						return w, true
					}
				}
			}
		}
	}
	for _, o := range all { // before 0.27 nothing says what is in front of an unfocused one
		for _, t := range o.Tabs {
			for _, w := range t.Windows {
				return w, true
			}
		}
	}
	return window{}, false
}

// Open covers the current window with an overlay. It always has the window's
// size: kitty has no boxes. A second one covers the first; there is no busy
// viewer.
func (k *instance) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	o, err := lifeline.Start(v.ID, cmd, func(argv []string) error {
		// The variables are among the words: in its own field kitty expands
		// ${NAME} in their values.
		_, err := k.remote.call(ctx, "launch", map[string]any{
			"type": "overlay", "window_title": "askpane", "args": argv, "cwd": "/",
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}
