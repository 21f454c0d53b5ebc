// Command readme does what the README says one should do in a clone of this
// repository: its two commands, exactly as they stand there, as somebody would who
// has just got one. HOME is empty and zellij is not in PATH. What the clients of
// package registries are told goes along, since that is the machine's, and so do Go's caches:
// what is built here need not be built again.
//
// The demo is answered by keys on a pseudo-terminal. It runs what is committed. With a command
// as its arguments it answers that, as another demo.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// patience is how long one of the commands may take: the first builds everything.
const patience = 20 * time.Minute

func main() {
	err := error(nil)
	if len(os.Args) > 1 {
		err = answer(exec.Command(os.Args[1], os.Args[2:]...))
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run() error {
	demo, tests, err := commands()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "askpane-readme-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	clone, home := filepath.Join(dir, "askpane"), filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	if out, err := exec.Command("git", "clone", "--quiet", ".", clone).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w: %s", err, out)
	}
	env, err := fresh(home, filepath.Join(dir, "bin"))
	if err != nil {
		return err
	}
	command := func(line string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir, cmd.Env = clone, env
		return cmd
	}
	for _, c := range []struct {
		line string
		run  func(*exec.Cmd) error
	}{{demo, answer}, {tests, leavesOut}} {
		fmt.Printf("readme: $ %s\n", c.line)
		began := time.Now()
		if err := c.run(command(c.line)); err != nil {
			return fmt.Errorf("%s: %w", c.line, err)
		}
		fmt.Printf("readme: %s: as it should be, after %v\n", c.line, time.Since(began).Round(time.Second))
	}
	if left, _ := filepath.Glob(filepath.Join(clone, ".cache", "agents")); left != nil {
		return fmt.Errorf("%s: it has installed the agents", tests)
	}
	return nil
}

// commands are the two of the README's section on clones.
func commands() (demo, tests string, err error) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		return "", "", err
	}
	_, rest, _ := strings.Cut(string(text), "\n## In a clone\n")
	_, rest, _ = strings.Cut(rest, "\n```sh\n")
	block, _, _ := strings.Cut(rest, "\n```\n")
	demo, tests, two := strings.Cut(block, "\n")
	if !two || strings.Contains(tests, "\n") {
		return "", "", fmt.Errorf("README.md: the block for a shell below “In a clone” is %q, want two commands", block)
	}
	return demo, tests, nil
}

// ours are the variables that say where this person's things are, or which terminal
// and multiplexer this is.
var ours = regexp.MustCompile(`^(HOME|PATH|TERM|PWD|OLDPWD|STY|WINDOW|DISPLAY|WAYLAND_DISPLAY|GOPATH|GOBIN|GOCACHE|GOMODCACHE|CARGO_HOME|RUSTUP_HOME|(XDG|ASKPANE|TMUX|ZELLIJ|KITTY|WEZTERM|SSH|DBUS)\w*)=`)

// fresh is the environment of somebody who has nothing yet; bin is a directory that
// it may use.
func fresh(home, bin string) ([]string, error) {
	var env []string
	for _, v := range os.Environ() {
		if !ours.MatchString(v) {
			env = append(env, v)
		}
	}
	path, err := withoutZellij(bin)
	if err != nil {
		return nil, err
	}
	env = append(env, "HOME="+home, "PATH="+path, "TERM=xterm-256color")
	caches, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	build, modules, _ := strings.Cut(strings.TrimSpace(string(caches)), "\n")
	env = append(env, "GOCACHE="+build, "GOMODCACHE="+modules)
	if played := os.Getenv("ASKPANE_TEST_PLAYED"); played != "" { // for .ci/run
		env = append(env, "ASKPANE_TEST_PLAYED="+played)
	}
	// The registries' clients read their settings from the real HOME.
	if out, err := exec.Command("go", "env", "GOENV").Output(); err == nil {
		env = along(env, "GOENV", strings.TrimSpace(string(out)))
	}
	if real, err := os.UserHomeDir(); err == nil && os.Getenv("NPM_CONFIG_USERCONFIG") == "" {
		env = along(env, "npm_config_userconfig", filepath.Join(real, ".npmrc"))
	}
	return env, nil
}

// along adds a variable that names a file, where that is there.
func along(env []string, name, file string) []string {
	if _, err := os.Stat(file); err != nil || os.Getenv(name) != "" {
		return env
	}
	return append(env, name+"="+file)
}

// withoutZellij is PATH; in place of a directory that has zellij there is one with
// links to everything else in it.
func withoutZellij(bin string) (string, error) {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for i, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "zellij")); err != nil {
			continue
		}
		dirs[i] = filepath.Join(bin, fmt.Sprint(i))
		if err := os.MkdirAll(dirs[i], 0o700); err != nil {
			return "", err
		}
		files, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if f.Name() == "zellij" {
				continue
			}
			if err := os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(dirs[i], f.Name())); err != nil && !errors.Is(err, fs.ErrExist) {
				return "", err
			}
		}
	}
	return strings.Join(dirs, string(filepath.ListSeparator)), nil
}

// leavesOut runs the tests; what they print is printed. They must pass, and say
// that zellij is absent.
func leavesOut(cmd *exec.Cmd) error {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(os.Stdout, &said), os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	if err := cmd.Wait(); err != nil {
		return err
	}
	if !strings.Contains(said.String(), "\n  zellij: ") {
		return errors.New("the list of what is left out does not name zellij")
	}
	return nil
}

// screen is a terminal's.
type screen struct {
	mu       sync.Mutex
	emulator *vt.Emulator
	all      bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all.Write(p)
	return s.emulator.Write(p)
}

// now is what is on view.
func (s *screen) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.String()
}

// answer runs the demo in a pseudo-terminal and answers it.
func answer(cmd *exec.Cmd) error {
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
	if err != nil {
		return err
	}
	defer tty.Close() // which ends what is still on it
	s := &screen{emulator: vt.NewEmulator(100, 30)}
	go func() { _, _ = io.Copy(tty, s.emulator) }() // what a terminal replies
	var code error
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(s, tty) // until the other end is closed
		code = cmd.Wait()
		close(ended)
	}()
	late := time.After(patience)
	// until waits for done, or for the end of the demo.
	until := func(what string, done func() bool) error {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for !done() {
			select {
			case <-tick.C:
			case <-ended:
				return nil
			case <-late:
				return fmt.Errorf("%s: not so after %v; the terminal shows\n%s", what, patience, s.now())
			}
		}
		return nil
	}
	for _, step := range []struct{ see, key string }{
		{"Which colour should the demo bikeshed have?", "2"},
		{"And its roof?", "1"},
		{"What is it called?", "2"},
		{"Submit", "\r"},
	} {
		shows := func() bool { return strings.Contains(s.now(), step.see) }
		if err := until("it shows "+step.see, shows); err != nil {
			return err
		}
		var pressed time.Time // keys that come before the form's guard opens are swallowed
		if err := until("it takes the key", func() bool {
			if time.Since(pressed) > 5*time.Second {
				_, _ = io.WriteString(tty, step.key) // it may just be ending
				pressed = time.Now()
			}
			return !shows()
		}); err != nil {
			return err
		}
	}
	if err := until("it ends", func() bool { return false }); err != nil {
		return err
	}
	if code != nil {
		return fmt.Errorf("%w; the terminal shows\n%s", code, s.now())
	}
	for _, want := range []string{"(answered, exit code 0", "2. Red", "1. Grass", "2. Velodrome"} {
		if !strings.Contains(s.all.String(), want) {
			return fmt.Errorf("it does not print %s; the terminal shows\n%s", want, s.now())
		}
	}
	return nil
}
