// Package tty writes the few sequences that askpane sends to a terminal that
// somebody else draws on: the bell, the window's title, and notifications.
//
// The rule that must hold here: one short write that moves no cursor, so that
// it cannot land in the middle of what the other program draws.
package tty

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// Blocked reports that a form of ours waits for its person, and Clear that none does: OSC
// 7501, the status of a program, which terminals without it drop.
const (
	Blocked = "\x1b]7501;state=blocked:app=askpane:kind=question\x1b\\"
	Clear   = "\x1b]7501;state=clear\x1b\\"
)

// Ring writes BEL to the terminal at path.
func Ring(path string) error { return Write(path, "\a") }

// Write writes one sequence to the terminal at path. It never blocks on a
// terminal that has stopped reading, and never makes it the controlling one.
func Write(path, sequence string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return fmt.Errorf("%s is not a terminal", path)
	}
	// Go's poller would wait for a terminal that is full, for as long as it is.
	if err := f.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return err
	}
	_, err = f.WriteString(sequence)
	return err
}

const (
	// patience bounds the wait for a terminal that reads slowly.
	patience = 50 * time.Millisecond
	// most bounds the bytes that Tell writes, so that one write takes them all and nothing
	// that the other program draws gets in between.
	most = 511
	// controlling names the process's own terminal.
	controlling = "/dev/tty"
)

// Tell writes a notification to the terminal at path, which must be this
// user's: one or more of the operating system commands 9, 99 and 777, which move
// no cursor and change no mode. Anything else is refused.
func Tell(path, sequence string) error {
	if err := Notification(sequence); err != nil {
		return err
	}
	if path != controlling { // which is ours, whoever owns the device's name
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			return fmt.Errorf("%s belongs to user %d, not to you (%d)", path, st.Uid, os.Geteuid())
		}
	}
	return Write(path, sequence)
}

// Notification checks that Tell would write a sequence.
func Notification(sequence string) error {
	if len(sequence) > most || sequence == "" {
		return fmt.Errorf("a notification of %d bytes; expected 1 to %d", len(sequence), most)
	}
	// Between its begin and its end there is no control character: C0, DEL or C1.
	if !utf8.ValidString(sequence) || !regexp.MustCompile(`^(\x1b\](9|99|777);[^\x00-\x1f\x7f-\x{9f}]*(\x07|\x1b\\))+$`).MatchString(sequence) {
		return errors.New("not a notification: expected text in OSC 9, 99 or 777, ended by BEL or ST")
	}
	return nil
}

// Own returns the path of the terminal that this process was started on: its controlling one
// or, since many agents start their tools without one, that of its nearest ancestor which
// has one.
func Own() (string, error) {
	line := process.Line()
	if i := slices.IndexFunc(line, func(p host.Process) bool { return p.TTY != 0 }); i >= 0 {
		if path := device(line[i].TTY); path != "" {
			return path, nil
		}
	}
	f, err := os.OpenFile(controlling, os.O_WRONLY, 0)
	if err != nil {
		return "", errors.New("neither this process nor one that started it has a terminal")
	}
	return controlling, f.Close()
}

// Of returns the path of the terminal that the process pid has.
func Of(pid int) (string, error) {
	p, _ := process.Of(pid)
	if path := device(p.TTY); path != "" {
		return path, nil
	}
	return "", fmt.Errorf("process %d has no terminal", pid)
}

// device returns the path of the pseudo-terminal with that number, as Linux and macOS name
// them; empty for others, for none (0), and for one of another container.
func device(number uint64) string {
	minor := unix.Minor(number)
	for _, path := range []string{fmt.Sprintf("/dev/pts/%d", minor), fmt.Sprintf("/dev/ttys%03d", minor)} {
		var st unix.Stat_t
		if unix.Stat(path, &st) == nil && uint64(st.Rdev) == number { // a smaller type on macOS
			return path
		}
	}
	return ""
}
