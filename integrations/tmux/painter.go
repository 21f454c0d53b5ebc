package tmux

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// painter paints a popup where tmux does not do it by itself. While a client has
// a command prompt or a message open, tmux drops whatever is drawn there and
// paints it only when the whole client is drawn again (TTY_FREEZE in its status.c
// and tty.c). No format tells of a prompt, and it stays for as long as the popup
// has the keys.
//
// So every change is painted by hand, and the clock with what else has changed
// beside it once a second, until it is clear that the client gets what the form
// draws by itself. A form that draws nothing for long, since its clock shows
// hours, looks like one that does not get through: it is painted ever more
// seldom, for a painting sends the whole screen.
type painter struct {
	server  *server
	client  string        // its name
	changed chan struct{} // what the form draws has changed
}

func newPainter(s *server, client string) *painter {
	return &painter{server: s, client: client, changed: make(chan struct{}, 1)}
}

// A tick of the form's clock moves the cursor and writes a digit: aTick bytes at
// least, where nothing gets through it is none. Several ticks in a row count,
// since something else may be drawn in the time of one.
const (
	aTick      = 2
	clockTicks = 3
	aSecond    = 1100 * time.Millisecond // and what the form may be late
	mostSilent = 8                       // ticks until it is painted more seldom
	seldom     = 30 * time.Second
)

// paint paints the popup that is up, until it is clear that tmux does.
func (p *painter) paint(ctx context.Context) {
	before, pause, silent := p.refresh(ctx), aSecond, 0
	for ticks := 0; ticks < clockTicks; {
		select {
		case <-ctx.Done():
			return
		case <-p.changed:
			before = p.refresh(ctx)
			continue
		case <-time.After(pause):
		}
		if now := p.written(ctx); now-before >= aTick {
			before = now
			ticks++
			continue
		}
		ticks = 0
		if silent++; silent > mostSilent {
			pause = min(2*pause, seldom)
		}
		before = p.refresh(ctx)
	}
}

// written is how many bytes tmux has sent the viewer so far.
func (p *painter) written(ctx context.Context) int64 {
	out, _ := p.server.run(ctx, "list-clients", "-F", "#{client_written}\t#{client_name}")
	for line := range strings.Lines(out) {
		if n, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == p.client {
			written, _ := strconv.ParseInt(n, 10, 64)
			return written
		}
	}
	return 0
}

// Changed has paint paint what has changed; where it is done, tmux does so.
func (p *painter) Changed(context.Context) {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

// refresh draws the whole client again, and says what was written then. Only the
// painting is at stake; the form is up either way.
func (p *painter) refresh(ctx context.Context) (written int64) {
	_, _ = p.server.run(ctx, "refresh-client", "-t", p.client)
	return p.written(ctx)
}
