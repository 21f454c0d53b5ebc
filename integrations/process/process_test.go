package process

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/askpane/askpane/tests/needs"
)

func TestLine(t *testing.T) {
	line := Line()
	if len(line) < 2 || line[0].PID != os.Getpid() || line[1].PID != os.Getppid() {
		t.Fatalf("the line is %+v; this is %d, its parent %d", line, os.Getpid(), os.Getppid())
	}
	for i, p := range line[1:] {
		if line[i].Parent != p.PID {
			t.Errorf("the parent of %+v is not %+v", line[i], p)
		}
		if Depth(line, p.PID) != i+1 {
			t.Errorf("Depth of %d is %d, want %d", p.PID, Depth(line, p.PID), i+1)
		}
	}
	if Depth(line, -5) != -1 {
		t.Error("a process that is not there has a depth")
	}
}

// A shell on a terminal, and a child of it: the line up from the child meets
// the terminal at the shell and no further up.
func TestTerminal(t *testing.T) {
	// The name of the process has what could break the parsing.
	dir := t.TempDir()
	odd := dir + "/a ) b("
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(sh, odd); err != nil {
		t.Fatal(err)
	}
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	cmd := exec.Command(odd, "-c", `sh -c 'echo $$; read x'; :`)
	cmd.Stdin, cmd.Stdout = slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, _ = master.WriteString("\n")
		_ = cmd.Wait()
	}()
	line, _ := lineOf(said(t, master))
	info, err := slave.Stat()
	if err != nil {
		t.Fatal(err)
	}
	tty := uint64(info.Sys().(*syscall.Stat_t).Rdev)
	if len(line) < 3 || line[1].PID != cmd.Process.Pid || line[0].TTY != tty || line[1].TTY != tty || line[2].TTY == tty {
		t.Errorf("the line is %+v; want the child and the shell %d on %d, and nothing else there", line, cmd.Process.Pid, tty)
	}
}

// childOf starts a command whose child says its number and then reads, which ends with the
// test.
func childOf(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return said(t, out)
}

// said is the number that a process says.
func said(t *testing.T, out io.Reader) int {
	t.Helper()
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// A daemon that works for several screens is the end of the line: that it is a
// child of the first of them says nothing.
func TestSharedDaemon(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program, word string
		last          bool
	}{{"codex", "--managed-daemon", true}, {"codex", "--other", false}, {"claude.exe", "daemon", true}, {"claude", "bg-spare", false}} {
		program := t.TempDir() + "/" + c.program
		if err := os.Symlink(sh, program); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(program, "-c", `sh -c 'echo $$; read x'; :`, "app-server", c.word)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		line, _ := lineOf(childOf(t, cmd))
		if d := Depth(line, cmd.Process.Pid); d != 1 || (len(line) == 2) != c.last {
			t.Errorf("with %s %s the line is %+v", c.program, c.word, line)
		}
	}
}

// What a pane's first process was started with is found from its child, which
// has lost it.
func TestEnvironments(t *testing.T) {
	cmd := exec.Command("sh", "-c", `env -u WHERE sh -c 'echo $$ $WHERE; read x'; :`)
	cmd.Env = append(os.Environ(), "WHERE=here=there")
	line, _ := lineOf(childOf(t, cmd))
	if d := DepthOf(line, "sh"); d != 1 {
		t.Errorf("the nearest shell is %d up in %+v, want 1", d, line)
	}
	if d := DepthOf(line, "no such program"); d != -1 {
		t.Errorf("a program that is not there is %d up", d)
	}
	if runtime.GOOS == "darwin" {
		needs.Cannot(t, "the environment of other processes", "macOS shows none of its own programs, as sh is one")
	}
	t.Setenv("WHERE", "ours")
	for _, c := range []struct {
		up   int
		want string
	}{
		{-1, "ours"}, {0, "ours"}, {1, "|ours"}, {2, "here=there|ours"}, {deepest + 1, "ours"},
	} {
		var got []string
		for _, env := range Environments(line, c.up) {
			got = append(got, env("WHERE"))
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("below the process that is %d up, WHERE is %q, want %q", c.up, got, c.want)
		}
	}
}

func TestAfterArguments(t *testing.T) {
	one := []byte{1, 0, 0, 0}
	if binary.NativeEndian.Uint32(one) != 1 {
		slices.Reverse(one)
	}
	for _, c := range []struct {
		name, data, want string
	}{
		{"nothing", "", ""},
		{"cut off", "/bin/sh", ""},
		{"no variables", "/bin/sh\x00\x00\x00sh\x00\x00", ""},
		{"two", "/bin/sh\x00\x00\x00sh\x00A=1\x00B=2 3\x00\x00trailing\x00", "A=1|B=2 3"},
		{"an argument that looks like one", "/bin/env\x00A=0\x00A=1\x00\x00", "A=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			program, args, env := procArgs(append(slices.Clone(one), c.data...))
			if got := strings.Join(env, "|"); got != c.want || len(env) > 0 && len(args) != 1 {
				t.Errorf("procArgs = %q and %q, want one and %q", args, got, c.want)
			}
			if want, _, whole := strings.Cut(c.data, "\x00"); whole && program != want {
				t.Errorf("the program is %q, want %q", program, want)
			}
		})
	}
	if program, args, env := procArgs([]byte{1}); program != "" || args != nil || env != nil {
		t.Errorf("of one byte it is %q, %q, %q", program, args, env)
	}
}

func TestProgram(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got := Program(os.Getpid()); got != self {
		t.Errorf("this process runs %q, want %q", got, self)
	}
	if got := Program(-5); got != "" {
		t.Errorf("a process that is not there runs %q", got)
	}
}
