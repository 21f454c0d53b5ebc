package tests

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
)

var keep = flag.String("keep", "", "write the entries of TestKeptSpools into testdata/spools under this name, which is a release's")

// keptSpools has a spool as each release left it, a directory each. Nothing in it is ever changed.
const keptSpools = "testdata/spools"

// What a release has left in its spool this askpane lists, shows and hands over.
func TestKeptSpools(t *testing.T) {
	if *keep != "" {
		keepSpool(t, filepath.Join(keptSpools, *keep))
	}
	releases, err := os.ReadDir(keptSpools)
	if err != nil || len(releases) == 0 {
		t.Fatalf("%d kept, %v", len(releases), err)
	}
	for _, r := range releases {
		t.Run(r.Name(), func(t *testing.T) {
			t.Parallel()
			s := newSpool(t)
			must.Do(t, os.CopyFS(string(s), os.DirFS(filepath.Join(keptSpools, r.Name()))))
			must.Do(t, filepath.WalkDir(string(s), func(path string, d fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				return os.Chmod(path, map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()])
			}))
			readsSpool(t, s)
		})
	}
}

// readsSpool checks that what keepSpool has made is all there.
func readsSpool(t *testing.T, s spoolDir) {
	t.Helper()
	shows := func(id string, wants ...string) {
		t.Helper()
		out, code := s.run(t, "", "show", id)
		if code != 0 {
			t.Errorf("askpane show %s: exit %d, %s", id, code, out)
		}
		contains(t, "askpane show", out, wants...)
	}
	states := map[string]string{}
	for _, q := range s.listed(t) {
		states[q.Header] = q.State
		switch q.Header {
		case "Begun":
			shows(q.ID, "What is it called?", "half a thought")
		case "Said":
			shows(q.ID, "Which colour?", "Red")
			out, code := s.run(t, "", "collect", q.ID)
			if contains(t, "askpane collect", out, `"outcome":"answered"`, "Red"); code != 0 {
				t.Errorf("askpane collect: exit %d", code)
			}
		}
	}
	if len(states) != 2 || states["Begun"] != "agent gone" || states["Said"] != "answered" {
		t.Errorf("what waits: %v", states)
	}
	var over []struct{ ID, Header, Outcome string }
	out, code := s.run(t, "", "history", "--json")
	if err := json.Unmarshal([]byte(out), &over); err != nil || code != 0 {
		t.Fatalf("askpane history: exit %d, %q, %v", code, out, err)
	}
	wants := map[string][]string{"Done": {"answered", "Green"}, "Cancelled": {"cancelled", "Which colour?"},
		"Said": {"answered", "Red"}, "Move": {"answered", "Approve this plan?"}, "Bash: npm run build": {"answered", "Allowed."}}
	for _, q := range over {
		want := wants[q.Header]
		if want == nil || q.Outcome != want[0] {
			t.Errorf("in the history: %+v", q)
			continue
		}
		shows(q.ID, want[1])
		delete(wants, q.Header)
	}
	if len(wants) != 0 {
		t.Errorf("the history has not %v: %+v", wants, over)
	}
}

// keepSpool asks a question for each way in which an entry can end, or be left, and copies
// the spool.
func keepSpool(t *testing.T, to string) {
	t.Helper()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	question := func(label, prompt string) string {
		return `{"questions":[{"id":"q","label":"` + label + `","prompt":"` + prompt + `","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`
	}
	for _, c := range []struct{ dialect, request, sees, said string }{
		{"question", question("Done", "Which colour?"), "Which colour?", `{"q":"g"}`},
		{"question", question("Cancelled", "Which colour?"), "Which colour?", ""},
		{"plan", `{"plan":"# Move\n\nTo Redis.","modes":[{"label":"Approve","value":"acceptEdits"}]}`, "To Redis.", `{"plan":"acceptEdits"}`},
		{"permission", `{"tool":"Bash","directory":"/srv/shop","command":"npm run build","always":["Bash(npm run *)"]}`, "npm run build", ""},
	} {
		a := s.ask("main", c.request, "--dialect", c.dialect)
		v.see(c.sees)
		if c.said != "" || c.dialect == "question" {
			s.spool.answers(t, s.spool.only(t), c.said)
		}
		var again time.Time
		v.until("the call has its answer", func(string) bool {
			if c.dialect == "permission" && time.Now().After(again) { // a new form takes no key for 400 ms
				v.press("1")
				again = time.Now().Add(2 * time.Second)
			}
			return a.returned()
		})
	}
	for _, c := range []struct{ request, sees string }{
		{question("Said", "Which colour?"), "Which colour?"},
		{question("Begun", "What is it called?"), "What is it called?"},
	} {
		before := len(s.spool.pending())
		a := s.ask("main", c.request)
		v.see(c.sees)
		id := s.spool.pending()[before]
		if c.sees != "Which colour?" {
			v.press("3half a thought")
			eventually(t, "the draft is written", func() bool { return strings.Contains(s.spool.read(id, "draft.json"), "half a thought") })
		}
		s.tmux("kill-pane", "-t", a.pane)
		must.Do(t, syscall.Kill(s.spool.popup(t, id), syscall.SIGKILL))
		eventually(t, "nobody waits", func() bool { return len(s.spool.askpanes(id)) == 0 })
		if c.sees == "Which colour?" {
			s.spool.answers(t, id, `{"q":"r"}`)
		}
	}
	must.Do(t, os.RemoveAll(to))
	must.Do(t, os.CopyFS(to, os.DirFS(string(s.spool))))
	empty, err := filepath.Glob(filepath.Join(to, "*", "room"))
	must.Do(t, err)
	for _, path := range append(empty, filepath.Join(to, "viewers"), filepath.Join(to, "turns"), filepath.Join(to, "history", ".pruned")) {
		must.Do(t, os.RemoveAll(path))
	}
}
