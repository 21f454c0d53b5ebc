package tmux

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// anywhere finds every server of this person's to which somebody is attached: tmux makes its
// socket executable for as long as that is so. It asks the others nothing. A server from
// which a question that waits was asked counts wherever its socket is, if that is this user's.
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
		var st unix.Stat_t
		ours := unix.Stat(socket, &st) == nil && int(st.Uid) == os.Geteuid() && st.Mode&(unix.S_IFMT|0o100) == unix.S_IFSOCK|0o100
		if !ours || !slices.Contains(named, socket) && !startedIn(places(env), socket) {
			continue
		}
		finds = append(finds, func(ctx context.Context) (host.Host, error) {
			s := newServer(socket, nil)
			return s, s.learn(ctx)
		})
	}
	return finds
}

// usualDir returns the one that tmux itself uses: TMUX_TMPDIR if that is there, else /tmp.
// What is in the other belongs to another set of servers, as a test's or an agent's
// sandbox's.
func usualDir(env process.Environment) string {
	dir := env("TMUX_TMPDIR")
	if _, err := os.Stat(dir); err != nil {
		return "/tmp"
	}
	return dir
}

// places returns the home and the state directory that an environment leads to, by which one
// askpane is told from another of the same user; empty where it names neither.
func places(env process.Environment) (dirs [2]string) {
	home, state := env("HOME"), env("XDG_STATE_HOME")
	if home != "" {
		dirs = [2]string{filepath.Clean(home), filepath.Join(home, ".local", "state")}
	}
	if filepath.IsAbs(state) { // the XDG specification ignores relative ones
		dirs[1] = filepath.Clean(state)
	}
	return dirs
}

// startedIn reports whether a server was started with the same home and state directory
// as this process has. One that was not is another askpane's, as that of a test or of a
// sandbox, and would show this one's questions to somebody else.
//
// It asks the system, of the process at the other end of the socket, and not the server
// (show-environment -g HOME): that starts no process, works on macOS as well, a server
// that is stopped cannot keep it waiting, and what the person has changed in the server's
// environment meanwhile does not count. What an environment does not name is not another
// place: of some programs macOS shows none at all.
func startedIn(own [2]string, socket string) bool {
	pid := process.Server(socket)
	for i, theirs := range places(process.Started(pid)) {
		if theirs != "" && own[i] != "" && theirs != own[i] {
			return false
		}
	}
	return pid != 0
}
