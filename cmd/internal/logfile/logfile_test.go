package logfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
)

func TestLogLevel(t *testing.T) {
	for _, c := range []struct {
		level string
		lines int
	}{{"error", 1}, {"warn", 2}, {"info", 3}, {"debug", 4}, {"", 2}, {"loud", 2}} {
		var out bytes.Buffer
		log := newLog(&out, c.level)
		log.Error("e")
		log.Warn("w")
		log.Info("i")
		log.Debug("d")
		if n := strings.Count(out.String(), "\n"); n != c.lines {
			t.Errorf("%s: %d lines, want %d", c.level, n, c.lines)
		}
	}
}

// The file is made with the first line, for its owner alone.
func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "askpane.log")
	log := newLog(file(path), "warn")
	log.Info("nothing")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a line below the level has made the file: %v", err)
	}
	log.Warn("something", "error", "one\ntwo\x1b[2J")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the log: %v, %v", info, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var line struct{ Msg, Level, Error string }
	if err := json.Unmarshal(data, &line); err != nil || line.Msg != "something" || line.Level != "WARN" || line.Error != "one\ntwo\x1b[2J" {
		t.Errorf("line %q: %+v, %v", data, line, err)
	}
	if strings.ContainsAny(strings.TrimSuffix(string(data), "\n"), "\n\x1b") {
		t.Errorf("a control character in the log: %q", data)
	}
}

// Where nothing can be written, or is to be, nothing fails, and nothing is made.
func TestLogElsewhere(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	New("off").Error("e")
	if all, err := os.ReadDir(state); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
	if err := os.WriteFile(filepath.Join(state, "askpane"), nil, 0o600); err != nil { // in the directory's place
		t.Fatal(err)
	}
	New("warn").Error("e")
	if checks := Checks(); checks[0].State != hint.Warn {
		t.Errorf("%+v", checks)
	}
}

// Several processes append at once: no line is torn, and there are never more than
// two files.
func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "askpane.log")
	const writers, each = 8, 1000
	long := strings.Repeat("x", limit/writers/each)
	var all sync.WaitGroup
	for w := range writers {
		file := file(path)
		all.Go(func() {
			for i := range each {
				if _, err := fmt.Fprintf(file, "{\"alert\":\"w%d\",\"error\":\"%d%s\"}\n", w, i, long); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	names, err := os.ReadDir(dir)
	if err != nil || len(names) == 0 || len(names) > 2 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, n := range names {
		info, err := n.Info()
		// The others go on writing while the one that moves the file is not scheduled.
		if err != nil || info.Size() > limit*3/2 {
			t.Errorf("%s has %d bytes, %v", n.Name(), info.Size(), err)
		}
		data, err := os.ReadFile(filepath.Join(dir, n.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("a torn line: %q", line)
			}
		}
	}
}

func TestLogRefuses(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "askpane.log")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := file(link).Write([]byte("x\n")); err == nil {
		t.Error("a link was followed")
	}
	if _, err := file(dir).Write([]byte("x\n")); err == nil {
		t.Error("a directory was written to")
	}
}

func TestLastFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "askpane.log")
	if last := lastFailures(path); len(last) != 0 {
		t.Errorf("no log: %v", last)
	}
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path+".1", `{"time":"2026-11-21T10:00:00Z","alert":"bell","error":"old"}
{"time":"2026-11-21T10:00:00Z","alert":"title","error":"no pane"}
`)
	write(path, `{"time":"2026-11-21T11:00:00Z","msg":"warning","error":"not an alert"}
{"time":"2026-11-21T11:00:00Z","alert":"bell","error":"new"}
nonsense
{"time":"2026-11-21T12:00:00Z","alert":"bell","err`)
	last := lastFailures(path)
	if len(last) != 2 || last["bell"].Error != "new" || last["title"].Error != "no pane" {
		t.Errorf("lastFailures = %v", last)
	}
}
