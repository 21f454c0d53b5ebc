package popup

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// A form that is drawn only when its clock shows another time never shows a wrong one, and
// is drawn once a minute after the first, or before the last.
func TestClockIsDrawnWhenItShowsAnotherTime(t *testing.T) {
	t.Parallel()
	const long = 3 * time.Hour
	for began := time.Duration(0); began < 2*time.Minute; began += 700 * time.Millisecond {
		for _, ends := range []bool{false, true} {
			seen := func(at time.Duration) string {
				if ends {
					return text.Elapsed(clock(max(time.Second, long-at)))
				}
				return text.Elapsed(clock(at))
			}
			drawn := 0
			for at := began; at < long; {
				next := at + stays(at, long-at, ends)
				if drawn++; next <= at {
					t.Fatalf("at %v it is drawn at once again", at)
				}
				for _, between := range []time.Duration{at + (next-at)/2, next - 2*time.Millisecond} {
					if next-at > 2*time.Millisecond && between > at && seen(between) != seen(at) {
						t.Fatalf("begun at %v, drawn at %v: it shows %q at %v, and %q is right", began, at, seen(at), between, seen(between))
					}
				}
				at = next
			}
			if most := int((long-began)/time.Minute) + 62; drawn > most {
				t.Errorf("begun at %v, it was drawn %d times in %v, and %d are enough", began, drawn, long-began, most)
			}
		}
	}
	if got := []time.Duration{stays(0, -time.Hour, true), stays(0, time.Second, true)}; got[0] < time.Minute || got[1] < time.Minute {
		t.Errorf("after its deadline it is drawn every %v", got)
	}
}

// What is on the disk is on the screen at once, and without that nothing is looked at: the
// clock of a form that has waited for long shows minutes.
func TestPopupLooksWhenSomethingHappens(t *testing.T) {
	t.Parallel()
	r := newPopup(t)
	r.first.Req.Origin.Start = time.Now().Add(-time.Hour)
	r.begin()
	r.sees("Which database")
	r.sees("1h 00m")
	theirs := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "askpane answer", At: time.Now()}
	if err := r.entry.Settle(theirs); err != nil { // its bridge goes on waiting, as one that is stopped
		t.Fatal(err)
	}
	r.until("it says who", func() bool { return strings.Contains(r.text(), "Already answered by askpane answer") })
}
