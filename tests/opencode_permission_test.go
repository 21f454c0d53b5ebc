package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is opencode, or Kilo, with the parts of ours that are named, that asks before each
// command and each change of a file.
func asking(t *testing.T, name, parts string, sub []turn, script ...turn) *agent {
	t.Helper()
	a := likeOpencode(t, name, parts, script...)
	a.model.sub = sub
	a.edit(".config/"+name+"/"+name+".json", `"share":"disabled"`, `"permission":{"bash":"ask","edit":"ask"},"share":"disabled"`)
	a.start(false, "--prompt", "go on")
	return a
}

func bash(command string) turn { return calls("bash", `{"command":"`+command+`"}`) }

// permits presses a key until the permission that waits, or the first of them, is over: the next
// one may look alike, and is not to get the key.
func (a *agent) permits(key string) {
	a.t.Helper()
	first := a.spool.pending()[0]
	a.counts(key, func(string) bool { return !slices.Contains(a.spool.pending(), first) })
}

// refuses gives a reason, and Enter is left to press.
func (a *agent) refuses(why string) {
	a.t.Helper()
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press(why)
	a.person.see(why)
}

// One session, since opencode takes seven seconds of both cores to start, with a request for each
// way in which one ends.
func TestOpencodePermission(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", "permissions", []turn{bash("touch below.txt")},
		bash("touch made.txt"), bash("touch refused.txt"),
		turn{"write", func([]string) string { return `{"filePath":"notes.md","content":"one\ntwo\n"}` }},
		bash("touch left.txt"), bash("touch killed.txt"),
		calls("task", `{"description":"make a file","prompt":"make it","subagent_type":"general"}`),
		bash("touch always.txt"), bash("touch more.txt"), bash("sleep 30"))

	a.asks("opencode asks", "Allow bash to run this command?", "touch made.txt", a.cwd, "Yes, always: bash touch *")
	a.shows("Allow once") // its own prompt stands there, too
	a.permits("1")
	a.made()
	a.becomes("allowed")

	a.asks("touch refused.txt") // the model reads why, and goes on
	a.refuses("not in this folder")
	a.person.press(enter)
	if got := a.model.result(2); !strings.Contains(got, "not in this folder") {
		t.Errorf("the model reads %q", got)
	}
	a.becomes("denied")

	a.asks("Allow edit to change this file?", "notes.md", "a new file", "one", "Yes, always: edit *")
	a.permits("1")
	a.model.result(3)

	a.asks("touch left.txt") // Esc leaves it to opencode's own prompt
	a.permits(esc)
	a.step("Allow once", "Enter", "")
	a.model.result(4)

	a.asks("touch killed.txt") // as a hook that is killed does
	for _, pid := range a.spool.askpanes("hook") {
		killed(t, pid)
	}
	a.person.see("agent gone")
	a.step("Allow once", "Enter", "")
	a.model.result(5)
	a.permits(esc) // nobody waits for it

	a.asks("touch below.txt") // in a session of opencode's task
	a.permits("1")
	a.model.result(6)

	a.asks("touch always.txt")
	a.permits("2")
	a.model.result(8) // the one after it has not been asked

	id := a.asks("sleep 30")
	a.step("Allow once", "Enter", "")
	a.person.unsee("Allow bash") // while it runs
	if got := a.historyOf(id); got.Outcome != "elsewhere" {
		t.Errorf("the history says %+v", got)
	}
	for name, want := range map[string]bool{"refused.txt": false, "notes.md": true, "left.txt": true, "killed.txt": true, "below.txt": true, "always.txt": true, "more.txt": true} {
		if _, err := os.Stat(filepath.Join(a.cwd, name)); want != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// It is refused here and allowed there at the same time: one decision counts, and both sides say which.
func TestOpencodePermissionRaces(t *testing.T) {
	t.Parallel()
	var script []turn
	for round := range *races {
		script = append(script, bash(fmt.Sprintf("touch made%d.txt", round)))
	}
	next := oneByOne(script)
	a := asking(t, "opencode", "permissions", nil, script...)
	ours := 0
	for round := range *races {
		id := a.asks("Allow bash")
		a.shows("Allow once")
		a.refuses("not here")
		var both sync.WaitGroup
		both.Go(func() {
			<-time.After(time.Duration(round%3) * 300 * time.Millisecond) // which of both is first changes
			a.person.press(enter)
		})
		both.Go(func() { a.keys("Enter") })
		both.Wait()
		refused := strings.Contains(a.model.result(round+1), "not here")
		_, err := os.Stat(filepath.Join(a.cwd, fmt.Sprintf("made%d.txt", round)))
		got := a.historyOf(id)
		if counts := got.Outcome == "cancelled" && got.Verdict == ""; refused != counts || refused != (err != nil) {
			t.Errorf("round %d: refused is %v, the file %v, and the history says %+v", round, refused, err, got)
		}
		if refused {
			ours++
		}
		a.hasRead() // a key that came too late would allow what is asked for next
		next()
	}
	t.Logf("%d of %d were ours", ours, *races)
}

// The form goes with opencode, and the next one asks again.
func TestOpencodePermissionKilled(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", "permissions", nil, bash("touch made.txt"))
	a.asks("Allow bash")
	a.kill()
	a.person.unsee("Allow bash")
	a.start(false, "--prompt", "go on")
	a.asks("Allow bash")
	a.permits("3")
	a.becomes("denied")
}

// Kilo, which is opencode under another name, has both plugins, which say whose request it is.
func TestKilo(t *testing.T) {
	t.Parallel()
	a := asking(t, "kilo", "plugin,permissions", nil, calls("question", opencodeChoice),
		calls("question", strings.ReplaceAll(opencodeChoice, "Which database?", "Which store?")), bash("touch made.txt"))
	a.asks("kilo asks", "Which database?")
	a.person.press("2")
	a.told(1, `User has answered your questions: "Which database?"="SQLite". You can now continue with the user's answers in mind.`)
	a.asks("Which store?")
	a.declines("ask the team")
	a.told(2, `User has answered your questions: "Which store?"="not chosen: ask the team". You can now continue with the user's answers in mind.`)
	a.asks("kilo asks", "Allow bash to run this command?", "touch made.txt")
	a.permits("1")
	a.made()
	a.becomes("allowed")
}
