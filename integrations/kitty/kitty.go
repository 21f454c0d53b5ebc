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
	"errors"
	"fmt"
	"strconv"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// instance is one kitty process, and the asking window in it.
type instance struct {
	adapter.Pane
	remote  remote
	listens string // the remote as $KITTY_LISTEN_ON names it
	window  int    // 0 where it is not known

	windowsSeen adapter.Prefetched[[]osWindow]
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

// find finds the kitty that this process runs in, and checks that it may be told
// what to do.
func find(ctx context.Context) (host.Host, error) {
	return adapter.Find("kitty", []string{"KITTY_WINDOW_ID"}, func(env adapter.Environment, ours bool) (host.Host, error) {
		address := env("KITTY_LISTEN_ON")
		if address == "" {
			return nil, fmt.Errorf("inside kitty, but it takes no commands ($KITTY_LISTEN_ON is not set); %s", enable)
		}
		k, err := newInstance(address)
		if err != nil {
			return nil, err
		}
		if ours {
			k.window, _ = strconv.Atoi(env("KITTY_WINDOW_ID")) // 0, and no mark, where it is none
		}
		all, err := k.list(ctx)
		if err != nil {
			return nil, err
		}
		k.windowsSeen.Put(all)
		return k, nil
	})
}

func newInstance(address string) (*instance, error) {
	r, err := parseAddress(address)
	return &instance{Pane: adapter.Pane{Program: "kitty"}, remote: r, listens: address}, err
}

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
	all, err := k.windowsSeen.Get(ctx, k.list)
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
func current(all []osWindow) (found window, ok bool) {
	most := -1
	for _, o := range all {
		for _, t := range o.Tabs {
			for _, w := range t.Windows {
				if n := nearness(o, t, w); n > most {
					found, most = w, n
				}
			}
		}
	}
	return found, most >= 0
}

// nearness is how much speaks for a window's being the one in front: that it is so in
// its own tab and that tab in its desktop window, and then which of those it is. Of
// one that has not the keyboard, kitty says so since 0.27; before that any will do.
func nearness(o osWindow, t tab, w window) (n int) {
	is := func(active *bool) bool { return active != nil && *active }
	if (t.Focused || is(t.Active)) && (w.Focused || is(w.Active)) {
		n += 4
		if o.LastFocused {
			n++
		}
		if o.Focused {
			n += 2
		}
	}
	return n
}

// Open covers the current window with an overlay. It always has the window's
// size: kitty has no boxes. A second one covers the first; there is no busy
// viewer.
func (k *instance) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(argv []string) error {
		// The variables are among the words: in its own field kitty expands
		// ${NAME} in their values.
		_, err := k.remote.call(ctx, "launch", map[string]any{
			"type": "overlay", "window_title": "askpane", "args": argv, "cwd": "/",
		})
		return err
	})
}

// Mark sets the asking window's title, which covers that of the program in it.
func (k *instance) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if k.window == 0 && title != "" {
		return nil, errors.New("kitty: the asking window is not known")
	}
	return adapter.Title{
		Get: k.title,
		Set: func(ctx context.Context, title string) error {
			_, err := k.remote.call(ctx, "set-window-title", map[string]any{"match": k.match(), "title": title, "temporary": false})
			return err
		},
	}.Mark(ctx, title)
}

// match is the asking window as kitty's commands take it.
func (k *instance) match() string { return fmt.Sprintf("id:%d", k.window) }

func (k *instance) title(ctx context.Context) (string, error) {
	all, err := k.list(ctx)
	if err != nil {
		return "", err
	}
	for _, o := range all {
		for _, t := range o.Tabs {
			for _, w := range t.Windows {
				if w.ID == k.window {
					return w.Title, nil
				}
			}
		}
	}
	return "", fmt.Errorf("kitty: the asking window %d is not there any more", k.window)
}
