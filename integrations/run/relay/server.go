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

// server is the socket for those inside.
type server struct {
	listener *net.UnixListener
}

// askLimit is how long a client may take to say what it wants.
const askLimit = 5 * time.Second

// listen makes the socket in the first directory that will do.
func (r *relay) listen() (*server, error) {
	var errs []error
	dirs := r.Dirs
	if dirs == nil {
		dirs = run.Dirs()
	}
	for _, dir := range dirs {
		l, err := listenIn(dir)
		if err == nil {
			return &server{l}, nil
		}
		errs = append(errs, err)
	}
	return &server{}, errors.Join(errs...)
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
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return l, nil
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

func (s *server) path() string {
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

// close ends the server and removes its socket.
func (s *server) close() {
	if s.listener != nil {
		_ = s.listener.Close()
	}
}

func (s *server) serve(r *relay) {
	if s.listener == nil {
		return
	}
	for {
		c, err := s.listener.AcceptUnix()
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
	answer := json.NewEncoder(c)
	done := func(err error) {
		var reply run.Reply
		if err != nil {
			reply.Error = err.Error()
		}
		_ = answer.Encode(reply)
	}
	switch q.Op {
	case run.OpLook:
		r.mu.Lock()
		width, height := r.screen.Size()
		r.mu.Unlock()
		term := os.Getenv("TERM")
		_ = answer.Encode(run.Reply{Terminal: device(r.out), Width: width, Height: height, Active: r.active.Load(),
			Term: term, Program: host.ProgramOf("", term, os.Getenv)})
	case run.OpOpen:
		for _, e := range q.Env {
			if !strings.HasPrefix(e, "ASKPANE_") || strings.HasPrefix(e, run.SocketEnv+"=") {
				done(errors.New("a popup takes no variables but askpane's"))
				return
			}
		}
		b, err := r.openBox(q)
		if errors.Is(err, errBusy) {
			_ = answer.Encode(run.Reply{Busy: true})
			return
		}
		if err != nil {
			done(err)
			return
		}
		done(nil) // whoever hangs up does not end the popup
		<-b.ended
		_ = answer.Encode(run.Reply{Ended: true})
	case run.OpMark:
		m, err := r.mark(q.Text)
		if err != nil {
			done(err)
			return
		}
		done(nil)
		_, _ = io.Copy(io.Discard, c) // until it hangs up, however it ends
		r.unmark(m)
	case run.OpRing:
		done(r.say("\a"))
	case run.OpTell:
		if err := tty.Notification(q.Text); err != nil {
			done(err)
			return
		}
		done(r.say(q.Text))
	case run.OpScreen:
		r.mu.Lock()
		text := r.screen.Text()
		r.mu.Unlock()
		_ = answer.Encode(run.Reply{Screen: text})
	default:
		done(fmt.Errorf("this askpane run does not know %q; it is of another version", q.Op))
	}
}

// device is the path of the terminal.
func device(f *os.File) string {
	if path, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd())); err == nil {
		return path
	}
	return "/dev/tty"
}
