package tests

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// spoolDir is one test's own spool. It also tells the processes of that test
// from all others: each has its path in its environment.
type spoolDir string

func newSpool(t testing.TB) spoolDir { return spoolDir(filepath.Join(t.TempDir(), "spool")) }

// pending are the entries that are not delivered.
func (s spoolDir) pending() []string { return s.names("") }

// history are the entries that are.
func (s spoolDir) history() []string { return s.names("history") }

func (s spoolDir) names(dir string) []string {
	files, err := os.ReadDir(filepath.Join(string(s), dir))
	if err != nil && !os.IsNotExist(err) {
		panic(err) // a directory of our own
	}
	var names []string
	for _, f := range files {
		if !slices.Contains([]string{"history", ".pruned", "turns", "viewers"}, f.Name()) {
			names = append(names, f.Name())
		}
	}
	return names
}

// only waits for the one pending entry and returns its id.
func (s spoolDir) only(t testing.TB) string {
	t.Helper()
	eventually(t, "one question waits in the spool", func() bool {
		ids := s.pending()
		return len(ids) == 1 && !strings.HasPrefix(ids[0], ".")
	})
	return s.pending()[0]
}

// read is a file of an entry, empty where there is none.
func (s spoolDir) read(names ...string) string {
	data, err := os.ReadFile(filepath.Join(append([]string{string(s)}, names...)...))
	if err != nil {
		return ""
	}
	return string(data)
}

// run runs an askpane command on the spool, as an agent without a terminal.
func (s spoolDir) run(t testing.TB, input string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = environ(t.TempDir(), "ASKPANE_SPOOL="+string(s))
	cmd.Stdin = strings.NewReader(input)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	data, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatalf("askpane %v: %v", args, err)
	}
	return string(data), cmd.ProcessState.ExitCode()
}

// answers answers a question by askpane answer; saying nothing cancels it.
func (s spoolDir) answers(t testing.TB, id, said string) {
	t.Helper()
	args := []string{"answer", id}
	if said == "" {
		args = append(args, "--cancel")
	}
	if out, code := s.run(t, said, args...); code != 0 {
		t.Fatalf("askpane answer to %s: exit %d, %s", id, code, out)
	}
}

// listed is what askpane list says of each pending question.
func (s spoolDir) listed(t testing.TB) []struct{ ID, State, Header, Agent, Host string } {
	t.Helper()
	var all []struct{ ID, State, Header, Agent, Host string }
	out, code := s.run(t, "", "list", "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 {
		t.Fatalf("askpane list: exit %d, %q, %v", code, out, err)
	}
	return all
}

// processes are the ids of the askpane processes on this spool, and of the tmux
// commands they started, whose command line has the word.
func (s spoolDir) processes(word string) []int {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // the pattern is ours
	}
	var pids []int
	for _, dir := range dirs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may have ended by now
		if !slices.Contains(strings.Split(string(env), "\x00"), "ASKPANE_SPOOL="+string(s)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		args := strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
		if args[0] == binary+"-popup" {
			args = append(args, "popup")
		} else if args[0] != binary && !slices.Contains(args, "display-popup") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && slices.Contains(args, word) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// atHome are the processes with that home.
func atHome(home string) (pids []int) {
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, dir := range dirs {
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // it may have ended by now
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && slices.Contains(strings.Split(string(env), "\x00"), "HOME="+home) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// popup waits for the popup of entry id and returns its process.
func (s spoolDir) popup(t testing.TB, id string) int {
	t.Helper()
	var pids []int
	eventually(t, "the popup runs", func() bool {
		popups := s.processes("popup") // ask-left has the id on its command line, too
		pids = slices.DeleteFunc(s.askpanes(id), func(pid int) bool { return !slices.Contains(popups, pid) })
		return len(pids) == 1
	})
	return pids[0]
}

// another waits until a popup that is not that process has the entry. The screen may show
// the same all the while.
func (s spoolDir) another(t testing.TB, id string, than int) {
	t.Helper()
	eventually(t, "another popup runs", func() bool { return s.popup(t, id) != than })
}

// askpanes are the askpane processes whose command line has the word; the tmux
// command that opened a popup has its words too, and so does, for an instant, whatever
// a process starts.
func (s spoolDir) askpanes(word string) []int {
	all := s.processes(word)
	return slices.DeleteFunc(slices.Clone(all), func(pid int) bool {
		exe, _ := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		return exe != binary && exe != binary+"-popup" || slices.Contains(all, parent(pid))
	})
}

// parent is the process that started one; 0 if that has ended.
func parent(pid int) int {
	stat, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, rest, _ := strings.Cut(string(stat), ") ") // the state, and then the parent
	fields := append(strings.Fields(rest), "", "")
	n, _ := strconv.Atoi(fields[1])
	return n
}

// noneLeft checks that the test has left no process behind: neither an askpane
// nor a tmux command that one waits for.
func (s spoolDir) noneLeft(t testing.TB) {
	t.Helper()
	left := func() (all []int) {
		for _, word := range []string{"ask", "ask-left", "hook", "mcp", "collect", "popup", "answer", "list", "next", "status", "doctor", "display-popup", "new-pane", "wait-for"} {
			all = append(all, s.processes(word)...)
		}
		return all
	}
	if t.Failed() { // then what is left is a consequence
		for _, pid := range left() {
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
		poll(func() bool { return len(left()) == 0 })
		return
	}
	if !poll(func() bool { return len(left()) == 0 }) {
		for _, pid := range left() {
			line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
			t.Errorf("left behind: process %d, %q", pid, line)
			_ = syscall.Kill(pid, syscall.SIGTERM)
		}
	}
}

// modes checks that nobody else can read anything in the spool, and returns
// the paths it looked at.
func (s spoolDir) modes(t testing.TB) []string {
	t.Helper()
	var seen []string
	err := filepath.WalkDir(string(s), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", path, info.Mode().Perm(), want)
		}
		seen = append(seen, filepath.Base(path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}
