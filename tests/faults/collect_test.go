package faults

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Whether a call is asking is looked at first: one that ends in between takes its
// entry along.

func (w *world) collectOne() bool {
	q := w.any(func(q *question) bool { return q.asking() == nil && len(q.ids()) > 0 })
	if q == nil {
		return false
	}
	id := oneOf(w.script, q.ids()...)
	out, code := w.run("collect", id)
	w.tell("%s is collected: exit %d, %s", id, code, out)
	w.deliver(out, "collect "+id, false)
	return true
}

// collectTwice is several that want the same answer at once; one gets it.
func (w *world) collectTwice() bool {
	q := w.any(func(q *question) bool { return q.asking() == nil && len(q.ids()) > 0 && q.open() == "" })
	if q == nil {
		return false
	}
	w.atOnce(2+w.rng.IntN(3), "collect", oneOf(w.script, q.ids()...))
	return true
}

// collectSlowly is one that cannot get rid of the answer that it has claimed,
// since nobody reads what it prints, and may die of it; and a second one
// meanwhile. One of them gets it.
func (w *world) collectSlowly() bool {
	q := w.any(func(q *question) bool {
		return q.asking() == nil && len(q.ids()) > 0 && q.open() == "" && len(w.leftBehind(q)) == 0
	})
	if q == nil || w.spoiled() {
		return false
	}
	id := oneOf(w.script, q.ids()...)
	pipe, full, filled, err := fullPipe()
	if err != nil {
		w.fail("%v", err)
		return true
	}
	defer pipe.Close()
	first, second := w.command("collect", id), w.command("collect", id)
	var said bytes.Buffer
	first.Stdout, second.Stdout = full, &said
	slow, err := w.start(first)
	full.Close()
	if err != nil {
		w.fail("%v", err)
		return true
	}
	if !until(func() bool { return slow.over() || w.held(id, "answer.json") }) {
		w.fail("nobody claims the answer to %s", id)
	}
	quick, err := w.start(second)
	if err != nil {
		w.fail("%v", err)
		return true
	}
	w.moment(60) // the second one comes that far
	if w.chance(50) {
		w.strike(slow, nil)
	}
	out, err := io.ReadAll(pipe)
	if err != nil || len(out) < filled || !slow.overWithin(patience) || !quick.overWithin(patience) {
		w.fail("collecting %s does not end: %v, %d bytes; %s; %s", id, err, len(out), slow, quick)
		return true
	}
	w.tell("%s is collected slowly: %s, %q; %s, %q", id, slow, out[filled:], quick, &said)
	w.deliver(string(out[filled:]), "slow collect "+id, slow.killed())
	w.deliver(said.String(), "second collect "+id, false)
	return true
}

// fullPipe is a pipe that takes nothing more until it is read; filled bytes are
// in it.
func fullPipe() (out, in *os.File, filled int, err error) {
	if out, in, err = os.Pipe(); err != nil {
		return nil, nil, 0, err
	}
	fd := int(in.Fd()) // which makes it block
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, nil, 0, err
	}
	for {
		n, err := unix.Write(fd, make([]byte, 4096))
		if err == unix.EAGAIN {
			return out, in, filled, unix.SetNonblock(fd, false)
		}
		if err != nil {
			return nil, nil, 0, fmt.Errorf("fill a pipe: %w", err)
		}
		filled += n
	}
}

// atOnce runs a command several times at the same moment.
func (w *world) atOnce(times int, args ...string) {
	outs := make([]string, times)
	var all sync.WaitGroup
	for i := range outs {
		all.Go(func() {
			cmd := w.command(args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, _ := cmd.Output() // all but one may have nothing to say
			outs[i] = string(out)
		})
	}
	all.Wait()
	w.tell("askpane %v, at once: %q", args, outs)
	for i, out := range outs {
		w.deliver(out, fmt.Sprintf("%v, number %d", args, i+1), false)
	}
}
