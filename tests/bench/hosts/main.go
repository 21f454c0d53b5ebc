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
)

// patience is how long one step may take before the run is given up.
const patience = 20 * time.Second

// venue is one host with one client attached, in a terminal that we read.
type venue struct {
	name  string
	env   []string                        // of an asker in it
	start []string                        // the client
	bare  func(argv ...string) [][]string // the host's commands that open argv
	end   []string
}

func main() {
	rounds := flag.Int("rounds", 20, "how often each one is measured")
	askpane := flag.String("askpane", "bin/askpane", "the binary to measure (just build)")
	limit := flag.String("limit", "", "the program beside it: prints its argument, ends on Enter, writes into the file that its next argument names when it had printed; ./tests/bench/limit built, if empty")
	flag.Parse()
	if err := bench(*rounds, *askpane, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		os.Exit(1)
	}
}

func bench(rounds int, askpane, limit string) error {
	dir, err := os.MkdirTemp("", "ap") // short: a socket's path has to fit 108 bytes
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if askpane, err = filepath.Abs(askpane); err != nil {
		return err
	}
	if limit == "" {
		limit = filepath.Join(dir, "limit")
		if out, err := exec.Command("go", "build", "-o", limit, "./tests/bench/limit").CombinedOutput(); err != nil {
			return fmt.Errorf("build the limit: %w: %s", err, out)
		}
	}
	plain := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C.UTF-8", "SHELL=/bin/sh", "TERM=xterm-256color",
		"TMPDIR=" + dir, "ASKPANE_SPOOL=" + dir + "/spool", "ASKPANE_GUARD_MS=0"}
	config := filepath.Join(dir, "config.kdl")
	if err := os.WriteFile(config, []byte("show_startup_tips false\nshow_release_notes false\ndefault_shell \"/bin/sh\"\n"), 0o600); err != nil {
		return err
	}
	for _, v := range []venue{
		{"zellij", append(slices.Clone(plain), "ZELLIJ=0", "ZELLIJ_SESSION_NAME=bench", "ZELLIJ_SOCKET_DIR="+dir, "ZELLIJ_CONFIG_FILE="+config),
			[]string{"env", "-u", "ZELLIJ", "-u", "ZELLIJ_SESSION_NAME", "zellij", "--session", "bench"},
			func(argv ...string) [][]string {
				return [][]string{append([]string{"zellij", "--session", "bench", "run", "--floating", "--close-on-exit", "--"}, argv...)}
			}, []string{"zellij", "kill-session", "bench"}},
		{"screen", append(slices.Clone(plain), "STY=bench", "SCREENDIR="+dir),
			[]string{"env", "-u", "STY", "screen", "-c", "/dev/null", "-S", "bench"},
			func(argv ...string) [][]string {
				return [][]string{append([]string{"screen", "-S", "bench", "-X", "screen"}, argv...)}
			}, []string{"screen", "-S", "bench", "-X", "quit"}},
	} {
		if _, err := exec.LookPath(v.name); err != nil {
			fmt.Printf("%s is not installed and not measured\n", v.name)
			continue
		}
		if err := v.measure(dir, rounds, askpane, limit); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return kitty(dir, plain, rounds, askpane, limit)
}

func (v venue) measure(dir string, rounds int, askpane, limit string) error {
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
	if v.name == "screen" { // askpane wants the name that $STY has there
		found, _ := filepath.Glob(filepath.Join(dir, "*.bench"))
		if len(found) != 1 {
			return fmt.Errorf("its sockets are %v", found)
		}
		v.env = append(v.env, "STY="+filepath.Base(found[0]))
	}
	var bare, form []time.Duration
	for n := range rounds + 2 {
		marker := fmt.Sprintf("Round%04d", n)
		for _, ours := range []bool{false, true} {
			commands, key := v.bare(limit, marker), "\r"
			if ours {
				request, err := question(dir, marker)
				if err != nil {
					return err
				}
				commands, key = [][]string{{askpane, "ask", "--host", v.name, "--file", request}}, "1"
			}
			took, err := v.round(s, tty, commands, marker, key)
			if err != nil {
				return err
			}
			if n < 2 { // to warm up
				continue
			}
			if ours {
				form = append(form, took)
			} else {
				bare = append(bare, took)
			}
		}
	}
	report(v.name, bare, form)
	return nil
}

func report(name string, bare, form []time.Duration) {
	b, f := median(bare), median(form)
	fmt.Printf("%-7s bare %6.1f ms, askpane ask %6.1f ms: %.2fx the bare command (%d rounds)\n", name, b, f, f/b, len(form))
}

// question writes a request, which names marker, into a file.
func question(dir, marker string) (string, error) {
	file := filepath.Join(dir, "q.json")
	text := fmt.Sprintf(`{"questions":[{"id":"paint","prompt":"%s is the shed. Which colour?","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`, marker)
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// round opens once and answers.
func (v venue) round(s *sight, tty *os.File, commands [][]string, marker, key string) (time.Duration, error) {
	s.quiet(150 * time.Millisecond)
	s.forget()
	began := time.Now()
	var wait []*exec.Cmd
	for _, words := range commands {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Env, cmd.Stderr = v.env, os.Stderr
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		wait = append(wait, cmd)
	}
	at, err := s.seen(marker)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", strings.Join(commands[0], " "), err)
	}
	s.quiet(150 * time.Millisecond)
	if _, err := tty.WriteString(key); err != nil {
		return 0, err
	}
	for _, cmd := range wait {
		if err := cmd.Wait(); err != nil {
			return 0, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
		}
	}
	s.touch() // what the host does at its end is not for the next one to wait for
	return at.Sub(began), nil
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
