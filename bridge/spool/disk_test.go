package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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

// A disk that fills up while the question waits keeps nobody from answering.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
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
	if _, err := os.Lstat(filepath.Join(s.path, historyDir, e.ID, reserveFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("space is put aside in the history: %v", err)
	}
}
