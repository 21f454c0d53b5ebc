// Command hosts measures how long a form takes to come up in zellij, GNU screen
// and kitty, beside the bare command of that host that opens a static program as
// its popup; tests/bench does so for tmux. Both in turn, in one run.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"

	"github.com/askpane/askpane/tests/bench/agent"
)

// patience is how long one step may take before the run is given up.
const patience = 20 * time.Second

// venue is one host with one client attached, in a terminal that we read.
type venue struct {
	name  string
	start []string                      // the client
	env   []string                      // its environment
	bare  func(argv ...string) []string // the host's command that opens argv
	end   []string
}

func main() {
	agent.Serve()
	rounds := flag.Int("rounds", 20, "how often each one is measured")
	askpane := flag.String("askpane", "bin/askpane", "the binary to measure (just build)")
	beside := flag.String("beside", "", "another one to measure too, such as one of before a change")
	limit := flag.String("limit", "", "the program beside it: prints its argument, ends on Enter, writes into the file that its next argument names when it had printed; ./tests/bench/limit built, if empty")
	flag.Parse()
	if err := bench(*rounds, *limit, *askpane, *beside); err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(1)
	}
}

func bench(rounds int, limit string, askpanes ...string) error {
	dir, err := os.MkdirTemp("", "ap") // short: a socket's path has to fit 108 bytes
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	askpanes = slices.DeleteFunc(askpanes, func(bin string) bool { return bin == "" })
	for i := range askpanes {
		if askpanes[i], err = filepath.Abs(askpanes[i]); err != nil {
			return err
		}
	}
	if limit == "" {
		limit = filepath.Join(dir, "limit")
		if out, err := exec.Command("go", "build", "-o", limit, "./tests/bench/limit").CombinedOutput(); err != nil {
			return fmt.Errorf("build the limit: %w: %s", err, out)
		}
	}
	socket := filepath.Join(dir, "agent")
	inPane, err := agent.Command(socket)
	if err != nil {
		return err
	}
	shell := filepath.Join(dir, "shell") // zellij's: it has no other way to say what its first pane runs
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nexec "+strings.Join(inPane, " ")+"\n"), 0o700); err != nil {
		return err
	}
	plain := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color",
		"TMPDIR=" + dir, "ASKPANE_SPOOL=" + dir + "/spool", "ASKPANE_GUARD_MS=0"}
	config := filepath.Join(dir, "config.kdl")
	if err := os.WriteFile(config, []byte("show_startup_tips false\nshow_release_notes false\ndefault_shell \""+shell+"\"\n"), 0o600); err != nil {
		return err
	}
	for _, v := range []venue{
		{"zellij", []string{"zellij", "--session", "bench"}, append(slices.Clone(plain), "ZELLIJ_SOCKET_DIR="+dir, "ZELLIJ_CONFIG_FILE="+config),
			func(argv ...string) []string {
				return append([]string{"zellij", "--session", "bench", "run", "--floating", "--close-on-exit", "--"}, argv...)
			}, []string{"zellij", "kill-session", "bench"}},
		{"screen", append([]string{"screen", "-c", "/dev/null", "-S", "bench"}, inPane...), append(slices.Clone(plain), "SCREENDIR="+dir),
			func(argv ...string) []string {
				return append([]string{"screen", "-S", "bench", "-X", "screen"}, argv...)
			}, []string{"screen", "-S", "bench", "-X", "quit"}},
	} {
		if _, err := exec.LookPath(v.name); err != nil {
			fmt.Printf("%s is not installed and not measured\n", v.name)
			continue
		}
		if err := v.measure(dir, socket, rounds, askpanes, limit); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return kitty(dir, socket, inPane, plain, rounds, askpanes, limit)
}

func (v venue) measure(dir, socket string, rounds int, askpanes []string, limit string) error {
	client := exec.Command(v.start[0], v.start[1:]...)
	client.Env = v.env
	tty, err := pty.StartWithSize(client, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return err
	}
	defer func() {
		end := exec.Command(v.end[0], v.end[1:]...)
		end.Env = v.env
		_ = end.Run()
		_ = client.Process.Kill()
		tty.Close()
		_ = client.Wait()
	}()
	s := &sight{last: time.Now()}
	go s.read(tty)
	if _, err := s.seen("\x1b["); err != nil { // it draws
		return err
	}
	s.quiet(3 * time.Second)
	pane, err := agent.Dial(socket, time.Now().Add(patience))
	if err != nil {
		return err
	}
	defer pane.Close()
	took := make([][]time.Duration, 1+len(askpanes)) // the bare command's first
	for n := range rounds + 2 {
		marker := fmt.Sprintf("Round%04d", n)
		for i := range took {
			command, key := v.bare(limit, marker), "\r"
			if i > 0 {
				request, err := question(dir, marker)
				if err != nil {
					return err
				}
				command, key = []string{askpanes[i-1], "ask", "--host", v.name, "--file", request}, "1"
			}
			t, err := v.round(s, pane, tty, command, marker, key, filepath.Join(dir, "complaints"))
			if err != nil {
				return err
			}
			if n >= 2 { // the first ones warm up
				took[i] = append(took[i], t)
			}
		}
	}
	report(v.name, took)
	return nil
}

func report(name string, took [][]time.Duration) {
	bare := median(took[0])
	fmt.Printf("%-7s bare %6.1f ms", name, bare)
	for _, t := range took[1:] {
		fmt.Printf(", askpane ask %6.1f ms: %.2fx the bare command", median(t), median(t)/bare)
	}
	fmt.Printf(" (%d rounds)\n", len(took[0]))
}

// question writes a request, which names marker, into a file.
func question(dir, marker string) (string, error) {
	file := filepath.Join(dir, "q.json")
	text := fmt.Sprintf(`{"questions":[{"id":"paint","prompt":"%s is the shed. Which colour?","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`, marker)
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// round opens once and answers.
func (v venue) round(s *sight, pane *agent.Agent, tty *os.File, command []string, marker, key, complaints string) (time.Duration, error) {
	s.quiet(150 * time.Millisecond)
	s.forget()
	p, err := pane.Start(agent.Order{Args: command, Stderr: complaints})
	if err != nil {
		return 0, err
	}
	at, err := s.seen(marker)
	if err != nil {
		return 0, failure(command, complaints, err)
	}
	s.quiet(150 * time.Millisecond)
	if _, err := tty.WriteString(key); err != nil {
		return 0, err
	}
	if <-p.Done; p.Err != nil {
		return 0, failure(command, complaints, p.Err)
	}
	s.touch() // what the host does at its end is not for the next one to wait for
	return at.Sub(p.Began), nil
}

// failure is what went wrong with a command, and what it said in that file.
func failure(command []string, complaints string, err error) error {
	said, _ := os.ReadFile(complaints)
	return fmt.Errorf("%s: %w; it said: %q", strings.Join(command, " "), err, said)
}

func median(all []time.Duration) float64 {
	slices.Sort(all)
	return float64(all[len(all)/2]) / float64(time.Millisecond)
}

// sight is what the client's terminal got.
type sight struct {
	mu   sync.Mutex
	out  []byte
	last time.Time
}

func (s *sight) read(tty *os.File) {
	buf := make([]byte, 64<<10)
	for {
		n, err := tty.Read(buf)
		s.mu.Lock()
		s.out = append(s.out, buf[:n]...)
		s.last = time.Now()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *sight) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = s.out[:0]
}

// touch begins the quiet anew.
func (s *sight) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Now()
}

// quiet waits until nothing has come for so long, or for patience.
func (s *sight) quiet(calm time.Duration) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(calm / 10) {
		s.mu.Lock()
		rest := time.Since(s.last)
		s.mu.Unlock()
		if rest > calm {
			return
		}
	}
}

// seen is when marker was there, to half a millisecond.
func (s *sight) seen(marker string) (time.Time, error) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(500 * time.Microsecond) {
		s.mu.Lock()
		found, at := bytes.Contains(s.out, []byte(marker)), s.last
		s.mu.Unlock()
		if found {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q did not appear; the end of what did is %q", marker, s.out[max(0, len(s.out)-300):])
}
