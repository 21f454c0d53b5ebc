package tty

import (
	"errors"
	"os"
)

// Own is the path of the terminal that this process was started on: its
// controlling one or, since many agents start their tools without one, that of
// its nearest ancestor which has one.
func Own() (string, error) {
	if path := ancestral(); path != "" {
		return path, nil
	}
	f, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		return "", errors.New("neither this process nor one that started it has a terminal")
	}
	defer f.Close()
	return "/dev/tty", nil
}
