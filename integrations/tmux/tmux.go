// Package tmux opens popups in tmux, 3.3 and later: as a modal floating pane
// where the server can do that (3.8), else with display-popup.
//
// It runs the tmux command and nothing else. The rule that must hold here: the
// only words on a tmux command line are ours, ids, paths and settings, and
// each goes through arg. Many a line here is odd because tmux is; what was measured
// of it is in docs/dev/hosts.md.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/settings"
)

// server stands for a tmux server, with the asking pane in it.
type server struct {
	adapter.Pane
	socket string
	client string // the program to ask it by; empty is the tmux in PATH
	called string // in an error, which goes on with "does not answer"
	modal  bool   // it can open modal floating panes (modal.go)

	pane      string // %N; empty where the asker is in no pane
	tty       string // the asking pane's
	home      string // id of the session the asking pane is in
	ancestors []host.Process
	spare     *standby
}

func newServer(socket string, ancestors []host.Process) *server {
	s := &server{socket: socket, called: "the server at " + socket, ancestors: ancestors, spare: &spare}
	s.FindViewer = s.findViewer
	return s
}

func (s *server) Kind() *host.Kind { return &Kind }

func (s *server) Shares() string { return s.socket }

// questions prints the server's clients, what it can do, its panes, and that this is all. A
// line about a pane begins with paneMark, and a client's with a digit.
var questions = []string{"list-clients", "-F", clientFormat, ";", "list-commands", "-F", usages, ";",
	"list-panes", "-a", "-F", paneFormat, ";", "display-message", "-p", whole}

const (
	paneMark   = "pane"
	paneFormat = paneMark + "\t#{pane_pid}\t#{session_activity}\t#{session_id}\t#{pane_id}\t#{pane_tty}" +
		"\t#{session_name}:#{window_index}.#{pane_index}"
	paneFields = 7
	whole      = "that is all"
)

// learn checks that the server is alive, and learns all that in one round trip.
func (s *server) learn(ctx context.Context) error {
	var out string
	ready, err := s.askOrBegun()
	if err == nil {
		out, err = ready.answer(ctx)
	}
	if err != nil && ctx.Err() == nil && s.client == "" {
		if s.client, err = s.ownProgram(ctx, err); s.client != "" {
			return s.learn(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", s.called, err)
	}
	popup := false
	if popup, s.modal = abilities(out); !popup && !s.modal {
		ready.kill()
		return errors.New("this tmux is too old: askpane needs display-popup -e, which came with 3.3")
	}
	if v, err := s.viewerOf(choose(parseClients(out))); err == nil {
		s.Seen(v)
		s.spare.keep(ready)
	} else { // nothing opens until somebody comes, and a waiting question holds no process
		ready.kill()
	}
	s.learnPane(out)
	return nil
}

// learnPane finds the asking pane: the nearest whose first process is an ancestor of this one.
// $TMUX_PANE does not tell, since a daemon hands what it was started with to everything that
// it runs, as Codex's does (docs/dev/agents.md, What was measured). Of several sessions that
// have its window the one used last counts, as for tmux itself. Where no pane is, the popup
// goes to the person all the same, and nothing is marked.
func (s *server) learnPane(out string) {
	nearest, latest := len(s.ancestors), ""
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", paneFields)
		if len(f) < paneFields || f[0] != paneMark {
			continue
		}
		pid, _ := strconv.Atoi(f[1])
		if d := process.Depth(s.ancestors, pid); d >= 0 && (d < nearest || d == nearest && f[2] > latest) {
			nearest, latest = d, f[2]
			s.home, s.pane, s.tty = f[3], f[4], f[5]
			s.Words, s.Ref = f[6], s.pane+" "+s.socket // in words, session:window.pane
		}
	}
}

// usages has list-commands print the names and usages of new-pane, wait-for and
// display-popup, which begin no client's line, and of few others. A server that has no such
// command is asked at the same price: for a regular expression it would be 0.6 ms more.
const usages = "#{?#{m:[ndw]*-[pf]*,#{command_list_name}},#{command_list_name} #{command_list_usage},}"

// abilities reports whether display-popup, which came with 3.2, can be told where the spool
// is: since 3.3; and whether the server can open a modal pane (-O) over a zoomed
// one (-A), and wait for an event of its window. 3.7 has a new-pane with neither, and
// a bug by which many of them hang the server (docs/dev/hosts.md, What was measured of
// tmux). The usages tell and not the version: what is built from the source may have any.
func abilities(out string) (popup, modal bool) {
	pane, wait := false, false
	for line := range strings.Lines(out) {
		command, usage, _ := strings.Cut(line, " [-")
		flags, more, _ := strings.Cut(usage, "]") // those without a value come first
		switch command {
		case "display-popup":
			popup = strings.Contains(more, "[-e environment]")
		case "new-pane":
			pane = strings.Contains(flags, "A") && strings.Contains(flags, "O")
		case "wait-for":
			wait = strings.Contains(flags, "E") && strings.HasPrefix(more, " [-F format]")
		}
	}
	return popup, pane && wait
}

// Ring writes BEL to the asking pane, which flags its window and rings the clients of its
// session, and to the viewer's own terminal if that is in another session. A bell from the
// popup would be dropped.
func (s *server) Ring(ctx context.Context, _ func(string) int) error {
	var errs []error
	if s.tty != "" {
		errs = append(errs, tty.Ring(s.tty))
	}
	c, err := s.viewer(ctx)
	switch {
	case errors.Is(err, host.ErrNoViewer): // the window's flag waits for them
	case err != nil:
		errs = append(errs, err)
	case c.session != s.home && !c.control: // a control client's terminal speaks tmux's protocol
		errs = append(errs, tty.Ring(c.ID))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("tmux: ring the bell: %w", err)
	}
	return nil
}

// mostEscape bounds how long tmux may wait after an Esc, in milliseconds.
const mostEscape = 100

// Advice warns of a tmux that takes Esc and the key after it for one key with Alt.
func (s *server) Advice(ctx context.Context) []hint.Check {
	said, _ := s.run(ctx, "show-options", "-sv", "escape-time")
	ms, err := strconv.Atoi(strings.TrimSpace(said))
	if err != nil || ms < mostEscape {
		return nil
	}
	return []hint.Check{{Section: "hosts", Name: "escape-time", State: hint.Warn, Fix: "put set -sg escape-time 10 into ~/.tmux.conf",
		Detail: fmt.Sprintf("tmux waits %d ms after Esc: an arrow pressed sooner is lost, and the Esc with it", ms)}}
}

// Kind describes the host tmux.
var Kind = host.Kind{
	Name: "tmux", Find: find, Anywhere: anywhere, Process: "tmux", Pane: findPane, Quirks: quirks, Resize: resizeOwn, Setup: &setup,
	Version: []string{"tmux", "-V"}, Env: []string{"TMUX", "TMUX_PANE", "TMUX_TMPDIR"}, Attach: "tmux attach-session",
}

// In a pane tmux, as it is set up at first, keeps its prefix for itself. A display-popup,
// which has no TMUX_PANE, gets every key.
var quirks = []host.Quirks{
	{On: "TMUX_PANE", Keeps: []string{"Ctrl+B"}},
	{On: "TMUX", Unless: "TMUX_PANE", Floats: true, Framed: true},
}

// key returns the person's key in tmux's table of prefix.
func key() string { return settings.Load("").TmuxKey }

// setup takes prefix A, unless the person has another key, and prefix Alt-a, which tmux leaves free, and adds a count
// to the status line. A popup where nothing waits would close before it can be read.
var setup = host.Setup{
	What: "keys and status line", Comment: "#", Oldest: func() string { return "prefix " + key() }, Inbox: "prefix Alt+a", Then: "tmux source-file",
	File: func(home string, env func(string) string, exists func(string) bool) string {
		path := filepath.Join(host.Dir(home, env("XDG_CONFIG_HOME"), ".config"), "tmux", "tmux.conf")
		if !exists(path) {
			path = filepath.Join(home, ".tmux.conf") // tmux reads this one first, and only one up to 3.2
		}
		return path
	},
	Lines: func(binary string) string {
		// Percentages, since what these show is not known yet.
		const open, count = "display-popup -E -b rounded -S " + borderStyle, `"$ASKPANE" status --format tmux`
		command := func(args string) string { return word(hint.Word(binary) + " " + args) }
		// Where tmux expands formats it has a variable in place of the path, a # in which could run a command there.
		return "set-environment -g ASKPANE " + word(binary) + "\nbind-key " + hint.Word(key()) + " if-shell '" + count + " | grep -q " + host.MarkSign +
			"' { " + open + " -w 80% -h 80% " + command("next") + ` } { display-message "No question waits." }` + "\n" +
			"bind-key M-a " + open + " -w 90% -h 80% " + command("inbox") + "\n" +
			// Read again, the file must not add a second one.
			"if-shell -F '#{m:*status --format tmux*,#{status-right}}' '' " + word("set-option -ga status-right ' #("+count+")'") + "\n" +
			// What tmux shows there by itself is as long as the room it gives that.
			"if-shell -F '#{e|<|:#{status-right-length},60}' 'set-option -g status-right-length 60'\n"
	},
}

// word makes one word of s for tmux's configuration.
func word(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", `\n`).Replace(s) + `"`
}
