// Command hub measures what many machines on one hub cost: how long a question takes to
// the person and its answer back, how many messages and bytes that is, and what hub and
// desks take, where few and where many questions wait.
//
// The hub, the links of all machines that ask, the agents and each machine of the person's
// are processes of their own, so that the kernel says what each takes. The links are those
// of a desk; a popup is a note of the time. Everything runs in a temporary directory. It is
// a benchmark and no test: it fails only when something does not work.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	machines, each, sits, probes, processes int
	rate                                    float64
	idle                                    time.Duration
	profile                                 string
	levels                                  []int
}

func main() {
	if len(os.Args) > 1 && roles[os.Args[1]] != nil {
		if err := play(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintf(os.Stderr, "hub, as %s: %v\n", os.Args[1], err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.machines, "machines", 200, "how many machines ask")
	flag.IntVar(&o.each, "questions", 50, "how many questions each of them asks")
	flag.IntVar(&o.sits, "persons", 1, "at how many machines the person sits")
	flag.IntVar(&o.probes, "probes", 100, "how many questions are timed one after the other beside those that wait")
	flag.IntVar(&o.processes, "agents", 2, "in how many processes the agents are: a question takes two descriptors there")
	flag.Float64Var(&o.rate, "rate", 50, "how many questions come a second, and then answers")
	flag.DurationVar(&o.idle, "idle", 20*time.Second, "how long is watched what happens when nothing does")
	flag.StringVar(&o.profile, "profile", "", "a directory for profiles of each process")
	company := flag.Int("people", 0, "measure instead what the accounts of so many people cost at a leaf node")
	waiting := flag.String("waiting", "100,1000,9500", "beside how many that wait one question is timed")
	flag.Parse()
	for _, n := range strings.Split(*waiting, ",") {
		level, err := strconv.Atoi(n)
		if err != nil || level > o.machines*o.each {
			fmt.Fprintf(os.Stderr, "hub: -waiting %s: a number, of at most -machines times -questions\n", n)
			os.Exit(1)
		}
		o.levels = append(o.levels, level)
	}
	run := func() error { return bench(o) }
	if *company > 0 {
		run = func() error { return people(*company, o.probes) }
	}
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "hub: %v\n", err)
		os.Exit(1)
	}
}

// settles is how long everything is left alone before it is looked at.
const settles = 3 * time.Second

func bench(o options) (err error) {
	dir, err := os.MkdirTemp("", "askpane-hub-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := newTeam(o, dir)
	defer func() { err = errors.Join(err, t.end()) }()
	if err := t.begin(); err != nil {
		return err
	}
	fmt.Printf("%d machines with %d questions each, the person at %d; %s", o.machines, o.each, o.sits, load())
	b := &table{team: t}
	for _, level := range o.levels {
		if err := b.look(level); err != nil {
			return fmt.Errorf("where %d wait: %w", level, err)
		}
	}
	b.print()
	return t.rush()
}

// rush has the rest of the questions asked while those that wait are answered, one of each
// at a time, and then all others answered.
func (t *team) rush() error {
	if err := t.profiles("answers"); err != nil {
		return err
	}
	var ids []string
	tick := t.ticker()
	defer tick.Stop()
	answer := func() error {
		id := t.waiting[0]
		ids, t.waiting = append(ids, id), t.waiting[1:]
		return t.answer(id)
	}
	rest := t.machines*t.each - len(t.waiting)
	for range rest {
		<-tick.C
		err := t.ask()
		if err == nil && len(t.waiting) > 0 {
			err = answer()
		}
		if err != nil {
			return err
		}
	}
	if err := t.take(t.shown, rest, &t.waiting); err != nil {
		return err
	}
	for len(t.waiting) > 0 {
		<-tick.C
		if err := answer(); err != nil {
			return err
		}
	}
	if err := t.take(t.got, len(ids), nil); err != nil {
		return err
	}
	fmt.Printf("all %d, %.0f a second, ms: ask to popup %s, answer to ask %s\n", len(ids), t.rate, spread(t.times(ids, question.popup)), spread(t.times(ids, question.back)))
	time.Sleep(settles)
	now, err := t.measure()
	if err != nil {
		return err
	}
	for i, p := range t.watched {
		fmt.Printf("then %s: %.1f MiB resident, %d descriptors\n", p.name, float64(now.of[i].Resident)/1024, now.of[i].files)
	}
	fmt.Printf("then the hub's disk: %.1f MiB; %s", float64(now.disk)/mib, load())
	return t.profiles("")
}

func load() string {
	data, _ := os.ReadFile("/proc/loadavg")
	return "load " + string(data)
}
