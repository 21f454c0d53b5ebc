package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A question on the command line: the person answers in the popup, and the answer is
// all that is printed.
func TestTmuxAskOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	home := t.TempDir()
	v := s.attach("main", 100, 30)
	r := s.inPane(t, home, nil, "ask", "--json", "Envelope?", "Yes", "No")
	v.see("Envelope?", "a script asks")
	s.spool.run(t, `{"q1":"Yes"}`, "answer")
	out, errs, code := r.wait()
	contains(t, "--json", out, `"outcome":"answered"`, `"text":"Q1: Yes"`)
	if code != "0" || errs != "" || strings.Count(out, "\n") != 1 {
		t.Errorf("--json: exit %s, %q, %q", code, out, errs)
	}
	v.see("any key closes this")
	v.press(" ")
	v.unsee("Envelope?")
	for _, c := range []struct {
		name        string
		args        []string
		sees        string
		answer      string // for askpane answer
		out, errors string
		code        string
	}{
		{"one", []string{"Deploy?", "Yes", "No"}, "Deploy?", `{"q1":"No"}`, "No\n", "", "0"},
		{"several", []string{"Which?", "web", "the api", "worker", "--multi"}, "Which?", `{"q1":["web","the api"]}`, "web\nthe api\n", "", "0"},
		{"text", []string{"--text", "Branch?", "--default", "trunk"}, "trunk", `{"q1":"dev"}`, "dev\n", "", "0"},
		{"number", []string{"--number", "--min", "-3", "--max", "10", "Replicas?"}, "Replicas?", `{"0":-2}`, "-2\n", "", "0"},
		{"confirm", []string{"--confirm", "Sure?", "Ship it", "Wait"}, "Ship it", `{"q1":"no"}`, "no\n", "", "8"},
		{"confirmed", []string{"--confirm", "Sure?"}, "Sure?", `{"q1":"yes"}`, "yes\n", "", "0"},
		{"not confirmed, as text", []string{"--confirm", "Sure?", "--output", "text"}, "Sure?", `{"q1":"no"}`, "Q1: no\n", "", "8"},
		{"neither yes nor no", []string{"--confirm", "--other", "Sure?"}, "Sure?", `{"q1":{"mode":"other","text":"after lunch"}}`, "after lunch\n", "", "8"},
		{"confirmation cancelled", []string{"--confirm", "Sure?"}, "Sure?", "", "", "askpane: User cancelled the form\n", "3"},
		{"other", []string{"--other", "Colour?", "red"}, "Colour?", `{"q1":{"mode":"other","text":"a dark red"}}`, "a dark red\n", "", "0"},
		{"cancelled", []string{"Gone?", "Yes", "No"}, "Gone?", "", "", "askpane: User cancelled the form\n", "3"},
	} {
		r = s.inPane(t, home, nil, append([]string{"ask", "--agent", c.name}, c.args...)...)
		v.see(c.sees)
		args := []string{"answer"}
		if c.answer == "" {
			args = append(args, "--cancel")
		}
		if out, code := s.spool.run(t, c.answer, args...); code != 0 {
			t.Errorf("%s: answer: exit %d, %s", c.name, code, out)
		}
		v.see("any key closes this")
		if out, errs, code = r.wait(); out != c.out || errs != c.errors || code != c.code {
			t.Errorf("%s: exit %s, %q, %q; want %s, %q, %q", c.name, code, out, errs, c.code, c.out, c.errors)
		}
		v.press(" ")
		v.unsee(c.sees)
	}
}

// Where nobody has given it a request, it says what it waits for.
func TestAskOnATerminal(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	spool := quote("ASKPANE_SPOOL=" + string(s.spool))
	s.tmux("new-window", "-t", "main:", "--", "sh", "-c", "env "+spool+" "+quote(binary)+" ask; env "+spool+" "+quote(binary)+" check; cat")
	v.see("askpane: reading the request in JSON, Ctrl+D ends; askpane ask --help has examples")
	v.press("\x04")
	v.see("askpane check --help has examples")
	v.press("\x04")
	v.see("not JSON: the input is empty")
	if entries, _ := os.ReadDir(filepath.Join(string(s.spool))); len(entries) > 1 {
		t.Errorf("something was asked: %v", entries)
	}
}
