package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An agent without any terminal, on a machine with a display, gets a window of
// the terminal that $TERMINAL names.
func TestWindow(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	k := &kittyWindow{t: t, socket: filepath.Join(dir, "socket"), spool: newSpool(t), home: t.TempDir()}
	t.Cleanup(func() { k.spool.noneLeft(t) })
	display := startDisplay(t, dir)
	// kitty takes the -e that an unknown terminal gets, and ignores it.
	script := fmt.Sprintf("#!/bin/sh\nexec kitty --config NONE --listen-on unix:%s -o allow_remote_control=socket-only -o font_size=6 -o update_check_interval=0 \"$@\"\n", k.socket)
	program := filepath.Join(dir, "my-terminal")
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	a := newAsker(t, k.spool, colour)
	cmd := exec.Command("sh", "-c", a.script([]string{unguarded}))
	cmd.Env = environ(k.home, "DISPLAY="+display, "TERMINAL="+program, "LIBGL_ALWAYS_SOFTWARE=1", "XDG_RUNTIME_DIR="+dir, "TMPDIR="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	v := &terminal{t: t, screens: k}
	v.see("Which colour?", "> 1. Red")
	k.press("3")
	a.answered("Colour: user selected: 3. Blue")
	eventually(t, "the window has closed", func() bool { _, err := k.try("ls", nil); return err != nil })
}

// Remote control switched off: the reason says how to switch it on.
func TestKittyWithoutRemoteControl(t *testing.T) {
	t.Parallel()
	k := newKitty(t, 100, 30)
	a := newAsker(t, k.spool, colour)
	cmd := exec.Command("setsid", "--wait", "sh", "-c", a.script(nil))
	cmd.Env = environ(k.home, "KITTY_WINDOW_ID=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r := a.result(); r.Outcome != "unavailable" || !strings.Contains(r.Text, "allow_remote_control socket-only") {
		t.Errorf("%+v", r)
	}
}
