// Package early starts tmux, for askpane ask before most packages of the program are initialised:
// that takes a millisecond, in which tmux starts and answers.
//
// A package is initialised after all that it imports, and of those that wait the first by its path
// is next. So this one imports nothing that is initialised late: not fmt, os/exec or strings.
package early

import (
	"os"
	"time"
)

// Command is a tmux that was started, and the ends of its pipes.
type Command struct {
	*os.Process
	Since    time.Time // it was started
	In       *os.File
	Out, Err *os.File
}

// Begun is the tmux that answers Questions for askpane ask, where that is asked in tmux; nil
// elsewhere. What keeps it from being started is found again when tmux is looked for.
var Begun = begin()

func begin() *Command {
	socket := SocketOf(os.Getenv("TMUX"))
	if socket == "" || len(os.Args) < 2 || os.Args[1] != "ask" {
		return nil
	}
	c, _ := Start("", socket, Questions)
	return c
}

// Start starts a tmux that talks to the server at socket: the program, or else the tmux in PATH.
func Start(program, socket string, args []string) (*Command, error) {
	if program == "" {
		program = inPath("tmux")
	}
	c := &Command{Since: time.Now()}
	var theirs [3]*os.File
	var err error
	for i, end := range []**os.File{&c.In, &c.Out, &c.Err} {
		var read, write *os.File
		if read, write, err = os.Pipe(); err != nil {
			break
		}
		if *end, theirs[i] = read, write; i == 0 {
			*end, theirs[i] = write, read
		}
	}
	if err == nil {
		c.Process, err = os.StartProcess(program, append([]string{"tmux", "-S", socket}, args...), &os.ProcAttr{Env: environment(), Files: theirs[:]})
	}
	for _, f := range theirs {
		_ = f.Close() // of what is not open that is an error and no more
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close closes its pipes.
func (c *Command) Close() {
	for _, f := range []*os.File{c.In, c.Out, c.Err} {
		_ = f.Close()
	}
}

// inPath returns the first file of that name in an absolute directory of PATH.
func inPath(name string) string {
	for _, dir := range split(os.Getenv("PATH"), os.PathListSeparator) {
		path := dir + "/" + name
		if info, err := os.Stat(path); path[0] == '/' && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

// environment is this process's. tmux is told where to go by -S; TMUX itself would make it
// choose the client of the asking pane's session over the one we name.
func environment() (env []string) {
	for _, set := range os.Environ() {
		if name := split(set, '=')[0]; name != "TMUX" && name != "TMUX_PANE" {
			env = append(env, set)
		}
	}
	return env
}

// SocketOf reads the socket in TMUX, which is socket,pid,session; a socket's path may hold
// commas itself.
func SocketOf(env string) string {
	end, commas := len(env), 0
	for i := len(env) - 1; i >= 0 && commas < 2; i-- {
		if env[i] == ',' {
			end, commas = i, commas+1
		}
	}
	return env[:end]
}

// split cuts s at each sign.
func split(s string, at byte) (parts []string) {
	from := 0
	for i := range len(s) {
		if s[i] == at {
			parts, from = append(parts, s[from:i]), i+1
		}
	}
	return append(parts, s[from:])
}
