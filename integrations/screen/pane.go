package screen

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// pane is an asking window that a popup looks at. It runs in the session, where
// $SCREENDIR is right.
type pane struct{ *session }

func findPane(ref string) (host.Pane, error) {
	window, name, _ := strings.Cut(ref, " ")
	if pid, _, ok := strings.Cut(name, "."); !adapter.Number(window) || !adapter.Number(pid) || !ok {
		return nil, fmt.Errorf("%q names no screen window", ref)
	}
	bin, err := exec.LookPath("screen")
	if err != nil {
		return nil, err
	}
	return pane{&session{bin: bin, name: name, window: window}}, nil
}

// Screen has screen write it to a file. A command given by -X is done some time
// after screen -X has ended, but before the one that comes next: once there is a
// second file, the first is whole.
func (p pane) Screen(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "askpane-")
	if err != nil {
		return "", fmt.Errorf("make a place for the window's text: %w", err)
	}
	defer os.RemoveAll(dir)
	file, done := filepath.Join(dir, "text"), filepath.Join(dir, "done")
	for _, args := range [][]string{{"-h", literal(file)}, {literal(done)}} {
		if _, err := p.run(ctx, append([]string{"-S", p.name, "-p", p.window, "-X", "hardcopy"}, args...)...); err != nil {
			return "", err
		}
	}
	if err := appears(ctx, done); err != nil {
		return "", fmt.Errorf("screen has not written the window's text: %w", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("screen hardcopy: %w", err)
	}
	return host.Last(string(text)), nil
}

// appears waits for a file, for as long as ctx lasts.
func appears(ctx context.Context, file string) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(file); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// GoTo shows the window on the display that screen takes by itself.
func (p pane) GoTo(ctx context.Context, _ string) error {
	_, err := p.run(ctx, "-S", p.name, "-X", "select", p.window)
	return err
}
