package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// opening measures from the start of `askpane ask` to the first bytes of the
// question on the terminal: over a shell in askpane run, and, to compare, by the
// same command on a terminal of its own, which is drawn on without any host.
func opening(dir, askpane string) error {
	env := append(os.Environ(), "HOME="+dir, "XDG_RUNTIME_DIR=", "XDG_STATE_HOME=", "TMUX=", "TMUX_PANE=", "ASKPANE_RUN=",
		"ASKPANE_GUARD_MS=0", "TERM=xterm-256color", "ASKPANE_SPOOL="+filepath.Join(dir, "spool"))
	shell := exec.Command(askpane, "run", "--", "cat")
	shell.Env = env
	over, err := start(shell)
	if err != nil {
		return err
	}
	defer over.end()
	var socket []string
	for range 1000 {
		if socket, _ = filepath.Glob(filepath.Join(dir, ".local/state/askpane/run/run-*")); len(socket) == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if len(socket) != 1 {
		return errors.New("askpane run made no socket")
	}
	var inRun, bare []time.Duration
	for i := range *opens + 3 {
		marker := fmt.Sprintf("question%dend", i)
		request := filepath.Join(dir, "request.json")
		if err := os.WriteFile(request, question(marker), 0o600); err != nil {
			return err
		}
		ask := exec.Command(askpane, "ask", "--file", request)
		ask.Env = append(env, "ASKPANE_RUN="+socket[0])
		a, err := over.see(marker, func() error { return ask.Start() })
		if err != nil {
			return err
		}
		if _, err := over.f.WriteString("1"); err != nil {
			return err
		}
		if err := ask.Wait(); err != nil {
			return fmt.Errorf("askpane ask in askpane run: %w", err)
		}
		alone := exec.Command(askpane, "ask", "--file", request, "--host", "terminal")
		alone.Env = env
		began := time.Now()
		v, err := start(alone)
		if err != nil {
			return err
		}
		if _, err := v.see(marker, func() error { return nil }); err != nil {
			return err
		}
		b := time.Since(began)
		_, _ = v.f.WriteString("1")
		v.end()
		if i >= 3 {
			inRun, bare = append(inRun, a), append(bare, b)
		}
	}
	for _, m := range []struct {
		name  string
		times []time.Duration
	}{{"askpane ask, on its own terminal", bare}, {"askpane ask, in askpane run", inRun}} {
		slices.Sort(m.times)
		fmt.Printf("open: %-34s median %5.1f ms, p90 %5.1f, max %5.1f (%d)\n", m.name,
			ms(m.times[len(m.times)/2]), ms(m.times[len(m.times)*9/10]), ms(m.times[len(m.times)-1]), len(m.times))
	}
	return nil
}

func question(marker string) []byte {
	data, _ := json.Marshal(map[string]any{"questions": []any{map[string]any{"question": marker, "header": "Paint", "multiSelect": false,
		"options": []any{map[string]string{"label": "green", "description": "g"}, map[string]string{"label": "red", "description": "r"}}}}})
	return data
}

// viewed is a command in a terminal whose output is looked at.
type viewed struct {
	f    *os.File
	cmd  *exec.Cmd
	text chan []byte
}

func start(cmd *exec.Cmd) (*viewed, error) {
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return nil, err
	}
	v := &viewed{f, cmd, make(chan []byte, 1024)}
	go func() {
		defer close(v.text)
		for {
			buf := make([]byte, 64<<10)
			n, err := f.Read(buf)
			if err != nil {
				return
			}
			v.text <- buf[:n]
		}
	}()
	return v, nil
}

// see runs begin and says how long it took until marker was on the terminal.
func (v *viewed) see(marker string, begin func() error) (time.Duration, error) {
	began := time.Now()
	if err := begin(); err != nil {
		return 0, err
	}
	var seen bytes.Buffer
	late := time.After(10 * time.Second)
	for {
		select {
		case p, ok := <-v.text:
			if seen.Write(p); bytes.Contains(seen.Bytes(), []byte(marker)) {
				return time.Since(began), nil
			}
			if !ok {
				return 0, fmt.Errorf("it ended before it showed %q: %q", marker, strings.ToValidUTF8(seen.String(), "?"))
			}
		case <-late:
			return 0, fmt.Errorf("it never showed %q: %q", marker, strings.ToValidUTF8(seen.String(), "?"))
		}
	}
}

// end waits for the command, and hangs up one that does not end by itself. Closing
// the terminal would not: a read of it is under way.
func (v *viewed) end() {
	go func() {
		for range v.text {
		}
	}()
	done := make(chan struct{})
	go func() { _ = v.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Second):
		_ = v.cmd.Process.Signal(syscall.SIGHUP)
		<-done
	}
	_ = v.f.Close()
}
