// Package faults plays random schedules of faults against the real binary:
// bridges, popups, terminals and tmux servers are killed and hung up, disks
// fill up and turn read-only, events overflow, hubs and the network between
// machines fail; and after each schedule nothing may be lost, delivered twice or
// left behind.
//
// A schedule is made of its number alone, so a failing one can be played again;
// what the kernel makes of it differs, so play it a few times:
//
//	go test ./tests/faults -run Terminal -first 4711 -schedules 1
//
// Without -first the numbers are new in each run, which says at its start what they
// are. There are schedules on terminals, in tmux and on machines with a hub (-run
// Terminal, Tmux, Fleet). The last two take longer, so fewer of them are played, unless
// -of-each is given: this plays 2,000 of each, and with -run Fleet 2,000 on machines:
//
//	go test ./tests/faults -timeout 5h -run Faults -schedules 2000 -of-each
//
// The rule that must hold here: the promises are checked by what is on the
// disk and what came out of the processes, and never by what askpane says of
// itself.
package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

var (
	first     = flag.Uint64("first", 0, "the number of the first schedule; 0 is a new one in each run")
	schedules = flag.Int("schedules", 0, "how many schedules on terminals, 0 for 100, or 200 with ./tests/run --all; a tenth as many are in tmux, and two fifths on machines with a hub")
	ofEach    = flag.Bool("of-each", false, "play as many schedules in tmux and on machines as on terminals")
	atOnce    = flag.Int("at-once", 6, "how many schedules are played at once; on machines with a hub, where they wait for the most part, twice as many")
	verbose   = flag.Bool("tell", false, "print every schedule's steps")
)

// patience is how long anything may take before a schedule fails. It is long
// because the schedules share their cores; nothing waits for it to pass.
const patience = 30 * time.Second

// binary is the askpane under test.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	if *schedules == 0 {
		*schedules = 100
		if needs.All() {
			*schedules = 200
		}
	}
	if *first == 0 {
		*first = 1 + rand.Uint64N(1e9)
		fmt.Printf("the schedules' numbers begin with %d; -first %d plays the same ones again\n", *first, *first)
	}
	needs.Hangups()
	if runtime.GOOS != "linux" {
		needs.LeftOut("random schedules of faults", "what processes are left is looked up in /proc, as Linux has it")
		return 0
	}
	dir, err := os.MkdirTemp("", "askpane-faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary, err = needs.Programs(dir); err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		return 1
	}
	return m.Run()
}

func TestTerminalFaults(t *testing.T) { play(t, *schedules, *atOnce, in(terminalSteps, nil)) }

// share is how many schedules are played of a kind that takes longer.
func share(percent int) int {
	if *ofEach {
		return *schedules
	}
	return (percent**schedules + 99) / 100
}

// play plays n schedules, some of them together. It stops at the fifth that fails.
func play(t *testing.T, n, together int, of func(*script) schedule) {
	began := time.Now()
	numbers := make(chan uint64)
	var players sync.WaitGroup
	var failed atomic.Int32
	var said tally
	for range together {
		players.Go(func() {
			for number := range numbers {
				w := newScript(number)
				of(w).play()
				said.add(w)
				if *verbose || len(w.wrong) > 0 {
					t.Logf("%s", w.report(t.Name()))
				}
				if len(w.wrong) > 0 {
					t.Fail()
					failed.Add(1)
				}
			}
		})
	}
	played := 0
	for ; played < n && failed.Load() < 5; played++ {
		numbers <- *first + uint64(played)
	}
	close(numbers)
	players.Wait()
	t.Logf("%d schedules from number %d in %v, %d failed\n%s", played, *first, time.Since(began).Round(time.Second), failed.Load(), &said)
	for _, lack := range said.lacks() {
		needs.LeftOut("faults", lack)
	}
}
