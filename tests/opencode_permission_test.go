package tests

import (
	"strings"
	"sync"
	"testing"
	"time"
)

// asking is opencode, or Kilo, that asks before each command and each change of a file, in askpane, too.
func asking(t *testing.T, name string, script ...turn) *agent {
	t.Helper()
	a := likeOpencode(t, name, "permissions", script...)
	a.edit(".config/"+name+"/"+name+".json", `"share":"disabled"`, `"permission":{"bash":"ask","edit":"ask"},"share":"disabled"`)
	a.start(false, "--prompt", "go on")
	return a
}

const makes = `{"command":"touch made.txt"}`

// permits presses a key until no form is there.
func (a *agent) permits(key string) {
	a.t.Helper()
	a.counts(key, func(screen string) bool { return !strings.Contains(screen, "Allow bash") && !strings.Contains(screen, "Allow edit") })
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
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press("not in this folder", enter)
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

// Both are answered at the same time: one decision counts, and both sides say which.
func TestOpencodePermissionRaces(t *testing.T) {
	t.Parallel()
	var script []turn
	for range *races {
		script = append(script, calls("bash", makes))
	}
	a := asking(t, "opencode", script...)
	ours := 0
	for round := range *races {
		id := a.asks("Allow bash")
		a.shows("Allow once")
		var both sync.WaitGroup
		both.Go(func() { a.permits("1") })
		both.Go(func() {
			<-time.After(time.Duration(round*37%90) * time.Millisecond) // which of both is first changes
			a.keys("Enter")
		})
		both.Wait()
		a.model.result(round + 1)
		switch got := a.historyOf(id); {
		case got.Outcome == "answered" && got.Verdict == "":
			ours++
		case got.Outcome == "answered", got.Outcome == "elsewhere":
		default:
			t.Errorf("round %d: the history says %+v", round, got)
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
}

// The form outlives opencode, and what is answered then allows nothing.
func TestOpencodePermissionKilled(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("bash", makes))
	a.asks("Allow bash")
	a.kill()
	a.person.see("agent gone")
}

// A session that opencode's task has begun asks, too.
func TestOpencodePermissionOfAChild(t *testing.T) {
	t.Parallel()
	a := asking(t, "opencode", calls("task", `{"description":"make a file","prompt":"make it","subagent_type":"general"}`), calls("bash", makes))
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
