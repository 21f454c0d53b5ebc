package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/tests/bench/usage"
)

const mib = 1 << 20

// state is what was used up to some moment, and is held then.
type state struct {
	at time.Time
	of []held // by process, as in team.watched
	traffic
	disk int64 // bytes that the hub has there
}

type held struct {
	usage.Usage
	files int
}

func (t *team) measure() (s state, err error) {
	s.at = time.Now()
	for i, p := range t.watched {
		var h held
		if h.Usage, err = usage.Of(p.cmd.Process.Pid); err != nil {
			return s, err
		}
		files, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "fd"))
		if err != nil {
			return s, err
		}
		h.files = len(files)
		s.of = append(s.of, h)
		if i == 0 {
			continue // what the hub sends and gets, the others get and send
		}
		if err := p.say("traffic", ""); err != nil {
			return s, err
		}
		reply, err := t.reply()
		if err != nil {
			return s, err
		}
		var one traffic
		if err := json.Unmarshal([]byte(reply), &one); err != nil {
			return s, err
		}
		s.Messages += one.Messages
		s.Bytes += one.Bytes
	}
	return s, filepath.WalkDir(t.of("hub"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			s.disk += info.Size()
		}
		return nil // it has just gone
	})
}

// table has a column for each number of questions that wait.
type table struct {
	*team
	names []string
	cells map[string][]string
	heads []int
}

func (b *table) add(name, format string, args ...any) {
	if b.cells == nil {
		b.cells = map[string][]string{}
	}
	if !slices.Contains(b.names, name) {
		b.names = append(b.names, name)
	}
	b.cells[name] = append(b.cells[name], fmt.Sprintf(format, args...))
}

// look has so many questions wait, and measures what that takes, and what one more costs.
func (b *table) look(waiting int) error {
	if err := b.fill(waiting - len(b.waiting)); err != nil {
		return err
	}
	b.heads = append(b.heads, waiting)
	time.Sleep(settles)
	start, err := b.measure()
	if err != nil {
		return err
	}
	time.Sleep(b.idle)
	idle, err := b.measure()
	if err != nil {
		return err
	}
	if err := b.profiles(strconv.Itoa(waiting)); err != nil {
		return err
	}
	began, err := b.measure()
	if err != nil {
		return err
	}
	var ids []string
	for range b.probes {
		if err := b.probe(&ids); err != nil {
			return err
		}
	}
	// All machines beat together: as many beats in this as there were while nothing happened.
	time.Sleep(beat - time.Since(began.at)%beat)
	end, err := b.measure()
	if err != nil {
		return err
	}
	b.add("ask to popup, ms", "%s", spread(b.times(ids, question.popup)))
	b.add("answer to ask, ms", "%s", spread(b.times(ids, question.back)))
	b.costs(start, idle, began, end)
	if err := b.profiles(""); err != nil {
		return err
	}
	took, err := b.restart()
	if err != nil {
		return err
	}
	b.add(desk(b.sits-1)+" started again: shows all, s", "%.1f", took.Seconds())
	if err := b.profiles(fmt.Sprint("again-", waiting)); err != nil {
		return err
	}
	waits := time.Now()
	if err := b.probe(&ids); err != nil { // it has heard by then what else there is at the hub
		return err
	}
	b.add("and has an answer taken, s", "%.1f", (took + time.Since(waits)).Seconds())
	return b.profiles("")
}

// probe is one question from its asking to its answer.
func (b *table) probe(ids *[]string) error {
	err := b.ask()
	if err == nil {
		err = b.take(b.shown, 1, ids)
	}
	if err == nil {
		err = b.answer((*ids)[len(*ids)-1])
	}
	if err == nil {
		err = b.take(b.got, 1, nil)
	}
	return err
}

// costs adds what was held and used from start to idle while nothing happened, and from
// began to end by the probes beside that.
func (b *table) costs(start, idle, began, end state) {
	quiet, busy, n := idle.at.Sub(start.at).Seconds(), end.at.Sub(began.at).Seconds(), float64(b.probes)
	each := func(start, idle, began, end float64) float64 { return (end - began - (idle-start)/quiet*busy) / n }
	b.add("messages a question", "%.1f", each(float64(start.Messages), float64(idle.Messages), float64(began.Messages), float64(end.Messages)))
	b.add("KiB on the wire a question", "%.1f", each(float64(start.Bytes), float64(idle.Bytes), float64(began.Bytes), float64(end.Bytes))/1024)
	b.add("idle, messages a second", "%.1f", float64(idle.Messages-start.Messages)/quiet)
	b.add("idle, KiB a second", "%.1f", float64(idle.Bytes-start.Bytes)/1024/quiet)
	for i, p := range b.watched {
		ticks := func(s state) float64 { return 1000 / hertz * float64(s.of[i].Ticks) }
		b.add(p.name+", processor ms a question", "%.1f", each(ticks(start), ticks(idle), ticks(began), ticks(end)))
		b.add(p.name+", idle, % of a processor", "%.1f", (ticks(idle)-ticks(start))/10/quiet)
		b.add(p.name+", resident MiB", "%.1f", float64(idle.of[i].Resident)/1024)
		b.add(p.name+", descriptors", "%d", idle.of[i].files)
	}
	b.add("the hub's disk, MiB", "%.1f", float64(idle.disk)/mib)
}

// beat is how often machines say that they are there.
const beat = link.AliveTime / 3

// hertz is how many ticks of the processor's time a second has: USER_HZ, which is 100 on
// every Linux.
const hertz = 100

func (b *table) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "median / p99\t")
	for _, n := range b.heads {
		fmt.Fprintf(w, "%d wait\t", n)
	}
	fmt.Fprintln(w)
	for _, name := range b.names {
		fmt.Fprintf(w, "%s\t", name)
		for _, c := range b.cells[name] {
			fmt.Fprintf(w, "%s\t", c)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// spread is the median and the 99th of a hundred.
func spread(all []time.Duration) string {
	slices.Sort(all)
	ms := func(i int) float64 { return float64(all[i]) / float64(time.Millisecond) }
	return fmt.Sprintf("%.1f / %.1f", ms(len(all)/2), ms(len(all)*99/100))
}
