package tty

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/tests/needs"
)

// open opens a pseudo-terminal that passes on what is written to it as it is.
func open(t *testing.T) (reader *os.File, path string) {
	t.Helper()
	reader, device, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); device.Close() })
	return reader, device.Name()
}

func TestTell(t *testing.T) {
	reader, path := open(t)
	for _, sequence := range []string{
		"\x1b]9;Colour\a",
		"\x1b]9;日本語 🔔\x1b\\",
		"\x1b]777;notify;askpane;Which?\x1b\\",
		"\x1b]99;i=1:d=0;askpane\x1b\\\x1b]99;i=1:p=body;Which?\x1b\\",
	} {
		if err := Tell(path, sequence); err != nil {
			t.Fatalf("Tell(%q): %v", sequence, err)
		}
		got := make([]byte, 2*len(sequence))
		if n, err := reader.Read(got); err != nil || string(got[:n]) != sequence {
			t.Errorf("the terminal got %q, %v, want %q", got[:n], err, sequence)
		}
	}
}

func TestTellRefuses(t *testing.T) {
	_, path := open(t)
	for name, sequence := range map[string]string{
		"nothing": "", "text": "hello", "the bell": "\a", "a cursor": "\x1b[H", "a title": "\x1b]2;x\a", "no end": "\x1b]9;x",
		"a cursor inside": "\x1b]9;x\x1b[Hy\a", "a line inside": "\x1b]9;x\ny\a", "C1 inside": "\x1b]9;x\u009b1my\a",
		"DEL inside": "\x1b]9;x\x7fy\a", "not UTF-8": "\x1b]9;x\x9by\a",
		"something after": "\x1b]9;x\ay", "a cursor after": "\x1b]9;x\a\x1b[H", "too long": "\x1b]9;" + strings.Repeat("x", 512) + "\a",
	} {
		if err := Tell(path, sequence); err == nil {
			t.Errorf("%s: Tell takes %q", name, sequence)
		}
	}
}

// The terminal of another user is not written to.
func TestTellAnothersTerminal(t *testing.T) {
	if os.Geteuid() != 0 {
		needs.Missing(t, "root", "only root can give a terminal away; run the tests as root")
	}
	reader, path := open(t)
	if err := os.Chown(path, 65534, -1); err != nil {
		t.Fatal(err)
	}
	if err := Tell(path, "\x1b]9;x\a"); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
		t.Errorf("Tell: %v", err)
	}
	waiting := []unix.PollFd{{Fd: int32(reader.Fd()), Events: unix.POLLIN}}
	if n, err := unix.Poll(waiting, 0); n != 0 || err != nil {
		t.Errorf("something was written: %d, %v", n, err)
	}
}

// A terminal that nobody reads from fills up; that is an error and no wait.
func TestFullTerminal(t *testing.T) {
	_, path := open(t)
	start := time.Now()
	for range 10_000 {
		if err := Tell(path, fmt.Sprintf("\x1b]9;%s\a", strings.Repeat("x", 400))); err != nil {
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v to give up", took)
			}
			return
		}
	}
	t.Error("4 MB fit into a terminal that nobody reads from")
}
