package relay

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/run/screen"
)

// box holds a popup: a program in a terminal of its own, drawn over the command's. When the
// popup draws something, the box gets a cover, and the keys, until the popup ends.
type box struct {
	cmd   *exec.Cmd
	pty   *os.File
	ended chan struct{} // the popup is gone and the command's screen is back
	wants [2]int        // columns and rows, with the border

	area atomic.Pointer[uv.Rectangle] // where the popup's own cells are; read by keys

	// The relay's lock guards the rest.
	screen   *screen.Screen
	cover    *screen.Cover // nil as long as the box is not on the terminal
	bordered bool
	backlog  backlog
}

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
	b := &box{ended: make(chan struct{})}
	width, height := r.screen.Size()
	b.want(q.Columns, q.Rows, width, height)
	b.place(width, height)
	b.screen = screen.New(b.area.Load().Dx(), b.area.Load().Dy())
	env := append(append(popupEnv(os.Environ()), q.Env...), run.BoxEnv+"="+r.socket)
	if b.pty, b.cmd, err = r.startInTerminal(b.size(), env, args...); err != nil {
		return nil, err
	}
	r.box = b
	go r.guarded(func() { r.show(b) })
	return b, nil
}

// popupEnv returns our own environment, but for what it says of the terminal: the popup's
// knows what xterm does, in as many colours as ours.
func popupEnv(env []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		return strings.HasPrefix(e, run.SocketEnv+"=") || strings.HasPrefix(e, "TERM=")
	})
	ours := os.Getenv("TERM")
	if strings.Contains(ours, "256color") || strings.HasPrefix(ours, "xterm-") || os.Getenv("COLORTERM") != "" {
		return append(env, "TERM=xterm-256color")
	}
	return append(env, "TERM=xterm")
}

// want keeps the columns and rows that the form wants on a terminal of that size. On one that
// is too small for a border the box has all there is, and what a form wants there does not
// count: on a larger one it could not even be read.
func (b *box) want(columns, rows, width, height int) {
	if !small(width, height) {
		b.wants = [2]int{columns, rows}
	}
}

// place lays the box out on a terminal of that size.
func (b *box) place(width, height int) {
	b.bordered = !small(width, height)
	w, h := width, height
	if b.bordered {
		w, h = min(w, cmp.Or(b.wants[0], w))-host.Border, min(h, cmp.Or(b.wants[1], h))-host.Border
	}
	w, h = max(w, 1), max(h, 1)
	area := uv.Rect((width-w)/2, (height-h)/2, w, h)
	b.area.Store(&area)
}

func small(width, height int) bool { return host.Viewer{Width: width, Height: height}.Small() }

func (b *box) size() *pty.Winsize {
	area := b.area.Load()
	return &pty.Winsize{Cols: uint16(area.Dx()), Rows: uint16(area.Dy())}
}

// show draws what the popup draws, until it ends.
func (r *relay) show(b *box) {
	buf := make([]byte, 64<<10)
	for {
		n, err := b.pty.Read(buf)
		if n > 0 {
			r.mu.Lock()
			_, answers := b.screen.Hold(buf[:n])
			if b.cover == nil && !r.ended.Load() {
				r.coverWith(b)
			}
			r.paint(b)
			r.mu.Unlock()
			_, _ = b.pty.WriteString(answers) // it may have ended meanwhile, or not read them for a while
		}
		if err != nil {
			break
		}
	}
	_ = b.cmd.Wait() // the answer file says how it went
	r.mu.Lock()
	r.uncover(b)
	r.box = nil
	r.mu.Unlock()
	b.pty.Close()
	close(b.ended)
}

// coverWith takes the terminal from the command.
func (r *relay) coverWith(b *box) {
	if !r.atGround() {
		r.write([]byte{cancel})
	}
	var s string
	b.cover, s = screen.NewCover(r.screen.Snapshot(), b.screen.Snapshot(), hasAlternate())
	r.write([]byte(s))
	r.front.Store(b)
}

// cancel ends the sequence that the command is in the middle of, and which is written
// whole later.
const cancel = 0x18

// hasAlternate reports whether the terminal has an alternate screen. The console
// of Linux has not, and GNU screen only if it was told to.
func hasAlternate() bool {
	return os.Getenv("TERM") != "linux" && os.Getenv("STY") == ""
}

// paint brings the terminal up to date, unless the popup is in the middle of drawing.
func (r *relay) paint(b *box) {
	if top := b.screen.Snapshot(); b.cover != nil && !top.Quiet() {
		at := b.area.Load().Min
		r.write([]byte(b.cover.Paint(b.frame(top.Cells), top, at.X, at.Y)))
	}
}

// resizeBox follows the terminal to another size.
func (r *relay) resizeBox(width, height int) {
	b := r.box
	if b == nil {
		return
	}
	if b.cover != nil {
		r.write([]byte(b.cover.Resize(width, height)))
	}
	r.fitBox(width, height)
}

// fitBox lays the box out anew on a terminal of that size.
func (r *relay) fitBox(width, height int) {
	b := r.box
	b.place(width, height)
	b.screen.Resize(b.area.Load().Dx(), b.area.Load().Dy())
	r.paint(b)
	_ = pty.Setsize(b.pty, b.size())
}

// redraw draws all of the popup again, on a terminal that may be another one by now.
func (r *relay) redraw() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if b := r.box; b != nil && b.cover != nil {
		r.write([]byte(b.cover.Redraw()))
		r.paint(b)
	}
}

// uncover gives the terminal back to the command, and shows what it has written meanwhile.
func (r *relay) uncover(b *box) {
	if b.cover == nil {
		return
	}
	r.front.Store(nil)
	r.write([]byte(b.cover.End()))
	if b.backlog.base != nil {
		r.write([]byte(screen.CatchUp(b.cover.Under, b.backlog.base)))
	}
	b.cover = nil
	r.write(b.backlog.output)
	r.write(r.screen.Rest())
}

// backlog keeps what the command has written while the box is on the terminal: the last of it,
// at most backlogLimit, and what all before that had come to on the screen.
type backlog struct {
	base   *screen.Snapshot // nil where nothing was before
	output []byte
}

const backlogLimit = 4 << 20

// hold keeps what the command writes while the box is up. A terminal would send it the
// answers.
func (r *relay) hold(p []byte) (answers string) {
	log := &r.box.backlog
	keep, answers := r.screen.Hold(p)
	log.output = append(log.output, keep...)
	if len(log.output) > backlogLimit {
		*log = backlog{base: r.screen.Snapshot()}
	}
	return answers
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
