package popup

import (
	"slices"
	"strings"
	"testing"
)

// The keys stand in the last row whatever is on view, and a notice moves nothing that can be
// pressed.
func TestFooterIsPinned(t *testing.T) {
	t.Parallel()
	s := newStage(t, typedForm, nil, 120, 30)
	for _, key := range []string{"", "Down", "Down", "Up", "e", "e", "n", "Esc", "]", "]", "0", "?"} {
		if last := s.press(key).rows()[29]; !strings.Contains(last, "Esc") && last != "any key closes this" {
			t.Errorf("after %q the last row is %q on\n%s", key, last, s.text())
		}
	}
	s = newStage(t, oneQuestion, nil, 62, 10) // just as many rows as it needs
	at := func() int {
		return slices.IndexFunc(s.rows(), func(row string) bool { return strings.Contains(row, "2. SQLite") })
	}
	before := at()
	s.st.Notice = strings.Repeat("words ", 12)
	s.draw()
	if s.shows("words"); before < 1 || at() != before {
		t.Errorf("a notice moves the choice from row %d to %d", before, at())
	}
	s.shows("Enter choose · Esc cancel")
}
