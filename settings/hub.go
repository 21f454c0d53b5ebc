package settings

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/askpane/askpane/bridge/watch"
)

// Linked reports whether questions of this machine can be answered on others: it has
// joined a hub, whose file is in askpane's state directory, or there is a server for that.
func (s *Settings) Linked() bool {
	_, err := os.Stat(filepath.Join(state(), "link", "link.json"))
	return s.HubURL != "" || err == nil
}

// Forwarded reports whether a person has the questions of this machine come to theirs
// now: askpane forward holds a lock here.
func Forwarded() bool { return watch.Held(forwardLock()) }

func forwardLock() string { return filepath.Join(state(), "forwarded.lock") }

// ForwardLock opens the file that Forwarded looks at. It stays, since a lock on one that
// was removed is no lock.
func ForwardLock() (*os.File, error) {
	err := os.MkdirAll(state(), 0o700)
	if err != nil {
		return nil, err
	}
	return os.OpenFile(forwardLock(), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
}

// state is askpane's state directory.
func state() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, _ := os.UserHomeDir()
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "askpane")
}
