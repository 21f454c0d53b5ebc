package tmux

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// anywhere is every server of this person's to which somebody is attached: tmux makes its
// socket executable for as long as that is so. Nothing is asked of the others. A server
// from which a question that waits was asked counts wherever it is.
func anywhere(refs []string) []func(context.Context) (host.Host, error) {
	return anywhereFrom(os.Getenv, refs)
}

func anywhereFrom(env process.Environment, refs []string) (finds []func(context.Context) (host.Host, error)) {
	var named []string
	for _, ref := range refs {
		if _, socket := splitRef(ref); socket != "" {
			named = append(named, socket)
		}
	}
	all := slices.Concat(named, socketsIn(usualDir(env)))
	slices.Sort(all)
	for _, socket := range slices.Compact(all) {
		if mode, ours := adapter.Socket(socket); !ours || mode&0o100 == 0 {
			continue
		}
		if !slices.Contains(named, socket) && !startedIn(placesIn(env), socket) {
			continue
		}
		finds = append(finds, func(ctx context.Context) (host.Host, error) {
			s := newServer(socket, "", nil)
			return s, s.learn(ctx)
		})
	}
	return finds
}

// usualDir is the one that tmux itself takes: TMUX_TMPDIR if that is there, else /tmp. The
// other is not looked in: what is there belongs to another set of servers, as a test's
// or an agent's sandbox's.
func usualDir(env process.Environment) string {
	if dir := env("TMUX_TMPDIR"); dir != "" {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
	}
	return "/tmp"
}

// places are the directories by which one askpane is told from another of the same user.
type places struct{ home, state string }

// placesIn are those that an environment leads to; empty where it names neither.
func placesIn(env process.Environment) places {
	p := places{env("HOME"), env("XDG_STATE_HOME")}
	if p.home != "" {
		p.home = filepath.Clean(p.home)
	}
	if filepath.IsAbs(p.state) {
		p.state = filepath.Clean(p.state)
	} else if p.state = ""; p.home != "" { // the XDG specification ignores relative ones
		p.state = filepath.Join(p.home, ".local", "state")
	}
	return p
}

// same reports whether the other environment leads to no other place. What one of them
// does not name is not another: of some programs macOS shows no environment at all.
func (p places) same(other places) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return !differ(p.home, other.home) && !differ(p.state, other.state)
}

// begun is what is known of the server that has made a socket.
type begun struct {
	socket fs.FileInfo
	in     places
}

// known has a begun for each socket that was looked at. A server keeps what it was started
// with, and another server makes another socket, so that each is looked at once and not
// once a second for as long as a question waits.
var known sync.Map

// startedIn reports whether a server was started with the same home and state directory
// as this process has. One that was not is another askpane's, as that of a test or of a
// sandbox, and would show this one's questions to somebody else.
//
// The system is asked, of the process at the other end of the socket, and not the server
// (show-environment -g HOME): that starts no process, works on macOS as well, a server
// that is stopped cannot keep it waiting, and what the person has changed in the server's
// environment meanwhile does not count.
func startedIn(own places, socket string) bool {
	info, err := os.Stat(socket)
	if err != nil {
		return false
	}
	if found, ok := known.Load(socket); ok {
		if b := found.(begun); os.SameFile(b.socket, info) && b.socket.ModTime().Equal(info.ModTime()) {
			return b.in.same(own)
		}
	}
	pid := process.Server(socket)
	if pid == 0 { // nobody listens there
		return false
	}
	b := begun{info, placesIn(process.Started(pid))}
	known.Store(socket, b)
	return b.in.same(own)
}
