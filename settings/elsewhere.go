package settings

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// Linked reports whether questions of this machine can be answered on others: it has
// joined a hub, whose file is in askpane's state directory, or there is a server for that.
func (s *Settings) Linked() bool {
	_, err := os.Stat(filepath.Join(state(), "link", "link.json"))
	return s.HubURL != "" || err == nil
}

// InChat reports whether questions can wait for a chat: one is set up, by a file in
// askpane's state directory, somebody may answer there, and its token was not refused lately.
func (s *Settings) InChat() bool {
	var chat struct {
		Users   []struct{}
		Refused bool
		Since   time.Time
	}
	for _, name := range []string{"chat.json", "status.json"} {
		if data, err := read(filepath.Join(state(), "chat", name)); err == nil {
			_ = json.Unmarshal(data, &chat) // the desk says what is wrong with it
		}
	}
	return s.ChatWhen != Never && len(chat.Users) > 0 && !(chat.Refused && time.Since(chat.Since).Abs() < ChatRefused)
}

// ChatRefused passes before a token that was refused is tried again.
const ChatRefused = time.Hour

// ChatFor returns chatWhen for a question. It was asked with asked, if that is not empty, and
// the less of both counts; what is not known here counts as never.
func (s *Settings) ChatFor(asked string) string { return less(s.ChatWhen, cmp.Or(asked, s.ChatWhen)) }

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

// state returns askpane's state directory. Without a home it is below the root, and not below here.
func state() string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, _ := os.UserHomeDir()
		state = filepath.Join("/", home, ".local", "state")
	}
	return filepath.Join(state, "askpane")
}
