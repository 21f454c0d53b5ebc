// Package adapter has what the packages of the hosts share: finding the pane that
// a question comes from, running the host's own command, marking a title, and
// keeping what one look has learned for the next.
//
// The rule that must hold here: what an agent wrote gets onto a command line as a
// word of its own at most, never into one of ours.
package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/tty"
)

// Find finds the host whose program has name in its name and gives all of these
// variables to its panes. at makes a Host of an environment that has them: first
// of what the asking pane was started with, and then, for agents that strip the
// environment of their tools, of this process's own. Where ours is false this
// process does not come from that host: the variables were handed on by something
// that did, and the pane that they name is none of ours. The host is there if it
// says who looks at it, or that nobody does.
func Find(ctx context.Context, name string, variables []string, at func(env Environment, ours bool) (Found, error)) (host.Host, error) {
	ancestors := process.Line()
	depth := process.DepthOf(ancestors, name)
	var failed error
	for _, env := range process.Environments(ancestors, depth) {
		if slices.ContainsFunc(variables, func(v string) bool { return env(v) == "" }) {
			continue
		}
		h, err := at(env, depth >= 0)
		if err == nil {
			err = h.Prefetch(ctx)
		}
		if err == nil {
			return h, nil
		}
		failed = cmp.Or(failed, err)
	}
	return nil, cmp.Or[error](failed, host.NotInside{Program: name, Variable: variables[0]})
}

// Found is a host that has a Pane.
type Found interface {
	host.Host
	Prefetch(context.Context) error
}

// Environment looks a variable up; it is empty where it is not set.
type Environment = process.Environment

// Depth is host.Kind's Depth for a host whose program has name in its name.
func Depth(name string) func(ancestors []host.Process) int {
	return func(ancestors []host.Process) int { return process.DepthOf(ancestors, name) }
}

// Socket is the mode of a host's socket, and whether a process of ours has made it: what
// lies in a directory for everybody may be another user's.
func Socket(path string) (mode fs.FileMode, ours bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return info.Mode(), ok && int(st.Uid) == os.Geteuid() && info.Mode()&fs.ModeSocket != 0
}

// Look says why the host's command cannot be run, for an asker that is inside it.
func Look(command string) error {
	if _, err := exec.LookPath(command); err != nil {
		return fmt.Errorf("inside %[1]s, but there is no %[1]s command: %[2]w", command, err)
	}
	return nil
}

// Number reports whether a word is a number, as panes and windows have them.
func Number(word string) bool {
	_, err := strconv.ParseUint(word, 10, 31)
	return err == nil
}

// Box is where on a viewer that is not small a popup goes, in its middle: the first
// column and row, and how many there are, as words.
func Box(v host.Viewer, size host.Size) (x, y, width, height string) {
	w, h := size.On(v)
	return strconv.Itoa((v.Width - w) / 2), strconv.Itoa((v.Height - h) / 2), strconv.Itoa(w), strconv.Itoa(h)
}

// letGo is how long a program's output is waited for once the program has ended
// or was killed.
const letGo = 500 * time.Millisecond

// Command is a run of a host's own program. Where ctx ends first it is killed,
// and over soon after, whoever else holds its output: tmux hands its own to the
// server, which keeps it open for as long as it does not answer.
func Command(ctx context.Context, bin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.WaitDelay = letGo
	return cmd
}

// Output runs a command and is what it prints. Where it fails and has said why, the
// error is that.
func Output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if said := strings.TrimSpace(string(exit.Stderr)); said != "" {
			err = errors.New(said)
		} else if said = strings.TrimSpace(string(out)); said != "" {
			err = errors.New(said)
		}
	}
	return string(out), err
}

// Version is what a host's command (host.Kind) says of its version, in one word and
// without its own name; empty where it says nothing.
func Version(ctx context.Context, command []string) string {
	if len(command) == 0 {
		return ""
	}
	out, _ := Command(ctx, command[0], command[1:]...).Output() // some print it with a status of 1
	for word := range strings.FieldsSeq(string(out)) {
		if !strings.EqualFold(word, command[0]) && word != "version" {
			return word
		}
	}
	return ""
}

// Pane is the asking pane, and what is the same in all hosts that Find finds.
type Pane struct {
	Program    string // the host's name, which is also its name among terminals
	Words, Ref string // what host.Host's Asker says
	// Look is host.Host's Viewer, asked anew.
	Look func(context.Context) (host.Viewer, error)
	// Device is the path of the pane's terminal, or of that of the popup that is up if
	// its bell is wanted (host.Host's Ring); nil is that it is the asker's own.
	Device func(ctx context.Context, popup func(viewer string) (pid int)) (string, error)

	seen atomic.Pointer[seen]
}

// seen is what finding a host has learned of its viewer, for the first popup: asking
// again takes up to 20 ms of the time until a form is up.
type seen struct {
	viewer host.Viewer
	when   time.Time
}

// fresh is how long that is believed: a request may come slowly, and its person may
// have gone to another viewer meanwhile.
const fresh = 300 * time.Millisecond

// Seen keeps the viewer that there was just now.
func (p *Pane) Seen(v host.Viewer) { p.seen.Store(&seen{v, time.Now()}) }

// Viewer is what was seen, once and as long as it is fresh; otherwise what Look finds.
func (p *Pane) Viewer(ctx context.Context) (host.Viewer, error) {
	if seen := p.seen.Swap(nil); seen != nil && time.Since(seen.when) < fresh {
		return seen.viewer, nil
	}
	return p.Look(ctx)
}

// Prefetch asks who looks, for Find and the first popup.
func (p *Pane) Prefetch(ctx context.Context) error {
	v, err := p.Look(ctx)
	if errors.Is(err, host.ErrNoViewer) { // it may also be late in saying who is
		return nil
	}
	p.Seen(v)
	return err
}

// Asker is host.Host's.
func (p *Pane) Asker() (words, ref string) { return p.Words, p.Ref }

func (p *Pane) device(ctx context.Context, popup func(string) int) (string, error) {
	if p.Device == nil {
		return tty.Own()
	}
	return p.Device(ctx, popup)
}

// Ring writes BEL to the asking pane's terminal; the host does with it what it does
// with any program's.
func (p *Pane) Ring(ctx context.Context, popup func(string) int) error {
	path, err := p.device(ctx, popup)
	if err == nil {
		err = tty.Ring(path)
	}
	if err != nil {
		return fmt.Errorf("%s: ring the bell: %w", p.Program, err)
	}
	return nil
}

// Terminal is the asking pane's.
func (p *Pane) Terminal(ctx context.Context) (host.Terminal, error) {
	path, err := p.device(ctx, nil)
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: p.Program, Name: os.Getenv("TERM"), Device: path}, nil
}

// Titled is a pane with a title that covers the one which the program in it sets. That
// is still there below, with what was set meanwhile, when ours is taken back.
type Titled struct {
	Pane
	Title func(context.Context) (string, error)
	// SetTitle covers it with a title, or takes what covers it back where that is empty.
	SetTitle func(ctx context.Context, title string) error
}

// markLimit is how long a host may take to set a title.
const markLimit = 3 * time.Second

// Mark sets the title that host.Marker wants; there is no status line to count in. A
// title that the person has given is given back, unless two questions of the pane
// overlap.
func (t *Titled) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	switch {
	case title == "":
		return func(context.Context) error { return nil }, nil
	case t.Ref == "":
		return nil, fmt.Errorf("%s: the asking pane is not known", t.Program)
	}
	before, err := t.Title(ctx)
	if err != nil {
		return nil, err
	}
	// Whether it covers another can only be told by taking it back. A question that is
	// over by then does not keep it from being given back.
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), markLimit)
	defer cancel()
	if err := t.SetTitle(whole, ""); err != nil {
		return nil, err
	}
	below, err := t.Title(whole)
	if err != nil {
		return nil, err
	}
	if before == below || strings.HasPrefix(before, host.MarkSign) { // none, or another question's, which may be over by then
		before = ""
	}
	marked := host.MarkSign + title
	if err = ctx.Err(); err == nil {
		err = t.SetTitle(whole, marked)
	}
	if err != nil {
		return nil, errors.Join(err, t.SetTitle(whole, before))
	}
	return func(ctx context.Context) error {
		if now, err := t.Title(ctx); err != nil || now != marked {
			return err // the person's new title, or another question's
		}
		return t.SetTitle(ctx, before)
	}, nil
}
