package zellij

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/askpane/askpane/integrations/tty"
)

// What is typed counts where a program of that name reads it, and not what it prints.
func TestTyped(t *testing.T) {
	const name = "aptyped"
	if at := typed(t.Context(), name); !at.IsZero() {
		t.Fatalf("nothing runs, and something was typed at %v", at)
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(cat)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), name+"-x")
	if err := os.WriteFile(program, data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	master, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		master.Close()
	})
	path, err := tty.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, hourAgo, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if at := typed(t.Context(), name); at.Sub(hourAgo).Abs() > time.Second {
		t.Errorf("typed at %v, want %v", at, hourAgo)
	}
	if _, err := io.WriteString(master, "x\n"); err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(30 * time.Second); time.Since(typed(t.Context(), name)) > time.Minute; {
		if time.Now().After(late) {
			t.Fatalf("the key does not count: %v", typed(t.Context(), name))
		}
	}
}
