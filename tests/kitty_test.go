package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/askpane/askpane/tests/needs"
)

// kittyWindow is a private kitty without configuration, on a display of its own
// that nobody sees. It is read and typed into by its remote control.
type kittyWindow struct {
	t      testing.TB
	socket string
	spool  spoolDir
	home   string
}

// newKitty starts one whose first window swallows what is typed.
func newKitty(t testing.TB, width, height int, options ...string) *kittyWindow {
	t.Helper()
	dir := shortDir(t)
	k := &kittyWindow{t: t, socket: filepath.Join(dir, "socket"), spool: newSpool(t), home: t.TempDir()}
	display := startDisplay(t, dir)
	args := append([]string{
		"--config", "NONE", "--listen-on", "unix:" + k.socket, "-o", "allow_remote_control=socket-only",
		"-o", "remember_window_size=no", "-o", "window_padding_width=0", "-o", "placement_strategy=top-left", "-o", "window_margin_width=0",
		"-o", fmt.Sprintf("initial_window_width=%dc", width), "-o", fmt.Sprintf("initial_window_height=%dc", height),
		"-o", "tab_bar_style=hidden", "-o", "font_size=6", "-o", "update_check_interval=0",
	}, options...)
	cmd := exec.Command("kitty", append(args, "sh", "-c", "stty -echo; exec cat >/dev/null")...)
	cmd.Env = environ(k.home, "DISPLAY="+display, "LIBGL_ALWAYS_SOFTWARE=1", "XDG_RUNTIME_DIR="+dir, "TMPDIR="+dir)
	start(t, cmd)
	t.Cleanup(func() {
		k.spool.noneLeft(t)
		stop(t, cmd)
	})
	// Without graphics hardware it takes seconds to come up.
	if !needs.Within(3*patience, func() bool {
		data, err := k.try("ls", nil)
		return err == nil && strings.Contains(data, `"is_focused": true`)
	}) {
		t.Fatal("kitty does not answer")
	}
	return k
}

// start starts a program in a process group of its own.
func start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", cmd.Args[0], err)
	}
}

// stop ends it and what it has started.
func stop(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	_ = cmd.Wait() // it was told to end
}

// startDisplay starts an X server that draws into memory.
func startDisplay(t testing.TB, dir string) string {
	t.Helper()
	needs.Program(t, "kitty")
	needs.Program(t, "Xvfb")
	needs.Long(t, "kitty")
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp")
	cmd.Env = environ(dir)
	cmd.ExtraFiles = []*os.File{in}
	start(t, cmd)
	in.Close()
	t.Cleanup(func() { stop(t, cmd) })
	number, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb did not name its display: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// try gives kitty one command of its remote control protocol.
func (k *kittyWindow) try(command string, payload map[string]any) (string, error) {
	if payload == nil {
		payload = map[string]any{}
	}
	conn, err := net.Dial("unix", k.socket)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	request, err := json.Marshal(map[string]any{"cmd": command, "version": []int{0, 14, 2}, "payload": payload})
	if err != nil {
		return "", err
	}
	_ = conn.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(conn, "\x1bP@kitty-cmd%s\x1b\\", request); err != nil {
		return "", err
	}
	in := bufio.NewReader(conn)
	if _, err := in.Discard(len("\x1bP@kitty-cmd")); err != nil {
		return "", err
	}
	text, err := in.ReadString('\x1b')
	if err != nil {
		return "", err
	}
	var answer struct {
		OK    bool
		Data  json.RawMessage
		Error string
	}
	if err := json.Unmarshal([]byte(strings.TrimSuffix(text, "\x1b")), &answer); err != nil {
		return "", err
	}
	if !answer.OK {
		return "", fmt.Errorf("kitty %s: %s", command, answer.Error)
	}
	var data string
	_ = json.Unmarshal(answer.Data, &data) // some have none
	return data, nil
}

// kitty is try that must do.
func (k *kittyWindow) kitty(command string, payload map[string]any) string {
	k.t.Helper()
	data, err := k.try(command, payload)
	if err != nil {
		k.t.Fatal(err)
	}
	return data
}

// rows are those of the window that has the keyboard.
func (k *kittyWindow) rows() []string {
	data, err := k.try("get-text", map[string]any{"extent": "screen"})
	if err != nil {
		return []string{err.Error()} // as between two windows
	}
	rows := strings.Split(strings.TrimSuffix(data, "\n"), "\n")
	for i := range rows {
		rows[i] = norm.NFC.String(strings.TrimRight(rows[i], " ")) // as terminal.feed does
	}
	return rows
}

func (k *kittyWindow) press(keys string) {
	k.t.Helper()
	conn, err := net.Dial("unix", k.socket)
	if err != nil {
		k.t.Fatal(err)
	}
	defer conn.Close()
	request, err := json.Marshal(map[string]any{"cmd": "send-text", "version": []int{0, 14, 2}, "no_response": true, "payload": map[string]any{"data": "text:" + keys}})
	if err != nil {
		k.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "\x1bP@kitty-cmd%s\x1b\\", request); err != nil { // it is never answered
		k.t.Fatalf("type %q: %v", keys, err)
	}
}

func (k *kittyWindow) resize(width, height int) {
	k.t.Helper()
	k.kitty("resize-os-window", map[string]any{"action": "resize", "unit": "cells", "width": width, "height": height})
}

// askWith asks from a tab of its own, in the background.
func (k *kittyWindow) askWith(env []string, request string, args ...string) *asker {
	k.t.Helper()
	a := newAsker(k.t, k.spool, request)
	k.run(a.script(env, args...))
	return a
}

// run runs the script of a call in a tab of its own, in the background.
func (k *kittyWindow) run(script string) {
	k.t.Helper()
	k.kitty("launch", map[string]any{"type": "tab", "keep_focus": true, "args": []string{"sh", "-c", script + "; exec cat"}})
}

// openKitty: the agent is in a tab in the background.
func openKitty(t testing.TB, width, height int, env ...string) place {
	t.Helper()
	k := newKitty(t, width, height)
	return place{&terminal{t: t, screens: k}, k.spool, func(request string, args ...string) *asker {
		t.Helper()
		return k.askWith(env, request, args...)
	}}
}
