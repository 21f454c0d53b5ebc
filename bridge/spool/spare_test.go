package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// smallDisk is a file system of its own with so many bytes in it. Where this
// cannot be had, the test is skipped and says so.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		needs.Cannot(t, "a full disk", "it takes root on Linux, to mount a small tmpfs")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size="+size, "askpane-test", dir).CombinedOutput(); err != nil {
		needs.Cannot(t, "a full disk", fmt.Sprintf("a small tmpfs cannot be mounted here: %v: %s", err, strings.TrimSpace(string(out))))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "--lazy", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// fill leaves no byte free on the disk, and returns how to free them again.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	must.Do(t, err)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	return func() { must.Do(t, os.Remove(name)) }
}

// A question that the spool does not take is not asked: the error names the spool and
// what to do, and nothing is left of it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64k")
	s := openAt(t, filepath.Join(disk, "spool"))
	free := fill(t, disk)
	refused(t, s, syscall.ENOSPC)
	if names, err := s.names("."); len(names) > 0 || err != nil {
		t.Errorf("left in the spool: %v, %v", names, err)
	}
	free()
	create(t, s)
}

func TestReadOnlySpool(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "64k")
	s := openAt(t, filepath.Join(disk, "spool"))
	must.Do(t, os.Mkdir(filepath.Join(disk, "seen"), 0o755))
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	refused(t, s, syscall.EROFS)
	for _, name := range []string{"another", "seen"} {
		_, err := Open(filepath.Join(disk, name))
		cannotWrite(t, err, filepath.Join(disk, name), syscall.EROFS)
	}
}

// refused has a question refused because of why.
func refused(t *testing.T, s *Spool, why error) {
	t.Helper()
	_, err := s.Create(request())
	cannotWrite(t, err, s.path, why)
}

func cannotWrite(t *testing.T, err error, path string, why error) {
	t.Helper()
	if !errors.Is(err, why) || !strings.Contains(err.Error(), "the spool "+path+" cannot be written") || !strings.Contains(err.Error(), "set ASKPANE_SPOOL to another directory") {
		t.Errorf("of the spool %s it is said: %v", path, err)
	}
}

// leave makes the spare for the spool at dir, as an older askpane did.
func leave(t *testing.T, dir string) *Spool {
	t.Helper()
	path := sparePath(dir)
	t.Cleanup(func() { must.Do(t, os.RemoveAll(path)) })
	return openAt(t, path)
}

// What an older askpane has kept in a spare is in the spool as soon as that is opened,
// whoever looks for it and however it stands.
func TestSpareIsAdopted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	spare := leave(t, dir)
	gone := create(t, spare)
	must.Do(t, saveDraft(gone, map[string]string{"text": "half a word"}))
	must.Do(t, gone.Close())
	settled, past := settled(t, spare, 0, 0), over(t, spare, 0, 0)
	must.Do(t, os.Remove(filepath.Join(spare.path, historyDir, past, deliveredFile))) // as in the oldest
	s, err := OpenExisting(dir)                                                       // there was no spool
	must.Do(t, err)
	defer s.Close()
	if waits, over, err := s.Scan(); !slices.Equal(waits, []string{gone.ID}) || !slices.Contains(over, settled) || err != nil {
		t.Errorf("there wait %v, and %v are answered; %v", waits, over, err)
	}
	e := open(t, s, gone.ID)
	var draft struct{ Text string }
	if ok, err := e.Draft(&draft); !ok || draft.Text != "half a word" {
		t.Errorf("its draft: %q, %v", draft.Text, err)
	}
	must.Do(t, e.Settle(answered()))
	if ok, err := e.TakeOver(); !ok || err != nil {
		t.Errorf("taken over: %v, %v", ok, err)
	}
	if r, ok, err := open(t, s, settled).Answer(); !ok || r.Outcome != form.Answered {
		t.Errorf("the answer: %v, %v", r, err)
	}
	old, err := s.Find(past)
	must.Do(t, err)
	defer old.Close()
	if ours, err := old.TakeOver(); !old.Status().Delivered || ours || err != nil {
		t.Errorf("what was delivered: %+v, %v, %v", old.Status(), ours, err)
	}
	must.Do(t, s.root.Mkdir(historyDir, 0o700))
	if _, err = s.Prune(t.Context(), keep(0), time.Now()); err != nil || !s.has(filepath.Join(historyDir, past)) {
		t.Errorf("it is not in the history: %v", err)
	}
	for _, id := range []string{gone.ID, settled, past} {
		if spare.has(id) || spare.has(filepath.Join(historyDir, id)) {
			t.Errorf("%s is in the spare still", id)
		}
	}
	err = filepath.WalkDir(filepath.Join(s.path, gone.ID), func(path string, d fs.DirEntry, err error) error {
		if info, no := d.Info(); err == nil && no == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	must.Do(t, err)
}

// What a process of an older askpane still holds is left to it, and moved when it is
// free.
func TestSpareIsHeld(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	spare := leave(t, dir)
	waits, shown, handed := create(t, spare), create(t, spare), create(t, spare)
	must.Do(t, shown.LetGo())
	show(t, shown, "viewer")
	must.Do(t, handed.Settle(answered()))
	must.Do(t, handed.StopWaiting())
	s := openAt(t, dir)
	if waits, over, err := s.Scan(); len(waits)+len(over) > 0 || err != nil {
		t.Errorf("moved under their holders: %v, %v, %v", waits, over, err)
	}
	must.Do(t, errors.Join(waits.LetGo(), shown.LetGo(), handed.LetGo()))
	if waits, over, err := s.Scan(); len(waits) != 2 || !slices.Equal(over, []string{handed.ID}) || err != nil {
		t.Errorf("they are free, and there are %v, %v, %v", waits, over, err)
	}
}

// Where the spool cannot be written still, it is said what lies in the spare, and it
// stays there.
func TestSpareStays(t *testing.T) {
	disk := smallDisk(t, "64k")
	dir := filepath.Join(disk, "spool")
	s := openAt(t, dir)
	spare := leave(t, dir)
	e := create(t, spare)
	must.Do(t, e.Close())
	free := fill(t, disk)
	if _, _, err := s.Scan(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), spare.path) {
		t.Errorf("a scan says %v", err)
	}
	if _, err := s.Find(e.ID); errors.Is(err, ErrNotFound) {
		t.Errorf("it is not looked for: %v", err)
	}
	if names, err := s.names("."); len(names) > 0 || err != nil || !spare.has(e.ID) {
		t.Errorf("half moved: %v, %v", names, err)
	}
	free()
	// Somebody is killed between making it here and removing it there.
	must.Do(t, os.CopyFS(s.in(e.ID), os.DirFS(e.path)))
	must.Do(t, os.Chmod(s.in(e.ID), 0o700))
	if ids := waiting(t, s); !slices.Equal(ids, []string{e.ID}) || spare.has(e.ID) {
		t.Errorf("after a kill: %v, and it is in the spare: %v", ids, spare.has(e.ID))
	}
}

// A spare that others could have laid is not looked into.
func TestSpareMustBeOurs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	spare := leave(t, dir)
	e := create(t, spare)
	must.Do(t, e.Close())
	must.Do(t, os.Chmod(spare.path, 0o777))
	s := openAt(t, dir)
	if waits, over, err := s.Scan(); len(waits)+len(over) > 0 || err != nil {
		t.Errorf("found where others may write: %v, %v, %v", waits, over, err)
	}
	elsewhere := spare.path + "-elsewhere"
	t.Cleanup(func() { must.Do(t, os.RemoveAll(elsewhere)) })
	must.Do(t, errors.Join(os.Chmod(spare.path, 0o700), os.Rename(spare.path, elsewhere), os.Symlink(elsewhere, spare.path)))
	if waits, over, err := s.Scan(); len(waits)+len(over) > 0 || err != nil {
		t.Errorf("found through a link: %v, %v, %v", waits, over, err)
	}
}

// A disk that fills up while the question waits keeps nobody from answering, nor the popup from being told of settings.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "256k")
	s := openAt(t, filepath.Join(disk, "spool"))
	e := create(t, s)
	free := fill(t, disk)
	p := open(t, s, e.ID)
	var told map[string]int
	if p.Settings(&told) == nil {
		t.Errorf("before any popup is opened it is told %v", told)
	}
	must.Do(t, e.SetSettings(map[string]int{"guardMs": 100, "chain": 1}))
	must.Do(t, e.SetSettings(map[string]int{"guardMs": 7}))
	if err := p.Settings(&told); err != nil || told["guardMs"] != 7 || len(told) != 1 {
		t.Errorf("the popup is told %v, %v", told, err)
	}
	show(t, p, "viewer")
	if !e.Status().Painted {
		t.Error("the bridge does not see that it is up")
	}
	if err := saveDraft(p, map[string]string{"entries": strings.Repeat("x", 5000)}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a draft on a full disk: %v", err)
	}
	r := answered()
	r.Answers = []form.Answer{form.Type(strings.Repeat("word ", 1000))}
	must.Do(t, p.Settle(r))
	if got, ok, err := e.Answer(); !ok || err != nil || *got.Answers[0].Text != *r.Answers[0].Text {
		t.Errorf("the answer: %v, %v", ok, err)
	}
	must.Do(t, e.Deliver())
	free()
	if _, err := os.Lstat(filepath.Join(s.path, historyDir, e.ID, reserveFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("space is put aside in the history: %v", err)
	}
}
