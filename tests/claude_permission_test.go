package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// newPermitted is Claude Code that asks for permissions in askpane, too.
func newPermitted(t *testing.T, script ...turn) *agent {
	t.Helper()
	return newClaude(t, "permissions", script...)
}

// touch is a command for which Claude needs a permission.
const touch = `{"command":"touch made.txt","description":"Make a file"}`

// decide starts Claude, which asks to run a command, and shows its form. The person looks at another pane.
func (a *agent) decide(texts ...string) string {
	a.t.Helper()
	a.start(false, "--permission-mode", "default", "go on")
	return a.asks(texts...)
}

// counts has the person press a key until it counts: a new form takes none for 400 ms, whatever guardMs is.
func (a *agent) counts(key string, so func(screen string) bool) {
	a.t.Helper()
	a.person.counts(key, so)
}

// counts presses a key until it counts, with pauses in between.
func (v *terminal) counts(key string, so func(screen string) bool) {
	v.t.Helper()
	var again time.Time
	v.until("took "+strconv.Quote(key), func(screen string) bool {
		if !so(screen) && time.Now().After(again) {
			v.press(key)
			again = time.Now().Add(2 * time.Second)
		}
		return so(screen)
	})
}

// noForm reports whether no form is on a screen.
func noForm(screen string) bool { return !strings.Contains(screen, "Allow Bash") }

// made waits for the file that the command makes.
func (a *agent) made() {
	a.t.Helper()
	eventually(a.t, "the command has run", func() bool {
		_, err := os.Stat(filepath.Join(a.cwd, "made.txt"))
		return err == nil
	})
}

// becomes waits until the history says of the permission what has become of it.
func (a *agent) becomes(state string) {
	a.t.Helper()
	eventually(a.t, "the history says "+state, func() bool {
		cmd := exec.Command(binary, "history", "--kind", "permission", "--json")
		cmd.Env = a.variables()
		out, _ := cmd.Output() // a question that just moves cannot be read
		return strings.Contains(string(out), `"state":"`+state+`"`)
	})
}

func TestClaudePermissionAllowed(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch))
	a.decide("claude asks", "Allow Bash to run this command?", "touch made.txt", "“Make a file”", "Yes, once")
	a.shows("touch made.txt") // Claude's own prompt stands there, too
	a.counts("1", noForm)
	a.made()
	a.becomes("allowed")
	a.shows(modelSaysLast)
}

func TestClaudePermissionDenied(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch))
	a.decide("Allow Bash")
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press("not in this folder", enter)
	if got := a.model.result(1); !strings.Contains(got, "not in this folder") {
		t.Errorf("the model reads %q", got)
	}
	a.becomes("denied")
}

// Yes in Claude's own prompt, on a command that runs long: ours is over within two seconds.
func TestClaudePermissionAnsweredThere(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", `{"command":"touch made.txt; sleep 30","description":"Wait"}`))
	id := a.decide("Allow Bash", "sleep 30")
	a.shows("1. Yes")
	a.press("1", func() bool { return len(a.spool.pending()) == 0 })
	a.person.unsee("Allow Bash")
	ran, err := os.Stat(filepath.Join(a.cwd, "made.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var over struct{ Ended time.Time }
	out, _ := a.spool.run(t, "", "show", id, "--json")
	if err := json.Unmarshal([]byte(out), &over); err != nil || over.Ended.Sub(ran.ModTime()) > 2*time.Second {
		t.Errorf("it ran at %v, and ours was over at %v, %v", ran.ModTime(), over.Ended, err)
	}
}

// Two equal calls in one message are two permissions: each has the decision that was taken on it.
func TestClaudePermissionTwice(t *testing.T) {
	t.Parallel()
	line := calls("Bash", `{"command":"echo once >>made.txt","description":"Write a line"}`)
	a := newPermitted(t, line, line)
	a.model.twice = true
	a.decide("Allow Bash", "made.txt")
	a.counts("1", noForm)
	a.asks("Allow Bash", "made.txt")
	a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
	a.person.press("once is enough", enter)
	if said := a.model.result(2); !strings.Contains(said, "once is enough") || strings.Contains(a.model.result(1), "once is enough") {
		t.Errorf("the model reads %q, then %q", a.model.result(1), said)
	}
	if made, err := os.ReadFile(filepath.Join(a.cwd, "made.txt")); string(made) != "once\n" {
		t.Errorf("the file is %q, %v", made, err)
	}
	a.becomes("allowed")
	a.becomes("denied")
}

// What is always allowed is a rule in Claude's own store, and not asked again.
func TestClaudePermissionAlways(t *testing.T) {
	t.Parallel()
	build := calls("Bash", `{"command":"make made.txt","description":"Build"}`)
	a := newPermitted(t, build, build)
	id := a.decide("Allow Bash", "make made.txt", "2. Yes, always: Bash(make", "for this project, yours alone")
	a.counts("2", noForm)
	a.model.result(2)
	a.shows(modelSaysLast)
	if asked := a.spool.history(); len(asked) != 1 || asked[0] != id {
		t.Errorf("asked %v", asked)
	}
	if rules, err := os.ReadFile(filepath.Join(a.cwd, ".claude", "settings.local.json")); err != nil || !strings.Contains(string(rules), "Bash(make ") {
		t.Errorf("Claude's rules are %s, %v", rules, err)
	}
}

// Yes in Claude's prompt and No in ours at the same time: one of them counts, for the file, the model and
// the history.
func TestClaudePermissionRaces(t *testing.T) {
	t.Parallel()
	file := func(round int) string { return "made" + strconv.Itoa(round) + ".txt" }
	var script []turn
	for round := range *races {
		script = append(script, calls("Bash", `{"command":"touch `+file(round)+`","description":"Make a file"}`))
	}
	next := oneByOne(script)
	a := newPermitted(t, script...)
	a.start(false, "--permission-mode", "default", "go on")
	ours := 0
	for round := range *races {
		id := a.asks("Allow Bash", file(round))
		a.shows("1. Yes")
		a.counts("\x1b[A", func(screen string) bool { return strings.Contains(screen, "> 4. No") })
		a.atOnce(round, enter, "1")
		said, got := a.model.result(round+1), a.historyOf(id)
		_, missing := os.Stat(filepath.Join(a.cwd, file(round)))
		switch denied := strings.Contains(said, "The person does not allow this."); {
		case denied && missing != nil && got.Outcome == "answered" && got.Verdict != "outrun":
			ours++
		case !denied && missing == nil && (got.Outcome == "elsewhere" || got.Verdict == "outrun"):
		default:
			t.Errorf("round %d: the model was told %q, the history says %+v, of the file: %v", round, said, got, missing)
		}
		a.hasRead() // a key that came too late would answer what is asked for next
		next()
	}
	t.Logf("%d of %d were ours", ours, *races)
}

// The hook is killed: Claude's prompt stands, and our form says that nobody waits for it. Claude is killed:
// nothing is left to decide.
func TestClaudePermissionKilled(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch), calls("Bash", `{"command":"touch other.txt","description":"Make another"}`))
	a.decide("Allow Bash")
	for _, pid := range a.spool.askpanes("hook") {
		killed(t, pid)
	}
	a.person.see("agent gone")
	a.step("1. Yes", "1", "")
	a.made()
	a.counts("\x1b", func(screen string) bool { return !strings.Contains(screen, "agent gone") })
	a.asks("touch other.txt")
	a.kill()
	a.person.unsee("Allow Bash")
	eventually(t, "nothing waits", func() bool { return len(a.spool.pending()) == 0 })
}

// While a sub-agent waits for the hook Claude shows nothing. Our form says so, and has a key that brings
// Claude's prompt.
func TestClaudePermissionSubagent(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Agent", `{"description":"look","prompt":"look at it","subagent_type":"general-purpose"}`))
	a.model.sub = []turn{calls("Bash", touch)}
	a.decide("touch made.txt", "Claude Code shows no dialog", "Esc hand back")
	if strings.Contains(a.screen(), "1. Yes") {
		t.Error("Claude shows its prompt")
	}
	a.counts("\x02", func(screen string) bool { return !strings.Contains(screen, "touch made.txt") })
	a.step("1. Yes", "1", "")
	a.made()
}

// In auto mode Claude asks for what is dangerous by the settings, and for nothing else.
func TestClaudePermissionAutoMode(t *testing.T) {
	t.Parallel()
	a := newClaude(t, "permissions,auto", calls("Bash", `{"command":"touch other.txt","description":"Make another"}`),
		calls("Bash", `{"command":"touch made.txt; rm -f none","description":"Make and remove"}`))
	a.start(false, "--permission-mode", "auto", "go on")
	a.asks("DESTRUCTIVE", "touch made.txt; rm -f none", "To allow it once, type “rm”")
	if n := len(a.spool.history()); n != 0 {
		t.Errorf("%d were asked before", n)
	}
	a.shows("dangerous by the settings of askpane: rm")
	a.counts("rm", func(screen string) bool { return strings.Contains(screen, "│ rm") })
	a.person.press(enter)
	a.made()
}

// Esc in ours leaves it to Claude's own prompt, which stands.
func TestClaudePermissionLeft(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch))
	a.decide("Allow Bash")
	a.counts("\x1b", noForm)
	a.shows("1. Yes")
	a.step("1. Yes", "1", "")
	a.made()
}

// What is dangerous is allowed by typing it alone.
func TestClaudePermissionDangerous(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", `{"command":"touch made.txt; rm -f none","description":"Make and remove"}`))
	a.decide("DESTRUCTIVE", "To allow it once, type “rm”")
	a.counts("rn", func(screen string) bool { return strings.Contains(screen, "│ rn") })
	a.person.press(enter)
	a.person.see("must be exactly “rm”")
	a.person.press("\x7f", "m", enter)
	a.made()
}

// While the person looks at Claude's pane no form opens; when they go elsewhere it does.
func TestClaudePermissionWhileLooking(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", touch))
	a.start(false, "--permission-mode", "default", "go on")
	a.tmux("select-window", "-t", a.pane)
	a.shows("1. Yes")
	eventually(t, "it waits in the spool", func() bool { return len(a.spool.pending()) == 1 })
	if needs.Within(8*time.Second, func() bool { return strings.Contains(a.person.screen(), "Allow Bash") }) {
		t.Error("a form came over the pane that the person looks at")
	}
	a.tmux("select-window", "-t", "main:0")
	a.person.see("Allow Bash")
	a.counts("1", noForm)
	a.made()
}
