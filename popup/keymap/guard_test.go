package keymap

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// fingers are the keys of somebody who types into something else, more of them than in
// any text such as would answer.
var fingers = []string{"Enter", "Enter", "Space", "Space", "1", "2", "3", "y", "n", "R", "e", "t", "a", "o", "j", "k", "Tab", "Up", "Down", "Backspace"}

// strays is how many of 10,000 forms that come up under somebody's typing are answered
// or changed by one of the ten keys that follow. Of that typing a form is told by its host or
// by the kernel, never as of earlier than it was.
func strays() (answered, changed int) {
	random := rand.New(rand.NewPCG(27, 400))
	gap := func() time.Duration { // log-normal, half of them below 150 ms, one in twenty above 400 ms
		return time.Duration(150 * math.Exp(0.6*random.NormFloat64()) * float64(time.Millisecond))
	}
	f := form.Form{Questions: []form.Question{{Kind: form.One, Label: "Go on?", Prompt: "Go on?", Options: []form.Option{{Label: "Yes"}, {Label: "No"}, {Label: "Later"}}, Other: "Something else…"}},
		Remarks: form.Notes}
	for range 10_000 {
		var at []time.Time
		for now := time.Unix(0, 0); len(at) < 40; now = now.Add(gap()) {
			at = append(at, now)
		}
		came := at[5].Add(time.Duration(random.Int64N(int64(at[25].Sub(at[5])))))
		next := 0
		for at[next].Before(came) {
			next++
		}
		guard, m := machine.Guard{Pause: 400 * time.Millisecond}, machine.New(&f, nil, true)
		guard.Start(came, at[next-1])
		keys, before := Of(&f).Keys(), m.Draft()
		for _, now := range at[next:min(len(at), next+10)] {
			key := fingers[random.IntN(len(fingers))]
			guard.Tick(now)
			if !guard.Takes(now, key, Answers(m, key)) {
				continue
			}
			e, bound := keys.Event(m, key)
			if opens, begins := Begins(m, key); !bound && begins {
				e, bound = machine.Event{Action: opens}, true
			}
			if bound {
				m.Handle(e)
			}
			if _, over := m.Result(); over {
				answered++
				break
			} else if !reflect.DeepEqual(before, m.Draft()) {
				changed++
				break
			}
		}
	}
	return answered, changed
}

// A person types on as people do when a form comes up: next to never does a key of theirs
// answer it or change anything in it.
func TestNaturalRhythm(t *testing.T) {
	t.Parallel()
	answered, changed := strays()
	t.Logf("of 10,000 forms: %d answered, %d changed", answered, changed)
	if answered+changed > 10 {
		t.Errorf("of 10,000 forms a stray key answered %d and changed %d", answered, changed)
	}
}
