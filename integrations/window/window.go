// Package window opens popups in a new terminal window: for an agent that runs
// in no multiplexer and on no terminal that is free, on a machine with a screen.
//
// It starts the person's terminal program. The rule that must hold here: what it
// is given are words, none of them an agent's.
package window

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// known lists terminals, in the order in which they are looked for, with what stands
// before the words of the command that is to run there. The first two stand for what
// the person or the system has chosen
// (https://gitlab.freedesktop.org/terminal-wg/specifications, Debian policy 11.8.3).
var known = []string{
	"xdg-terminal-exec",
	"x-terminal-emulator -e",
	"gnome-terminal --",
	"ptyxis --new-window --",
	"kgx --",
	"konsole -e",
	"xfce4-terminal --disable-server -x",
	"kitty",
	"ghostty -e",
	"alacritty -e",
	"wezterm start --always-new-process --",
	"foot",
	"urxvt -e",
	"st -e",
	"xterm -e",
}

var away = adapter.Paneless{NoTerminal: "the agent runs on no terminal of its person's"}

// window draws attention by itself when it comes up.
type window struct {
	adapter.Paneless
	terminal []string // and what stands before a command; empty is Terminal, of a Mac
	display  string   // where it opens, as its viewer is called
}

var Kind = host.Kind{Name: "window", Find: find, Env: []string{"DISPLAY", "WAYLAND_DISPLAY"}}

// find looks for a display, and for a terminal program to open there. Every Mac has Terminal, and
// a screen unless there is no session to open one in.
func find(context.Context) (host.Host, error) {
	if runtime.GOOS == "darwin" {
		if os.Getenv("SSH_CONNECTION") != "" {
			return nil, errors.New("a new window would open on the Mac's own screen, not where this ssh session is")
		}
		return window{away, nil, "screen"}, nil
	}
	display := cmp.Or(os.Getenv("WAYLAND_DISPLAY"), os.Getenv("DISPLAY"))
	if display == "" {
		return nil, errors.New("there is no display for a new window ($DISPLAY and $WAYLAND_DISPLAY are not set)")
	}
	terminal, err := choose(os.Getenv("TERMINAL"), exec.LookPath)
	if err != nil {
		return nil, err
	}
	return window{away, terminal, display}, nil
}

// choose finds the terminal that $TERMINAL names, or the first known one. A name
// that is not among them gets -e, which most have.
func choose(given string, look func(string) (string, error)) ([]string, error) {
	bin, err := look(given)
	own := given != "" && err == nil
	for _, line := range known {
		words := strings.Fields(line)
		if own && words[0] != filepath.Base(given) {
			continue
		}
		if !own {
			bin, err = look(words[0])
		}
		if err == nil {
			return append([]string{bin}, words[1:]...), nil
		}
	}
	if own {
		return []string{bin, "-e"}, nil
	}
	return nil, errors.New("there is a display, but no terminal program for a new window; $TERMINAL can name one")
}

func (w window) command(argv []string) (*exec.Cmd, error) {
	if len(w.terminal) == 0 {
		return openMac(argv)
	}
	return exec.Command(w.terminal[0], slices.Concat(w.terminal[1:], argv)...), nil
}

// openMac has Terminal, which takes no command, run a file whose name ends in .command. The
// file removes itself.
func openMac(argv []string) (*exec.Cmd, error) {
	f, err := os.CreateTemp("", "askpane-*.command")
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(commandFile(argv))
	if err = errors.Join(err, f.Chmod(0o700), f.Close()); err != nil {
		os.Remove(f.Name())
		return nil, err
	}
	return exec.Command("/usr/bin/open", "-a", "Terminal", f.Name()), nil
}

func commandFile(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = hint.Word(a)
	}
	return "#!/bin/sh\nrm -f \"$0\"\nclear\nexec " + strings.Join(words, " ") + "\n"
}

func (w window) Kind() *host.Kind { return &Kind }

// Viewer names the display; the window has its terminal's own size.
func (w window) Viewer(context.Context) (host.Viewer, error) {
	return host.Viewer{ID: "a new window on " + w.display}, nil
}

// startLimit bounds the time in which a terminal comes up. Until then Open does not
// return, so that it is not taken for one that shows something else: a kitty
// without graphics hardware takes two seconds.
const startLimit = 20 * time.Second

// Open starts the terminal, in a session of its own: it has to live on when the
// asking agent's terminal goes.
func (w window) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	return launcher.Open(v.ID, cmd, func(o *launcher.Opening, argv []string) error {
		c, err := w.command(argv)
		if err != nil {
			return fmt.Errorf("open a new window: %w", err)
		}
		what := "open a new window: " + filepath.Base(c.Path)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		limit, cancel := context.WithTimeout(ctx, startLimit)
		defer cancel()
		come := make(chan error, 2)
		go func() {
			// Many return 0 at once and leave the window to a server.
			if _, err := adapter.Output(c, what); err != nil {
				come <- err
			}
		}()
		go func() { come <- o.Started(limit) }()
		if err = <-come; errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%s has not started anything after %v", what, startLimit)
		}
		return err
	})
}
