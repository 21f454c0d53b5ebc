package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/tty"
)

// askLimit bounds the wait for a client's request.
const askLimit = 5 * time.Second

// listen makes the socket for those inside, in the first directory that will do.
func listen(dirs []string) (*net.UnixListener, error) {
	var errs []error
	for _, dir := range dirs {
		l, err := listenIn(dir)
		if err == nil {
			return l, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func listenIn(dir string) (*net.UnixListener, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !ok || int(owner.Uid) != os.Getuid() {
		return nil, fmt.Errorf("%s is not a directory that is this user's alone", dir)
	}
	tidy(dir)
	path := filepath.Join(dir, run.Socket(os.Getpid()))
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// tidy removes the sockets of those that were killed.
func tidy(dir string) {
	for _, path := range adapter.Sockets(dir, "run-*") {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path)
		}
	}
}

// accept serves clients until the socket is closed.
func (r *relay) accept(l *net.UnixListener) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return
		}
		go r.guarded(func() {
			defer c.Close()
			if err := process.SameUser(c); err == nil {
				r.serve(c)
			}
		})
	}
}

// serve handles one client's request.
func (r *relay) serve(c *net.UnixConn) {
	_ = c.SetReadDeadline(time.Now().Add(askLimit))
	var q run.Request
	if err := json.NewDecoder(io.LimitReader(c, 1<<20)).Decode(&q); err != nil {
		return
	}
	_ = c.SetDeadline(time.Time{})
	reply, end, err := r.handle(q)
	if err != nil {
		reply.Error = err.Error()
	}
	replies := json.NewEncoder(c)
	_ = replies.Encode(reply) // it may have gone
	if end != nil {
		end(c)
		_ = replies.Encode(run.Reply{})
	}
}

// handle handles a request. What goes on after the reply ends when end returns.
func (r *relay) handle(q run.Request) (reply run.Reply, end func(client io.Reader), err error) {
	switch q.Op {
	case run.OpDescribe:
		reply = r.describe()
	case run.OpOpen:
		return r.openFor(q)
	case run.OpSize:
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.box != nil {
			width, height := r.screen.Size()
			r.box.want(q.Columns, q.Rows, width, height)
			r.fitBox(width, height)
		}
	case run.OpMark:
		m, err := r.mark(q.Text)
		if err != nil {
			return reply, nil, err
		}
		end = func(client io.Reader) {
			_, _ = io.Copy(io.Discard, client) // until it hangs up, however it ends
			r.unmark(m)
		}
	case run.OpRing:
		err = r.writeBetween("\a")
	case run.OpNotify:
		if err = tty.Notification(q.Text); err == nil {
			err = r.writeBetween(q.Text)
		}
	case run.OpScreen:
		r.mu.Lock()
		defer r.mu.Unlock()
		reply.Screen = r.screen.Text()
	default:
		err = fmt.Errorf("this askpane run does not know %q; it is of another version", q.Op)
	}
	return reply, end, err
}

func (r *relay) describe() run.Reply {
	r.mu.Lock()
	width, height := r.screen.Size()
	waits := r.waits
	r.mu.Unlock()
	term := os.Getenv("TERM")
	return run.Reply{Waits: waits, Terminal: device(r.out), Width: width, Height: height, Active: r.active.Load(),
		Term: term, Program: host.ProgramOf("", term, os.Getenv)}
}

// openFor shows a popup until it ends. Whoever hangs up does not end it.
func (r *relay) openFor(q run.Request) (reply run.Reply, end func(io.Reader), err error) {
	q.Env = slices.DeleteFunc(q.Env, foreign)
	b, err := r.openBox(q)
	if errors.Is(err, errBusy) {
		return run.Reply{Busy: true}, nil, nil
	}
	if err != nil {
		return reply, nil, err
	}
	return reply, func(io.Reader) { <-b.ended }, nil
}

// foreign reports whether a popup is not told of a variable. It takes its spool, and where it is; a setting's could
// name a command, which what the popup starts would run outside of the agent's sandbox.
func foreign(e string) bool {
	return !strings.HasPrefix(e, "ASKPANE_SPOOL=") && !strings.HasPrefix(e, "ASKPANE_POPUP_")
}

func device(f *os.File) (path string) {
	if path, _ = os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); path == "" { // as on macOS
		path, _ = tty.Own()
	}
	return path
}
