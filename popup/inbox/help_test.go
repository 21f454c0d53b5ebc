package inbox

import (
	"errors"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
)

// The help has all of its keys on a small screen, too, and stands where it does
// whatever is on view of the list.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	s := newStage(t, 62, 9)
	s.several().press("?").shows("Ctrl+O/F4  go to its pane", "End/G  the newest", "Any key closes this.")
	s = newStage(t, 80, 24)
	many(t, s.spool, 60)
	s.read().press("?")
	want := s.text()
	s.press("x", "End", "?")
	if s.text() != want {
		t.Errorf("at the end of the list the help is\n%s\nand was\n%s", s.text(), want)
	}
}

// The help names no key that the terminal keeps for itself.
func TestKeptKeysAreNotShown(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24).several()
	s.press("?").shows("Ctrl+O/F4")
	s.v.Kept = []string{"Ctrl+O"}
	s.press("Esc", "?").shows("go to its pane").shows("F4").hides("Ctrl+O")
}

// Ctrl+N and Ctrl+P move in the list, and in what is filtered.
func TestShellKeysMove(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24).several()
	for _, mode := range []string{"", "/"} {
		s.press("Home").press(mode)
		s.press("Down")
		down := s.text()
		s.press("Up")
		up := s.text()
		if up == down {
			t.Fatal("Down moves nothing")
		}
		if s.press("Ctrl+N"); s.text() != down {
			t.Errorf("%q: Ctrl+N is not Down:\n%s", mode, s.text())
		}
		if s.press("Ctrl+P"); s.text() != up {
			t.Errorf("%q: Ctrl+P is not Up:\n%s", mode, s.text())
		}
	}
}

// A key mutes for an hour, and ends the mute.
func TestMute(t *testing.T) {
	t.Parallel()
	s := newStage(t, 120, 24).several()
	said := ""
	s.v.Muted = func() string { return said }
	s.v.Mute = func(until time.Time) error {
		said = ""
		if !until.IsZero() {
			said = "muted for " + time.Until(until).Round(time.Minute).String()
		}
		return nil
	}
	s.draw().shows("m mute for an hour").press("m").shows("waiting  muted for 1h0m0s", "m end the mute").hides("mute for an hour")
	s.press("m").shows("mute for an hour").hides("muted for")
	s.v.Mute = func(time.Time) error { return errors.New("the disk is full") }
	s.press("m").shows("the disk is full").hides("muted for")
}

// saveDraft writes what a popup would.
func saveDraft(e *spool.Entry, d machine.Draft) error {
	_, _, err := sitting.Write(e, d)
	return err
}
