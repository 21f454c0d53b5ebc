package asker

import (
	"cmp"
	"os"

	"github.com/askpane/askpane/bridge/spool"
)

// OpenSpool opens the person's spool.
func OpenSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.Open(dir)
}

// SessionName is the agent's own name for its session, where it tells its
// children: our extensions do, and Claude Code.
func SessionName() string {
	return cmp.Or(os.Getenv("ASKPANE_SESSION"), os.Getenv("CLAUDE_CODE_SESSION_ID"))
}
