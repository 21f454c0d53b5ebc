package tests

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	expect "github.com/Netflix/go-expect"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/text/unicode/norm"

	"github.com/askpane/askpane/tests/needs"
)

// patience is how long anything may take before a test gives up on it. It is
// long because the tests share their cores; nothing waits for it to pass.
const patience = 30 * time.Second

// terminal is a person's terminal: a pseudo-terminal with an emulator on top,
// so that a test sees what the person sees.
type terminal struct {
	t       testing.TB
	screens screens // where it is not ours, but a program's window; then nothing of what follows is there
	console *expect.Console
	tty     string // the device's path
	cmd     *exec.Cmd
	ended   chan struct{} // closed when cmd has ended
	readers sync.WaitGroup
	came    chan struct{} // something was written to it, or it was closed

	mu       sync.Mutex // guards what follows
	emulator *vt.Emulator
	raw      []byte // everything that was written to the terminal
	shown    int    // how much of raw the emulator has seen
	fresh    time.Time
	bells    int
	titles   []string
}

// screens is a terminal whose window can be asked and told.
type screens interface {
	rows() []string
	press(keys string)
	resize(width, height int)
}

func newTerminal(t testing.TB, width, height int) *terminal {
	t.Helper()
	v := &terminal{t: t, emulator: vt.NewEmulator(width, height), ended: make(chan struct{}), came: make(chan struct{}, 1)}
	v.emulator.SetCallbacks(vt.Callbacks{
		Bell:  func() { v.bells++ },
		Title: func(title string) { v.titles = append(v.titles, title) },
	})
	console, err := expect.NewConsole(expect.WithStdout(v))
	if err != nil {
		t.Fatalf("open a pseudo-terminal: %v", err)
	}
	// pty.Open leaves the other end blocking, and a blocked read would keep it
	// open when it is closed: the program in the terminal would not notice.
	if err := syscall.SetNonblock(int(console.Fd()), true); err != nil {
		t.Fatalf("make the pseudo-terminal non-blocking: %v", err)
	}
	v.console, v.tty = console, console.Tty().Name()
	v.setSize(width, height)
	v.readers.Go(func() { _, _ = console.ExpectEOF() }) // ends with the terminal
	replies := v.emulator
	v.readers.Go(func() { _, _ = io.Copy(console, replies) })
	v.readers.Go(v.feed)
	return v
}

// Write takes what the console read. It comes a rune at a time, and an emulator
// that is fed so never sees that two runes are one sign; so feed does that.
func (v *terminal) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.raw = append(v.raw, p...)
	v.fresh = time.Now()
	v.wake()
	return len(p), nil
}

// wake has feed look again.
func (v *terminal) wake() {
	select {
	case v.came <- struct{}{}:
	default:
	}
}

// feed shows the emulator what came, until the terminal is closed: up to the
// last control character at once, since a sign cannot go on past one, and the
// rest when nothing more has come for a moment.
func (v *terminal) feed() {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for all := true; ; <-tick.C {
		if all {
			<-v.came
		}
		v.mu.Lock()
		if v.emulator == nil {
			v.mu.Unlock()
			return
		}
		end := v.shown + 1 + bytes.LastIndexFunc(v.raw[v.shown:], func(r rune) bool { return r < ' ' })
		if time.Since(v.fresh) > 6*time.Millisecond {
			end = len(v.raw)
		}
		if end > v.shown {
			// NFC because the emulator loses a combining sign after an ASCII letter.
			_, _ = v.emulator.Write(norm.NFC.Bytes(v.raw[v.shown:end])) // fails only when closed
			v.shown = end
		}
		all = v.shown == len(v.raw)
		v.mu.Unlock()
	}
}

// start runs a program in the terminal, as its session's leader.
func (v *terminal) start(env []string, name string, args ...string) {
	v.t.Helper()
	v.cmd = exec.Command(name, args...)
	tty := v.console.Tty()
	v.cmd.Stdin, v.cmd.Stdout, v.cmd.Stderr, v.cmd.Env = tty, tty, tty, env
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := v.cmd.Start(); err != nil {
		v.t.Fatalf("start %s in the terminal: %v", name, err)
	}
	go func() {
		_ = v.cmd.Wait() // how it ended is seen in what it did
		close(v.ended)
	}()
}

// close closes the terminal, as closing its window does, and waits for what ran in it.
func (v *terminal) close() {
	v.mu.Lock()
	input := v.emulator.InputPipe()
	v.emulator = nil
	v.wake()
	v.mu.Unlock()
	_ = input.(io.Closer).Close() // ends the copying of its replies
	_ = v.console.Close()
	v.readers.Wait()
	if v.cmd == nil {
		return
	}
	select {
	case <-v.ended:
	case <-time.After(patience):
		v.t.Errorf("%v did not end when its terminal was closed", v.cmd.Args)
		_ = v.cmd.Process.Kill()
		<-v.ended
	}
}

func (v *terminal) setSize(width, height int) {
	v.t.Helper()
	size := &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}
	if err := pty.Setsize(v.console.Tty(), size); err != nil {
		v.t.Fatalf("set the terminal's size: %v", err)
	}
}

// resize is the person pulling at the window's corner.
func (v *terminal) resize(width, height int) {
	v.t.Helper()
	if v.screens != nil {
		v.screens.resize(width, height)
		return
	}
	v.mu.Lock()
	v.emulator.Resize(width, height)
	v.mu.Unlock()
	v.setSize(width, height)
}

// press types keys, as the bytes that a terminal sends for them.
func (v *terminal) press(keys ...string) {
	v.t.Helper()
	if v.screens != nil {
		v.screens.press(strings.Join(keys, ""))
		return
	}
	if _, err := v.console.Send(strings.Join(keys, "")); err != nil {
		v.t.Fatalf("type %q: %v", keys, err)
	}
}

// The bytes of keys that have no sign of their own.
const (
	up, down, right, left = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
	enter, tab, shiftTab  = "\r", "\t", "\x1b[Z"
	esc, backspace        = "\x1b", "\x7f"
)

// paste is a paste as terminals send it to a program that asked for brackets.
func paste(text string) string { return "\x1b[200~" + text + "\x1b[201~" }

// rows are the rows on view, without the blanks at their ends.
func (v *terminal) rows() []string {
	if v.screens != nil {
		return v.screens.rows()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	rows := make([]string, v.emulator.Height())
	for y := range rows {
		var b strings.Builder
		for x := 0; x < v.emulator.Width(); {
			cell := v.emulator.CellAt(x, y)
			if cell == nil || cell.Width < 1 {
				b.WriteByte(' ')
				x++
				continue
			}
			b.WriteString(cell.Content)
			x += cell.Width
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

func (v *terminal) screen() string { return strings.Join(v.rows(), "\n") }

// until waits for the screen to fit.
func (v *terminal) until(what string, fits func(screen string) bool) {
	v.t.Helper()
	if !poll(func() bool { return fits(v.screen()) }) {
		v.t.Fatalf("the screen never %s; it is\n%s", what, frame(v.rows()))
	}
}

// see waits until every text is on view at the same time.
func (v *terminal) see(texts ...string) {
	v.t.Helper()
	v.until(fmt.Sprintf("showed %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, norm.NFC.String(text)) {
				return false
			}
		}
		return true
	})
}

// unsee waits until text is no longer on view.
func (v *terminal) unsee(text string) {
	v.t.Helper()
	v.until(fmt.Sprintf("lost %q", text), func(screen string) bool { return !strings.Contains(screen, text) })
}

// at is the cell where text begins, once it is on view.
func (v *terminal) at(text string) (x, y int) {
	v.t.Helper()
	v.see(text)
	for y, row := range v.rows() {
		if before, _, ok := strings.Cut(row, text); ok {
			return vtWidth(before), y
		}
	}
	v.t.Fatalf("%q went away before it was looked at", text)
	return 0, 0
}

// click presses and lets go of the left button on text.
func (v *terminal) click(text string) {
	v.t.Helper()
	x, y := v.at(text)
	v.press(fmt.Sprintf("\x1b[<0;%d;%dM", x+1, y+1), fmt.Sprintf("\x1b[<0;%d;%dm", x+1, y+1))
}

// faint reports whether text is on view in grey: of the terminal's own making, or that
// of a palette where it has told its own colours.
func (v *terminal) faint(text string) bool {
	v.t.Helper()
	style := v.style(text)
	if style.Fg == nil {
		return style.Attrs&uv.AttrFaint != 0
	}
	r, g, b, _ := style.Fg.RGBA()
	return r == g && g == b
}

// coloured reports whether text is on view in a colour.
func (v *terminal) coloured(text string) bool {
	v.t.Helper()
	return v.style(text).Fg != nil
}

// reversed reports whether text begins with the terminal's colours reversed.
func (v *terminal) reversed(text string) bool {
	v.t.Helper()
	return v.style(text).Attrs&uv.AttrReverse != 0
}

// style is that of the cell where text begins.
func (v *terminal) style(text string) uv.Style {
	v.t.Helper()
	x, y := v.at(text)
	v.mu.Lock()
	defer v.mu.Unlock()
	if cell := v.emulator.CellAt(x, y); cell != nil {
		return cell.Style
	}
	return uv.Style{}
}

// vtWidth is how many cells the start of a row takes.
func vtWidth(text string) int {
	e := vt.NewEmulator(1000, 1)
	_, _ = e.WriteString(text)
	return e.CursorPosition().X
}

func (v *terminal) output() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return string(v.raw)
}

func (v *terminal) rung() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bells
}

func (v *terminal) lastTitle() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.titles) == 0 {
		return ""
	}
	return v.titles[len(v.titles)-1]
}

func (v *terminal) alternate() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.emulator.IsAltScreen()
}

// frame is a screen as a failing test prints it.
func frame(rows []string) string {
	return "┌\n│" + strings.Join(rows, "\n│") + "\n└"
}

// poll asks again and again, for as long as patience lasts, whether done.
func poll(done func() bool) bool { return needs.Within(patience, done) }

// eventually fails the test if done never comes true.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	if !poll(done) {
		t.Fatalf("gave up waiting until %s", what)
	}
}

// shortDir is a directory of the test's with a short name: a socket's path has 107 bytes
// at most, on macOS 103.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// environ is the clean environment of a person with nothing configured.
func environ(home string, more ...string) []string {
	return append(append(needs.Environ(),
		"PATH="+os.Getenv("PATH"), "HOME="+home, "TMPDIR="+home, "SHELL=/bin/sh", "LC_ALL=C.UTF-8", "TERM=xterm-256color",
	), more...)
}
