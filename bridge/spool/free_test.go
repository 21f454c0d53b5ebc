package spool

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
)

// Whoever waits for a lock is told when it is free, in every way in which it can be.
// It is not parallel: it counts the goroutines of the process.
func TestWhenFree(t *testing.T) {
	t.Run("many", testManyWait)
	t.Run("removed", testRemovedWhileHeld)
	t.Run("not there", func(t *testing.T) {
		closed(t, "a lock that is not there", folderOf(t, filepath.Join(t.TempDir(), "none")).free("none"))
	})
}

// folderOf is the folder with the file.
func folderOf(t *testing.T, path string) folder {
	t.Helper()
	root, err := os.OpenRoot(filepath.Dir(path))
	must.Do(t, err)
	t.Cleanup(func() { root.Close() })
	return folder{root, filepath.Dir(path)}
}

// testManyWait: one file, closed by others again and again, is still held.
func testManyWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := folderOf(t, path)
	held, err := l.lock("lock", patience)
	must.Do(t, err)
	before := runtime.NumGoroutine()
	var all []<-chan struct{}
	for range 30 {
		all = append(all, l.free("lock"))
	}
	for range 20 {
		must.Do(t, os.WriteFile(path, []byte("x"), 0o600))
	}
	other, err := l.lock("other", patience)
	must.Do(t, err)
	after := l.free("other")
	must.Do(t, other.Close())
	closed(t, "a lock beside it, after that", after)
	if !isOpen(all[0]) {
		t.Fatal("told while it is held")
	}
	for end := time.Now().Add(tooLong); runtime.GOOS == "linux"; runtime.Gosched() {
		more := runtime.NumGoroutine() - before
		if more <= 5 { // the watcher, and who looks just now
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines wait for one lock, 30 times", more)
		}
	}
	must.Do(t, held.Close())
	for _, gone := range all {
		closed(t, "a lock that was let go of", gone)
	}
}

// testRemovedWhileHeld: a ticket goes before its lock, and another may come in
// its place.
func testRemovedWhileHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	l := folderOf(t, path)
	held, err := l.lock("lock", patience)
	must.Do(t, err)
	gone := l.free("lock")
	must.Do(t, os.Remove(path))
	must.Do(t, held.Close())
	closed(t, "a lock that was removed", gone)
}
