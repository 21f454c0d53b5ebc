package popup

import (
	"errors"

	"github.com/askpane/askpane/bridge/spool"
)

// Next calls show with the first question that nobody looks at, the oldest first,
// and last with those whose agent is gone: their answers are kept, but nobody waits
// for them. One that somebody opens, or answers, at the same moment is passed over.
// It returns what show returned; shown is false where there was none to show, and
// elsewhere is how many are open on other terminals. What cannot be read is passed
// over, and warn is called with why.
func Next(sp *spool.Spool, warn func(error), show func(id string) error) (shown bool, elsewhere int, err error) {
	ids, _, unread := sp.Scan()
	for _, gone := range []bool{false, true} {
		for _, id := range ids { // the first that can be shown ends it, however many wait
			entry, err := sp.Open(id)
			if err != nil {
				if !gone && !errors.Is(err, spool.ErrNotFound) {
					warn(err)
				}
				continue
			}
			s := entry.Status()
			entry.Close()
			if s.Over() || s.AgentGone != gone {
				continue
			}
			if !s.Shown {
				err = show(id)
			}
			switch {
			case s.Shown, errors.Is(err, ErrShown), errors.Is(err, ErrSeated), errors.Is(err, spool.ErrAnswered), errors.Is(err, spool.ErrNotFound):
				elsewhere++
			case errors.Is(err, spool.ErrNewer):
				warn(err)
			default:
				return true, elsewhere, err
			}
		}
	}
	return false, elsewhere, unread
}
