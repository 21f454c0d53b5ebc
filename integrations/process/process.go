// Package process tells where a process comes from: hosts find the pane they
// are asked from among its ancestors, because an environment is inherited, left
// over and stripped (DESIGN.md, "Where the popup goes").
//
// It only reads what the system says of processes. The rule that must hold
// here: what cannot be read is the end of the line, never a failure.
package process

import "os"

// Process is one process as the system knows it.
type Process struct {
	PID    int
	Parent int
	// TTY is the device number of the controlling terminal; 0 is none. It
	// compares with the Rdev of the terminal's file.
	TTY uint64
}

// deepest bounds the walk: process numbers are reused, and a walk that takes
// long could see a loop.
const deepest = 64

// Line is this process, its parent, and so on up; the last is the one that the
// system started first or that cannot be read.
func Line() []Process { return lineOf(os.Getpid()) }

func lineOf(pid int) []Process {
	var line []Process
	for pid > 0 && len(line) < deepest {
		p, ok := read(pid)
		if !ok {
			break
		}
		line = append(line, p)
		pid = p.Parent
	}
	return line
}

// Depth is how far up pid is in the line: 0 is the process itself, -1 is not in it.
func Depth(line []Process, pid int) int {
	for i, p := range line {
		if p.PID == pid {
			return i
		}
	}
	return -1
}

// DepthOnTTY is how far up the outermost process of the line's unbroken stretch
// on the terminal tty is; -1 where none is on it.
func DepthOnTTY(line []Process, tty uint64) int {
	depth := -1
	for i, p := range line {
		if tty != 0 && p.TTY == tty {
			depth = i
		}
	}
	return depth
}
