package run

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// directory is where sockets are looked for, and nowhere else.
func directory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ap") // a socket's path is at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, name := range []string{"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	t.Setenv(SocketEnv, "")
	if err := os.MkdirAll(Dirs()[0], 0o700); err != nil {
		t.Fatal(err)
	}
	return Dirs()[0]
}

func listen(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}

// Which one is found, and how far up: this process stands for an `askpane run`
// that is one up, since the line begins with a child of it.
func TestUp(t *testing.T) {
	dir := directory(t)
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	line := append([]host.Process{{PID: cmd.Process.Pid}}, process.Line()...)
	mine, elsewhere := filepath.Join(dir, Socket(os.Getpid())), filepath.Join(dir, Socket(1<<30))
	expect := func(name string, want int, found string) {
		t.Helper()
		if got := depth(line); got != want {
			t.Errorf("%s: %d up, want %d", name, got, want)
		}
		if got := socketOf(line); got != found {
			t.Errorf("%s: found %q, want %q", name, got, found)
		}
	}
	expect("none", -1, "")
	listen(t, elsewhere)
	expect("one that we do not come from", -1, "")
	listen(t, filepath.Join(dir, Socket(cmd.Process.Pid)))
	expect("one of another container's, whose number is an ancestor's here", -1, "")
	listen(t, mine)
	expect("stripped of the variable", 1, mine)
	shared := Dirs()[2]
	if err := errors.Join(os.MkdirAll(shared, 0o700), os.Chmod(shared, 0o777)); err != nil {
		t.Fatal(err)
	}
	listen(t, filepath.Join(shared, Socket(cmd.Process.Pid)))
	expect("a nearer one in a directory that others may write", 1, mine)
	t.Setenv(SocketEnv, mine)
	expect("as the variable says", 1, mine)
	t.Setenv(SocketEnv, filepath.Join(dir, "run-gone"))
	expect("a variable left over", 1, mine)
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	expect("a socket that was removed", -1, "")
}

func TestFindNothing(t *testing.T) {
	path := filepath.Join(directory(t), "s")
	if _, err := find(t.Context()); err == nil || err.Error() != "not inside askpane run ($ASKPANE_RUN is not set)" {
		t.Errorf("Find outside: %v", err)
	}
	t.Setenv(SocketEnv, path)
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "$ASKPANE_RUN names an askpane run that has gone") {
		t.Errorf("Find with a socket that is gone: %v", err)
	}
	// One that is stopped takes the connection and says nothing.
	listen(t, path)
	began := time.Now()
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "is it stopped?") || time.Since(began) > 3*answerLimit {
		t.Errorf("Find with a stopped one, after %v: %v", time.Since(began), err)
	}
}

func TestPane(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"", "run-1", "/tmp/other", "%1 /tmp/tmux-0/default"} {
		if p := findPane(ref); p != nil {
			t.Errorf("findPane(%q) = %v", ref, p)
		}
	}
}
