package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// find finds the server that this process runs in: the one its environment
// names, if that answers, else the one among this user's that is an ancestor of
// this process. Some agents strip the environment of their tools, and one that
// was left over from a server that has gone names nothing.
func find(ctx context.Context) (host.Host, error) {
	s, err := findIn(ctx, process.Line())
	if err != nil {
		return nil, err
	}
	return s, nil
}

func findIn(ctx context.Context, line []host.Process) (*server, error) {
	env := os.Getenv("TMUX")
	bin, err := exec.LookPath("tmux")
	if err != nil {
		if env == "" {
			return nil, errors.New("there is no tmux command")
		}
		return nil, fmt.Errorf("inside tmux, but there is no tmux command: %w", err)
	}
	named := socketOf(env)
	var looks []func(context.Context) (*server, error)
	if named != "" {
		looks = append(looks, (&server{bin: bin, socket: named, pane: os.Getenv("TMUX_PANE"), line: line}).there)
	}
	s, err := first(ctx, append(looks, func(ctx context.Context) (*server, error) {
		var above []func(context.Context) (*server, error)
		for _, socket := range sockets() {
			if socket != named && process.Depth(line, process.Server(socket)) >= 0 {
				above = append(above, (&server{bin: bin, socket: socket, line: line}).there)
			}
		}
		return first(ctx, above)
	}))
	if err == nil && s == nil {
		err = host.NotInside{Program: "tmux", Variable: "TMUX"}
	}
	return s, err
}

// first is the first server that is found; with no error, nil is that there is none.
func first(ctx context.Context, looks []func(context.Context) (*server, error)) (*server, error) {
	var failed error
	once, stop := adapter.Hedged(ctx, looks...)
	defer stop()
	for _, look := range once {
		s, err := look()
		if err == nil && s != nil {
			return s, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// there is s, if it answers.
func (s *server) there(ctx context.Context) (*server, error) {
	err := s.look(ctx)
	if err == nil {
		err = s.believe(ctx)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// quirks: in a pane tmux, as it is set up at first, keeps its prefix for itself. A
// display-popup, which has no TMUX_PANE, gets every key.
func quirks() host.Quirks {
	if os.Getenv("TMUX_PANE") != "" {
		return host.Quirks{Keeps: []string{"Ctrl+B"}}
	}
	return host.Quirks{Floats: os.Getenv("TMUX") != ""}
}

// depth is how many parents up a tmux server is that find would take; -1 where none is.
func depth(line []host.Process) int {
	up := -1
	all := sockets()
	if socket := socketOf(os.Getenv("TMUX")); socket != "" {
		all = []string{socket} // that one, or, if it has gone, find says what there is
	}
	for _, socket := range all {
		if d := process.Depth(line, process.Server(socket)); d >= 0 && (up < 0 || d < up) {
			up = d
		}
	}
	return up
}

// socketOf is the socket in TMUX, which is socket,pid,session; a socket's path
// may hold commas itself.
func socketOf(env string) string {
	if env == "" {
		return ""
	}
	fields := strings.Split(env, ",")
	return strings.Join(fields[:max(1, len(fields)-2)], ",")
}

// sockets are those of this user's servers, where tmux puts them by itself.
func sockets() []string {
	var all []string
	for _, dir := range []string{os.Getenv("TMUX_TMPDIR"), "/tmp"} { // TMUX_TMPDIR may have been stripped
		if dir == "" {
			continue
		}
		found, _ := filepath.Glob(filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()), "*"))
		all = append(all, found...)
	}
	return all
}

// believe finds the asking pane where the environment named none, or one that
// this process does not come from: a daemon hands what it was started with to
// everything it runs, as Codex's does (docs/agents.md, What was measured). Where
// there is none, the popup goes to the person all the same, and nothing is marked.
func (s *server) believe(ctx context.Context) error {
	if s.pane != "" {
		return nil
	}
	pane, err := s.around(ctx)
	if err != nil || pane == "" {
		return err
	}
	s.unready()
	s.pane = pane
	return s.look(ctx)
}

// around is the pane whose process is an ancestor of this one; empty if none is.
func (s *server) around(ctx context.Context) (string, error) {
	out, err := s.run(ctx, "list-panes", "-a", "-F", "#{pane_pid}\t#{pane_id}")
	if err != nil {
		return "", err
	}
	nearest, pane := -1, ""
	for row := range strings.Lines(out) {
		root, id, _ := strings.Cut(strings.TrimSpace(row), "\t")
		if d := s.depth(root); d >= 0 && (nearest < 0 || d < nearest) {
			nearest, pane = d, id
		}
	}
	return pane, nil
}

// depth is how many parents up the pane's first process is; -1 where this
// process does not come from it.
func (s *server) depth(root string) int {
	pid, err := strconv.Atoi(root)
	if err != nil {
		return -1
	}
	return process.Depth(s.line, pid)
}
