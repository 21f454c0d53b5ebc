package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// waits puts a question into the spool whose bridge is this test.
func (s spoolDir) waits(t *testing.T, label string, from spool.Origin) *spool.Entry {
	t.Helper()
	raw := []byte(`{"questions":[{"id":"a","label":"` + label + `","prompt":"Which?"}]}`)
	_, f, err := dialect.Decode("", raw)
	if err != nil {
		t.Fatal(err)
	}
	sp, err := spool.Open(string(s))
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	from.Start = time.Now()
	e, err := sp.Create(spool.Request{Form: f, Raw: raw, Origin: from})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// printed runs askpane on a terminal of that width until it has ended.
func printed(t *testing.T, width int, env []string, args ...string) *terminal {
	t.Helper()
	v := newTerminal(t, width, 24)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir(), env...), "/bin/sh", append([]string{"-c", `"$@"; echo ended $?; exec /bin/cat`, "sh", binary}, args...)...)
	v.see("ended 0")
	return v
}

// Errors break between words.
func TestNarrowErrors(t *testing.T) {
	t.Parallel()
	v := newTerminal(t, 40, 24)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir()), "/bin/sh", "-c", `"$@"; echo ended $?; exec /bin/cat`, "sh", binary, "choose")
	v.see("ended 2")
	v.see("askpane: there is no command \"choose\";\nsee askpane --help\n")
}

// Columns are as wide as a terminal draws what is in them.
func TestColumns(t *testing.T) {
	t.Parallel()
	dir := newSpool(t)
	for label, agent := range map[string]string{"wide-one": "日本語エージェント", "plain-one": "claude", "joined-one": "e\u0301 a\u0308 x"} {
		e := dir.waits(t, label, spool.Origin{Agent: agent, Cwd: "/srv"})
		if err := e.Settle(form.Result{Outcome: form.Cancelled, By: "popup", At: time.Now()}); err != nil { // in both lists
			t.Fatal(err)
		}
	}
	for command, head := range map[string]string{"list": "QUESTION", "history": "QUESTION: ANSWER"} {
		v := printed(t, 160, []string{"ASKPANE_SPOOL=" + string(dir)}, command)
		if command == "history" {
			v.see("cancelled*", "* the agent has not got it yet")
		}
		want, _ := v.at(head)
		for _, label := range []string{"wide-one", "plain-one", "joined-one"} {
			if x, _ := v.at(label); x != want {
				t.Errorf("askpane %s: %s begins in column %d, and its head in %d:\n%s", command, label, x, want, v.screen())
			}
		}
	}
}

// A table is no wider than its terminal, and has colours on one, which NO_COLOR takes
// away; a pipe gets whole ids and texts, and no colour.
func TestColumnsOnATerminal(t *testing.T) {
	t.Parallel()
	dir := newSpool(t)
	deep := "/srv/" + strings.Repeat("日本語/", 8) + "shop"
	e := dir.waits(t, "データベースをどこに置きますか", spool.Origin{Agent: "claude", Cwd: deep})
	env := []string{"ASKPANE_SPOOL=" + string(dir)}
	v := printed(t, 60, env, "list")
	v.see("データ", "…", "claude")
	if rows := v.rows(); !strings.HasPrefix(rows[0], "ID") || !strings.Contains(rows[1], "pending") || rows[2] != "ended 0" {
		t.Errorf("on 60 columns it is\n%s", frame(rows))
	}
	if !v.coloured("pending") || v.coloured("claude") || !v.faint("STATE") {
		t.Errorf("the colours are not those of a table: %q", v.output())
	}
	if v := printed(t, 60, append(env, "NO_COLOR=1"), "list"); strings.Contains(v.output(), "\x1b") {
		t.Errorf("with NO_COLOR it is %q", v.output())
	}
	out, _ := dir.run(t, "", "list")
	if strings.Contains(out, "\x1b") || !strings.Contains(out, e.ID) || !strings.Contains(out, deep) {
		t.Errorf("in a pipe it is %q", out)
	}
}

// What a setting is for is broken between words where the terminal ends.
func TestSettingsOnATerminal(t *testing.T) {
	t.Parallel()
	v := printed(t, 70, nil, "settings", "list")
	for line := range strings.SplitSeq(v.output(), "\r\n") {
		if strings.Contains(line, " default ") && vtWidth(line) > 70 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}

// What askpane says of itself is broken between words where the terminal ends, below
// where it begins.
func TestOverviewOnATerminal(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"tmux", "zellij", "kitty", "wezterm", "claude", "codex", "opencode", "gemini", "pi"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v := printed(t, 70, []string{"ASKPANE_SPOOL=" + string(newSpool(t)), "PATH=" + bin})
	v.see("Keys", "Next", "askpane help")
	for i, row := range v.rows() {
		if i > 0 && row != "" && row != "ended 0" && !strings.HasPrefix(row, "  ") {
			t.Errorf("a row begins with what did not fit on the one before:\n%s", v.screen())
		}
	}
}
