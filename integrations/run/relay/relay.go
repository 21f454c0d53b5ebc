// Package relay is `askpane run`: it runs a command in a terminal of its own and
// passes everything through, so that a popup can be shown over it.
//
// It touches the terminal it was started on, the command's, and a socket for
// those inside (package run). The rule that must hold here: as long as no popup
// is open, what the command writes reaches the terminal byte for byte, and what
// is typed reaches the command; and whatever happens, the terminal is given back
// as it was.
package relay

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/run/screen"
	"github.com/askpane/askpane/integrations/tty"
)

// Config says what Run runs.
type Config struct {
	Args []string // the command
	Self string   // the askpane that stands between, absolute
	// Popup checks what somebody inside wants to have run as a popup, and says how to run it.
	Popup func(args []string) ([]string, error)
	Warn  func(error) // tells the person something before the command starts
}

// relay connects a command's terminal with the person's.
type relay struct {
	Config
	in, out  *os.File      // the terminal
	inner    *os.File      // our end of the command's
	socket   string        // ours, for those inside; empty where there is none
	child    int           // the process between us and the command
	settings *term.State   // the terminal's own
	size     pty.Winsize   // of both; the waiting loop's
	ground   time.Duration // groundLimit

	front  atomic.Pointer[box] // the box that has the keys
	ended  atomic.Bool         // the command has ended
	active atomic.Int64        // when the person last typed something to the command, in milliseconds since 1970

	changes chan unix.WaitStatus // of the process between
	passed  chan struct{}        // the command has written something
	over    chan struct{}        // closed when its terminal is

	mu     sync.Mutex // guards what follows, and the writing to out
	screen *screen.Screen
	box    *box
	marks  []*string // titles of the forms that wait, which are told apart by address
	waits  string    // what the command waits for by its own report, in words; empty where it does not
	titled bool      // the window has a title of ours
	hungUp bool      // the terminal is gone
}

// Run runs the command until it ends, and returns its exit code: 128 and the
// signal's number where a signal ended it.
func Run(cfg Config) (code int, err error) {
	r := &relay{Config: cfg, in: os.Stdin, out: os.Stdout, ground: groundLimit,
		changes: make(chan unix.WaitStatus, 16), passed: make(chan struct{}, 1), over: make(chan struct{})}
	if r.settings, err = term.GetState(int(r.in.Fd())); err != nil {
		return 0, fmt.Errorf("askpane run needs a terminal: %w", err)
	}
	size, err := pty.GetsizeFull(r.in)
	if err != nil {
		return 0, fmt.Errorf("ask the terminal for its size: %w", err)
	}
	if size.Cols == 0 || size.Rows == 0 { // one that does not know it
		size.Cols, size.Rows = 80, 24
	}
	r.size, r.screen = *size, screen.New(int(size.Cols), int(size.Rows))
	server, err := listen(run.Dirs())
	if err != nil { // the command runs all the same
		r.Warn(fmt.Errorf("questions cannot be shown here: %w", err))
	} else {
		r.socket = server.Addr().String()
		defer server.Close()
	}
	r.active.Store(time.Now().UnixMilli())
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, passedOn...)
	defer r.restore()
	if err := r.makeRaw(); err != nil { // before the command runs, whose Ctrl+C would end us else
		return 0, fmt.Errorf("take the terminal: %w", err)
	}
	if err := r.start(size); err != nil {
		return 0, err
	}
	defer r.inner.Close()
	go r.guarded(func() { defer close(r.over); r.carryOutput() })
	go r.guarded(r.carryInput)
	if server != nil {
		go r.guarded(func() { r.accept(server) })
	}
	code = r.wait(signals)
	r.ended.Store(true)
	r.quiet(100*time.Millisecond, 5*time.Second) // it has written before it ended
	r.finish(code)
	return code, nil
}

// start runs the command in a new terminal that is like ours, by the process between.
func (r *relay) start(size *pty.Winsize) error {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, run.SocketEnv+"=") })
	if r.socket != "" {
		env = append(env, run.SocketEnv+"="+r.socket)
	}
	inner, cmd, err := r.startInTerminal(size, env, append([]string{r.Self, ChildCommand}, r.Args...)...)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Args[0], err)
	}
	r.inner, r.child = inner, cmd.Process.Pid
	go follow(r.child, func(ws unix.WaitStatus) { r.changes <- ws })
	return nil
}

// wait sees to signals until the command has ended, with that exit code.
func (r *relay) wait(signals <-chan os.Signal) (code int) {
	var hung <-chan time.Time
	for {
		select {
		case st := <-r.changes:
			if !st.Stopped() {
				return exitCode(st)
			}
			r.suspend()
		case sig := <-signals:
			switch sig {
			case unix.SIGWINCH:
				if !r.resize() {
					r.refresh()
				}
			case unix.SIGCONT:
				_ = r.makeRaw() // whoever stopped us may have changed it
				r.resize()
				r.redraw() // and a shell has written where the form was
				r.signal(unix.SIGCONT)
			case unix.SIGHUP:
				r.mu.Lock()
				r.hungUp = true
				r.mu.Unlock()
				r.closeBox()
				r.signal(unix.SIGHUP)
				hung = time.After(hangUpLimit)
			default:
				r.signal(sig.(unix.Signal))
			}
		case <-hung: // it ignores that; without a terminal it goes on by itself
			return signaled + int(unix.SIGHUP)
		}
	}
}

// hangUpLimit bounds the wait for a command to end after its terminal has gone.
const hangUpLimit = 5 * time.Second

// passedOn lists the signals that are meant for the command. Not SIGTSTP: nobody sends us
// that, and once a Go program has caught it, it cannot be stopped by it any more (suspend).
var passedOn = []os.Signal{
	unix.SIGWINCH, unix.SIGCONT, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2,
}

// carryOutput carries the command's output to the terminal, which hands over 4 KiB at most.
// To gather more before it is written made `cat` of a large file a third slower.
func (r *relay) carryOutput() {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.inner.Read(buf)
		if n > 0 {
			r.output(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// output passes output of the command on.
func (r *relay) output(p []byte) {
	var answers string
	r.mu.Lock()
	asks := (r.box == nil || r.box.cover == nil) && bytes.Contains(p, screen.Question)
	r.mu.Unlock()
	if asks { // first: who has read what the terminal answers waits for nothing else
		r.send([]byte(screen.Understood))
	}
	r.mu.Lock()
	if b := r.box; b != nil && b.cover != nil {
		answers = r.hold(p)
	} else {
		r.write(p)
		r.screen.Feed(p)
	}
	r.follow()
	r.mu.Unlock()
	select {
	case r.passed <- struct{}{}:
	default:
	}
	r.send([]byte(answers)) // a command that does not read them has us wait, and nobody else
}

// write writes to the terminal. One that is gone is no reason to stop: SIGHUP
// says so too, and is seen to.
func (r *relay) write(p []byte) {
	if len(p) == 0 || r.hungUp {
		return
	}
	if _, err := r.out.Write(p); err != nil {
		r.hungUp = errors.Is(err, unix.EIO)
	}
}

// carryInput carries what is typed to the command, or to the popup.
func (r *relay) carryInput() {
	buf := make([]byte, 4<<10)
	var half []byte // the beginning of a key, for whoever has the keys when the rest comes
	for {
		n, err := r.in.Read(buf)
		if n > 0 {
			p := append(half, buf[:n]...)
			if b := r.front.Load(); b != nil {
				var popup, command []byte
				popup, command, half = b.keys(p)
				if bytes.IndexByte(popup, ctrlL) >= 0 {
					r.redraw()
				}
				_, _ = b.pty.Write(popup) // it may have ended meanwhile
				r.send(command)
			} else {
				half = nil
				r.send(p)
				if byPerson(p) {
					r.active.Store(time.Now().UnixMilli())
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// ctrlL asks for the screen to be drawn again, in programs of all kinds.
const ctrlL = '\f'

// send writes to the command what a terminal would send it.
func (r *relay) send(p []byte) {
	if len(p) > 0 {
		_, _ = r.inner.Write(p) // it may have ended meanwhile
	}
}

// atGround waits, with the lock held, until the command's output ends between two sequences,
// so that something can be written there. It does not wait long for an agent that stops in
// the middle of one.
func (r *relay) atGround() bool {
	for late := time.After(r.ground); !r.screen.Ground(); {
		r.mu.Unlock()
		select {
		case <-r.passed:
			r.mu.Lock()
		case <-late:
			r.mu.Lock()
			return r.screen.Ground()
		}
	}
	return true
}

// groundLimit bounds the wait for the rest of a sequence that came in two writes.
const groundLimit = 50 * time.Millisecond

// resize gives the terminal's size to the command, and to the popup; false where it has not
// changed.
func (r *relay) resize() bool {
	size, err := pty.GetsizeFull(r.in)
	if err != nil || size.Cols == 0 || size.Rows == 0 || *size == r.size {
		return false
	}
	r.size = *size
	r.mu.Lock()
	if w, h := r.screen.Size(); w != int(size.Cols) || h != int(size.Rows) {
		r.screen.Resize(int(size.Cols), int(size.Rows))
		r.resizeBox(int(size.Cols), int(size.Rows))
	}
	r.mu.Unlock()
	_ = pty.Setsize(r.inner, size) // it may have ended
	return true
}

// refresh has all drawn again on a terminal that tells of a size which it has already:
// somebody has come to it (dtach), and it may show nothing of what was drawn before. The
// kernel does not pass that on to the command.
func (r *relay) refresh() {
	r.redraw()
	inner, err := r.inner.SyscallConn() // Fd would make it block
	if err != nil {
		return
	}
	_ = inner.Control(func(fd uintptr) { // the command may have ended
		if group, err := unix.IoctlGetInt(int(fd), unix.TIOCGPGRP); err == nil && group > 0 {
			_ = unix.Kill(-group, unix.SIGWINCH)
		}
	})
}

// quiet waits until the command has written nothing for a moment, and not for longer
// than most: something that it has left running in the background may write all the
// time, or keep the terminal open.
func (r *relay) quiet(moment, most time.Duration) {
	for late := time.Now().Add(most); time.Now().Before(late); {
		select {
		case <-r.over:
			return
		case <-r.passed:
		case <-time.After(moment):
			return
		}
	}
}

// finish gives the terminal back.
func (r *relay) finish(code int) {
	r.closeBox()
	r.mu.Lock()
	defer r.mu.Unlock()
	if code > signaled { // it had no time to tidy up
		r.write([]byte(r.screen.Leave()))
	}
	if r.titled { // whoever asked outlives the command, or is slower to go
		r.marks, r.waits = nil, ""
		r.retitle()
		r.write([]byte(tty.Clear))
	}
}

// guarded runs one of our goroutines. If it panics, the terminal is given back
// before the process dies of it.
func (r *relay) guarded(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.restore()
			_, _ = r.out.WriteString("\x1b[?1049l\x1b[?1000;1002;1003;1006;2004l\x1b[?7;25h\x1b[m\r\n")
			panic(p)
		}
	}()
	f()
}
