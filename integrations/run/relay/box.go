package relay

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/run/screen"
)

const (
	// Below this size the two rows and columns of a border are better spent on the
	// form, as in tmux.
	smallWidth, smallHeight = 60, 16
	// heldLimit is how much of the command's output is kept to be written when
	// the box closes. Of more than that only the last heldRows lines are; and where
	// it is not lines, what it has come to on the screen.
	heldLimit = 4 << 20
	heldRows  = 2000
	title     = " askpane "
)

// box is one popup: a program in a terminal of its own, drawn over the
// command's.
type box struct {
	cmd   *exec.Cmd
	pty   *os.File
	ended chan struct{} // the popup is gone and the command's screen is back
	share [2]int        // of the terminal, in percent

	// Where the popup's own first cell is, and how many there are; read by keys.
	x, y, width, height num
	half                []byte // the beginning of a key; keys' own

	// The relay's lock guards the rest.
	screen  *screen.Screen
	shown   bool             // it is on the terminal
	alone   bool             // on an alternate screen that the command does not use
	under   *screen.Snapshot // the command's screen when the box came
	input   *screen.Snapshot // for which the terminal sends its input
	painted *uv.Buffer       // what is on the terminal
	held    []byte           // what the command has written since
	over    *screen.Snapshot // its screen when held was full

	bordered bool
	resized  bool // so the terminal has laid out the command's screen anew
	redrawn  bool // perhaps on another terminal, which knows nothing of the command's screen
}

type num struct{ atomic.Int64 }

func (n *num) Load() int   { return int(n.Int64.Load()) }
func (n *num) Store(v int) { n.Int64.Store(int64(v)) }

var errBusy = errors.New("a popup is open already")

// openBox starts a popup. It comes up with the first thing that it draws, so
// that keys typed before go where they were meant to.
func (r *relay) openBox(q run.Request) (*box, error) {
	args, err := r.Popup(q.Args)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.box != nil {
		return nil, errBusy
	}
	if r.hungUp || r.ended.Load() {
		return nil, errors.New("it is about to end")
	}
	b := &box{ended: make(chan struct{}), share: [2]int{percent(q.Width), percent(q.Height)}}
	b.place(r.screen.Size())
	ours, theirs, err := open(b.size())
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	if err := setTermios(int(theirs.Fd()), r.cooked); err != nil {
		ours.Close()
		return nil, err
	}
	b.pty, b.screen = ours, screen.New(b.width.Load(), b.height.Load())
	b.screen.Answer = func(s string) { _, _ = ours.WriteString(s) }
	b.cmd = exec.Command(args[0], args[1:]...)
	b.cmd.Stdin, b.cmd.Stdout, b.cmd.Stderr = theirs, theirs, theirs
	b.cmd.Env = append(popupEnv(os.Environ()), q.Env...)
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := b.cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	r.box = b
	go r.guarded(func() { r.show(b) })
	return b, nil
}

// popupEnv is our own environment, but for what it says of the terminal: the
// popup's is one that knows what xterm does, in as many colours as ours.
func popupEnv(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return strings.HasPrefix(e, run.SocketEnv+"=") || strings.HasPrefix(e, "TERM=")
	})
	term := "xterm"
	if strings.Contains(os.Getenv("TERM"), "256color") || os.Getenv("COLORTERM") != "" || strings.HasPrefix(os.Getenv("TERM"), "xterm-") {
		term = "xterm-256color"
	}
	return append(env, "TERM="+term)
}

// percent is "80%" as 80; what is none of that is everything.
func percent(s string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(s, "%"))
	if err != nil || n < 1 || n > 100 {
		return 100
	}
	return n
}

// place lays the box out on a terminal of that size.
func (b *box) place(width, height int) {
	b.bordered = width >= smallWidth && height >= smallHeight
	w, h := width, height
	if b.bordered {
		w, h = width*b.share[0]/100-2, height*b.share[1]/100-2
	}
	w, h = max(w, 1), max(h, 1)
	b.width.Store(w)
	b.height.Store(h)
	b.x.Store((width - w) / 2)
	b.y.Store((height - h) / 2)
}

func (b *box) size() *unix.Winsize {
	return &unix.Winsize{Col: uint16(b.width.Load()), Row: uint16(b.height.Load())}
}

// show draws what the popup draws, until it ends.
func (r *relay) show(b *box) {
	buf := make([]byte, 64<<10)
	for {
		n, err := b.pty.Read(buf)
		if n > 0 {
			r.mu.Lock()
			b.screen.Hold(buf[:n], func([]byte) {})
			if !b.shown && !r.ended.Load() {
				r.begin(b)
			}
			r.paint(b)
			r.mu.Unlock()
		}
		if err != nil {
			break
		}
	}
	_ = b.cmd.Wait() // the answer file says how it went
	r.mu.Lock()
	r.end(b)
	r.box = nil
	r.mu.Unlock()
	b.pty.Close()
	close(b.ended)
}

// begin takes the terminal from the command.
func (r *relay) begin(b *box) {
	if !r.settled() {
		r.write([]byte{0x18}) // cancels what it is in the middle of, and which is written whole later
	}
	b.shown, b.under = true, r.screen.Snapshot()
	// The terminal itself keeps the main screen best, with what has scrolled off
	// it; unless it has no other.
	b.alone = !b.under.Alt && hasAlternate()
	var s strings.Builder
	if b.under.Quiet() {
		s.WriteString("\x1b[?2026l")
	}
	if b.alone {
		s.WriteString("\x1b[?1049h" + b.under.Neutral() + "\x1b[H\x1b[2J")
	} else {
		s.WriteString(b.under.Neutral())
		b.painted = b.under.Cells
	}
	b.input = b.screen.Snapshot()
	s.WriteString(screen.Input(b.under, b.input))
	r.write([]byte(s.String()))
	r.front.Store(b)
}

// hasAlternate reports whether the terminal has an alternate screen. The console
// of Linux has not, and GNU screen only if it was told to.
func hasAlternate() bool {
	return os.Getenv("TERM") != "linux" && os.Getenv("STY") == ""
}

// paint brings the terminal up to date.
func (r *relay) paint(b *box) {
	if !b.shown || b.screen.Mode(2026) {
		return
	}
	next := b.frame()
	var s strings.Builder
	s.WriteString("\x1b[?2026h\x1b[?25l" + screen.Paint(b.painted, next))
	now := b.screen.Snapshot()
	s.WriteString(screen.Input(b.input, now))
	b.input = now
	if x, y, shown := b.screen.Cursor(); shown {
		s.WriteString(ansi.CursorPosition(b.x.Load()+x+1, b.y.Load()+y+1) + "\x1b[?25h")
	}
	s.WriteString("\x1b[?2026l")
	b.painted = next
	r.write([]byte(s.String()))
}

// frame is the whole terminal: the command's screen, and the box over it.
func (b *box) frame() *uv.Buffer {
	f := &uv.Buffer{Lines: make([]uv.Line, b.under.Cells.Height())}
	for y, line := range b.under.Cells.Lines {
		f.Lines[y] = slices.Clone(line)
	}
	left, top, width, height := b.x.Load(), b.y.Load(), b.width.Load(), b.height.Load()
	if b.bordered {
		border(f, left-1, top-1, width+2, height+2)
	}
	for y := range height {
		// Through SetCell at the edges, for the sake of wide signs that are cut.
		f.SetCell(left, top+y, nil)
		f.SetCell(left+width-1, top+y, nil)
		for x := range width {
			if c := b.screen.Cell(x, y); c != nil && top+y < len(f.Lines) && left+x < len(f.Lines[top+y]) {
				f.Lines[top+y][left+x] = *c
			}
		}
	}
	return f
}

func border(f *uv.Buffer, x, y, width, height int) {
	set := func(x, y int, s string) { f.SetCell(x, y, &uv.Cell{Content: s, Width: 1}) }
	for i := 1; i < width-1; i++ {
		set(x+i, y, "─")
		set(x+i, y+height-1, "─")
	}
	for i := 1; i < height-1; i++ {
		set(x, y+i, "│")
		set(x+width-1, y+i, "│")
	}
	set(x, y, "┌")
	set(x+width-1, y, "┐")
	set(x, y+height-1, "└")
	set(x+width-1, y+height-1, "┘")
	if width > len(title)+4 {
		for i, c := range title {
			set(x+2+i, y, string(c))
		}
	}
}

// resizeBox follows the terminal to another size.
func (r *relay) resizeBox(width, height int) {
	b := r.box
	if b == nil {
		return
	}
	b.place(width, height)
	b.screen.Resize(b.width.Load(), b.height.Load())
	if b.shown {
		b.under.Resize(width, height)
		b.resized, b.painted = true, nil // what the terminal makes of its screen is its own affair
		r.write([]byte(ansi.ResetStyle + "\x1b[2J"))
		r.paint(b)
	}
	_ = setSize(b.pty, b.size())
}

// redraw draws all of the popup again, with the lock held, on a terminal that may
// be another one by now: it is told of everything anew.
func (r *relay) redraw() {
	b := r.box
	if b == nil || !b.shown {
		return
	}
	var s strings.Builder
	if b.alone || b.under.Alt {
		s.WriteString("\x1b[?47h") // and not 1049, which saves the cursor
	}
	s.WriteString(b.under.Modes() + b.under.Neutral() + screen.Input(nil, b.input) + "\x1b[2J")
	r.write([]byte(s.String()))
	b.painted, b.redrawn = nil, !b.resized
	r.paint(b)
}

// hold keeps what the command writes while the box is up.
func (r *relay) hold(p []byte) {
	b := r.box
	r.screen.Answer = func(s string) { r.answer([]byte(s)) }
	r.screen.Hold(p, func(piece []byte) {
		if b.over == nil {
			b.held = append(b.held, piece...)
		}
	})
	r.screen.Answer = nil
	if b.over == nil && len(b.held) > heldLimit {
		if b.held = r.screen.Trim(b.held, heldRows); len(b.held) > heldLimit/2 {
			b.over = r.screen.Snapshot()
		}
	}
}

// end gives the terminal back to the command, and shows what it has written
// meanwhile.
func (r *relay) end(b *box) {
	if !b.shown {
		return
	}
	r.front.Store(nil)
	b.shown = false
	u := b.under
	var s strings.Builder
	s.WriteString("\x1b[?2026h\x1b[?25l" + screen.Input(b.input, nil))
	if b.alone {
		s.WriteString(u.Modes() + screen.Input(nil, u) + u.Origin() + "\x1b[?1049l")
		again := u.Saved()
		if b.redrawn {
			s.WriteString(u.Neutral() + screen.Paint(nil, u.Cells) + u.Modes())
		}
		s.WriteString(again + u.Drawing(again == "" && !b.redrawn))
	} else {
		s.WriteString(screen.Paint(b.painted, u.Cells) + u.Modes() + screen.Input(nil, u) + u.Drawing(false))
	}
	if !u.Quiet() {
		s.WriteString("\x1b[?2026l")
	}
	r.write([]byte(s.String()))
	r.write(b.held)
	if b.over != nil {
		r.write([]byte(r.catchUp(b.over)))
	}
	r.write(r.screen.Rest())
}

// catchUp brings the terminal from an earlier screen of the command's to what it
// shows by now.
func (r *relay) catchUp(from *screen.Snapshot) string {
	to := r.screen.Snapshot()
	var s strings.Builder
	s.WriteString(from.Neutral() + screen.Input(from, nil))
	if from.Alt && !to.Alt {
		s.WriteString("\x1b[?1049l")
	} else if !from.Alt && to.Alt {
		s.WriteString("\x1b[?1049h")
	}
	s.WriteString(screen.Paint(nil, to.Cells) + to.Modes() + to.Since(from) + screen.Input(nil, to) + to.Drawing(false))
	return s.String()
}

// closeBox ends the popup, as closing its window would: it saves the draft.
func (r *relay) closeBox() {
	r.mu.Lock()
	b := r.box
	r.mu.Unlock()
	if b == nil {
		return
	}
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGKILL} {
		_ = b.cmd.Process.Signal(sig)
		if sig == unix.SIGKILL {
			_ = b.pty.Close() // something that it has started may keep the terminal
		}
		select {
		case <-b.ended:
			return
		case <-time.After(closeLimit):
		}
	}
}

const closeLimit = 2 * time.Second
