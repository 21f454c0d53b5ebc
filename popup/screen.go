package popup

import (
	"fmt"
	"os"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// newScreen is the terminal that this process runs in.
func newScreen() (tcell.Screen, *batchTty, error) {
	assumeUTF8()
	tty, err := newBatchTty()
	if err != nil {
		return nil, nil, fmt.Errorf("open the terminal: %w", err)
	}
	screen, err := tcell.NewTerminfoScreenFromTty(tty)
	if err != nil {
		return nil, nil, fmt.Errorf("use the terminal (TERM=%s): %w", os.Getenv("TERM"), err)
	}
	return &steady{Screen: screen}, tty, nil
}

// starting is a screen that gets ready while the question is read, which takes
// as long. Until a frame is drawn its terminal is sent nothing.
type starting struct {
	done   chan struct{}
	screen tcell.Screen
	tty    *batchTty
	err    error
}

func startScreen() *starting {
	s := &starting{done: make(chan struct{})}
	go func() {
		defer close(s.done)
		if s.screen, s.tty, s.err = newScreen(); s.err != nil {
			return
		}
		if err := s.screen.Init(); err != nil {
			s.err = fmt.Errorf("use the terminal: %w", err)
		}
	}()
	return s
}

func (s *starting) wait() (tcell.Screen, *batchTty, error) {
	<-s.done
	return s.screen, s.tty, s.err
}

// drop gives the terminal back, on which nothing was shown.
func (s *starting) drop() {
	if screen, _, err := s.wait(); err == nil {
		screen.Fini()
	}
}

// assumeUTF8 makes tcell draw UTF-8 unless the locale names another character
// set. A tmux server or a container started with LANG=C is no less of a UTF-8
// terminal; tcell would draw a ? for every other sign there.
func assumeUTF8() {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			if strings.Contains(v, ".") {
				return
			}
			break
		}
	}
	os.Setenv("LC_ALL", "C.UTF-8")
}
