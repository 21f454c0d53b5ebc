package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/integrations/host"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var _ host.Opening = (*Opening)(nil)

const patience = 30 * time.Second

// ends waits for the opening's end.
func ends(t *testing.T, o *Opening) {
	t.Helper()
	select {
	case <-o.Ended():
	case <-time.After(patience):
		t.Fatalf("it has not ended after %v", patience)
	}
}

// goesOn checks that it has not ended; that can only be looked at for a moment.
func goesOn(t *testing.T, o *Opening) {
	t.Helper()
	select {
	case <-o.Ended():
		t.Fatal("it has ended, and should not have")
	case <-time.After(50 * time.Millisecond):
	}
}

// opened is Open, with what it hands to the host.
func opened(cmd host.Command, start func(argv []string) error) (o *Opening, err error) {
	_, err = Open("viewer", cmd, func(opening *Opening, argv []string) error {
		o = opening
		return start(argv)
	})
	return o, err
}

// start starts a popup as a host would: away from us, and returns at once.
func start(t *testing.T, cmd host.Command) (*Opening, *exec.Cmd) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var popup *exec.Cmd
	o, err := opened(cmd, func(argv []string) error {
		popup = exec.Command(argv[0], argv[1:]...)
		return popup.Start()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = popup.Process.Kill() // it may have ended already
		_ = popup.Wait()
		o.Abandon()
		noneLeft(t)
	})
	return o, popup
}

func noneLeft(t *testing.T) {
	t.Helper()
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestEndsWithThePopup(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd) error{
		"by itself": func(*exec.Cmd) error { return nil },
		"killed":    func(popup *exec.Cmd) error { return popup.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			gate := filepath.Join(t.TempDir(), "gate")
			if out, err := exec.Command("mkfifo", gate).CombinedOutput(); err != nil {
				t.Fatalf("mkfifo: %v: %s", err, out)
			}
			o, popup := start(t, host.Command{Args: []string{"/bin/cat", gate}})
			if err := o.Started(t.Context()); err != nil {
				t.Fatal(err)
			}
			goesOn(t, o)
			if err := end(popup); err != nil {
				t.Fatal(err)
			}
			if name == "by itself" { // cat ends when its gate does
				f, err := os.OpenFile(gate, os.O_WRONLY, 0)
				if err != nil {
					t.Fatal(err)
				}
				f.Close()
			}
			ends(t, o)
		})
	}
}

// Words and variables arrive as they are, and no shell reads them.
func TestWords(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a=b $(touch trap);")
	if err := os.WriteFile(odd, []byte("#!/bin/sh\nprintf '<%s>' \"$@\" \"$A\" \"$ASKPANE_B\" >"+dir+"/out\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o, popup := start(t, host.Command{
		Args: []string{odd, "popup", "a b", "", "--", "$HOME", "`id`"},
		Env:  []string{"A=x y", `ASKPANE_B=$(touch trap) "'; # \`},
	})
	if err := popup.Wait(); err != nil {
		t.Fatalf("the popup: %v", err)
	}
	ends(t, o)
	want := "<popup><a b><><--><$HOME><`id`><x y><" + `$(touch trap) "'; # \` + ">"
	if got, err := os.ReadFile(dir + "/out"); err != nil || string(got) != want {
		t.Errorf("the popup got %s, %v\nwant %s", got, err, want)
	}
}

func TestAbandon(t *testing.T) {
	t.Run("a popup that never starts", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		o, err := opened(host.Command{Args: []string{"/bin/true"}}, func([]string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if err := o.Started(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Started: %v", err)
		}
		goesOn(t, o)
		o.Abandon()
		o.Abandon()
		ends(t, o)
		noneLeft(t)
	})
	t.Run("a popup that goes on", func(t *testing.T) {
		o, popup := start(t, host.Command{Args: []string{"/bin/sleep", "1000"}})
		if err := o.Started(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.Abandon()
		ends(t, o)
		if err := popup.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("the popup has ended too: %v", err)
		}
	})
	t.Run("a popup that starts when nobody waits", func(t *testing.T) {
		t.Setenv("TMPDIR", t.TempDir())
		out := filepath.Join(t.TempDir(), "out")
		var argv []string
		o, err := opened(host.Command{Args: []string{"/bin/sh", "-c", "echo shown >" + out}}, func(words []string) error {
			argv = words
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Abandon()
		if said, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("the late popup: %v: %s", err, said)
		}
		if got, err := os.ReadFile(out); err != nil || strings.TrimSpace(string(got)) != "shown" {
			t.Errorf("the late popup did not run: %q, %v", got, err)
		}
	})
}

func TestOpenFails(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	why := errors.New("no such place")
	if o, err := Open("v", host.Command{Args: []string{"/bin/true"}}, func(*Opening, []string) error { return why }); o != nil || !errors.Is(err, why) {
		t.Errorf("Open: %v, %v", o, err)
	}
	noneLeft(t)
}
