package asker

import (
	"cmp"
	"os"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/settings"
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

// Prune removes from the history what is older than the setting historyDays says,
// at most once a day. It is the person's own setting: a project's file has no say
// in what is kept of others.
func Prune(sp *spool.Spool, warn func(error)) {
	keep := func() time.Duration { return time.Duration(settings.Load("").HistoryDays) * 24 * time.Hour }
	if _, err := sp.Prune(keep, time.Now()); err != nil {
		warn(err)
	}
}

// pruneBeside is Prune while something else goes on. Whoever ends in the middle
// of it leaves the rest for another day.
func pruneBeside(warn func(error)) {
	sp, err := OpenSpool()
	if err != nil {
		warn(err)
		return
	}
	defer sp.Close()
	Prune(sp, warn)
}
