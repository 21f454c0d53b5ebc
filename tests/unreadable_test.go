package tests

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// stranger is somebody who may run askpane in top, and read none of what the
// tests' user has closed.
type stranger struct {
	t   *testing.T
	top string   // everybody may write there
	dir string   // the spool
	set []string // settings
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	s := &stranger{t: t, top: t.TempDir()}
	s.dir = filepath.Join(s.top, "spool")
	for dir, mode := range map[string]os.FileMode{filepath.Dir(s.top): 0o755, s.top: 0o777} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("cp", binary, filepath.Join(s.top, "askpane")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

// fill makes the spool, with a question that waits and one that is over.
func (s *stranger) fill() (waits, over string) {
	s.t.Helper()
	sp, err := spool.Open(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	defer sp.Close()
	one := func(agent string, asked time.Duration) *spool.Entry {
		raw := []byte(`{"questions":[{"id":"a","label":"Colour","prompt":"Which?"}]}`)
		_, f, err := dialect.Decode("", raw)
		if err != nil {
			s.t.Fatal(err)
		}
		e, err := sp.Create(spool.Request{Form: f, Raw: raw, Origin: spool.Origin{Agent: agent, Cwd: "/", Start: time.Now().Add(-asked)}})
		if err != nil {
			s.t.Fatal(err)
		}
		return e
	}
	a, b := one("claude", time.Minute), one("claude", time.Minute)
	if err := b.Settle(form.Result{Outcome: form.Cancelled, By: "popup", At: time.Now()}); err != nil {
		s.t.Fatal(err)
	}
	if err := b.Deliver(); err != nil {
		s.t.Fatal(err)
	}
	a.Close()
	b.Close()
	return a.ID, b.ID
}

// close closes a directory to the stranger, who owns it if theirs.
func (s *stranger) close(dir string) {
	s.t.Helper()
	if err := os.Chmod(dir, 0); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
}

// give makes all that is there the stranger's.
func (s *stranger) give(dir string) {
	s.t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err == nil && os.Getuid() == 0 {
			err = os.Lchown(path, nobody, nobody)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

const nobody = 65534

func (s *stranger) env() []string {
	return environ(s.top, append(s.set, "ASKPANE_SPOOL="+s.dir)...)
}

// run runs askpane as the stranger: another user if we are root, else ourselves.
func (s *stranger) run(args ...string) (out, errs string, code int) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.top, "askpane"), args...)
	cmd.Env, cmd.Dir = s.env(), s.top
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		s.t.Fatalf("askpane %v: %v", args, err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func (s *stranger) names() (names []string) {
	s.t.Helper()
	files, err := os.ReadDir(s.top)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

// A spool that cannot be read does not look like an empty one, and nothing is made
// in its place.
func TestUnreadableSpool(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	waits, over := s.fill()
	s.close(s.dir)
	before := s.names()
	for _, command := range []string{"list", "list --json", "history", "history --json", "status", "status --format json", "status --format tmux", "next",
		"show " + waits, "show " + over, "answer --cancel " + waits, "answer --cancel " + over, "collect " + waits, "collect " + over, "collect --unread"} {
		out, errs, code := s.run(strings.Fields(command)...)
		if code != 1 || !strings.Contains(errs, "the spool "+s.dir+" cannot be read: permission denied; run chmod 700 on it") {
			t.Errorf("askpane %s: exit %d, %q", command, code, errs)
		}
		if out != "" && !(strings.HasPrefix(command, "collect") && strings.Contains(out, `"outcome":"unavailable"`)) {
			t.Errorf("askpane %s prints %q", command, out)
		}
	}
	if out, errs, code := s.run("doctor"); code == 0 || !strings.Contains(out, s.dir+" cannot be read: permission denied") {
		t.Errorf("askpane doctor: exit %d, %q, %q", code, out, errs)
	}
	if after := s.names(); !slices.Equal(after, before) {
		t.Errorf("there is %v, and was %v", after, before)
	}
}

// One entry that cannot be read hides no other.
func TestUnreadableEntry(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	broken, _ := s.fill()
	_, brokenOver := s.fill()
	waits, over := s.fill()
	s.give(s.dir)
	s.close(filepath.Join(s.dir, broken))
	s.close(filepath.Join(s.dir, "history", brokenOver))
	for command, want := range map[string][2]string{ // what is there all the same, and what is said to be missing
		"list": {waits, broken}, "list --json": {waits, broken}, "status": {"3 questions wait", broken},
		"history": {over, brokenOver}, "history --json": {over, brokenOver}, "show " + brokenOver: {"", brokenOver}, "collect --unread": {"", broken}, "doctor": {"✗", broken},
	} {
		out, errs, code := s.run(strings.Fields(command)...)
		if code != 1 || !strings.Contains(out, want[0]) || !strings.Contains(out+errs, want[1]) || !strings.Contains(out+errs, "permission denied") {
			t.Errorf("askpane %s: exit %d, %q, %q", command, code, out, errs)
		}
	}
}

// Where there is no spool nothing waits, and none is made.
func TestNoSpool(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	before := s.names()
	const id = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	for command, want := range map[string]int{"list": 0, "list --json": 0, "history": 0, "history --json": 0, "status": 0, "next": 0, "collect --unread": 0,
		"show " + id: 6, "answer --cancel " + id: 6, "collect " + id: 6} {
		if out, errs, code := s.run(strings.Fields(command)...); code != want || strings.Contains(command, "--json") && out != "[]\n" {
			t.Errorf("askpane %s: exit %d, %q, %q", command, code, out, errs)
		}
	}
	if after := s.names(); !slices.Equal(after, before) {
		t.Errorf("there is %v, and was %v", after, before)
	}
}

// The inbox says so too, at once; and where there is none yet, it waits for one.
func TestUnreadableInbox(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	s.fill()
	s.close(s.dir)
	as := ""
	if os.Getuid() == 0 {
		as = "setpriv --reuid 65534 --regid 65534 --clear-groups "
	}
	v := newTerminal(t, 200, 20)
	t.Cleanup(v.close)
	v.start(s.env(), "sh", "-c", as+quote(filepath.Join(s.top, "askpane"))+" inbox; echo ended $?; exec cat")
	v.see("cannot be read: permission denied", "ended 1")
}

// What an older askpane has kept in a spare, since the spool could not be written, is
// found in the spool, by whoever looks first.
func TestSpareOfAnOlderAskpane(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	waits, over := s.fill()
	memory := "/dev/shm"
	if _, err := os.Stat(memory); err != nil {
		memory = s.top
	}
	sum := sha256.Sum256([]byte(s.dir))
	spare := filepath.Join(memory, fmt.Sprintf("askpane-spare-%x", sum[:8]))
	t.Cleanup(func() { must.Do(t, os.RemoveAll(spare)) })
	if out, err := exec.Command("mv", s.dir, spare).CombinedOutput(); err != nil { // perhaps to another file system
		t.Fatalf("%v: %s", err, out)
	}
	s.give(spare)
	for _, c := range [][2]string{{"list", waits}, {"status", "1 question waits"}, {"history", over}, {"show " + over, "Which?"}, {"answer --cancel " + waits, ""}, {"show " + waits, "Which?"}} {
		if out, errs, code := s.run(strings.Fields(c[0])...); code != 0 || errs != "" || !strings.Contains(out, c[1]) {
			t.Errorf("askpane %s: exit %d, %q, %q", c[0], code, out, errs)
		}
	}
	if left, err := filepath.Glob(filepath.Join(spare, "*", "request.json")); len(left) > 0 || err != nil {
		t.Errorf("left in the spare: %v, %v", left, err)
	}
}

// A spool that may not be written is no place to ask, which is said at once.
func TestUnwritableSpool(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	s.fill()
	s.give(s.dir)
	if err := os.Chmod(s.dir, 0o500); err != nil {
		t.Fatal(err)
	}
	s.set = []string{"ASKPANE_PAGE_ALONE=true"} // else there is no place to ask anyway
	out, errs, code := s.run("ask", "--json", "Deploy?", "Yes", "No")
	if want := "the spool " + s.dir + " cannot be written: "; code != 5 || !strings.Contains(out, `"outcome":"unavailable"`) || !strings.Contains(out, want) {
		t.Errorf("askpane ask: exit %d, %q, %q", code, out, errs)
	}
	if out, _, code := s.run("doctor"); code == 0 || !strings.Contains(out, "cannot be written") || !strings.Contains(out, "set ASKPANE_SPOOL to another directory") {
		t.Errorf("askpane doctor: exit %d, %q", code, out)
	}
}
