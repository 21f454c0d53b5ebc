// Package screen opens popups in GNU screen: a window of its own, to which the
// display goes and from which it comes back.
//
// It runs the screen command and nothing else. The rule that must hold here:
// the only words on a screen command line are ours, ids, paths and settings,
// and the title that Mark is given, with what screen would expand in it escaped.
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
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/lifeline"
	"github.com/askpane/askpane/integrations/tty"
)

// session is one screen session, and the asking window in it.
type session struct {
	bin    string
	name   string // pid.name, $STY
	window string // its number; empty where it is not known
}

// Find finds the session that this process runs in, from its environment.
func Find(ctx context.Context) (host.Host, error) {
	name := os.Getenv("STY")
	if name == "" {
		return nil, errors.New("not inside screen ($STY is not set)")
	}
	bin, err := exec.LookPath("screen")
	if err != nil {
		return nil, fmt.Errorf("inside screen, but there is no screen command: %w", err)
	}
	s := &session{bin: bin, name: name, window: os.Getenv("WINDOW")}
	if _, err := s.attached(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *session) Name() string { return "screen" }

func (s *session) Pane() string {
	if s.window == "" {
		return s.name
	}
	return s.name + ":" + s.window
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
	on, err := s.attached(ctx)
	if err != nil {
		return host.Viewer{}, err
	}
	if !on {
		return host.Viewer{}, fmt.Errorf("%w to the screen session %s", host.ErrNoViewer, s.name)
	}
	return host.Viewer{ID: s.name}, nil
}

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
		if _, err := s.run(ctx, append([]string{"-U", "-t", title, "--"}, argv...)...); err != nil {
			return err
		}
		_, err := s.run(ctx, "-S", s.name, "-X", "select", title)
		return err
	})
	if err != nil {
		return nil, err
	}
	return o, nil
}

// mostTitle is how long a title may be, in bytes, before escapes; see Open.
const mostTitle = 300

// markSign is host.MarkSign in ASCII: of other signs screen drops the bytes from
// 0x80 to 0x9f in a title, and what is left is another sign.
const markSign = "[!] "

// ascii is text with a ? for every sign that is none.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// Mark sets the asking window's title, and restore puts the old one back. A
// title that is not ours any more by then is the program's or the person's new
// one, or another question's, and stays.
func (s *session) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.window == "" {
		return nil, errors.New("screen: the asking window is not known ($WINDOW is not set)")
	}
	before, err := s.title(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.setTitle(ctx, markSign+cut(ascii(title), mostTitle)); err != nil {
		return nil, err
	}
	marked, err := s.title(ctx) // as screen has it
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if now, err := s.title(ctx); err != nil || now != marked {
			return err
		}
		return s.setTitle(ctx, before)
	}, nil
}

// title asks for the asking window's title. screen takes one question at a time,
// whoever asks, and refuses a second one.
func (s *session) title(ctx context.Context) (string, error) {
	for tries := 1; ; tries++ {
		out, err := s.run(ctx, "-S", s.name, "-p", s.window, "-Q", "title")
		if err == nil || tries == mostTries || !strings.Contains(err.Error(), "-query") {
			return out, err
		}
		select {
		case <-time.After(time.Duration(tries) * 20 * time.Millisecond):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// mostTries is how often title asks: for a second in all.
const mostTries = 10

func (s *session) setTitle(ctx context.Context, title string) error {
	_, err := s.run(ctx, "-S", s.name, "-p", s.window, "-X", "title", literal(title))
	return err
}

// literal keeps text from being expanded in a command: $NAME is a variable, ^x
// a control character and \ escapes them.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `^`, `\^`).Replace(text)
}

// cut is at most n bytes of text in ASCII.
func cut(text string, n int) string { return text[:min(n, len(text))] }

// Ring writes BEL to the asking window's terminal: screen rings the display, or
// shows a message there if the window is in the background.
func (s *session) Ring(context.Context) error {
	path, err := tty.Own()
	if err == nil {
		err = tty.Ring(path)
	}
	if err != nil {
		return fmt.Errorf("screen: ring the bell: %w", err)
	}
	return nil
}

// run runs one screen command and returns what it printed. Without a terminal:
// screen would look for its window on one.
func (s *session) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.bin, args...)
	cmd.Env = append(os.Environ(), "STY="+s.name)
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
