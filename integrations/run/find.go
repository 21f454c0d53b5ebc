package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// Dirs lists where askpane run may make its socket, best first: where the system keeps such
// things, beside the spool, or where a path is surely short enough (107 bytes).
func Dirs() []string {
	var dirs []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "askpane"))
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "askpane", "run"))
	} else if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "state", "askpane", "run"))
	}
	return append(dirs, filepath.Join(os.TempDir(), fmt.Sprintf("askpane-%d", os.Getuid())))
}

// Socket names the socket that the process makes in one of Dirs.
func Socket(pid int) string { return fmt.Sprintf("run-%d", pid) }

// socketOf finds the one that this process has come from: that which its environment names,
// and else the nearest of its ancestors', where agents strip their tools' environment. A socket
// with an ancestor's number may be another container's, which shares the home and counts anew.
func socketOf(line []host.Process) string {
	if _, err := os.Stat(os.Getenv(SocketEnv)); err == nil {
		return os.Getenv(SocketEnv)
	}
	for _, p := range line {
		for _, dir := range Dirs() {
			for _, socket := range adapter.Sockets(dir, Socket(p.PID)) { // others may make the last one
				if process.Server(socket) == p.PID {
					return socket
				}
			}
		}
	}
	return ""
}

// depth tells how many parents up the `askpane run` is that find would return; -1 where
// none is.
func depth(line []host.Process) int { return process.Depth(line, process.Server(socketOf(line))) }

func find(ctx context.Context) (host.Host, error) {
	socket := socketOf(process.Line())
	if socket == "" {
		if env := os.Getenv(SocketEnv); env != "" {
			return nil, fmt.Errorf("$%s names an askpane run that has gone (%s)", SocketEnv, env)
		}
		return nil, host.NotInside{Program: "askpane run", Variable: SocketEnv}
	}
	h := newTerminal(socket)
	return h, h.Prefetch(ctx)
}

// Boxed is set in a popup of an askpane run, where whoever is inside, also in a sandbox, names the spool. It
// asks no other host, since a false tmux server has its client run a command, and starts no desk by itself.
var Boxed = os.Getenv(BoxEnv) != ""

func findPane(ref string) host.Pane {
	if !filepath.IsAbs(ref) || !strings.HasPrefix(filepath.Base(ref), "run-") {
		return nil
	}
	return newTerminal(ref)
}

// Screen returns what a form covers. What has scrolled off is the terminal's own.
func (h *terminal) Screen(ctx context.Context) (string, error) {
	reply, err := h.call(ctx, Request{Op: OpScreen})
	return reply.Screen, err
}

// GoTo has nowhere to go where the form lies over that very screen: there it is
// enough that the form closes. Another terminal cannot be made to show it.
func (h *terminal) GoTo(ctx context.Context, viewer string) error {
	reply, err := h.describe(ctx)
	if err != nil {
		return err
	}
	if viewer != "" && viewer != reply.Terminal {
		return fmt.Errorf("it is another terminal (%s)", reply.Terminal)
	}
	return nil
}
