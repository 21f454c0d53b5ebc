package programs

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// Warn says something to the person on standard error. It never waits for a
// reader: where nobody reads, it is left out.
func Warn(err error) { complain(err, 0) }

// lastSentence is how long the sentence that a command ends with waits for a reader.
const lastSentence = 2 * time.Second

var complaining sync.Mutex

// complain writes to standard error, as soon as that has room. What it quotes may
// come from anywhere: a file, a request, a command line that an agent has written.
func complain(err error, patience time.Duration) {
	line := "askpane: " + text.Visible(err.Error())
	if width, _, err := term.GetSize(syscall.Stderr); err == nil && width > 0 { // a terminal would break words
		line = strings.Join(cells.Wrap(line, width), "\n")
	}
	complaining.Lock()
	defer complaining.Unlock()
	for part := range slices.Chunk([]byte(line+"\n"), atOnce) {
		if !room(patience) {
			return
		}
		if _, err := os.Stderr.Write(part); err != nil {
			return
		}
	}
}

// atOnce is how many bytes a pipe that has room takes without making its writer
// wait (pipe(7)): a page.
const atOnce = 4096

// room waits until standard error can be written to. Not by os.Stderr.Fd, which
// would make a descriptor blocking that others have, too.
func room(patience time.Duration) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(syscall.Stderr), Events: unix.POLLOUT}}, int(patience.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return n > 0 || err != nil
		}
	}
}
