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
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/lifeline"
	"github.com/askpane/askpane/integrations/process"
)

// session is one screen session, and the asking window in it. That is not
// marked: nothing but screen -Q says what title to put back, and screen shows
// the answer on the display too, which then stands still for up to 5 s.
type session struct {
	bin    string
	name   string            // pid.name, $STY
	window string            // its number; empty where it is not known
	dir    string            // $SCREENDIR, where screen has its sockets; empty is its own choice
	seen   host.Glance[bool] // whether somebody is attached
}

// find finds the session that this process runs in, from the environment of its
// window or else its own.
func find(ctx context.Context) (host.Host, error) {
	line := process.Line()
	up := depth(line)
	var failed error
	bin, missing := exec.LookPath("screen")
	for _, env := range process.Environments(line, up) {
		name := env("STY")
		if name == "" {
			continue
		}
		if missing != nil {
			return nil, fmt.Errorf("inside screen, but there is no screen command: %w", missing)
		}
		s := &session{bin: bin, name: name, window: env("WINDOW"), dir: env("SCREENDIR")}
		if up < 0 || !number(s.window) {
			s.window = "" // that is another's; as in zellij
		}
		on, err := s.attached(ctx)
		if err == nil {
			s.seen.Keep(on)
			return s, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, host.NotInside{Program: "screen", Variable: "STY"}
}

func number(digits string) bool {
	_, err := strconv.ParseUint(digits, 10, 31)
	return err == nil
}

// depth is how many parents up a screen is; -1 where none is.
func depth(line []host.Process) int { return process.DepthOf(line, "screen") }

// installed is the version of the screen command that is installed, "4.09.00".
func installed(ctx context.Context) (string, error) {
	out, err := host.Program(ctx, "screen", "--version").Output() // before 5.0 its status is 1
	version, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(out)), "Screen version "), " ")
	if version == "" {
		return "", fmt.Errorf("there is no screen command: %w", err)
	}
	return version, nil
}

func (s *session) Kind() *host.Kind { return &Kind }

// Asker is session:window, and the window's number and the session's name.
func (s *session) Asker() (words, ref string) {
	if s.window == "" {
		return s.name, ""
	}
	return s.name + ":" + s.window, s.window + " " + s.name
}

// attached reports whether somebody is.
func (s *session) attached(ctx context.Context) (bool, error) {
	out, err := s.run(ctx, "-ls", s.name)
	state, ok := sessionState(out, s.name)
	if !ok {
		return false, errors.Join(fmt.Errorf("$STY names a session that is not there: %s", s.name), err)
	}
	return state, nil
}

// sessionState finds the session's line in what screen -ls prints: a tab, the
// name, perhaps the date, and "(Attached)", "(Multi, attached)" or "(Detached)".
// The status of -ls says something else in each version.
func sessionState(out, name string) (attached, ok bool) {
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name && !strings.Contains(line, "(Dead") {
			return strings.Contains(line, "ttached)"), true
		}
	}
	return false, false
}

// Viewer is the session, if somebody is attached to it. Of several displays
// screen takes the one that was attached last; no command can name another, and
// none tells who typed last. The size is not asked for: a window is always as
// large as the display.
func (s *session) Viewer(ctx context.Context) (host.Viewer, error) {
	on, err := s.seen.Or(ctx, s.attached)
	if err != nil {
		return host.Viewer{}, err
	}
	if !on {
		return host.Viewer{}, fmt.Errorf("%w to the screen session %s", host.ErrNoViewer, s.name)
	}
	return host.Viewer{ID: s.name}, nil
}

// patience is how long a screen command may take. One takes 5 ms; a session that
// is stopped would keep it for ever.
const patience = 5 * time.Second

// windows tells the popups of one process apart.
var windows atomic.Int64

// mostBytes is how long all words together may be: screen cuts off what is over
// 4096 bytes without a word, name, directory and terminal included.
const mostBytes = 3800

// Open opens a window and shows it. Afterwards screen goes back to the window
// that was there before.
//
// In two steps, since neither does both: a command given by -X may have 768
// bytes, and $, ^ and \ in it are expanded; a window that is made from within
// the session gets its words as they are, but stays in the background.
func (s *session) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	title := fmt.Sprintf("askpane.%d.%d", os.Getpid(), windows.Add(1))
	o, err := lifeline.Start(v.ID, cmd, func(argv []string) error {
		if n := len(strings.Join(argv, " ")); n > mostBytes {
			return fmt.Errorf("screen takes a command of at most %d bytes; the popup's, with the paths and settings it needs, has %d", mostBytes, n)
		}
		_, err := s.run(ctx, append([]string{"-U", "-t", title, "--"}, argv...)...)
		return err
	})
	if err != nil {
		return nil, err
	}
	// Not before it runs: the first thing that a new window's process does is to
	// give its terminal the size that screen gives windows nobody sees, 80x24. If
	// the window has been shown by then, screen takes it for as large as the
	// display for good, and "fit" does nothing.
	started, cancel := context.WithTimeout(ctx, mostStart)
	defer cancel()
	_ = o.Started(started) // one that is late is shown all the same
	if _, err := s.run(ctx, "-S", s.name, "-X", "select", title); err != nil {
		o.Abandon()
		return nil, err
	}
	return o, nil
}

// mostStart is how long a popup's process may take before its window is shown
// nevertheless.
const mostStart = time.Second

// run runs one screen command and returns what it printed. Without a terminal:
// screen would look for its window on one.
func (s *session) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := host.Program(ctx, s.bin, args...)
	cmd.Env = append(os.Environ(), "STY="+s.name)
	if s.dir != "" {
		cmd.Env = append(cmd.Env, "SCREENDIR="+s.dir)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		if said := strings.TrimSpace(out.String() + stderr.String()); said != "" {
			err = errors.New(said) // it writes its errors to either
		}
		return out.String(), fmt.Errorf("screen %s: %w", args[0], err)
	}
	return out.String(), nil
}
