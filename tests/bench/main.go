// Command bench measures what askpane costs the person who waits for it: how
// long until the question is on the screen, how long from the answering key
// until the agent has its answer, and what a waiting question uses meanwhile.
//
// Everything runs in one go, in turn, as children of the process in the one pane
// of a private tmux server with one client, beside the least that can be done there: a static program in a bare
// display-popup, or a bare new-pane where the tmux that is first in PATH has
// modal panes. It is a benchmark and no test: it fails only when something
// does not work, not when something is slow.
package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
	"github.com/askpane/askpane/tests/bench/stage"
)

// What askpane is to reach: to open in multiples of the limit, from a command's
// start and from a running server; to answer beside the limit.
const (
	openTarget   = 2.3
	serverTarget = 1.7
	answerTarget = 3 * time.Millisecond
)

type options struct {
	rounds, warmups int
	idle            time.Duration
	binary, beside  string
}

func main() {
	agent.Serve()
	var o options
	flag.IntVar(&o.rounds, "rounds", 30, "how often each one is measured")
	flag.IntVar(&o.warmups, "warmups", 3, "rounds before those, not counted")
	flag.DurationVar(&o.idle, "idle", 10*time.Second, "how long a waiting question is looked at; 0 is not at all")
	flag.StringVar(&o.binary, "askpane", "", "measure this binary instead of building one from the source")
	flag.StringVar(&o.beside, "beside", "", "measure this binary of askpane too, such as one of before a change")
	flag.Parse()
	if err := bench(o); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func bench(o options) error {
	dir, err := os.MkdirTemp("", "askpane-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "agent")
	inPane, err := agent.Command(socket)
	if err != nil {
		return err
	}
	st, err := stage.Open(120, 40, nil, inPane...)
	if err != nil {
		return err
	}
	defer st.Close()
	pane, err := agent.Dial(socket, time.Now().Add(patience))
	if err != nil {
		return err
	}
	defer pane.Close()
	if err := o.binaries(dir); err != nil {
		return err
	}
	limit, with, err := buildLimit(dir)
	if err != nil {
		return err
	}
	all, missing := contenders(st, dir, limit, o.binary, o.beside)
	fmt.Println(machine())
	if st.Modal {
		fmt.Println("popups are modal panes (new-pane)")
	}
	fmt.Printf("%d rounds in turn after %d to warm up; %s; client 120x40; static program: %s\n\n", o.rounds, o.warmups, names(all), with)
	if err := play(pane, st, all, o); err != nil {
		return err
	}
	table(all)
	for _, m := range missing {
		fmt.Println(m)
	}
	if err := status(o.binary); err != nil || o.idle == 0 {
		return err
	}
	return waiting(pane, st, all[1], o.idle)
}

// binaries builds askpane if none was given, and copies what is measured into dir: all its programs, since askpane
// looks for the others beside itself.
func (o *options) binaries(dir string) error {
	if o.binary == "" {
		built := filepath.Join(dir, "built") + "/"
		if err := goBuild(built, "./cmd/..."); err != nil {
			return err
		}
		o.binary = built + "askpane"
	}
	for to, bin := range map[string]*string{"askpane": &o.binary, "beside": &o.beside} {
		if *bin == "" {
			continue
		}
		programs, err := filepath.Glob(filepath.Join(filepath.Dir(*bin), "askpane*"))
		if err != nil {
			return err
		}
		for _, program := range append(programs, *bin) {
			if *bin, err = install(program, filepath.Join(dir, to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// install copies a program into dir, as an installer writes it: as the linker has left it, its file is read
// more slowly (docs/dev/benchmark.md).
func install(program, dir string) (to string, err error) {
	content, err := os.ReadFile(program)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	to = filepath.Join(dir, filepath.Base(program))
	if err == nil {
		err = os.WriteFile(to, content, 0o700)
	}
	return to, err
}

// play has every contender ask and be answered, in turn.
func play(pane *agent.Agent, st *stage.Stage, all []*contender, o options) error {
	for n := range o.warmups + o.rounds {
		for _, c := range all {
			// A marker of its own, so that nothing left on the screen can count.
			open, answer, err := c.round(pane, st, fmt.Sprintf("Round%04d", n))
			if err != nil {
				return err
			}
			if n >= o.warmups {
				c.open, c.answer = append(c.open, open), append(c.answer, answer)
			}
		}
	}
	return nil
}

func table(all []*contender) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "ms\topen: min\tquartile\tmedian\tp90\tmax\tx limit\tanswer: min\tquartile\tmedian\tp90\tmax\tx limit\t")
	for _, c := range all {
		fmt.Fprintf(w, "%s", c.name)
		for _, side := range []struct{ own, limit []time.Duration }{{c.open, all[0].open}, {c.answer, all[0].answer}} {
			fmt.Fprintf(w, "\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f", ms(slices.Min(side.own)), ms(quantile(side.own, 0.25)), ms(quantile(side.own, 0.5)), ms(quantile(side.own, 0.9)),
				ms(slices.Max(side.own)), ratio(side.own, side.limit))
		}
		fmt.Fprintln(w, "\t")
	}
	w.Flush()
	fmt.Println()
	limit, ask, server := all[0], all[1], all[2]
	verdict(ratio(ask.open, limit.open) <= openTarget, "%s open: %.2fx the limit, target at most %.1fx", ask.name, ratio(ask.open, limit.open), openTarget)
	verdict(ratio(server.open, limit.open) <= serverTarget, "%s open: %.2fx the limit, target at most %.1fx", server.name, ratio(server.open, limit.open), serverTarget)
	over := quantile(ask.answer, 0.5) - quantile(limit.answer, 0.5)
	verdict(over <= answerTarget, "%s answer: the limit and %.1f ms, target at most %.0f ms", ask.name, ms(over), ms(answerTarget))
}

func verdict(met bool, format string, args ...any) {
	word := "met"
	if !met {
		word = "MISSED"
	}
	fmt.Printf(format+": %s\n", append(args, word)...)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantile is the nearest-rank quantile.
func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}

func ratio(own, limit []time.Duration) float64 {
	return float64(quantile(own, 0.5)) / float64(quantile(limit, 0.5))
}

// machine says what this was measured on.
func machine() string {
	version, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		version = []byte("tmux of unknown version")
	}
	return fmt.Sprintf("%s, %s/%s, %d cores, %s, %s", time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), strings.TrimSpace(string(version)), runtime.Version())
}
