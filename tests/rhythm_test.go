package tests

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

var rounds = flag.Int("rounds", 1, "how often TestRhythm types into each host")

// A form that comes up under somebody's typing is answered and changed by none of the keys
// that follow, whatever the host can tell of them.
func TestRhythm(t *testing.T) {
	needs.Long(t, "somebody who types on while a form comes up")
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	for _, h := range hosts {
		if h.name == "terminal over ssh" {
			continue // ssh passes keys on as the terminal does
		}
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			for round := range *rounds {
				t.Run(fmt.Sprint(round), func(t *testing.T) { typesOn(t, h.name, h.open, rand.New(rand.NewPCG(seed, uint64(round)))) })
			}
		})
	}
}

// typesOn has a person type something else while a question is asked, and ten keys more once
// its form is up, or fewer where the machine keeps them from pressing the next for as long as a
// person pauses who has seen the form. It has the guard as it is by default.
func typesOn(t *testing.T, name string, open opener, random *rand.Rand) {
	now := filepath.Join(t.TempDir(), "now")
	agent := fmt.Sprintf("until [ -e %s ]; do sleep 0.02; done; %%s; exec cat", quote(now))
	switch name { // where the call is the terminal's first command
	case "terminal":
		open = func(t testing.TB, width, height int, env ...string) place {
			return openShell(t, width, height, env, "sh", "-c", agent)
		}
	case "run":
		open = func(t testing.TB, width, height int, env ...string) place {
			return openShell(t, width, height, env, binary, "run", "--", "sh", "-c", agent)
		}
	}
	p := open(t, 100, 30)
	var call *asker
	ask := func() {
		if call == nil {
			call = p.ask(colour)
		}
		if err := os.WriteFile(now, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if name == "terminal" || name == "run" {
		call = p.ask(colour)
	}
	var typed []string
	left, asked, up, last := 10, 4+random.IntN(4), false, time.Now()
	for key := 0; left > 0; key++ {
		// People's gaps are log-normal, half of them below 150 ms, one in twenty above 400 ms.
		gap := time.Duration(150 * math.Exp(0.6*random.NormFloat64()) * float64(time.Millisecond))
		if key == asked {
			part := time.Duration(random.Int64N(int64(gap)))
			<-time.After(part)
			ask()
			gap -= part
		}
		<-time.After(gap)
		if key > asked {
			up = up || strings.Contains(p.screen(), "Which colour?")
		}
		if up {
			left--
		}
		if key > asked && time.Since(last) > time.Second { // after 1.5 s the form takes keys
			t.Logf("the machine was late for key %d", key)
			break
		}
		last = time.Now()
		if key-asked > 200 {
			t.Fatal("no form came up")
		}
		typed = append(typed, []string{enter, enter, " ", "1", "2", "3", "y", "n", "t", "a", "j", "k"}[random.IntN(12)])
		p.press(typed[len(typed)-1])
	}
	p.see("Which colour?")
	call.waits()
	id := p.spool.only(t)
	if draft := p.spool.read(id, "draft.json"); draft != "" {
		t.Errorf("the form was changed: %s", draft)
	}
	if t.Failed() {
		t.Logf("typed %q, asked after %d", typed, asked)
	}
	p.spool.answers(t, id, `{"answers":{"0":"g"}}`)
	call.answered("Colour: user selected: 2. Green")
	p.until("said who was first, or closed", func(screen string) bool {
		return strings.Contains(screen, "Already answered by askpane answer, ") || !strings.Contains(screen, "Which colour?")
	})
	p.press(" ") // any key closes it
}
