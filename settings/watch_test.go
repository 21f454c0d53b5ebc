package settings

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a change may take to be told of on a busy machine.
const patience = 30 * time.Second

// watching is a watcher for the length of a test.
type watching struct {
	home
	told chan *Loaded
}

// startWatch returns when the files have been looked at for the first time.
func startWatch(h home, dir string) watching {
	h.Helper()
	w := watching{h, make(chan *Loaded, 100)}
	ctx, cancel := context.WithCancel(context.Background())
	l := &Live{dir: dir, now: &Loaded{}, changed: make(chan struct{}), watchers: map[*func()]bool{}}
	var running sync.WaitGroup
	h.Cleanup(func() { cancel(); running.Wait() })
	_, changed := l.Now()
	running.Go(func() { l.watch(ctx, &Loaded{}, nil) })
	running.Go(func() {
		for {
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
			var now *Loaded
			now, changed = l.Now()
			w.told <- now
		}
	})
	select {
	case <-w.told: // anything is new beside nothing
	case <-time.After(patience):
		h.Fatal("the files are never looked at")
	}
	return w
}

// tells waits until idleSeconds is want.
func (w watching) tells(want int) *Loaded {
	w.Helper()
	for end := time.After(patience); ; {
		select {
		case l := <-w.told:
			if l.IdleSeconds == want {
				return l
			}
			w.Logf("told of idleSeconds %d, problems %v", l.IdleSeconds, l.Problems)
		case <-end:
			w.Fatalf("idleSeconds never became %d", want)
		}
	}
}

// calm checks that a change that is made now is told of at once, and nothing
// before it: what was to go unnoticed has had its time.
func (w watching) calm(value int) {
	w.Helper()
	w.write(globalFile, `{"debounceMs": 0, "idleSeconds": `+strconv.Itoa(value)+`}`)
	select {
	case l := <-w.told:
		if l.IdleSeconds != value {
			w.Errorf("told of idleSeconds %d, problems %v", l.IdleSeconds, l.Problems)
		}
	case <-time.After(patience):
		w.Fatal("the watch is dead")
	}
}

func replace(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	const quick = `{"debounceMs": 0}`
	for _, c := range []struct {
		name string
		act  func(w watching)
	}{
		{"written", func(w watching) {
			w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1}`)
			w.tells(1)
		}},
		{"replaced, twice", func(w watching) {
			replace(w, filepath.Join(w.dir, globalFile), `{"debounceMs": 0, "idleSeconds": 1}`)
			w.tells(1)
			replace(w, filepath.Join(w.dir, globalFile), `{"debounceMs": 0, "idleSeconds": 2}`)
			w.tells(2)
		}},
		{"removed", func(w watching) {
			if err := os.Remove(w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1}`)); err != nil {
				w.Fatal(err)
			}
			w.write(projectFile, `{"idleSeconds": 2}`)
			w.tells(2)
		}},
		{"a project's file that was not there", func(w watching) {
			w.write(projectFile, `{"idleSeconds": 1}`)
			w.tells(1)
		}},
		{"the colours of the theme custom", func(w watching) {
			w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1, "theme": "custom"}`)
			w.tells(1)
			w.write(themeName, `{"accent": "#5fd7d7"}`)
			if l := w.tells(1); l.Colours["accent"] != "#5fd7d7" {
				w.Errorf("the colours are %v", l.Colours)
			}
		}},
		{"pi's files", func(w watching) {
			w.write(piProjectFile, `{"notificationDelaySeconds": 7}`)
			w.write(projectFile, `{"idleSeconds": 1}`)
			if l := w.tells(1); l.NotificationDelaySeconds != 7 {
				w.Errorf("notificationDelaySeconds is %d", l.NotificationDelaySeconds)
			}
		}},
		{"the directory goes and comes again", func(w watching) {
			dir := filepath.Join(w.dir, ".config")
			if err := os.Rename(filepath.Join(dir, "askpane"), filepath.Join(dir, "old")); err != nil {
				w.Fatal(err)
			}
			w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1}`)
			w.tells(1)
			if err := os.RemoveAll(dir); err != nil {
				w.Fatal(err)
			}
			w.tells(5)
			w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 2}`)
			w.tells(2)
		}},
		{"a link's target", func(w watching) {
			w.write("dotfiles/askpane.json", `{"debounceMs": 0, "idleSeconds": 1}`)
			link := filepath.Join(w.dir, globalFile)
			if err := os.Symlink(filepath.Join(w.dir, "dotfiles", "askpane.json"), link+".new"); err != nil {
				w.Fatal(err)
			}
			if err := os.Rename(link+".new", link); err != nil {
				w.Fatal(err)
			}
			w.tells(1)
			w.write("dotfiles/askpane.json", `{"debounceMs": 0, "idleSeconds": 2}`)
			w.tells(2)
		}},
		{"nothing new, and other files", func(w watching) {
			w.write(globalFile, quick+"\n")
			w.write(".config/askpane/notes.txt", "x")
			w.write("src/shop/cmd/web/main.go", "x")
			w.calm(5)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.write(globalFile, quick)
			c.act(startWatch(h, filepath.Join(h.repo, "cmd", "web")))
		})
	}
}

// No directory of ours is there at first, not even the one above.
func TestWatchFromNothing(t *testing.T) {
	h := newHome(t)
	w := startWatch(h, "")
	w.write(globalFile, `{"idleSeconds": 1}`)
	w.tells(1)
}

// What changed between Load and the watch is told of, and nothing else is.
func TestWatchLooksAtOnce(t *testing.T) {
	h := newHome(t)
	l := Follow(h.repo)
	h.write(globalFile, `{"idleSeconds": 1}`)
	for _, want := range []int{1, 2} {
		_, changed := l.Now()
		stop := l.Watch(nil, nil)
		if want == 2 { // the first thing that is told of now, since nothing else is new
			h.write(globalFile, `{"idleSeconds": 2}`)
		}
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("nothing is told of")
		}
		stop()
		if s, _ := l.Now(); s.IdleSeconds != want {
			t.Errorf("told of idleSeconds %d, want %d", s.IdleSeconds, want)
		}
	}
}

// A file that is half written changes nothing, and is not warned about, unless it
// stays so.
func TestHalfWritten(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"debounceMs": 2000, "idleSeconds": 1}`)
	w := startWatch(h, h.repo)
	w.write(globalFile, "")
	w.write(globalFile, `{"debounceMs": 0,`)
	w.calm(3)
	w.write(globalFile, `{"debounceMs": 0, "gua`)
	l := w.tells(5) // when it has stayed so
	h.says(l.Problems, "~/"+globalFile+": does not parse: line 1, column 22: unexpected end of JSON input")
	w.write(globalFile, `{"debounceMs": 0, "idleSeconds": 2}`)
	h.says(w.tells(2).Problems)
}

// A burst of writes is read once.
func TestBurst(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"debounceMs": 2000}`)
	w := startWatch(h, h.repo)
	for i := range 50 {
		replace(t, filepath.Join(h.dir, globalFile), `{"debounceMs": 2000, "idleSeconds": `+strconv.Itoa(i)+`}`)
	}
	if l := <-w.told; l.IdleSeconds != 49 {
		t.Errorf("read in the middle, at %d", l.IdleSeconds)
	}
}

// Editors that are there write as they like, and it is noticed.
func TestWatchRealEditors(t *testing.T) {
	h := newHome(t)
	path := h.write(globalFile, `{"debounceMs": 0, "idleSeconds": 1}`)
	w := startWatch(h, h.repo)
	// sed is everywhere, and replaces as editors do.
	out, err := exec.Command("sed", "-i", "s/\"idleSeconds\": 1/\"idleSeconds\": 2/", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, strings.TrimSpace(string(out)))
	}
	w.tells(2)
	f, _ := Writable("", true)
	if err := f.Set("idleSeconds", "3"); err != nil {
		t.Fatal(err)
	}
	w.tells(3)
}
