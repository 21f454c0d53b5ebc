// Package tty writes the few sequences that askpane sends to a terminal that
// somebody else draws on: the bell, and the window's title.
//
// The rule that must hold here: one short write that moves no cursor, so that
// it cannot land in the middle of what the other program draws.
package tty

import (
	"fmt"
	"os"
	"syscall"
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
	_, err = f.WriteString(sequence)
	return err
}
