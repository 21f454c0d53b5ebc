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

func spares(t *testing.T) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "spares")
	t.Setenv(spareEnv, base)
	return base
}

// A question that its spool does not take is asked in the spare, where
// everybody finds it who looks into the spool.
func TestSpareOfAFullDisk(t *testing.T) {
	base := spares(t)
	disk := smallDisk(t, "64k")
	s := openAt(t, filepath.Join(disk, "spool"))
	free := fill(t, disk)
	req := request()
	digest, err := Digest(req.Form, req.Origin)
	must.Do(t, err)
	req.Digest = digest
	e, err := s.Create(req)
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	if why := e.Spare(); !strings.Contains(why, s.dir) || !strings.Contains(why, base) {
		t.Errorf("of the spare it says %q", why)
	}
	theirs := openAt(t, s.dir) // another process
	if ids := waiting(t, theirs); !slices.Equal(ids, []string{e.ID}) {
		t.Errorf("there wait %v", ids)
	}
	if ids, err := theirs.Again(digest); err != nil || !slices.Equal(ids, []string{e.ID}) {
		t.Errorf("asked again: %v, %v", ids, err)
	}
	p := open(t, theirs, e.ID)
	if p.Spare() == "" || p.Status().State() != "pending" {
		t.Errorf("it is %s, spare: %q", p.Status().State(), p.Spare())
	}
	show(t, p, "viewer")
	must.Do(t, saveDraft(p, map[string]int{"version": 1}))
	must.Do(t, p.Settle(answered()))
	if _, ok, err := e.Answer(); !ok || err != nil {
		t.Errorf("the answer: %v, %v", ok, err)
	}
	must.Do(t, e.Deliver())
	if _, err := theirs.Find(e.ID); err != nil {
		t.Error(err)
	}
	free()
	if e := create(t, s); e.Spare() != "" {
		t.Error("with space again, the next question goes to the spare")
	}
}

func TestSpareOfAReadOnlySpool(t *testing.T) {
	spares(t)
	disk := smallDisk(t, "64k")
	s := openAt(t, filepath.Join(disk, "spool"))
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if e := create(t, s); e.Spare() == "" {
		t.Error("it is not in the spare")
	}
	absent, err := Open(filepath.Join(disk, "another", "spool")) // it cannot even be made
	must.Do(t, err)
	defer absent.Close()
	e := create(t, absent)
	if !strings.Contains(e.Spare(), filepath.Join(disk, "another", "spool")) {
		t.Errorf("of the spare it says %q", e.Spare())
	}
	if e := open(t, absent, e.ID); e.Status().State() != "pending" {
		t.Error(e.Status().State())
	}
}

// A spare that others could have laid is not used, and not looked into.
func TestSpareMustBeOurs(t *testing.T) {
	spares(t)
	disk := smallDisk(t, "64k")
	s := openAt(t, filepath.Join(disk, "spool"))
	spare := sparePath(s.dir)
	must.Do(t, os.MkdirAll(spare, 0o700))
	must.Do(t, os.Chmod(spare, 0o777))
	fill(t, disk)
	if e, err := s.Create(request()); err == nil {
		t.Errorf("made %s in a directory that others may write", e.ID)
	} else if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), spare) {
		t.Errorf("the error is %v", err)
	}
	must.Do(t, os.Remove(spare))
	must.Do(t, os.Symlink(t.TempDir(), spare))
	if e, err := s.Create(request()); err == nil {
		t.Errorf("made %s through a link", e.ID)
	}
	if len(s.stores()) != 1 {
		t.Error("a spare is looked into that is none of ours")
	}
}

// A disk that fills up while the question waits keeps nobody from answering.
func TestDiskFillsUp(t *testing.T) {
	spares(t)
	disk := smallDisk(t, "256k")
	s := openAt(t, filepath.Join(disk, "spool"))
	e := create(t, s)
	free := fill(t, disk)
	p := open(t, s, e.ID)
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
	if _, err := os.Lstat(filepath.Join(s.dir, historyDir, e.ID, roomFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("space is put aside in the history: %v", err)
	}
}
