package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
)

// kitty measures kitty's overlays, on a display that nobody sees. What kitty
// draws cannot be read there, so both programs say when they had written to
// their terminal: the static one in a file, the form in popup.lock.
func kitty(dir, socket string, inPane, env []string, rounds int, askpanes []string, limit string) error {
	if _, err := exec.LookPath("kitty"); err != nil {
		fmt.Println("kitty is not installed and not measured")
		return nil
	}
	display, end, err := startDisplay(env)
	if err != nil {
		return err
	}
	defer end()
	listen := "unix:" + filepath.Join(dir, "kitty")
	window := exec.Command("kitty", append([]string{"--config", "NONE", "--listen-on", listen, "-o", "allow_remote_control=socket-only", "-o", "update_check_interval=0",
		"-o", "remember_window_size=no", "-o", "initial_window_width=120c", "-o", "initial_window_height=40c", "-o", "font_size=6"}, inPane...)...)
	env = append(slices.Clone(env), "DISPLAY="+display, "LIBGL_ALWAYS_SOFTWARE=1", "XDG_RUNTIME_DIR="+dir)
	window.Env = env
	if err := window.Start(); err != nil {
		return err
	}
	defer func() {
		_ = window.Process.Kill()
		_ = window.Wait()
	}()
	remote := func(args ...string) *exec.Cmd {
		cmd := exec.Command("kitty", append([]string{"@", "--to", listen}, args...)...)
		cmd.Env = env
		return cmd
	}
	if err := until("kitty answers", func() bool { return remote("ls").Run() == nil }); err != nil {
		return err
	}
	pane, err := agent.Dial(socket, time.Now().Add(patience))
	if err != nil {
		return err
	}
	defer pane.Close()
	request, err := question(dir, "Round")
	if err != nil {
		return err
	}
	stamp, complaints := filepath.Join(dir, "stamp"), filepath.Join(dir, "complaints")
	all := make([][]time.Duration, 1+len(askpanes))
	for n := range rounds + 2 {
		for i := range all {
			command, key, painted := remote("launch", "--type=overlay", limit, "Round", stamp).Args, "\r", func() (time.Time, bool) { return stamped(stamp) }
			if i > 0 {
				command, key, painted = []string{askpanes[i-1], "ask", "--host", "kitty", "--file", request}, "1", func() (time.Time, bool) { return shown(filepath.Join(dir, "spool")) }
			}
			took, err := overlay(pane, command, complaints, painted, func() error { return remote("send-text", "--match", "recent:0", key).Run() })
			if err != nil {
				return failure(command, complaints, err)
			}
			_ = os.Remove(stamp)
			if err := until("the overlay has gone", func() bool {
				out, err := remote("ls").Output()
				return err == nil && strings.Count(string(out), `"is_self"`) == 1
			}); err != nil {
				return err
			}
			if n >= 2 { // the first ones warm up
				all[i] = append(all[i], took)
			}
		}
	}
	report("kitty", all)
	return nil
}

// overlay opens one, answers, and is how long it took to be written to.
func overlay(pane *agent.Agent, command []string, complaints string, painted func() (time.Time, bool), answer func() error) (time.Duration, error) {
	p, err := pane.Start(agent.Order{Args: command, Stderr: complaints})
	if err != nil {
		return 0, err
	}
	var at time.Time
	if err := until("it is on the screen", func() (ok bool) {
		at, ok = painted()
		return ok
	}); err != nil {
		return 0, err
	}
	if err := answer(); err != nil {
		return 0, err
	}
	<-p.Done
	return at.Sub(p.Began), p.Err
}

// stamped is the time that the static program has written into its file.
func stamped(file string) (time.Time, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return time.Time{}, false
	}
	ns, err := strconv.ParseInt(string(text), 10, 64)
	return time.Unix(0, ns), err == nil
}

// shown is when the form of the one question that waits was on the screen.
func shown(spool string) (time.Time, bool) {
	locks, _ := filepath.Glob(filepath.Join(spool, "*", "popup.lock"))
	for _, lock := range locks {
		var popup struct{ Since time.Time }
		if text, err := os.ReadFile(lock); err == nil && json.Unmarshal(text, &popup) == nil {
			return popup.Since, true
		}
	}
	return time.Time{}, false
}

// startDisplay starts an X server that draws into memory.
func startDisplay(env []string) (name string, end func(), err error) {
	out, in, err := os.Pipe()
	if err != nil {
		return "", nil, err
	}
	defer out.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	server.Env, server.ExtraFiles = env, []*os.File{in}
	err = server.Start()
	in.Close()
	if err != nil {
		return "", nil, fmt.Errorf("a display for kitty: %w", err)
	}
	number, err := bufio.NewReader(out).ReadString('\n')
	return ":" + strings.TrimSpace(number), func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}, err
}

// until waits for what is said, for patience.
func until(what string, so func() bool) error {
	for deadline := time.Now().Add(patience); !so(); time.Sleep(500 * time.Microsecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("waited in vain until %s", what)
		}
	}
	return nil
}
