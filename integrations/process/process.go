// Package process tells where a process comes from: hosts find the pane they
// are asked from among its ancestors, because an environment is inherited, left
// over and stripped (docs/design.md, Where the popup goes).
//
// It only reads what the system says of processes. The rule that must hold
// here: what cannot be read is the end of the line, never a failure.
package process

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// deepest bounds the walk: process numbers are reused, and a walk that takes
// long could see a loop.
const deepest = 64

// Line returns this process, its parent, and so on up, to the one that the system started
// first, that cannot be read, or that works for several screens.
func Line() []host.Process {
	line, _ := lineOf(os.Getpid())
	return line
}

// daemons names the agents that have one, and a word of its command line. It starts the tools of several
// screens, and what is further up, the first of them, does not tell whose tool one is (docs/dev/agents.md,
// What was measured).
var daemons = map[string]string{"codex": "--managed-daemon", "claude": "daemon"}

// lineOf tells too whose daemon is at its end.
func lineOf(pid int) (line []host.Process, agent string) {
	for agent == "" && pid > 0 && len(line) < deepest {
		p, ok := Of(pid)
		if !ok {
			break
		}
		line = append(line, p)
		for name, word := range daemons {
			if p.TTY == 0 && strings.HasPrefix(p.Name, name) && slices.Contains(Arguments(p.PID), word) {
				agent = name
			}
		}
		pid = p.Parent
	}
	return line, agent
}

// Daemon finds the process that has started this one for one of several screens, and its agent; empty where none has.
func Daemon() (pid int, agent string) {
	line, agent := lineOf(os.Getpid())
	if agent == "" {
		return 0, ""
	}
	return line[len(line)-1].PID, agent
}

// Own looks up what this process was started with, or else its agent's daemon: Claude Code's gives
// sessions in the background none of the variables of a multiplexer.
func Own(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return ofDaemon()(name)
}

// ofDaemon looks for the daemon once: hosts ask for many variables that are not there.
var ofDaemon = sync.OnceValue(func() Environment {
	daemon, _ := Daemon()
	return Started(daemon) // where there is none, nothing is set
})

// Depth tells how far up pid is in the line: 0 is the process itself, -1 is not in it.
func Depth(line []host.Process, pid int) int {
	return slices.IndexFunc(line, func(p host.Process) bool { return p.PID == pid })
}

// DepthOf tells how far up the nearest process is whose program has name in its name, which
// packages wrap (.zellij-wrapped) and complete (wezterm-gui); -1 where none has. The process
// itself does not count.
func DepthOf(line []host.Process, name string) int {
	for i, p := range line {
		if i > 0 && strings.Contains(strings.ToLower(p.Name), name) {
			return i
		}
	}
	return -1
}

// Begun returns the arguments of the processes that pid has started, and that began after this one.
// Linux lists them by the thread that has started them (proc_pid_task_children(5)); macOS does not
// say it in one place, and none is found there.
func Begun(pid int) (all [][]string) {
	this, _ := Of(os.Getpid())
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		children, _ := os.ReadFile(list) // a thread may just have ended
		for _, child := range strings.Fields(string(children)) {
			pid, _ := strconv.Atoi(child)
			if p, _ := Of(pid); p.Began > this.Began {
				all = append(all, Arguments(pid))
			}
		}
	}
	return all
}

// Environments returns those in which the variables that a host gives to its panes may be,
// the surest first: that with which the pane's first process was started, where this process
// comes from the host's, up parents further up; and what is left of that here, which may
// also be from somewhere else.
func Environments(line []host.Process, up int) []Environment {
	if up > 0 && up < len(line) {
		return []Environment{Started(line[up-1].PID), os.Getenv}
	}
	return []Environment{Own}
}

// Environment looks a variable up; it is empty where it is not set.
type Environment func(name string) string

// Started reads the environment that a process was started with, as far as the system shows
// it.
func Started(pid int) Environment {
	entries := environ(pid)
	return func(name string) string {
		for _, e := range entries {
			if value, ok := strings.CutPrefix(e, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// acceptLimit bounds the wait for a server. The kernel accepts for it, so that only one whose
// queue is full takes any time.
const acceptLimit = 100 * time.Millisecond

// Server finds the process that listens at the Unix socket path; 0 where none does or the
// system does not say. The server sees a connection that goes at once.
func Server(path string) int {
	c, err := net.DialTimeout("unix", path, acceptLimit)
	if err != nil {
		return 0
	}
	defer c.Close()
	pid, _, _ := Peer(c.(*net.UnixConn))
	return pid
}

// SameUser checks that a process of this user is at the other end of c.
func SameUser(c *net.UnixConn) error {
	_, uid, err := Peer(c)
	if err != nil {
		return fmt.Errorf("ask who is at the other end: %w", err)
	}
	if uid != os.Getuid() {
		return fmt.Errorf("another user (%d) is at the other end", uid)
	}
	return nil
}

// Peer tells which process, and which user, made the socket at the other end of c.
func Peer(c *net.UnixConn) (pid, uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	if e := raw.Control(func(fd uintptr) { pid, uid, err = peer(int(fd)) }); e != nil {
		return 0, 0, e
	}
	return pid, uid, err
}

// procArgs reads what macOS gives as kern.procargs2: the number of arguments in four bytes,
// the program's path, zeros, the arguments and the variables, each ended by a zero, and an
// empty one (sysctl(3) names it; the layout is in xnu's bsd/kern/kern_sysctl.c,
// sysctl_procargsx).
func procArgs(data []byte) (program string, args, env []string) {
	if len(data) < 4 {
		return "", nil, nil
	}
	arguments := binary.NativeEndian.Uint32(data)
	path, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok {
		return "", nil, nil
	}
	words := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if uint64(len(words)) <= uint64(arguments) {
		return string(path), nil, nil
	}
	args, env = words[:arguments], words[arguments:]
	if end := slices.Index(env, ""); end >= 0 {
		env = env[:end]
	}
	return string(path), args, env
}
