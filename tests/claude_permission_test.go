package tests

import (
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
	var again time.Time
	a.person.until("took "+strconv.Quote(key), func(screen string) bool {
		if !so(screen) && time.Now().After(again) {
			a.person.press(key)
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

// Yes in Claude's own prompt, on a command that runs long: ours is gone within seconds.
func TestClaudePermissionAnsweredThere(t *testing.T) {
	t.Parallel()
	a := newPermitted(t, calls("Bash", `{"command":"touch made.txt; sleep 30","description":"Wait"}`))
	a.decide("Allow Bash", "sleep 30")
	a.shows("1. Yes")
	began := time.Now()
	a.press("1", func() bool { return len(a.spool.pending()) == 0 })
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("ours was there for %v more", took)
	}
	a.person.unsee("Allow Bash")
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
