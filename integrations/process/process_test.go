package process

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
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
	word, err := bufio.NewReader(master).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(word))
	if err != nil {
		t.Fatal(err)
	}
	line := lineOf(child)
	info, err := slave.Stat()
	if err != nil {
		t.Fatal(err)
	}
	tty := uint64(info.Sys().(*syscall.Stat_t).Rdev)
	if d := DepthOnTTY(line, tty); d != 1 || line[1].PID != cmd.Process.Pid {
		t.Errorf("DepthOnTTY is %d in %+v, want 1, the shell %d on %d", d, line, cmd.Process.Pid, tty)
	}
	if d := DepthOnTTY(line, tty+1); d != -1 {
		t.Errorf("another terminal has depth %d", d)
	}
	if d := DepthOnTTY(line, 0); d != -1 {
		t.Errorf("no terminal has depth %d", d)
	}
}
