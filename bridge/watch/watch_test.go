package watch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("ASKPANE_TEST_HOLD"); path != "" { // another process, which has the file open
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			panic(err)
		}
		f.WriteString("x")
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed; a select without cases would end it as a deadlock
		return
	}
	goleak.VerifyTestMain(m)
}

// heard waits until told has told what is wanted.
func heard(t *testing.T, told <-chan string, want string) {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case name := <-told:
			if name == want {
				return
			}
		case <-late:
			t.Fatalf("nothing of %q", want)
		}
	}
}

func dir(t *testing.T, path string) (told chan string, w *Watch) {
	t.Helper()
	told = make(chan string, 100)
	w = Dir(path, func(name string) { told <- name })
	must.Do(t, w.Polls)
	return told, w
}

func TestDir(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	inner := filepath.Join(here, "inner")
	must.Do(t, os.Mkdir(inner, 0o700))
	a, first := dir(t, here)
	b, second := dir(t, here)
	c, third := dir(t, inner)
	defer second.Stop()
	defer third.Stop()
	must.Do(t, os.WriteFile(filepath.Join(here, "new"), nil, 0o600))
	heard(t, a, "new")
	heard(t, b, "new")
	first.Stop()
	first.Stop() // no harm
	must.Do(t, os.Rename(filepath.Join(here, "new"), filepath.Join(here, "other")))
	heard(t, b, "other")
	must.Do(t, os.WriteFile(filepath.Join(inner, "deep"), nil, 0o600))
	heard(t, c, "deep")
	if len(a) > 0 {
		select {
		case name := <-a:
			if name == "other" {
				t.Error("it tells after Stop")
			}
		default:
		}
	}
	must.Do(t, os.RemoveAll(inner))
	heard(t, c, "")
}

// Where the system cannot tell, as of a directory that is not there, it is told again and again
// that anything may have changed, until Stop.
func TestPolls(t *testing.T) {
	t.Parallel()
	told := make(chan string, 100)
	w := Dir(filepath.Join(t.TempDir(), "none"), func(name string) { told <- name })
	if !errors.Is(w.Polls, os.ErrNotExist) || !strings.HasPrefix(w.Polls.Error(), "watch files: ") {
		t.Errorf("it is polled because of %v", w.Polls)
	}
	heard(t, told, "")
	heard(t, told, "")
	w.Stop()
	w.Stop() // no harm
	for len(told) > 0 {
		<-told
	}
	if w.look(); len(told) > 0 { // which is what the clock runs
		t.Error("it tells after Stop")
	}
}

// A process has one instance, and none when nothing is watched any more. The test is
// not parallel: the others watch, too.
func TestOneInstance(t *testing.T) {
	if runtime.GOOS != "linux" {
		needs.Cannot(t, "inotify", "its instances are counted; Linux has it")
	}
	instances := func() (n int) {
		fds, err := os.ReadDir("/proc/self/fd")
		must.Do(t, err)
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == "anon_inode:inotify" {
				n++
			}
		}
		return n
	}
	var all []*Watch
	for range 100 {
		_, w := dir(t, t.TempDir())
		all = append(all, w)
	}
	if n := instances(); n != 1 {
		t.Errorf("%d instances for 100 directories", n)
	}
	for _, w := range all {
		w.Stop()
	}
	// Nothing tells that the kernel has let go of it.
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); instances() > 0; {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("the instance is still there when nothing is watched")
		}
	}
}

// A file is told of when whoever has it open is killed, and not when somebody reads it.
func TestClosed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	must.Do(t, os.WriteFile(path, nil, 0o600))
	told, w := dir(t, filepath.Dir(path))
	defer w.Stop()
	if runtime.GOOS != "linux" {
		needs.Cannot(t, "news of closed files", "only Linux has it")
	}
	f, err := os.Open(path)
	must.Do(t, err)
	f.Close()
	holder := exec.Command(os.Args[0])
	holder.Env = append(os.Environ(), "ASKPANE_TEST_HOLD="+path)
	in, err := holder.StdinPipe()
	must.Do(t, err)
	defer in.Close()
	must.Do(t, holder.Start())
	heard(t, told, "lock") // it has written
	if len(told) > 0 {
		t.Fatal("it tells while nobody has closed it")
	}
	must.Do(t, holder.Process.Kill())
	heard(t, told, "lock")
	_ = holder.Wait() // killed
	must.Do(t, os.Remove(path))
	heard(t, told, "lock")
}
