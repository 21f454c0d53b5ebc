package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asker is an agent's tool call: `askpane ask` with its request in a file, its
// standard output and its exit code in others.
type asker struct {
	t     testing.TB
	dir   string
	spool spoolDir
}

// newAsker writes the request of a tool call.
func newAsker(t testing.TB, spool spoolDir, request string) *asker {
	t.Helper()
	a := &asker{t: t, dir: t.TempDir(), spool: spool}
	if err := os.WriteFile(a.path("request.json"), []byte(request), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("standard error of the call: %q; its output: %q", a.read("err"), a.read("out"))
		}
	})
	return a
}

func (a *asker) path(name string) string { return filepath.Join(a.dir, name) }

// script is the shell script of the call. env is put before askpane, and args
// after ask. The shell writes its own id and becomes askpane, so that the test
// can end it as an agent would.
func (a *asker) script(env []string, args ...string) string {
	words := []string{"exec", "env", "ASKPANE_SPOOL=" + string(a.spool)}
	words = append(append(words, env...), binary, "ask")
	words = append(words, args...)
	for i, w := range words[1:] {
		words[i+1] = quote(w)
	}
	inner := fmt.Sprintf("echo $$ >%s; %s", quote(a.path("pid")), strings.Join(words, " "))
	return fmt.Sprintf("sh -c %s <%s >%s 2>%s; echo $? >%s; mv %s %s", quote(inner),
		quote(a.path("request.json")), quote(a.path("out")), quote(a.path("err")),
		quote(a.path("rc.new")), quote(a.path("rc.new")), quote(a.path("rc")))
}

// quote makes a word of s for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// questionDetails are the details of the dialect question. The other dialects'
// have other shapes, and are looked at by detailed.
type questionDetails struct {
	Answers []struct {
		ID, Value, Label string
		WasCustom        bool
		Index            int
	}
	Cancelled bool
}

// UnmarshalJSON leaves another dialect's details alone.
func (d *questionDetails) UnmarshalJSON(data []byte) error {
	type plain questionDetails
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(data, (*plain)(d)); err != nil && !errors.As(err, &wrong) {
		return err
	}
	return nil
}

// result is what the caller got.
type result struct {
	ID      string
	Outcome string
	Text    string
	Details questionDetails // of the dialect question; see detailed for the others
	IsError bool

	code int
	took time.Duration // from the call to its exit code, by the files that its shell writes
}

// written is when a file of the call was.
func (a *asker) written(name string) time.Time {
	a.t.Helper()
	info, err := os.Stat(a.path(name))
	if err != nil {
		a.t.Fatal(err)
	}
	return info.ModTime()
}

// returned reports whether the call is over.
func (a *asker) returned() bool {
	_, err := os.Stat(a.path("rc"))
	return err == nil
}

// exitCode waits for the call to be over.
func (a *asker) exitCode() int {
	a.t.Helper()
	if !poll(a.returned) {
		a.t.Fatalf("the call never returned; its standard error is\n%s\nand the spool holds %v", a.read("err"), a.spool.pending())
	}
	code, err := strconv.Atoi(strings.TrimSpace(a.read("rc")))
	if err != nil {
		a.t.Fatalf("the exit code: %v", err)
	}
	return code
}

// result waits for the call to be over. Standard output must hold one JSON
// document on one line, and nothing else.
func (a *asker) result() result {
	a.t.Helper()
	r := result{code: a.exitCode()}
	r.took = a.written("rc").Sub(a.written("pid"))
	out := a.read("out")
	if strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
		a.t.Fatalf("standard output is not one line: %q\nstandard error: %s", out, a.read("err"))
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		a.t.Fatalf("standard output %q: %v", out, err)
	}
	return r
}

// ends waits for the call to be over and checks how it ended.
func (a *asker) ends(outcome string, code int, text string) result {
	a.t.Helper()
	r := a.result()
	if r.Outcome != outcome || r.code != code || r.Text != text {
		a.t.Fatalf("the call ended %s, exit %d, with %q; want %s, exit %d, with %q\nstandard error: %s",
			r.Outcome, r.code, r.Text, outcome, code, text, a.read("err"))
	}
	return r
}

// answered waits for the call to be over and checks what it was told.
func (a *asker) answered(text string) result {
	a.t.Helper()
	return a.ends("answered", 0, text)
}

// detailed checks the details to the byte. QUESTIONS in want stands for the
// normalised questions, which are those that `askpane check` prints.
func (a *asker) detailed(want string) {
	a.t.Helper()
	var said struct{ Details json.RawMessage }
	if err := json.Unmarshal([]byte(a.read("out")), &said); err != nil {
		a.t.Fatalf("standard output %q: %v", a.read("out"), err)
	}
	if before, after, ok := strings.Cut(want, "QUESTIONS"); ok {
		want = before + a.checked() + after
	}
	if got := string(said.Details); got != want {
		a.t.Errorf("the details are\n%s\nwant\n%s", got, want)
	}
}

// checked is the normalised list of the request's questions.
func (a *asker) checked() string {
	a.t.Helper()
	out, code := a.spool.run(a.t, a.read("request.json"), "check")
	var said struct {
		Value struct{ Questions json.RawMessage }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 0 || len(said.Value.Questions) == 0 {
		a.t.Fatalf("askpane check: exit %d, %q: %v", code, out, err)
	}
	return string(said.Value.Questions)
}

// waits checks that the call is not over.
func (a *asker) waits() {
	a.t.Helper()
	if a.returned() {
		a.t.Fatalf("the call is over, and should still wait: %s", a.read("out"))
	}
}

// kill sends the caller a signal.
func (a *asker) kill(sig syscall.Signal) {
	a.t.Helper()
	var pid int
	eventually(a.t, "the caller has written its process id", func() bool {
		var err error
		pid, err = strconv.Atoi(strings.TrimSpace(a.read("pid")))
		return err == nil
	})
	if err := syscall.Kill(pid, sig); err != nil {
		a.t.Fatalf("send %v to the caller: %v", sig, err)
	}
}

// read is a file of the call, empty where there is none yet.
func (a *asker) read(name string) string {
	data, err := os.ReadFile(a.path(name))
	if err != nil && !os.IsNotExist(err) {
		a.t.Fatal(err)
	}
	return string(data)
}
