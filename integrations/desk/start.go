package desk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/address"
)

// startLimit bounds how long a desk may take until it is up, including the end of one of
// another version before it.
const startLimit = patience + 5*time.Second

// Start returns the address of the desk that is up, or of one that it starts: cmd makes a
// command that serves and closes its standard output when it is up. That lives on in a session
// of its own.
func Start(ctx context.Context, version string, cmd func() (*exec.Cmd, error)) (address.Address, error) {
	if a, up := address.Up(); up && a.Version == version {
		return a, nil
	}
	dir, err := address.Dir()
	if err != nil {
		return address.Address{}, err
	}
	serve, err := cmd()
	if err != nil {
		return address.Address{}, err
	}
	serve.Dir = "/" // it is in nobody's way
	serve.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	up, err := serve.StdoutPipe()
	if err == nil {
		err = serve.Start()
	}
	if err != nil {
		return address.Address{}, fmt.Errorf("start the desk: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	defer context.AfterFunc(ctx, func() { up.Close() })()
	_, _ = io.Copy(io.Discard, up) // it closes its end
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	for { // another may have been quicker, and not be up yet
		if a, up := address.Up(); up && a.Version == version {
			return a, nil
		}
		if why := address.Why(dir); why != nil {
			return address.Address{}, fmt.Errorf("the desk cannot start: %w", why)
		}
		select {
		case err := <-ended:
			if err != nil { // else another was quicker
				return address.Address{}, fmt.Errorf("the desk has ended at once: %w", err)
			}
		case <-ctx.Done():
			return address.Address{}, errors.New("the desk does not start; askpane desk says why")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
