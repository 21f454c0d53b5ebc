package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/tests/needs"
)

// world is where one schedule is played: directories, processes, and what is
// known of each question.
type world struct {
	*script
	steps     []step[*world]
	stage     func(*world) error // opens what it needs besides; may be nil
	dir       string
	spool     string
	disk      string // the small file system that the spool is on; empty where it is on none
	full      bool   // nothing fits on it
	frozen    []string
	questions []*question
	astray    []stroke
	server    *server // tmux, where there is one
}

// play plays the schedule and checks what is left.
func (w *world) play() {
	defer w.end()
	err := w.open()
	if err == nil && w.chance(40) {
		w.smallDisk()
	}
	if err == nil && w.stage != nil {
		err = w.stage(w)
	}
	if err != nil {
		w.fail("the stage: %v", err)
		return
	}
	for range 1 + w.rng.IntN(2) {
		w.ask(w.newQuestion())
	}
	takeSteps(w.script, 4+w.rng.IntN(7), w.steps, w)
	w.drain()
	w.check()
}

func (w *world) open() (err error) {
	if w.dir, err = os.MkdirTemp("", "ap"); err != nil {
		return err
	}
	if w.dir, err = filepath.EvalSymlinks(w.dir); err != nil {
		return err
	}
	w.spool = filepath.Join(w.dir, "spool")
	return nil
}

// smallDisk puts the spool on a file system that can be filled.
func (w *world) smallDisk() {
	dir := filepath.Join(w.dir, "disk")
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = command("mount", "-t", "tmpfs", "-o", "mode=0700,size=512k", "askpane-faults", dir)
	}
	if err != nil {
		w.lacks = append(w.lacks, fmt.Sprintf("full and read-only disks; a small tmpfs cannot be mounted here (root on Linux can): %v", err))
		return
	}
	w.disk, w.spool = dir, filepath.Join(dir, "spool")
	if w.chance(15) {
		if err := command("mount", "-o", "remount,ro", dir); err != nil {
			w.fail("make the disk read-only: %v", err)
		}
		w.tell("the spool is on a read-only disk")
		w.counts["read-only disk"]++
	}
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w: %s", name, args, err, out)
	}
	return nil
}

// end takes the world away, whatever is left in it.
func (w *world) end() {
	w.endAll(w.spool)
	if w.server != nil {
		w.endServer()
	}
	w.endStarted()
	w.thaw()
	if len(w.wrong) > 0 {
		w.tell("on the disk:\n%s", listing(w.dir))
	}
	for _, q := range w.questions {
		w.said += q.calls.String()
	}
	if w.disk != "" {
		if err := command("umount", "--lazy", w.disk); err != nil {
			w.fail("%v", err)
		}
	}
	if err := os.RemoveAll(w.dir); err != nil {
		w.fail("clean up: %v", err)
	}
}

// listing is every file below a directory, and what is in the small ones.
func listing(dir string) string {
	var b strings.Builder
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "in" || d.Name() == "request.json" || d.Name() == "filler" {
			return nil
		}
		data, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "    %s: %d bytes: %.300s\n", strings.TrimPrefix(path, dir), len(data), strings.TrimSpace(strings.Trim(string(data), "\x00")))
		return nil
	})
	return b.String()
}

// environ is what every process gets; the spool in it tells the world's processes
// from all others.
func (w *world) environ(more ...string) []string {
	return append(append(environIn(w.dir),
		"ASKPANE_SPOOL="+w.spool, "ASKPANE_GUARD_MS=0", "ASKPANE_BELL_ON_QUESTION=false",
	), more...)
}

// environIn is what every program needs that has its files in a directory.
func environIn(dir string) []string {
	return append(needs.Environ(),
		"PATH="+os.Getenv("PATH"), "HOME="+dir, "TMPDIR="+dir, "SHELL=/bin/sh", "LC_ALL=C.UTF-8", "TERM=xterm-256color",
	)
}

// entries are the directories of entries, pending and delivered, by id.
func (w *world) entries() map[string]string {
	all, err := entriesIn(w.spool)
	if err != nil {
		w.fail("%v", err)
	}
	return all
}

func entriesIn(spool string) (map[string]string, error) {
	all := map[string]string{}
	var bad error
	for _, dir := range []string{spool, filepath.Join(spool, "history")} {
		files, err := os.ReadDir(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			bad = errors.Join(bad, err)
		}
		for _, f := range files {
			if len(f.Name()) == 26 {
				all[f.Name()] = filepath.Join(dir, f.Name())
			}
		}
	}
	return all, bad
}

// any is a random question that fits; nil where none does.
func (w *world) any(fits func(q *question) bool) *question {
	return some(w.script, w.questions, fits)
}

// formUp is a random question that fits and has a form up, and what is shown of it; nil
// where there is none, or where its form has ended meanwhile.
func (w *world) formUp(fits func(*question) bool) (q *question, pid int, press func(string), id string) {
	if q = w.any(func(q *question) bool { pid, _, _ := q.shown(); return pid != 0 && fits(q) }); q == nil {
		return nil, 0, nil, ""
	}
	if pid, press, id = q.shown(); pid == 0 {
		return nil, 0, nil, id
	}
	return q, pid, press, id
}

// anyAsking is a random question that fits and is being asked, and the call that asks
// it; nil where there is none, or where it has ended meanwhile.
func (w *world) anyAsking(fits func(*question) bool) (*question, *call) {
	q := w.any(func(q *question) bool { return q.asking() != nil && fits(q) })
	if q == nil {
		return nil, nil
	}
	return q, q.asking()
}

// until polls for done, for as long as patience lasts.
func until(done func() bool) bool { return needs.Within(patience, done) }
