package bridge

import (
	"errors"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// mirrored is an entry of the question of build1, which the caller holds.
func (s *stage) mirrored() *spool.Entry {
	s.Helper()
	req := s.request()
	req.ID, req.Origin.Away = "01M7YX0STBP1474D78SPT0A4J6", &spool.Away{Machine: "build1", Digest: "d"}
	e, err := s.spool.Mirror(req)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { e.Close() })
	return e
}

// Nobody here gets the answer of another machine's question: neither who collects it nor
// who asks the same, even where the index says that it is theirs.
func TestAwayIsNotTakenHere(t *testing.T) {
	for _, answered := range []bool{false, true} {
		s := newStage(t, func(_ int, p *popup, e *spool.Entry) { settle(p, e, chosen) })
		e := s.mirrored()
		if answered {
			s.says(e, chosen, form.ByAnswer)
		}
		if err := e.LetGo(); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []bool{false, true} {
			if got, err := s.collect(e.ID, wait); !errors.Is(err, ErrAway) {
				t.Errorf("collected: %+v, %v", got, err)
			}
		}
		q := question(0)
		req, err := e.Request()
		if err != nil {
			t.Fatal(err)
		}
		digest, err := spool.Digest(req.Form, q.Origin) // the entry's own as well: neither has a directory
		if err != nil {
			t.Fatal(err)
		}
		if how, err := s.bridge.fits(e, digest, q.Origin); how != unfit || err != nil {
			t.Errorf("asked again: fits as %d, %v", how, err)
		}
	}
}
