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

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// find finds the server that this process runs in: the one its environment names, unless that
// is no ancestor of this process, and another one of this user's is. Some agents strip the
// environment of their tools, and what it names may be somewhere else.
func find(ctx context.Context) (host.Host, error) { return findFrom(ctx, process.Own, process.Line()) }

func findFrom(ctx context.Context, env process.Environment, ancestors []host.Process) (host.Host, error) {
	if err := adapter.Installed("tmux"); err != nil {
		return nil, err
	}
	said, failed := env("TMUX"), error(host.NotInside{Program: "tmux", Variable: "TMUX"})
	named, pid := serverOf(said)
	if named == "" && said != "" {
		failed = errors.New("$TMUX names another user's server, whose form could not read this one's questions")
	}
	if named == "" || process.Depth(ancestors, pid) < 0 {
		// TMUX_TMPDIR may have been stripped, or handed on by another server.
		for _, socket := range socketsIn(env("TMUX_TMPDIR"), "/tmp") {
			if socket == named || process.Depth(ancestors, process.Server(socket)) < 0 {
				continue
			}
			s := newServer(socket, ancestors)
			if failed = s.learn(ctx); failed == nil {
				return s, nil
			}
		}
	}
	if named == "" {
		return nil, failed
	}
	s := newServer(named, ancestors)
	s.called = "$TMUX names a server that"
	if err := s.learn(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// serverOf reads the socket and the server's process number, 0 where there is none, in TMUX, which is
// socket,pid,session; a socket's path may hold commas itself. It is empty where another user listens there, as
// after su: a form would be theirs.
func serverOf(env string) (socket string, pid int) {
	fields := strings.Split(env, ",")
	pid, _ = strconv.Atoi(fields[max(0, len(fields)-2)])
	socket = strings.Join(fields[:max(1, len(fields)-2)], ",")
	var st unix.Stat_t
	if unix.Stat(socket, &st) == nil && int(st.Uid) != os.Geteuid() {
		return "", pid
	}
	return socket, pid
}

// socketsIn lists those that this user's servers have made in the directories for them.
func socketsIn(dirs ...string) (all []string) {
	for _, dir := range dirs {
		all = append(all, adapter.Sockets(filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid())), "*")...)
	}
	return all
}

// ownProgram finds the program that the server itself runs, where that is another than the
// tmux in PATH, which has failed: versions may not understand each other. Where it is not called tmux, the error names both.
func (s *server) ownProgram(ctx context.Context, failed error) (client string, err error) {
	pid := process.Server(s.socket)
	path := process.Program(pid)
	client = process.Image(pid)
	inPath, _ := exec.LookPath("tmux")
	here, _ := os.Stat(inPath)
	there, err := os.Stat(client)
	switch {
	case path == "" || err != nil || here != nil && os.SameFile(here, there):
		return "", failed
	case !strings.Contains(filepath.Base(path), "tmux"):
		return "", fmt.Errorf("%w (the tmux in PATH is %s, and the server runs %s: put a tmux of its version first in PATH)", failed, adapter.Version(ctx, []string{"tmux", "-V"}), path)
	}
	return client, nil
}
