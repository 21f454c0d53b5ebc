package faults

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// fill fills the disk that the spool is on.
func (w *world) fill() bool {
	if w.disk == "" || w.full || w.counts["read-only disk"] > 0 {
		return false
	}
	f, err := os.Create(filepath.Join(w.disk, "filler"))
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if f != nil {
		f.Close()
	}
	if !errors.Is(err, syscall.ENOSPC) {
		w.fail("fill the disk: %v", err)
	}
	w.full = true
	w.tell("the disk is full")
	return true
}

func (w *world) free() bool {
	if !w.full {
		return false
	}
	if err := os.Remove(filepath.Join(w.disk, "filler")); err != nil {
		w.fail("free the disk: %v", err)
	}
	w.full = false
	w.tell("the disk has space again")
	w.saveAgain()
	return true
}

// freeze makes an entry's directory immutable: no file in it can be made,
// replaced or removed, and those that are there can be written.
func (w *world) freeze() bool {
	q := w.any(func(q *question) bool { return q.open() != "" })
	if q == nil || len(w.frozen) > 0 {
		return false
	}
	id := q.open()
	dir, ok := w.entries()[id]
	if !ok || w.counts["read-only disk"] > 0 {
		return false
	}
	if err := command("chattr", "+i", dir); err != nil {
		if _, gone := os.Lstat(dir); gone == nil {
			w.lacks = append(w.lacks, fmt.Sprintf("entries that cannot be written; chattr +i does not work here (root on Linux can): %v", err))
		}
		return false
	}
	w.frozen = append(w.frozen, dir)
	w.tell("%s is frozen", id)
	return true
}

func (w *world) thaw() bool {
	if len(w.frozen) == 0 {
		return false
	}
	for _, dir := range w.frozen {
		if err := command("chattr", "-i", dir); err != nil {
			w.fail("%v", err)
		}
	}
	w.frozen = nil
	w.tell("nothing is frozen any more")
	w.saveAgain()
	return true
}

// saveAgain is the person who presses a key where a form has said that its
// answer could not be saved.
func (w *world) saveAgain() {
	if w.spoiled() {
		return
	}
	for _, q := range w.questions {
		pid, press, id := q.shown()
		if !q.unsaved || pid == 0 {
			continue
		}
		q.unsaved = false
		press(" ")
		if !until(func() bool { return !w.alive(pid) || w.has(id, "answer.json") }) {
			w.fail("the form of %s does not close though its answer can be saved again", id)
			continue
		}
		if text, _, _ := w.answer(id); q.said[text] {
			q.given[id] = text
		}
	}
}

// stop suspends a bridge; it gets what happens meanwhile all at once.
func (w *world) stop() bool {
	_, c := w.anyAsking(func(q *question) bool { return q.open() != "" })
	if c == nil {
		return false
	}
	_ = c.cmd.Process.Signal(syscall.SIGSTOP)
	w.tell("%s is stopped", c.name)
	return true
}

// stopped reports whether the call is suspended.
func (w *world) stopped(c *call) bool { return stopped(c.cmd.Process.Pid) }

func stopped(pid int) bool {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	var name, state string
	_, err := fmt.Sscanf(string(data), "%d %s %s", &pid, &name, &state)
	return err == nil && state == "T"
}

func (w *world) carryOn() bool {
	q := w.any(func(q *question) bool { c := q.asking(); return c != nil && w.stopped(c) })
	if q == nil {
		return false
	}
	c := q.asking()
	if c == nil { // it has ended meanwhile
		return false
	}
	_ = c.cmd.Process.Signal(syscall.SIGCONT)
	w.tell("%s goes on", c.name)
	return true
}

// overflow makes more events in an entry than its bridge is told of: the kernel
// keeps max_queued_events and throws the rest away.
func (w *world) overflow() bool {
	q := w.any(func(q *question) bool { return q.asking() != nil && q.open() != "" })
	if q == nil || w.spoiled() || w.counts["read-only disk"] > 0 {
		return false
	}
	most := 16384
	if data, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events"); err == nil {
		_, _ = fmt.Sscan(string(data), &most)
	}
	if most > 1<<16 {
		w.lacks = append(w.lacks, fmt.Sprintf("an overflow of events; fs.inotify.max_queued_events is %d", most))
		return false
	}
	c, id := q.asking(), q.open()
	dir, ok := w.entries()[id]
	if !ok || c == nil {
		return false
	}
	_ = c.cmd.Process.Signal(syscall.SIGSTOP)
	for n := 0; n < most+100; n += 4 { // made, opened, closed, removed
		name := filepath.Join(dir, ".flood")
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Remove(name)); err != nil { // it is over meanwhile
			w.tell("the flood of %s ends after %d events: %v", id, n, err)
			break
		}
	}
	w.tell("%s has more events than it is told of", id)
	text := q.chosen(1)
	q.said[text] = true
	if out, code := w.run("answer", "--json", `{"answers":{"0":"v1"}}`, id); code == 0 {
		q.taken(id, text)
	} else if code != 6 {
		w.fail("askpane answer %s: exit %d, %s", id, code, out)
	}
	_ = c.cmd.Process.Signal(syscall.SIGCONT)
	return true
}
