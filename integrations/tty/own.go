package tty

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/process"
)

// Own is the path of the terminal that this process was started on: its
// controlling one or, since many agents start their tools without one, that of
// its nearest ancestor which has one.
func Own() (string, error) {
	for _, p := range process.Line() {
		if p.TTY == 0 {
			continue
		}
		if path := device(p.TTY); path != "" {
			return path, nil
		}
		break
	}
	f, err := os.OpenFile(controlling, os.O_WRONLY, 0)
	if err != nil {
		return "", errors.New("neither this process nor one that started it has a terminal")
	}
	defer f.Close()
	return controlling, nil
}

// Of is the path of the terminal that the process pid has.
func Of(pid int) (string, error) {
	if p, ok := process.Of(pid); ok && p.TTY != 0 {
		if path := device(p.TTY); path != "" {
			return path, nil
		}
	}
	return "", fmt.Errorf("process %d has no terminal", pid)
}

// device is the path of the pseudo-terminal with that number, as Linux and macOS
// name them; empty for others, and for one of another container.
func device(number uint64) string {
	minor := unix.Minor(number)
	for _, path := range []string{fmt.Sprintf("/dev/pts/%d", minor), fmt.Sprintf("/dev/ttys%03d", minor)} {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && uint64(st.Rdev) == number { // a smaller type on macOS
			return path
		}
	}
	return ""
}
