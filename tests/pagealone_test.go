package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/tests/visitor"
)

// Without multiplexer, terminal and display a question waits for the page alone where the
// person has set so, and nowhere else: the desk is up for it, the alerts are raised, and
// an answer there is the call's.
func TestPageAlone(t *testing.T) {
	t.Parallel()
	home, spool := t.TempDir(), newSpool(t)
	alerted := filepath.Join(home, "alerted")
	env := environ(home, "ASKPANE_SPOOL="+string(spool), "ASKPANE_ON_QUESTION_COMMAND=touch "+alerted)
	run := func(request string, args ...string) *exec.Cmd {
		cmd := exec.Command(binary, args...)
		cmd.Env, cmd.Stdin = env, strings.NewReader(request)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
		return cmd
	}
	if out, _ := run(colour, "ask").Output(); !strings.Contains(string(out), `"unavailable"`) || !strings.Contains(string(out), "pageAlone is false") {
		t.Fatalf("without the setting: %s", out)
	}
	env = append(env, "ASKPANE_PAGE_ALONE=true")
	if out, _ := run("", "doctor").CombinedOutput(); !strings.Contains(string(out), "✓ page") || !strings.Contains(string(out), "- browser   there is no desktop here") || strings.Contains(string(out), "unavailable") {
		t.Errorf("doctor does not name the page: %s", out)
	}

	ask := run(colour, "ask")
	var said, complained strings.Builder
	ask.Stdout, ask.Stderr = &said, &complained
	if err := ask.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ask.Process.Kill() })
	var desk address.Address
	endDesk(t, home)
	up := func() bool {
		last, err := address.Last(filepath.Join(home, ".local/state/askpane/desk"))
		other := err == nil && last.PID != desk.PID
		desk = last
		return other
	}
	eventually(t, "the desk is up", up)
	for range 2 {
		if err := syscall.Kill(desk.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the desk that was killed is started again", up)
	}
	if out, _ := run("", "doctor").CombinedOutput(); !strings.Contains(string(out), "! desk      up at ") || !strings.Contains(string(out), "the last 2 have crashed or were killed") {
		t.Errorf("doctor does not say that the desk dies: %s", out)
	}
	eventually(t, "the alerts are raised", func() bool { _, err := os.Stat(alerted); return err == nil })
	id := spool.pending()[0]
	link, err := run("", "page", "--link", id).Output()
	if err != nil {
		t.Fatal(err)
	}
	page, view, err := visitor.Open(strings.TrimSpace(string(link)), id)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if !strings.Contains(view, "Which colour?") {
		t.Errorf("the page shows %s", view)
	}
	if err := page.Do("choose", 0); err != nil {
		t.Fatal(err)
	}
	if err := ask.Wait(); err != nil || !strings.Contains(said.String(), "user selected: 1. Red") || complained.Len() > 0 {
		t.Errorf("%v; the call was told %s %s", err, said.String(), complained.String())
	}
}

// endDesk ends the desk of a home after the test, which else goes on to write there.
func endDesk(t testing.TB, home string) {
	t.Cleanup(func() {
		eventually(t, "the desk ends", func() bool { // also one that is on its way up
			left := slices.DeleteFunc(atHome(home), func(pid int) bool {
				path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
				return err != nil || filepath.Base(path) != "askpane-desk"
			})
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGTERM)
			}
			return len(left) == 0
		})
	})
}

// stateWithDesk is a directory for askpane's state, where a desk may be started: it ends
// with the test.
func stateWithDesk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		desk, err := address.Last(filepath.Join(dir, "askpane", "desk"))
		if err != nil { // none was
			return
		}
		if err := syscall.Kill(desk.PID, syscall.SIGTERM); err != nil {
			t.Errorf("end the desk: %v", err)
		}
		eventually(t, "the desk has ended", func() bool { return syscall.Kill(desk.PID, 0) != nil })
	})
	return dir
}
