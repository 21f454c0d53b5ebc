package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/host"
)

// ask --detach puts the question into the spool and leaves it to askpane ask-left
// in a session of its own, which waits as any bridge does, so that popups come
// back and alerts stay.

// toAnotherProcess starts it for the question id, and returns when it has found
// the host: that is looked for among the processes above, and we are one of them.
func (q question) toAnotherProcess(id string) error {
	cmd, err := ourselves("ask-left", "--dialect="+q.dialect, "--host="+q.Host, id)
	if err != nil {
		return err
	}
	found, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("leave the question to a process of its own: %w", err)
	}
	_, err = io.Copy(io.Discard, found) // it writes nothing, and closes its end
	return err
}

// ourselves returns a command of this program that outlives the caller's terminal.
func ourselves(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	cmd := exec.Command(self, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd, err
}

// stay waits for the answer to a question whose caller has left.
func stay(c *cli.Context) error {
	ctx, stop := programs.UntilTold()
	defer stop()
	own := asker.Asker{Host: c.String("host"), Say: func(error) {}}.For(here()) // the caller has been told
	h, err := own.Find()(ctx)
	_ = os.Stdout.Close() // from now on the caller may go
	sp, failed := asker.OpenSpool()
	if failed != nil {
		return failed
	}
	defer sp.Close()
	b := own.Bridge(sp, func(context.Context) (host.Host, error) { return h, err })
	err = b.Stay(ctx, c.Args().First(), c.String("dialect"))
	if errors.Is(err, bridge.ErrKept) || errors.Is(err, bridge.ErrDelivered) || errors.Is(err, spool.ErrNotFound) {
		return nil // ended by a signal, and the question is not; or somebody else was quicker
	}
	return err
}
