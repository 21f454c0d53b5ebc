// Package herdr opens popups in herdr: the session-modal ones that it gives to plugins
// (https://herdr.dev/docs/plugins/), through its socket.
//
// The plugin is a manifest of ours, which askpane install herdr writes. The rule that must
// hold here: what its popup runs are words of ours, each quoted; and no plugin is linked
// here, since that is for the person to do.
//
// What is said of herdr here was measured with 0.8.0.
package herdr

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// session is a herdr server, with the asking pane in it.
type session struct {
	adapter.Pane
	socket string
	pane   string // its id, as w1:p1; empty where it is not known
}

func newSession(socket, pane string) *session {
	s := &session{socket: socket, pane: pane}
	s.Pane = adapter.Pane{Program: "herdr", FindViewer: s.findViewer, Device: adapter.Own}
	if pane != "" {
		s.Words, s.Ref = "pane "+pane, pane+" "+socket
	}
	return s
}

const plugin = "askpane" // its id

func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "herdr", "HERDR_PANE_ID", []string{"HERDR_SOCKET_PATH"}, func(env adapter.Environment, pane string) (adapter.Found, error) {
		s := newSession(env("HERDR_SOCKET_PATH"), pane)
		return s, s.linked(ctx)
	})
}

// linked says why there is no popup for us, where our plugin is not there.
func (s *session) linked(ctx context.Context) error {
	var got struct {
		Plugins []struct {
			ID      string `json:"plugin_id"`
			Enabled bool
		}
	}
	err := s.call(ctx, "plugin.list", map[string]any{}, &got)
	for _, p := range got.Plugins {
		if p.ID == plugin && p.Enabled {
			return nil
		}
	}
	return cmp.Or[error](err, hint.New("askpane install herdr --write, and what it says then", "inside herdr, but its plugin %s, which opens popups, is not linked", plugin))
}

func (s *session) Kind() *host.Kind { return &Kind }

// call makes one request, and reads the result into got where that is not nil.
func (s *session) call(ctx context.Context, method string, params map[string]any, got any) error {
	request := hint.JSON(map[string]any{"id": "askpane", "method": method, "params": params})
	remote := adapter.Remote{Network: "unix", Address: s.socket, Named: "$HERDR_SOCKET_PATH names a herdr"}
	return remote.Call(ctx, "herdr "+method, request+"\n", func(in *bufio.Reader) error {
		said := struct {
			Error  struct{ Code, Message string }
			Result any
		}{Result: got}
		answer, err := in.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(answer, &said)
		}
		if err == nil && said.Error.Code != "" {
			err = fmt.Errorf("it said %s: %s", said.Error.Code, said.Error.Message)
		}
		return err
	})
}

// findViewer takes the session for the viewer: a popup shows on every terminal that is
// attached to it. herdr tells nobody whether any is; where none is, the form waits in its
// popup until one comes.
func (s *session) findViewer(ctx context.Context) (host.Viewer, error) {
	var got struct {
		Layout struct {
			Area    struct{ Width, Height int }
			Focused string `json:"focused_pane_id"`
		}
	}
	err := s.call(ctx, "pane.layout", map[string]any{}, &got)
	l := got.Layout
	return host.Viewer{ID: "herdr " + s.socket, Width: l.Area.Width, Height: l.Area.Height, Pane: newSession(s.socket, l.Focused).Ref}, err
}

// scrollbar counts the columns that herdr keeps for one in a popup.
const scrollbar = 1

// Open has the plugin open its popup. herdr refuses it while it shows another, a menu or its
// settings.
func (s *session) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	columns, rows := cmd.Size.On(v)
	return launcher.Open(v.ID, cmd, func(_ *launcher.Opening, argv []string) error {
		words := make([]string, len(argv))
		for i, word := range argv {
			words[i] = hint.Word(word)
		}
		err := s.call(ctx, "plugin.pane.open", map[string]any{"plugin_id": plugin, "entrypoint": "form", "placement": "popup",
			"width": columns + scrollbar, "height": rows, "cwd": "/", "env": map[string]string{"ASKPANE_FORM": strings.Join(words, " ")}}, nil)
		if err != nil && (strings.Contains(err.Error(), "popup already open") || strings.Contains(err.Error(), "ui_busy")) {
			return nil // as in tmux, it does not start, and is tried again
		}
		return err
	})
}

// Mark covers the pane's title in herdr; that of the program in it stays below.
func (s *session) Mark(ctx context.Context, title string) (restore func(context.Context) error, err error) {
	if s.pane == "" {
		return nil, errors.New("herdr: the asking pane is not known")
	}
	report := func(ctx context.Context, what string, said any) error {
		return s.call(ctx, "pane.report_metadata", map[string]any{"pane_id": s.pane, "source": "askpane", what: said}, nil)
	}
	return func(ctx context.Context) error { return report(ctx, "clear_title", true) }, report(ctx, "title", host.MarkSign+title)
}

func findPane(ref string) host.Pane {
	pane, socket, _ := strings.Cut(ref, " ")
	if !adapter.Word(pane) || !filepath.IsAbs(socket) {
		return nil
	}
	return newSession(socket, pane)
}

func (s *session) Screen(ctx context.Context) (string, error) {
	var got struct{ Read struct{ Text string } }
	err := s.call(ctx, "pane.read", map[string]any{"pane_id": s.pane, "source": "recent", "lines": host.History}, &got)
	return got.Read.Text, err
}

func (s *session) GoTo(ctx context.Context, _ string) error {
	return s.call(ctx, "pane.focus", map[string]any{"pane_id": s.pane}, nil)
}

// Kind describes herdr. A popup of it floats; what runs there finds the name of its entry
// in the manifest.
var Kind = host.Kind{
	Name: "herdr", Find: find, Process: "herdr", Pane: findPane, Setup: &setup, Version: []string{"herdr", "--version"}, Attach: "herdr",
	Env:    []string{"HERDR_SOCKET_PATH", "HERDR_PANE_ID"},
	Quirks: []host.Quirks{{On: "HERDR_PLUGIN_ENTRYPOINT_ID", Floats: true, Framed: true}},
}

// setup is the plugin's manifest.
var setup = host.Setup{
	What: "a plugin for popups", Comment: "#", Oldest: func() string { return "action askpane.next" }, Inbox: "action askpane.inbox", Then: "herdr plugin link",
	File: func(home string, env func(string) string, _ func(string) bool) string {
		return filepath.Join(host.Dir(home, env("XDG_CONFIG_HOME"), ".config"), "askpane", "herdr", "herdr-plugin.toml")
	},
	Lines: func(binary string) string {
		lines := "id = \"askpane\"\nname = \"askpane\"\nversion = \"1.0.0\"\nmin_herdr_version = \"0.7.4\"\nplatforms = [\"linux\", \"macos\"]\n" +
			pane("form", "/bin/sh", "-c", `eval "$ASKPANE_FORM"`)
		for _, name := range []string{"next", "inbox"} {
			opens := hint.JSON([]string{"/bin/sh", "-c", `exec "$HERDR_BIN_PATH" plugin pane open --plugin askpane --entrypoint ` + name})
			lines += pane(name, binary, name) + fmt.Sprintf("\n[[actions]]\nid = %q\ntitle = \"askpane %s\"\ncommand = %s\n", name, name, opens)
		}
		return lines
	},
}

func pane(id string, command ...string) string {
	return fmt.Sprintf("\n[[panes]]\nid = %q\ntitle = \"askpane\"\nplacement = \"popup\"\nwidth = \"80%%\"\nheight = \"80%%\"\ncommand = %s\n", id, hint.JSON(command)) // an array looks the same in TOML
}
