// Package adapter has what the packages of the hosts share: finding the pane that
// a question comes from, running the host's own command, marking a title, and
// keeping what one look has learned for the next.
//
// The rule that must hold here: what an agent wrote gets onto a command line as a
// word of its own at most, never into one of ours.
package adapter

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/tty"
)

// Find finds the host whose program has name in its name and gives all of these
// variables to its panes. at makes a Host of an environment that has them: first
// of what the asking pane was started with, and then, for agents that strip the
// environment of their tools, of this process's own. pane is the id in the variable
// paneID; empty where there is none, and where this process does not come from that host:
// then the variables were handed on by something that did, and the pane that they name
// asks nothing. The host is there if it says who looks at it, or that nobody does.
func Find(ctx context.Context, name, paneID string, variables []string, at func(env Environment, pane string) (Found, error)) (host.Host, error) {
	ancestors := process.Line()
	depth := process.DepthOf(ancestors, name)
	var failed error
	for _, env := range process.Environments(ancestors, depth) {
		if slices.ContainsFunc(variables, func(v string) bool { return env(v) == "" }) {
			continue
		}
		pane := env(paneID)
		if depth < 0 || !Word(pane) {
			pane = ""
		}
		h, err := at(env, pane)
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

// Found has a Pane, which asks its host who looks at it.
type Found interface {
	host.Host
	Prefetch(context.Context) error
}

type Environment = process.Environment

// Sockets lists what is in a directory of this user's, where nobody else can put or exchange anything. A socket in
// one that somebody else has made may be a false server's by the time that a client speaks to it.
func Sockets(dir, pattern string) (all []string) {
	var st unix.Stat_t
	if filepath.IsAbs(dir) && unix.Lstat(dir, &st) == nil && int(st.Uid) == os.Geteuid() && st.Mode&(unix.S_IFMT|0o002) == unix.S_IFDIR {
		all, _ = filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir), pattern))
	}
	return all
}

// Installed says why the host's command cannot be run.
func Installed(command string) error {
	if _, err := exec.LookPath(command); err != nil {
		return fmt.Errorf("there is no %s command: %w", command, err)
	}
	return nil
}

// Word reports whether an id of a pane is digits, or letters, digits and colons, as w1:p1.
func Word(id string) bool {
	odd := func(r rune) bool {
		return r != ':' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}
	return id != "" && !strings.ContainsFunc(id, odd)
}

// Number reports whether a word is a number, as panes and windows have them.
func Number(word string) bool {
	_, err := strconv.ParseUint(word, 10, 31)
	return err == nil
}

// Box places a popup in the middle of a viewer, or on all of one that is small. It returns the
// first column and row, and how many there are, in cells, as words.
func Box(v host.Viewer, size host.Size) (x, y, width, height string) {
	w, h := size.On(v)
	return strconv.Itoa((v.Width - w) / 2), strconv.Itoa((v.Height - h) / 2), strconv.Itoa(w), strconv.Itoa(h)
}

// outputLimit bounds the wait for a program's output once the program has ended.
const outputLimit = 500 * time.Millisecond

// Command runs a host's own program. Where ctx ends first it is killed, and over soon
// after, whoever else holds its output: tmux hands its own to the server, which keeps it
// open for as long as it does not answer.
func Command(ctx context.Context, bin string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.WaitDelay = outputLimit
	return cmd
}

// Output runs a command, called what in an error, and returns what it prints. Where it
// fails and has said why, the error says that.
func Output(cmd *exec.Cmd, what string) (string, error) {
	out, err := cmd.Output()
	if err == nil {
		return string(out), nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		if said := cmp.Or(strings.TrimSpace(string(exit.Stderr)), strings.TrimSpace(string(out))); said != "" {
			err = errors.New(said)
		}
	}
	return string(out), fmt.Errorf("%s: %w", what, err)
}

// Decode reads the JSON that a command, called what in an error, has printed as out.
func Decode(out string, err error, what string, into any) error {
	if bad := json.Unmarshal([]byte(out), into); err == nil && bad != nil {
		err = fmt.Errorf("%s said %.80q: %w", what, out, bad)
	}
	return err
}

// Remote is a socket at which a host takes requests, one a connection.
type Remote struct {
	Network, Address string
	Named            string // begins an error: "$KITTY_LISTEN_ON names a kitty"
}

// remoteLimit bounds the time for one request, and MostAnswer the size of its answer: that of
// kitty's ls has the environment of every window in it.
const (
	remoteLimit = 3 * time.Second
	MostAnswer  = 16 << 20
)

// Call makes a request, called what in an error, and has its answer read.
func (r Remote) Call(ctx context.Context, what, request string, read func(*bufio.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, remoteLimit)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, r.Network, r.Address)
	if err != nil {
		return fmt.Errorf("%s that does not answer: %w", r.Named, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if _, err = io.WriteString(conn, request); err == nil {
		err = read(bufio.NewReader(io.LimitReader(conn, MostAnswer)))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, errors.Join(err, ctx.Err()))
	}
	return nil
}

// Wait reports whether ctx is not over after d.
func Wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Version asks a host's command (host.Kind) for its version: one word, without its own name;
// empty where it says nothing.
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

// Paneless has what is the same in hosts that open a form elsewhere than where the agent
// runs: no pane asks, and what the agent runs on gets nothing but the bell. It is no
// host.Marker: that terminal is not ours to write to.
type Paneless struct {
	NoTerminal string // why nothing can be written to the person's terminal
}

func (Paneless) Asker() (words, ref string) { return "", "" }

func (Paneless) Ring(context.Context, func(string) int) error {
	path, err := tty.Own()
	if err != nil {
		return nil // the other alerts are there
	}
	return tty.Ring(path)
}

func (p Paneless) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New(p.NoTerminal)
}

// Pane is the asking pane, with what is the same in all hosts that Find finds.
type Pane struct {
	Program    string // the host's name, which is also its name among terminals
	Words, Ref string // for host.Host's Asker
	// FindViewer asks anew for host.Host's Viewer.
	FindViewer func(context.Context) (host.Viewer, error)
	// Device returns the path of the pane's terminal, or of that of the popup that is up if
	// its bell is wanted (host.Host's Ring).
	Device func(ctx context.Context, popup func(viewer string) (pid int)) (string, error)

	seen atomic.Pointer[seen]
}

// seen keeps the viewer that was there when the host was found, for the first popup: asking
// again takes up to 20 ms of the time until a form is up.
type seen struct {
	viewer host.Viewer
	when   time.Time
}

// Fresh bounds the time for which that is believed: a request may come slowly, and its
// person may have gone to another viewer meanwhile.
const Fresh = 300 * time.Millisecond

func (p *Pane) Seen(v host.Viewer) { p.seen.Store(&seen{v, time.Now()}) }

// Viewer returns the one that was seen, once and as long as it is fresh, and else asks.
func (p *Pane) Viewer(ctx context.Context) (host.Viewer, error) {
	if seen := p.seen.Swap(nil); seen != nil && time.Since(seen.when) < Fresh {
		return seen.viewer, nil
	}
	return p.FindViewer(ctx)
}

// Prefetch asks who looks, for Find and the first popup.
func (p *Pane) Prefetch(ctx context.Context) error {
	v, err := p.FindViewer(ctx)
	if errors.Is(err, host.ErrNoViewer) { // it may also be late in saying who is
		return nil
	}
	p.Seen(v)
	return err
}

func (p *Pane) Asker() (words, ref string) { return p.Words, p.Ref }

// Own is a pane's Device where it is the terminal that the asker has come from.
func Own(context.Context, func(string) int) (string, error) { return tty.Own() }

// Ring writes BEL to the asking pane's terminal, as any program in it would.
func (p *Pane) Ring(ctx context.Context, popup func(string) int) error {
	path, err := p.Device(ctx, popup)
	if err == nil {
		err = tty.Ring(path)
	}
	if err != nil {
		return fmt.Errorf("%s: ring the bell: %w", p.Program, err)
	}
	return nil
}

func (p *Pane) Terminal(ctx context.Context) (host.Terminal, error) {
	path, err := p.Device(ctx, nil)
	if err != nil {
		return host.Terminal{}, err
	}
	return host.Terminal{Program: p.Program, Name: os.Getenv("TERM"), Device: path}, nil
}

// Titled is a pane with a title that covers the one which the program in it sets. That
// stays below, with what was set meanwhile, until ours is taken back.
type Titled struct {
	Pane
	Title func(context.Context) (string, error)
	// SetTitle covers it with a title, or takes what covers it back where that is empty.
	SetTitle func(ctx context.Context, title string) error
}

const markLimit = 3 * time.Second

// Mark gives a title that the person has given back, unless two questions of the pane
// overlap.
func (t *Titled) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if t.Ref == "" {
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
