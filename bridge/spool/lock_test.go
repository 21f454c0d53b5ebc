package spool

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// holdEnv makes the test binary a process that holds a lock: "spool new", or
// "spool id" and, if it is painted, "viewer"; with "draft" in its place it holds
// draft.lock, and with "words" it changes the draft.
const holdEnv = "ASKPANE_TEST_HOLD"

// hold is the other process: it takes what it is told to, says so, and waits to
// be killed or for its standard input to end.
func hold(lockFor string) {
	fields := strings.Fields(lockFor)
	s, err := Open(fields[0])
	var e *Entry
	switch {
	case err != nil:
	case fields[1] == "new":
		e, err = s.Create(request())
	case len(fields) == 3 && fields[2] == "words":
		fmt.Println(fields[1])
		if err = addWords(s, fields[1]); err == nil {
			os.Exit(0)
		}
	case len(fields) == 3 && fields[2] == "draft":
		if e, err = s.Open(fields[1]); err == nil {
			err = e.hold(draftLock)
		}
	default:
		if e, err = s.Open(fields[1]); err == nil {
			var ok bool
			if ok, err = e.TakePopup(); !ok && err == nil {
				err = errors.New("popup.lock is held")
			}
			if err == nil && len(fields) == 3 {
				err = e.Painted(fields[2], "")
			}
		}
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println(e.ID)
	bufio.NewReader(os.Stdin).ReadString('\n')
	os.Exit(0)
}

// holder starts the other process and returns what it printed, and how to kill it.
// Tests that start a process are not parallel: until that is another program, it
// holds every lock of this one, and others would find theirs taken.
func holder(t *testing.T, s *Spool, what string) (said string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+s.path+" "+what)
	in, err := cmd.StdinPipe()
	must.Do(t, err)
	out, err := cmd.StdoutPipe()
	must.Do(t, err)
	must.Do(t, cmd.Start())
	dead := false
	kill = func() {
		if dead {
			return
		}
		dead = true
		must.Do(t, cmd.Process.Signal(syscall.SIGKILL))
		_ = cmd.Wait() // killed, as it should be
		in.Close()
	}
	t.Cleanup(kill)
	said, err = bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(said, "error") {
		t.Fatalf("the holder says %q, %v", said, err)
	}
	return strings.TrimSpace(said), kill
}

func TestBridgeKilled(t *testing.T) {
	s := openSpool(t)
	id, kill := holder(t, s, "new")
	e := open(t, s, id)
	if e.Status().AgentGone || e.Status().State() != "pending" {
		t.Fatalf("its bridge waits: %v, state %q", !e.Status().AgentGone, e.Status().State())
	}
	gone := e.AgentGone()
	must.Do(t, add(e, "word")) // a change beside the lock
	if !isOpen(gone) {
		t.Fatal("AgentGone while the bridge lives")
	}
	kill()
	closed(t, "AgentGone after kill -9", gone)
	if !e.Status().AgentGone || e.Status().State() != "agent gone" {
		t.Errorf("afterwards it waits: %v, state %q", !e.Status().AgentGone, e.Status().State())
	}
}

func TestPopupKilled(t *testing.T) {
	s := openSpool(t)
	e := create(t, s)
	if e.Status().Painted || e.Status().State() != "pending" {
		t.Fatalf("shows %v, state %q before any popup", e.Status().Painted, e.Status().State())
	}
	_, kill := holder(t, s, e.ID+" theirs")
	if !e.Status().Painted || e.Status().State() != "shown" {
		t.Fatalf("shows %v, state %q", e.Status().Painted, e.Status().State())
	}
	if ok, err := open(t, s, e.ID).TakePopup(); ok || err != nil {
		t.Errorf("a second popup: %v, %v", ok, err)
	}
	gone := e.PopupGone()
	if viewer := e.Status().Viewer; viewer != "theirs" {
		t.Errorf("it is shown on %q", viewer)
	}
	kill()
	closed(t, "PopupGone after kill -9", gone)
	if ok, err := open(t, s, e.ID).TakePopup(); !ok || err != nil {
		t.Errorf("the lock is not free after kill -9: %v, %v", ok, err)
	}
	if e.Status().State() != "shown" {
		t.Errorf("state %q, want shown", e.Status().State())
	}
	must.Do(t, e.Settle(answered()))
	if e.Status().State() != "answered" {
		t.Errorf("state %q, want answered", e.Status().State())
	}
}

// Somebody who only looks at a lock must not keep the next one from taking it.
func TestLookingDoesNotDisturb(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	looking, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looking)
		for {
			select {
			case <-stop:
				return
			default:
				_ = e.Status()
			}
		}
	}()
	for i := range 50 {
		mine := open(t, s, e.ID)
		if ok, err := mine.TakePopup(); !ok || err != nil {
			t.Errorf("attempt %d: %v, %v", i, ok, err)
		}
		must.Do(t, mine.Close())
		closed(t, "Close does not free the lock", e.PopupGone())
	}
	close(stop)
	<-looking
}
