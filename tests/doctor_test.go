package tests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ran is an askpane command in a tmux pane.
type ran struct {
	t   *testing.T
	dir string
}

// inPane runs an askpane command in a new window, with the home of dir.
func (s *tmuxServer) inPane(t *testing.T, dir string, env []string, args ...string) ran {
	t.Helper()
	r := ran{t, t.TempDir()}
	words := append([]string{"env", "ASKPANE_SPOOL=" + string(s.spool), "HOME=" + dir, unguarded}, env...)
	words = append(append(words, binary), args...)
	for i, w := range words {
		words[i] = quote(w)
	}
	file := func(name string) string { return quote(filepath.Join(r.dir, name)) }
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", strings.Join(words, " ")+
		" </dev/null >"+file("out")+" 2>"+file("err")+"; echo $? >"+file("rc.new")+"; mv "+file("rc.new")+" "+file("rc"))
	return r
}

// wait waits for the command's end.
func (r ran) wait() (out, errs string, code string) {
	r.t.Helper()
	eventually(r.t, "the command has ended", func() bool {
		_, err := os.Stat(filepath.Join(r.dir, "rc"))
		return err == nil
	})
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			r.t.Fatal(err)
		}
		return string(data)
	}
	return read("out"), read("err"), strings.TrimSpace(read("rc"))
}

func contains(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s does not say %q:\n%s", what, part, text)
		}
	}
}

// What doctor says in tmux, with somebody there and with nobody, and of an alert
// that has failed.
func TestTmuxDoctor(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	home := t.TempDir()
	s.tmux("set-option", "-s", "escape-time", "100")
	out, errs, code := s.doctor(t, home)
	contains(t, "doctor", out, "! escape-time tmux waits 100 ms after Esc", "→ put set -sg escape-time 10 into ~/.tmux.conf")
	contains(t, "doctor with nobody attached", out, "✓ tmux", "used; asking pane main:1.0", "! tmux", "nobody is attached", "→ tmux attach-session",
		"✓ title", "✓ bell", "the first question makes it")
	if code != "0" || errs != "" {
		t.Errorf("doctor: exit %s, %q", code, errs)
	}
	s.tmux("set-option", "-s", "escape-time", "99")
	v := s.attach("main", 100, 30)
	// Nobody need know at once that an alert failed.
	fileIn(t, home, ".config/askpane/settings.json", `{"onQuestionCommand": "echo $$ >$HOME/pid; exit 3"}`)
	request := fileIn(t, home, "request.json", colour)
	pid := filepath.Join(home, "pid")
	r := s.inPane(t, home, nil, "ask", "--file", request)
	v.see("Which colour?")
	eventually(t, "the command has ended", func() bool {
		pid, err := os.ReadFile(pid)
		if err != nil {
			return false
		}
		state, err := exec.Command("sh", "-c", `cut -d" " -f3 "/proc/$0/stat" 2>/dev/null || ps -o stat= -p "$0"`, strings.TrimSpace(string(pid))).Output()
		return err != nil || strings.HasPrefix(string(state), "Z")
	})
	v.press("1")
	if _, errs, code := r.wait(); code != "0" || errs != "" {
		t.Errorf("exit %s, %q on standard error", code, errs)
	}
	v.unsee("Which colour?")
	out, errs, code = s.doctor(t, home)
	rows := 30
	if s.modal() {
		rows-- // the status line is no place for a pane
	}
	contains(t, "doctor", out, "✓ forms     open at once", fmt.Sprintf("%s, 100x%d", v.tty, rows), "TERM=xterm-256color", "! command", "last failed", "exit status 3", "→ askpane doctor --try", "✓ bell")
	if code != "0" || errs != "" {
		t.Errorf("doctor: exit %s, %q", code, errs)
	}
	if strings.Contains(out, "escape-time") {
		t.Errorf("doctor says of an escape-time of 99 ms: %s", out)
	}
	info, err := os.Stat(filepath.Join(home, ".local/state/askpane/askpane.log"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the log: %v, %v", info, err)
	}
}

func (s *tmuxServer) doctor(t *testing.T, home string, args ...string) (out, errs, code string) {
	t.Helper()
	return s.inPane(t, home, nil, append([]string{"doctor"}, args...)...).wait()
}

// A test question, in the real way, and a call of each command that is installed, of which Claude's
// part hook has two; what another askpane has installed is told, and not called.
func TestTmuxDoctorTries(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	home := t.TempDir()
	parts := map[string]string{"claude": "hook,permissions,auto,plans,mcp", "opencode": "mcp,plugin,permissions", "codex": "mcp", "pi": "extension,permissions",
		"gemini": "mcp,hook", "qwen": "mcp,hook,permissions", "copilot": "mcp,hook,permissions"}
	claude := fileIn(t, home, "bin/claude", "#!/bin/sh\necho '2.1.329 (Claude Code)'\n")
	if err := os.Chmod(claude, 0o755); err != nil {
		t.Fatal(err)
	}
	path := "PATH=" + filepath.Dir(claude) + ":" + os.Getenv("PATH")
	for name, only := range parts {
		if _, errs, code := s.inPane(t, home, []string{path}, "install", name, "--write", "--only", only).wait(); code != "0" {
			t.Fatalf("install %s: %s", name, errs)
		}
	}
	fileIn(t, home, ".cline/data/settings/cline_mcp_settings.json", `{"mcpServers":{"askpane":{"command":"`+home+`/askpane","args":["mcp"]}}}`)
	r := s.inPane(t, home, []string{"ASKPANE_BELL_ON_QUESTION=false"}, "doctor", "--try", "--json")
	v.see("This is a test question from askpane doctor.", "Yes, but something is wrong with it")
	v.press(enter)
	out, errs, code := r.wait()
	contains(t, "standard error", errs, "A test question opens now, for 60 seconds at most.")
	var said struct {
		OK    bool
		Lines []struct{ Section, Name, State, Detail string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || !said.OK || code != "0" {
		t.Fatalf("doctor --try --json: exit %s, %v\n%s", code, err, out)
	}
	got := map[string]string{}
	works := map[string]int{}
	for _, l := range said.Lines {
		if l.Section == "try" {
			got[l.Name] = l.State + " " + l.Detail
		}
		if l.Section == "try" && (strings.HasSuffix(l.Detail, ": a call asks, and gets the answer") || l.Detail == "hook for auto mode: what is dangerous is left to the agent's own prompt") {
			works[l.Name]++
		}
	}
	for name, only := range parts {
		want := len(strings.Split(only, ","))
		if name == "claude" {
			want++
		}
		if works[name] != want {
			t.Errorf("of %s %d of %d commands work: %s", name, works[name], want, got[name])
		}
	}
	contains(t, "doctor --try --json", out, "hook for forms of MCP servers: a call asks, and gets the answer")
	if got["cline"] != "warn MCP server: it is not this askpane, and was not tried" {
		t.Errorf("cline: %q", got["cline"])
	}
	if !strings.HasPrefix(got["question"], "ok answered: ") || got["title"] != "ok raised" || got["bell"] != "off not set" {
		t.Errorf("tried: %q", got)
	}
}

// A pipe in the place of one of askpane's own files keeps no command waiting.
func TestPipesForFiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"askpane.log", "askpane.log.1", "muted", "forwarded.lock", "chat/chat.json", "chat/status.json", "link/link.json", "link/status.json", "desk/desk.json", "desk/desk.lock", "desk/failed"} {
		home := t.TempDir()
		pipe := filepath.Join(home, ".local/state/askpane", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(pipe), 0o700), syscall.Mkfifo(pipe, 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, c := range []string{"doctor", "list", "status", "ask --timeout 1 Deploy? Yes No"} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			cmd := exec.CommandContext(ctx, binary, strings.Fields(c)...)
			cmd.Env, cmd.SysProcAttr = environ(home), &syscall.SysProcAttr{Setsid: true}
			if out, err := cmd.CombinedOutput(); ctx.Err() != nil || strings.Contains(string(out), "goroutine ") {
				t.Errorf("%s, askpane %s: %v\n%s", name, c, err, out)
			}
			cancel()
		}
	}
}
