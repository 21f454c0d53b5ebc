package codex

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// Place is where a daemon of Codex's listens, and where those that could serve it agree on who
// does.
type Place struct {
	Socket string // may be a link
	Daemon int    // its process; 0 where that is not known
	lock   string // a file in our state directory, which whoever serves the daemon has locked
}

// Around finds the daemon that has started this process; ok is false where none has. Codex gives
// servers none of its environment, so that is read from the daemon itself.
func Around(state string) (p Place, ok bool) {
	daemon, agent := process.Daemon()
	if agent != "codex" {
		return p, false
	}
	env := process.Started(daemon)
	return PlaceOf(state, host.Dir(env("HOME"), env("CODEX_HOME"), ".codex"), daemon), true
}

// PlaceOf is the place of the daemon that keeps its files in codexHome; state is our state
// directory.
func PlaceOf(state, codexHome string, daemon int) Place {
	sum := sha256.Sum256([]byte(codexHome))
	return Place{Daemon: daemon, Socket: filepath.Join(codexHome, "app-server-control", "app-server-control.sock"),
		lock: filepath.Join(state, "codex", hex.EncodeToString(sum[:8]), "lock")}
}

// Lead waits until no other process serves the daemon, and is then the one that does, until
// release or its end. The error is ctx's, or that of the lock's file.
func (p Place) Lead(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.lock), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(p.lock, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for err = watch.ErrHeld; err == watch.ErrHeld; {
		<-watch.Freed(ctx, p.lock)
		err = cmp.Or(ctx.Err(), watch.Flock(f, unix.LOCK_EX|unix.LOCK_NB))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	_ = f.Truncate(0)
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0) // for doctor
	return func() { f.Close() }, nil
}

// Checks says for askpane doctor whether Codex's daemon is there, and who serves it; nothing where
// there is no Codex.
func Checks(state, home string, env func(string) string) []hint.Check {
	codexHome := host.Dir(home, env("CODEX_HOME"), ".codex")
	if _, err := os.Stat(codexHome); err != nil {
		return nil
	}
	p := PlaceOf(state, codexHome, 0)
	check := hint.Check{Section: "agents", Name: "codex", State: hint.Off, Detail: "its daemon does not run: there are no questions of its own to answer"}
	socket, _ := filepath.EvalSymlinks(p.Socket)
	switch daemon := process.Server(cmp.Or(socket, p.Socket)); {
	case daemon == 0:
	case !watch.Held(p.lock):
		check.State, check.Detail = hint.Warn, fmt.Sprintf("its daemon runs (process %d), and no askpane answers the questions of its own", daemon)
		check.Fix = "askpane install codex --write, then begin a session of Codex's"
	default:
		pid, _ := os.ReadFile(p.lock)
		check.State, check.Detail = hint.OK, fmt.Sprintf("its daemon runs (process %d), and askpane mcp (process %s) answers the questions of its own", daemon, pid)
	}
	return []hint.Check{check}
}
