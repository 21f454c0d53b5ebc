package zellij

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
)

// session is a zellij session, with the asking pane in it.
type session struct {
	adapter.Titled
	bin  string
	name string
	pane string // terminal_N; empty where it is not known
	// places are NAME=value for zellij, so that it looks for its sockets where the
	// pane's zellij does.
	places []string
	// waking says that this process has come from a pane of it, and that it has not answered
	// yet. Until then it is not believed to be gone: on a busy machine zellij takes it for
	// dead for seconds.
	waking atomic.Bool
}

const (
	// limit bounds a command. One that comes while its session starts or ends can hang.
	limit = 5 * time.Second
	// mostTries bounds how often something is asked that zellij does not always answer: for
	// half a second in all.
	mostTries = 10
)

// run runs one zellij command and returns what it printed.
func (s *session) run(ctx context.Context, args ...string) (string, error) {
	return s.retry(ctx, args, false)
}

// ask runs an action that always prints something.
func (s *session) ask(ctx context.Context, action ...string) (string, error) {
	return s.retry(ctx, append([]string{"action"}, action...), true)
}

// list reads the JSON that an action prints.
func (s *session) list(ctx context.Context, into any, action string) error {
	out, err := s.ask(ctx, action, "--json")
	return adapter.Decode(out, err, "zellij action "+action+" --json", into)
}

// retry runs a command for as long as it is worth another try. zellij finds its
// session by asking all there are whether they live, and takes one that sends it
// something else first for dead; so a session is only believed to be gone when it is
// for a while. And now and then it says nothing, without an error, while a pane is
// opened or closed.
func (s *session) retry(ctx context.Context, args []string, says bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for tries := 1; ; tries++ {
		out, err := s.once(ctx, args)
		if err == nil {
			s.waking.Store(false)
		}
		silent := err == nil && says && out == ""
		if !s.worthATry(tries, dead(err), silent) || !adapter.Wait(ctx, time.Duration(tries)*10*time.Millisecond) {
			return out, err
		}
	}
}

// dead reports whether zellij takes the session for dead.
func dead(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "There is no active session") || strings.Contains(err.Error(), "not found. The following sessions"))
}

// worthATry reports whether to ask again after so many tries.
func (s *session) worthATry(tries int, dead, silent bool) bool {
	switch {
	case dead && s.pane == "":
		return tries < 2 // what has named it may be left over
	case dead && s.waking.Load():
		return true // while there is time
	}
	return (dead || silent) && tries < mostTries
}

// once runs a command. An error has zellij's first line, and ours where that says too
// little.
func (s *session) once(ctx context.Context, args []string) (string, error) {
	cmd := adapter.Command(ctx, s.bin, append([]string{"--session", s.name}, args...)...)
	cmd.Env = append(os.Environ(), s.places...)
	out, err := adapter.Output(cmd, "zellij "+strings.Join(args[:min(2, len(args))], " "))
	if err == nil {
		return out, nil
	}
	said, _, _ := strings.Cut(err.Error(), "\n")
	err = errors.New(said)
	// clap's words for what an older one does not know.
	for _, unknown := range []string{"unexpected argument", "unrecognized subcommand", "wasn't expected", "wasn't recognized"} {
		if strings.Contains(said, unknown) {
			err = fmt.Errorf("this zellij is too old: askpane needs 0.44.1 or later (%w)", err)
		}
	}
	return "", err
}
