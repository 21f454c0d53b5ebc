// Package screen opens popups in GNU screen: a window of its own, to which the
// display goes and from which it comes back.
//
// It runs the screen command and nothing else. The rule that must hold here:
// the only words on a screen command line are ours, ids, paths and settings.
// No question is asked with -Q: screen shows its answers on the display, too.
//
// What is said of screen here was measured with 4.09.00.
package screen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
	"github.com/askpane/askpane/integrations/tty"
)

// session is a screen session, with the asking window in it. That is not marked: nothing
// but screen -Q says what title to put back, and screen shows the answer on the display
// too, which then stands still for up to 5 s.
type session struct {
	adapter.Pane
	name   string // pid.name, $STY, which stays as it was where a session gets another name
	id     string // "pid.", by which screen finds it all the same
	window string // its number; empty where it is not known
	dir    string // $SCREENDIR, where screen has its sockets; empty is its own choice
}

func find(ctx context.Context) (host.Host, error) {
	return adapter.Find(ctx, "screen", "WINDOW", []string{"STY"}, func(env adapter.Environment, window string) (adapter.Found, error) {
		return newSession(env("STY"), window, env("SCREENDIR")), adapter.Installed("screen")
	})
}

func newSession(name, window, dir string) *session {
	pid, _, _ := strings.Cut(name, ".")
	s := &session{name: name, id: pid + ".", window: window, dir: dir}
	s.Pane = adapter.Pane{Program: "screen", Words: name, FindViewer: s.findViewer, Device: s.device}
	if window != "" {
		s.Words, s.Ref = name+":"+window, window+" "+name
	}
	return s
}

func (s *session) Kind() *host.Kind { return &Kind }

func (s *session) Shares() string { return s.dir + " " + s.id }

// sessionState finds the session's line in what screen -ls prints, each after a tab: the
// name, which may have blanks, perhaps the date, and "(Attached)", "(Multi, attached)" or "(Detached)".
// The status of -ls says something else in each version. No name: it is not there.
func sessionState(out, id string) (name string, attached bool) {
	for line := range strings.Lines(out) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); strings.HasPrefix(f[0], id) && !strings.HasPrefix(f[len(f)-1], "(Dead") {
			return f[0], strings.HasSuffix(f[len(f)-1], "ttached)")
		}
	}
	return "", false
}

// findViewer finds the session, if somebody is attached to it. Of several displays screen
// takes the one that was attached last; no command can name another, and none tells who
// typed last. A window is always as large as the display.
func (s *session) findViewer(ctx context.Context) (host.Viewer, error) {
	out, err := s.run(ctx, s.name, "-ls", s.id)
	name, attached := sessionState(out, s.id)
	switch {
	case name == "":
		return host.Viewer{}, errors.Join(fmt.Errorf("$STY names a session that is not there: %s", s.name), err)
	case !attached:
		return host.Viewer{}, fmt.Errorf("%w to the screen session %s", host.ErrNoViewer, s.name)
	}
	return host.Viewer{ID: s.id, Name: name}, nil
}

const (
	// patience bounds a screen command. One takes 5 ms; a session that is stopped would
	// keep it for ever.
	patience = 5 * time.Second
	// mostStart bounds the wait for a popup's process before its window is shown.
	mostStart = time.Second
	// mostBytes bounds all words together: screen cuts off what is over 4096 bytes without
	// a word, name, directory and terminal included.
	mostBytes = 3800
)

var windows atomic.Int64

// Open opens a window and shows it. Afterwards screen goes back to the window
// that was there before.
//
// In two steps, since neither does both: a command given by -X may have 768
// bytes, and $, ^ and \ in it are expanded; a window that is made from within
// the session gets its words as they are, but stays in the background.
func (s *session) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	title := fmt.Sprintf("askpane.%d.%d", os.Getpid(), windows.Add(1))
	return launcher.Open(v.ID, cmd, func(o *launcher.Opening, argv []string) error {
		if n := len(strings.Join(argv, " ")); n > mostBytes {
			return fmt.Errorf("screen takes a command of at most %d bytes; the popup's, with the paths and settings it needs, has %d", mostBytes, n)
		}
		if _, err := s.run(ctx, v.Name, append([]string{"-U", "-t", title, "--"}, argv...)...); err != nil {
			return err
		}
		// Not before it runs: the first thing that a new window's process does is to
		// give its terminal the size that screen gives windows nobody sees, 80x24. If
		// the window has been shown by then, screen takes it for as large as the
		// display for good, and "fit" does nothing.
		started, cancel := context.WithTimeout(ctx, mostStart)
		defer cancel()
		_ = o.Started(started) // one that is late is shown all the same
		_, err := s.run(ctx, v.Name, "-S", s.id, "-X", "select", title)
		return err
	})
}

// run runs one screen command, as from within the session of that name, and returns what it
// printed. Without a terminal: screen would look for its window on one.
func (s *session) run(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := adapter.Command(ctx, "screen", args...)
	cmd.Env = append(os.Environ(), "STY="+name)
	if s.dir != "" {
		cmd.Env = append(cmd.Env, "SCREENDIR="+s.dir)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return adapter.Output(cmd, "screen "+args[0])
}

// literal keeps text from being expanded in a command: $NAME is a variable, ^x
// a control character and \ escapes them.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `^`, `\^`).Replace(text)
}

// device prefers the terminal of the popup that is up to the asking window's: screen
// reports a bell of a window in the background in a message, and while that is on view
// (MsgWait, 5 s) the display stands still until a key.
func (s *session) device(_ context.Context, popup func(viewer string) int) (string, error) {
	if pid := popup(s.id); pid != 0 {
		return tty.Of(pid)
	}
	return tty.Own()
}

// Terminal always fails: screen swallows notifications, and does not say which terminal
// its display is on.
func (s *session) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("GNU screen does not say which terminal it is shown on")
}

// findPane runs in a popup, and that in the session, where $SCREENDIR is right.
func findPane(ref string) host.Pane {
	window, name, _ := strings.Cut(ref, " ")
	if pid, _, ok := strings.Cut(name, "."); !adapter.Number(window) || !adapter.Number(pid) || !ok || adapter.Installed("screen") != nil {
		return nil
	}
	return newSession(name, window, "")
}

// Screen has screen write it to a file. A command given by -X is done some time
// after screen -X has ended, but before the one that comes next: once there is a
// second file, the first is whole.
func (s *session) Screen(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "askpane-")
	if err != nil {
		return "", fmt.Errorf("make a place for the window's text: %w", err)
	}
	defer os.RemoveAll(dir)
	file, done := filepath.Join(dir, "text"), filepath.Join(dir, "done")
	for _, args := range [][]string{{"-h", literal(file)}, {literal(done)}} {
		if _, err := s.run(ctx, s.name, append([]string{"-S", s.id, "-p", s.window, "-X", "hardcopy"}, args...)...); err != nil {
			return "", err
		}
	}
	for _, err = os.Stat(done); err != nil; _, err = os.Stat(done) {
		if !adapter.Wait(ctx, 2*time.Millisecond) {
			return "", fmt.Errorf("screen has not written the window's text: %w", ctx.Err())
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("screen hardcopy: %w", err)
	}
	return host.Last(string(text)), nil
}

func (s *session) GoTo(ctx context.Context, _ string) error {
	_, err := s.run(ctx, s.name, "-S", s.id, "-X", "select", s.window)
	return err
}

var Kind = host.Kind{
	Name: "screen", Find: find, Process: "screen", Pane: findPane, Quirks: quirks,
	Version: []string{"screen", "--version"}, Env: []string{"STY"}, Attach: "screen -x",
}

// While a program in a window reads the mouse, screen (4.09.00) keeps a lone Esc back until
// the next key. Not so in a tmux in a window.
var quirks = []host.Quirks{{On: "STY", Unless: "TMUX", NoMouse: true}}
