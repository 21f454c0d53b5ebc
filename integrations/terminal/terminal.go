// Package terminal shows the form on the controlling terminal itself, in its
// alternate screen: for a person who runs askpane in a plain terminal.
//
// It touches /dev/tty and never standard input or output, which belong to the
// request and the result. The rule that must hold here: a terminal that another
// program draws on is not ours to take.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

const device = "/dev/tty"

type terminal struct{}

func find(context.Context) (host.Host, error) {
	err := free()
	if name := os.Getenv("TERM"); err == nil && (name == "" || name == "dumb") {
		err = fmt.Errorf("TERM is %q, a terminal without a screen; --host plain asks there line by line", name)
	}
	return terminal{}, err
}

// Plain describes the host plain: the same terminal, asked on line by line, for screen
// readers and for terminals without a screen (TERM=dumb). Nothing but plain text and the
// bell may reach it.
var Plain = host.Kind{Name: "plain", Borrows: true, NoScreen: true, Find: func(context.Context) (host.Host, error) { return plain{terminal{}}, free() }}

// plain is no host.Marker: setting a title takes an escape sequence, which a terminal
// without a screen prints and a screen reader may read out.
type plain struct{ host.Host }

func (plain) Kind() *host.Kind { return &Plain }

// Terminal refuses notifications: they are escape sequences too.
func (plain) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("a terminal that is asked line by line gets nothing but text")
}

// free checks that there is a controlling terminal and that it is free: this
// process is in its foreground, and nobody has put it into raw mode, as an
// agent's own screen does. It says nothing of what the terminal can show.
func free() error {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return errors.New("this process has no controlling terminal")
	}
	defer f.Close()
	foreground, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	if err != nil {
		return fmt.Errorf("ask the terminal who is in its foreground: %w", err)
	}
	if foreground != unix.Getpgrp() {
		return errors.New("the terminal is in use by another program; this one is in its background")
	}
	mode, err := unix.IoctlGetTermios(int(f.Fd()), getMode)
	if err != nil {
		return fmt.Errorf("ask the terminal for its mode: %w", err)
	}
	if mode.Lflag&unix.ICANON == 0 { // a shell leaves it so that it hands over whole lines
		return errors.New("the terminal is in use by another program, which reads single keys from it")
	}
	return nil
}

var Kind = host.Kind{Name: "terminal", Find: find, Borrows: true}

func (terminal) Kind() *host.Kind { return &Kind }

func (terminal) Asker() (words, ref string) { return "", "" }

func (terminal) Viewer(context.Context) (host.Viewer, error) { return host.Viewer{ID: device}, nil }

// Open runs cmd on the terminal, in this process's own group so that it is in
// the foreground. One that failed has left the terminal as it had it, which is mended as long as
// nobody else is in the foreground. After one that did not fail, the next of our forms may have it.
func (terminal) Open(ctx context.Context, _ host.Viewer, cmd host.Command) (host.Opening, error) {
	f, err := os.OpenFile(device, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("open the terminal: %w", err)
	}
	before, _ := unix.IoctlGetTermios(int(f.Fd()), getMode)
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	c := exec.CommandContext(ctx, cmd.Args[0], cmd.Args[1:]...)
	c.Stdin, c.Stdout, c.Stderr = f, f, os.Stderr
	c.Env = append(os.Environ(), cmd.Env...)
	// The form must not outlive us on a terminal that is ours only while we run.
	// SIGTERM first, so that it restores the terminal.
	c.Cancel = func() error { return c.Process.Signal(unix.SIGTERM) }
	c.WaitDelay = 2 * time.Second
	return adapter.Follow(device, end, func() error {
		defer f.Close()
		err := c.Run()
		if ours, unknown := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP); c.ProcessState != nil && !c.ProcessState.Success() && unknown == nil && ours == unix.Getpgrp() {
			_ = unix.IoctlSetTermios(int(f.Fd()), setMode, before)
		}
		return err
	}), nil
}

// Mark sets the window's title over the old one, which the terminal keeps on
// its title stack (CSI 22 t) until restore takes it back (CSI 23 t), and reports that a form
// waits.
func (terminal) Mark(_ context.Context, title string) (func(context.Context) error, error) {
	if err := tty.Write(device, "\x1b[22;0t\x1b]2;"+host.MarkSign+title+"\x1b\\"+tty.Blocked); err != nil {
		return nil, fmt.Errorf("set the terminal's title: %w", err)
	}
	return func(context.Context) error { return tty.Write(device, "\x1b[23;0t"+tty.Clear) }, nil
}

func (terminal) Ring(context.Context, func(string) int) error { return tty.Ring(device) }

// Terminal describes the one that this process runs in, as its environment says.
func (terminal) Terminal(context.Context) (host.Terminal, error) {
	name := os.Getenv("TERM")
	return host.Terminal{Program: host.ProgramOf("", name, os.Getenv), Name: name, Device: device}, nil
}
