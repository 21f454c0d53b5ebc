package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is opencode, or Kilo, that asks before each command and each change of a file, in askpane, too.
func asking(t *testing.T, name string, script ...turn) *agent {
	return askingBelow(t, name, nil, script...)
}

// askingBelow is the same, with what a sub-agent's model calls.
func askingBelow(t *testing.T, name string, sub []turn, script ...turn) *agent {
	t.Helper()
	a := likeOpencode(t, name, "permissions", script...)
	a.model.sub = sub
	a.edit(".config/"+name+"/"+name+".json", `"share":"disabled"`, `"permission":{"bash":"ask","edit":"ask"},"share":"disabled"`)
	a.start(false, "--prompt", "go on")
	return a
}

const makes = `{"command":"touch made.txt"}`

// permits presses a key until no form is there.
func (a *agent) permits(key string) {
	a.t.Helper()
	a.counts(key, func(screen string) bool {
		return !strings.Contains(screen, "Allow bash") && !strings.Contains(screen, "Allow edit")
	})
}

// refuses gives a reason, and Enter is left to press.
func (a *agent) refuses(why string) {
	a.t.Helper()
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press(why)
	a.person.see(why)
}

// Allowed once, and then always: opencode asks for no such command any more.
func TestOpencodePermissionAllowed(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", makes), calls("bash", `{"command":"touch again.txt"}`), calls("bash", `{"command":"touch more.txt"}`))
	a.asks("opencode asks", "Allow bash to run this command?", "touch made.txt", a.cwd, "Yes, always: bash touch *")
	a.shows("Allow once") // its own prompt stands there, too
	a.permits("1")
	a.made()
	a.becomes("allowed")
	a.asks("touch again.txt")
	a.permits("2")
	a.model.result(3)
	a.shows(modelSaysLast)
	if n := len(a.spool.pending()); n != 0 {
		t.Errorf("%d questions wait", n)
	}
}

// The model reads why it is refused, and goes on.
func TestOpencodePermissionDenied(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", makes))
	a.asks("Allow bash")
	a.refuses("not in this folder")
	a.person.press(enter)
	if got := a.model.result(1); !strings.Contains(got, "not in this folder") {
		t.Errorf("the model reads %q", got)
	}
	a.becomes("denied")
	a.shows(modelSaysLast)
}

// A change of a file is shown as its diff.
func TestOpencodePermissionEdit(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", turn{"write", func([]string) string { return `{"filePath":"notes.md","content":"one\ntwo\n"}` }})
	a.asks("Allow edit to change this file?", "notes.md", "a new file", "one", "Yes, always: edit *")
	a.permits("1")
	a.model.result(1)
	a.becomes("allowed")
}

// An answer in opencode's own prompt closes ours.
func TestOpencodePermissionAnsweredThere(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", `{"command":"touch made.txt; sleep 30"}`))
	id := a.asks("Allow bash")
	a.step("Allow once", "Enter", "")
	a.person.unsee("Allow bash")
	a.made()
	if got := a.historyOf(id); got.Outcome != "elsewhere" {
		t.Errorf("the history says %+v", got)
	}
}

// It is refused here and allowed there at the same time: one decision counts, and both sides say which.
func TestOpencodePermissionRaces(t *testing.T) {
	t.Parallel()
	var script []turn
	for round := range *races {
		script = append(script, calls("bash", fmt.Sprintf(`{"command":"touch made%d.txt"}`, round)))
	}
	a := asking(t, "opencode", script...)
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
	}
	t.Logf("%d of %d were ours", ours, *races)
}

// Esc in ours leaves it to opencode's own prompt, and a hook that is killed does.
func TestOpencodePermissionLeft(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", `{"command":"touch first.txt"}`), calls("bash", makes))
	a.asks("Allow bash")
	a.permits("\x1b")
	a.step("Allow once", "Enter", "")
	a.model.result(1)
	a.asks("touch made.txt")
	for _, pid := range a.spool.askpanes("hook") {
		killed(t, pid)
	}
	a.person.see("agent gone")
	a.step("Allow once", "Enter", "")
	a.made()
	a.permits("\x1b") // nobody waits for it
}

// The form goes with opencode, and the next one asks again.
func TestOpencodePermissionKilled(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", makes))
	a.asks("Allow bash")
	a.kill()
	a.person.unsee("Allow bash")
	a.start(false, "--prompt", "go on")
	a.asks("Allow bash")
	a.permits("3")
	a.becomes("denied")
}

// A session that opencode's task has begun asks, too.
func TestOpencodePermissionOfAChild(t *testing.T) {
	t.Parallel()
	a := askingBelow(t, "opencode", []turn{calls("bash", makes)}, calls("task", `{"description":"make a file","prompt":"make it","subagent_type":"general"}`))
	a.asks("Allow bash", "touch made.txt")
	a.permits("1")
	a.made()
}

func TestKiloPermission(t *testing.T) {
	t.Parallel()
	a := asking(t, "kilo", calls("bash", makes))
	a.asks("kilo asks", "Allow bash to run this command?", "touch made.txt")
	a.permits("1")
	a.made()
	a.becomes("allowed")
}
