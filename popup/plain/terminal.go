package plain

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
)

// terminal reads and writes lines on the person's. A write that fails is not looked
// at: the terminal is gone then, and reading from it ends.
type terminal struct {
	*os.File
	width int // in columns; 0 where that is not known
}

// open throws away what was typed before the question came, which was meant for something
// else, and when it is over what was typed to it, which a shell would show and run. It asks how wide the terminal is.
func (t *terminal) open() {
	t.width, _, _ = term.GetSize(int(t.Fd()))
	if err := t.echo(true, setModeAndFlush); err != nil {
		t.say("What was typed before may be taken for an answer: %v", err)
	}
}

// hush keeps the terminal from showing what is typed, while that is a secret.
func (t *terminal) hush(secret bool) {
	if err := t.echo(!secret, setMode); err != nil && secret {
		t.say("What you type will show on this terminal: %v", err)
	}
}

// echo has the terminal show what is typed, or only the end of the line; how is the system's call for it.
func (t *terminal) echo(on bool, how uint) error {
	mode, err := unix.IoctlGetTermios(int(t.Fd()), getMode)
	if err != nil {
		return err
	}
	mode.Iflag |= utf8 // else, as in a container, Backspace would leave a part of a sign in the answer
	mode.Lflag |= unix.ECHO
	if !on {
		mode.Lflag = mode.Lflag&^unix.ECHO | unix.ECHONL
	}
	return unix.IoctlSetTermios(int(t.Fd()), how, mode)
}

// lines hands over what is typed, line by line. It ends with the input, or with
// the process: a read from a terminal cannot be taken back everywhere.
func (t *terminal) lines(stop <-chan struct{}) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		in := bufio.NewReader(t)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return // a line without an end was not meant yet
			}
			select {
			case lines <- strings.TrimRight(line, "\r\n"):
			case <-stop:
				return
			}
		}
	}()
	return lines
}

// say writes our own words. What of them came from outside has been through
// text.OneLine.
func (t *terminal) say(format string, args ...any) {
	_, _ = t.WriteString(text.Visible(fmt.Sprintf(format, args...)) + "\n")
}

// quote writes a text from outside, if there is any, after its name and indented.
func (t *terminal) quote(indent int, name, said string) {
	if said != "" {
		_, _ = t.WriteString(t.indented(indent, name+said))
	}
}

// sayWith says heading and quotes a text below it; nothing where that is blank.
func (t *terminal) sayWith(heading, said string) {
	if strings.TrimSpace(said) != "" {
		_, _ = t.WriteString(heading + "\n" + t.indented(2, said))
	}
}

// indented never begins a line with a text from outside, not even where the terminal
// would break it, so that cannot pass for our own words.
func (t *terminal) indented(indent int, said string) (rows string) {
	width := t.width - indent
	if width < 8 { // not known, or absurd
		width = math.MaxInt
	}
	for _, row := range cells.Wrap(text.Visible(said), width) {
		rows += strings.TrimRight(strings.Repeat(" ", indent)+row, " ") + "\n"
	}
	return rows
}
