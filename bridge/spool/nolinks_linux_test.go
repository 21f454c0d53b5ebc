package spool

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// noLinksEnv makes this test a process in which no link can be made: it answers the question
// "spool id" there.
const noLinksEnv = "ASKPANE_TEST_NO_LINKS"

// Some file systems have no hard links, and Android allows none: a form is answered there, too.
func TestAnswerWithoutHardLinks(t *testing.T) {
	if where := os.Getenv(noLinksEnv); where != "" {
		must.Do(t, refuseLinks())
		if err := os.Link(os.Args[0], filepath.Join(t.TempDir(), "link")); !errors.Is(err, syscall.EPERM) {
			t.Fatalf("a link is made: %v", err)
		}
		dir, id, _ := strings.Cut(where, " ")
		must.Do(t, open(t, openAt(t, dir), id).Settle(answered()))
		return
	}
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	cmd := exec.Command(os.Args[0], "-test.run", "^TestAnswerWithoutHardLinks$")
	cmd.Env = append(os.Environ(), noLinksEnv+"="+s.path+" "+e.ID)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r, ok, err := e.Answer(); !ok || err != nil || r.Outcome != form.Answered {
		t.Errorf("the answer is %+v, %v, %v", r, ok, err)
	}
	if err := e.Settle(answered()); !errors.Is(err, ErrAnswered) {
		t.Errorf("a second answer: %v", err)
	}
}

// refuseLinks has the kernel refuse every link that this process makes from now on.
func refuseLinks() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LINKAT, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(syscall.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
