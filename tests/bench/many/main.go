// Command many measures what askpane costs where many questions wait: the
// commands that look at all of them, and what one more question costs beside
// them, which must not grow with their number by more than its logarithm.
//
// Everything runs in a temporary directory, in pseudo-terminals of its own. It
// is a benchmark and no test: it fails only when something does not work.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/creack/pty"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
)

func main() {
	rounds := flag.Int("rounds", 15, "how often each is measured")
	counts := flag.String("entries", "10,1000,10000", "how many questions wait on the disk")
	binary := flag.String("askpane", "", "measure this binary instead of building one from the source")
	flag.Parse()
	if err := bench(*rounds, *counts, *binary); err != nil {
		fmt.Fprintf(os.Stderr, "many: %v\n", err)
		os.Exit(1)
	}
}

// measured is one line of the table: what it is, and how it is done once.
type measured struct {
	name string
	once func(*stage) (time.Duration, error)
}

var all = []measured{
	{"status", func(s *stage) (time.Duration, error) { return s.command("", "status") }},
	{"list", func(s *stage) (time.Duration, error) { return s.command("", "list", "--json") }},
	{"next, to the first paint", func(s *stage) (time.Duration, error) { return s.form("next") }},
	{"popup, to the first paint", func(s *stage) (time.Duration, error) { return s.form("popup", s.middle) }},
	{"ask, to the first paint", func(s *stage) (time.Duration, error) { return s.asks(question, false) }},
	{"ask (ask_user), to the first paint", func(s *stage) (time.Duration, error) { return s.asks(askUser, false) }},
	{"from the key to the end of ask", func(s *stage) (time.Duration, error) { return s.asks(question, true) }},
	{"answer, of one that does not exist", func(s *stage) (time.Duration, error) {
		return s.command("6", "answer", "--json", "{}", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
	}},
}

const (
	question = `{"questions":[{"id":"shed","prompt":"Marker: which colour has the shed?","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`
	askUser  = `{"title":"Shed","questions":[{"type":"choice","id":"c","header":"Shed","prompt":"Marker: which colour?","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`
	older    = `{"questions":[{"id":"n","prompt":"Older: what about this one?","options":[{"value":"y","label":"Yes"},{"value":"n","label":"No"}]}]}`
)

func bench(rounds int, counts, binary string) error {
	dir, err := os.MkdirTemp("", "askpane-many-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if binary == "" {
		binary = filepath.Join(dir, "askpane")
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", "urfave_cli_no_docs,netgo,osusergo,nethttpomithttp2", "-o", dir+"/", "github.com/askpane/askpane/cmd/...")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build askpane: %w\n%s", err, out)
		}
	}
	var stages []*stage
	for _, n := range strings.Split(counts, ",") {
		entries, err := strconv.Atoi(n)
		if err != nil {
			return fmt.Errorf("-entries: %w", err)
		}
		s, err := newStage(filepath.Join(dir, n), binary, entries)
		if err != nil {
			return err
		}
		stages = append(stages, s)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "ms, median of ", rounds, "\t")
	for _, s := range stages {
		fmt.Fprintf(w, "%d wait\t", s.entries)
	}
	fmt.Fprintln(w)
	for _, m := range all {
		took := make([][]time.Duration, len(stages))
		for range rounds { // in turn, so that all have the same machine
			for i, s := range stages {
				d, err := m.once(s)
				if err != nil {
					return fmt.Errorf("%s, with %d that wait: %w", m.name, s.entries, err)
				}
				took[i] = append(took[i], d)
			}
		}
		fmt.Fprintf(w, "%s\t", m.name)
		for _, t := range took {
			slices.Sort(t)
			fmt.Fprintf(w, "%.1f\t", float64(t[len(t)/2])/float64(time.Millisecond))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// stage is a spool with questions in it whose agents are gone.
type stage struct {
	dir, binary, middle string
	entries             int
}

func newStage(dir, binary string, entries int) (*stage, error) {
	s := &stage{dir: dir, binary: binary, entries: entries}
	d, f, err := dialect.Decode("", []byte(older))
	if err != nil {
		return nil, err
	}
	sp, err := spool.Open(filepath.Join(dir, "spool"))
	if err != nil {
		return nil, err
	}
	defer sp.Close()
	for n := range entries {
		req := spool.Request{Form: f, Raw: []byte(older), Origin: spool.Origin{Agent: fmt.Sprint("agent ", n), Cwd: dir, Host: d.Name, Start: time.Now().Add(-time.Hour)}}
		req.Digest = spool.Digest(f, req.Origin)
		e, err := sp.Create(req)
		if err != nil {
			return nil, err
		}
		if n == entries/2 {
			s.middle = e.ID
		}
		e.Close()
	}
	return s, os.WriteFile(filepath.Join(dir, "in"), []byte(question), 0o600)
}

func (s *stage) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "SHELL=/bin/sh", "LC_ALL=C.UTF-8", "TERM=xterm-256color",
		"ASKPANE_SPOOL=" + filepath.Join(s.dir, "spool"), "ASKPANE_GUARD_MS=0", "ASKPANE_BELL_ON_QUESTION=false"}
}

// command runs a command to its end, which must have the exit code.
func (s *stage) command(code string, args ...string) (time.Duration, error) {
	cmd := exec.Command(s.binary, args...)
	cmd.Env, cmd.Dir = s.environ(), s.dir
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if cmd.ProcessState == nil || fmt.Sprint(cmd.ProcessState.ExitCode()) != "0"+code && fmt.Sprint(cmd.ProcessState.ExitCode()) != code && err != nil {
		return 0, fmt.Errorf("%w: %.300s", err, out)
	}
	return took, nil
}

// patience is how long one may take before the run is given up.
const patience = 30 * time.Second

// run starts a command in a terminal and waits until marker is on it.
func (s *stage) run(marker string, args ...string) (cmd *exec.Cmd, tty *os.File, took time.Duration, err error) {
	cmd = exec.Command(s.binary, args...)
	cmd.Env, cmd.Dir = s.environ(), s.dir
	began := time.Now()
	if tty, err = pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30}); err != nil {
		return nil, nil, 0, err
	}
	seen := make(chan time.Time, 1)
	go func() {
		var got []byte
		buf := make([]byte, 32<<10)
		for {
			n, err := tty.Read(buf)
			had := bytes.Contains(got, []byte(marker))
			if got = append(got, buf[:n]...); !had && bytes.Contains(got, []byte(marker)) {
				seen <- time.Now()
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case at := <-seen:
		return cmd, tty, at.Sub(began), nil
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		return nil, nil, 0, errors.Join(fmt.Errorf("askpane %v: %q is not shown", args, marker), cmd.Wait(), tty.Close())
	}
}

// form opens a form, and closes it without an answer.
func (s *stage) form(args ...string) (time.Duration, error) {
	cmd, tty, took, err := s.run("Older", args...)
	if err != nil {
		return 0, err
	}
	defer tty.Close()
	_ = cmd.Process.Signal(syscall.SIGTERM)
	return took, cmd.Wait()
}

// asks asks a question: the time to its first paint, and then it is withdrawn;
// or the time from the answering key to the end.
func (s *stage) asks(request string, answer bool) (time.Duration, error) {
	in := filepath.Join(s.dir, "in")
	if err := os.WriteFile(in, []byte(request), 0o600); err != nil {
		return 0, err
	}
	cmd, tty, took, err := s.run("Marker", "ask", "--file", in)
	if err != nil {
		return 0, err
	}
	defer tty.Close()
	typed, want := time.Now(), 0
	if answer {
		_, err = tty.WriteString("1")
	} else {
		want = 130
		err = cmd.Process.Signal(syscall.SIGTERM)
	}
	if err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
		if cmd.ProcessState.ExitCode() == want {
			err = nil
		}
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		err = fmt.Errorf("ask does not end after its key: %w", <-ended)
	}
	if answer {
		took = time.Since(typed)
	}
	return took, err
}
