package settings

import (
	"os"
	"path/filepath"
)

// Linked reports whether questions of this machine can be answered on others: it has
// joined a hub, whose file is in askpane's state directory, or there is a server for that.
func (s *Settings) Linked() bool {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, _ := os.UserHomeDir()
		state = filepath.Join(home, ".local", "state")
	}
	_, err := os.Stat(filepath.Join(state, "askpane", "link", "link.json"))
	return s.HubURL != "" || err == nil
}
