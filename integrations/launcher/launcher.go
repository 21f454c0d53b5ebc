// Package launcher starts popups in hosts whose command returns at once, and
// tells when such a popup has ended.
//
// The popup inherits the writing end of a FIFO; its end, however it comes,
// closes that, and the one who reads there knows. Its start is a line there.
// That costs no process and no polling, and is the same in every host: zellij's
// own blocking command keeps 30 MB waiting and hung before 0.44.3, kitty has one
// only since 0.36, wezterm and screen have none.
//
// The rule that must hold here: the shell that opens the FIFO runs a fixed
// script; everything else are words.
package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// script opens the FIFO $1 and writes a line there, sets the variables before --,
// and becomes the program after it. It opens for reading too, which never waits
// for the other end. Where the FIFO is gone, the popup is shown all the same.
//
// env(1) would take a program whose path has a = in it for a variable.
const script = `[ -p "$1" ] && exec 9<>"$1" && echo >&9; shift; while [ "$1" != -- ]; do export "$1"; shift; done; shift; exec "$@"`

// Opening watches a popup that a host was told to start.
type Opening struct {
	*adapter.Opening
	started chan struct{} // closed when the popup's process is there, or nobody waits for it any more

	dir  string
	file *os.File // where we read
	hold *os.File // the other end, ours until the popup has its own
}

// Open makes the words that run cmd, and hands them to start, which tells the host. The
// error is start's, or that of making the FIFO.
func Open(viewer string, cmd host.Command, start func(o *Opening, argv []string) error) (host.Opening, error) {
	dir, err := os.MkdirTemp("", "askpane-")
	if err != nil {
		return nil, fmt.Errorf("make a place to watch the popup from: %w", err)
	}
	o := &Opening{dir: dir, started: make(chan struct{})}
	fifo := filepath.Join(dir, "popup")
	if err := o.listen(fifo); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	o.Opening = adapter.Follow(viewer, func() {}, o.watch)
	argv := slices.Concat([]string{"/bin/sh", "-c", script, "askpane", fifo}, cmd.Env, []string{"--"}, cmd.Args)
	if err := start(o, argv); err != nil {
		o.Abandon()
		return nil, err
	}
	return o, nil
}

// listen makes the FIFO and opens both of its ends, before a popup can that ends at once.
func (o *Opening) listen(fifo string) (err error) {
	if err = unix.Mkfifo(fifo, 0o600); err != nil {
		return fmt.Errorf("make %s: %w", fifo, err)
	}
	if o.hold, err = os.OpenFile(fifo, os.O_RDWR, 0); err != nil { // for both never waits
		return err
	}
	if o.file, err = os.OpenFile(fifo, os.O_RDONLY, 0); err != nil {
		o.hold.Close()
	}
	return err
}

// watch reads the popup's sign, and then until the FIFO's other end is closed.
func (o *Opening) watch() error {
	defer o.file.Close()
	b := make([]byte, 1)
	n, _ := o.file.Read(b) // nothing, where Abandon has let go
	os.RemoveAll(o.dir)
	o.hold.Close()
	close(o.started)
	if n > 0 {
		_, _ = o.file.Read(b)
	}
	return nil // the FIFO does not say how it ended
}

// Started waits until the popup's process is there.
func (o *Opening) Started(ctx context.Context) error {
	select {
	case <-o.started:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Abandon gives up waiting for the popup, which goes on by itself.
func (o *Opening) Abandon() {
	o.hold.Close() // without a popup that is the end
	// macOS has no FIFOs in Go's poller: there the read ends with the popup.
	if err := o.file.SetReadDeadline(time.Unix(1, 0)); !errors.Is(err, os.ErrNoDeadline) {
		<-o.Ended()
	}
}
