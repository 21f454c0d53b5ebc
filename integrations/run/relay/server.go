package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/tty"
)

// askLimit is how long a client may take to say what it wants.
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
	left, _ := filepath.Glob(filepath.Join(dir, "run-*"))
	for _, path := range left {
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

// serve does what one client wants.
func (r *relay) serve(c *net.UnixConn) {
	_ = c.SetReadDeadline(time.Now().Add(askLimit))
	var q run.Request
	if err := json.NewDecoder(io.LimitReader(c, 1<<20)).Decode(&q); err != nil {
		return
	}
	_ = c.SetDeadline(time.Time{})
	replies := json.NewEncoder(c)
	reply := func(a run.Reply) { _ = replies.Encode(a) } // it may have gone
	if err := r.do(q, c, reply); err != nil {
		reply(run.Reply{Error: err.Error()})
	}
}

// do does it, and says when it is done; the caller says what went wrong.
func (r *relay) do(q run.Request, c io.Reader, reply func(run.Reply)) error {
	switch q.Op {
	case run.OpDescribe:
		reply(r.describe())
	case run.OpOpen:
		return r.openFor(q, reply)
	case run.OpSize:
		r.mu.Lock()
		if r.box != nil {
			width, height := r.screen.Size()
			r.box.ask(q.Columns, q.Rows, width, height)
			r.fitBox(width, height)
		}
		r.mu.Unlock()
		reply(run.Reply{})
	case run.OpMark:
		m, err := r.mark(q.Text)
		if err != nil {
			return err
		}
		defer r.unmark(m)
		reply(run.Reply{})
		_, _ = io.Copy(io.Discard, c) // until it hangs up, however it ends
	case run.OpRing:
		return r.say("\a", reply)
	case run.OpNotify:
		if err := tty.Notification(q.Text); err != nil {
			return err
		}
		return r.say(q.Text, reply)
	case run.OpScreen:
		r.mu.Lock()
		text := r.screen.Text()
		r.mu.Unlock()
		reply(run.Reply{Screen: text})
	default:
		return fmt.Errorf("this askpane run does not know %q; it is of another version", q.Op)
	}
	return nil
}

// describe says which terminal this is.
func (r *relay) describe() run.Reply {
	r.mu.Lock()
	width, height := r.screen.Size()
	r.mu.Unlock()
	term := os.Getenv("TERM")
	return run.Reply{Terminal: device(r.out), Width: width, Height: height, Active: r.active.Load(),
		Term: term, Program: host.ProgramOf("", term, os.Getenv)}
}

// openFor shows a popup until it ends. Whoever hangs up does not end it.
func (r *relay) openFor(q run.Request, reply func(run.Reply)) error {
	for _, e := range q.Env {
		if !strings.HasPrefix(e, "ASKPANE_") || strings.HasPrefix(e, run.SocketEnv+"=") {
			return errors.New("a popup takes no variables but askpane's")
		}
	}
	b, err := r.openBox(q)
	if errors.Is(err, errBusy) {
		reply(run.Reply{Busy: true})
		return nil
	}
	if err != nil {
		return err
	}
	reply(run.Reply{})
	<-b.ended
	reply(run.Reply{Ended: true})
	return nil
}

// device is the path of the terminal.
func device(f *os.File) string {
	if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil {
		return path
	}
	return "/dev/tty"
}
