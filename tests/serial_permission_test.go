package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// permitting are the agents that show no prompt of their own for a permission while the hook runs.
var permitting = []struct {
	name  string
	start func(t *testing.T, parts string, script ...turn) *agent
	args  []string
	tool  string
	asks  string // the arguments for the command touch made.txt
	told  string // what the model reads of a refusal; REASON stands for that
	yes   string // on the agent's own prompt, where Enter allows it
}{
	{"copilot", newCopilot, []string{"-i", "go on"}, "bash", `{"command":"touch made.txt","description":"Make a file","initial_wait":5}`,
		"Denied by preToolUse hook: REASON", "1. Yes"},
	{"qwen", newQwen, []string{"--approval-mode", "default", "-i", "go on"}, "run_shell_command", `{"command":"touch made.txt","description":"Make a file","is_background":false}`,
		"REASON", "Yes, allow once"},
}

// hides reports whether no form for a tool is on a screen.
func hides(tool string) func(screen string) bool {
	return func(screen string) bool { return !strings.Contains(screen, "Allow "+tool) }
}

// Refused with a reason, which the model reads, then handed back and allowed in the agent's own prompt, then allowed here.
func TestSerialPermissions(t *testing.T) {
	t.Parallel()
	for _, c := range permitting {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			other := strings.ReplaceAll(c.asks, "made.txt", "there.txt")
			a := c.start(t, "permissions", calls(c.tool, other), calls(c.tool, other), calls(c.tool, c.asks))
			a.start(false, c.args...)
			id := a.asks(c.name+" asks", "Allow "+c.tool+" to run this command?", "touch there.txt", "“Make a file”", "Yes, once", "hand back")
			if strings.Contains(a.screen(), c.yes) {
				t.Errorf("its own prompt stands there, too:\n%s", a.screen())
			}
			a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
			a.person.press("not in this folder", enter)
			a.told(1, strings.Replace(c.told, "REASON", "The person does not allow this. not in this folder", 1))
			a.person.unsee("Allow " + c.tool)
			if got := a.spool.read("history", id, "answer.json"); !strings.Contains(got, "not in this folder") {
				t.Errorf("the history has %s", got)
			}

			a.asks("touch there.txt")
			a.counts("\x02", hides(c.tool)) // Ctrl+B
			a.step(c.yes, "Enter", "")

			a.asks("touch made.txt")
			a.counts("1", hides(c.tool))
			a.made()
			a.shows(modelSaysLast)
		})
	}
}

// Copilot CLI shows no prompt with -p: what its person does not allow here does not run, also while they look at its pane.
func TestCopilotPrintedPermission(t *testing.T) {
	t.Parallel()
	c := permitting[0]
	a := c.start(t, "permissions", calls(c.tool, c.asks))
	a.start(true, "-p", "go on", "--allow-all-tools")
	a.tmux("select-window", "-t", a.pane)
	a.asks("copilot asks", "touch made.txt")
	if screen := a.person.screen(); strings.Contains(screen, "hand back") {
		t.Errorf("it is to be handed back to a prompt that there is not:\n%s", screen)
	}
	a.counts("2", hides(c.tool))
	a.told(1, strings.Replace(c.told, "REASON", "The person does not allow this.", 1))
	a.ended()
}

// What Copilot CLI was told to allow by itself does not run where its person leaves it undecided here: its own prompt
// comes, and with -p, which has none, it is refused.
func TestCopilotAllowsAll(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"left": {"-i"}, "handed back": {"-i"}, "printed": {"-p"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := permitting[0]
			a := c.start(t, "permissions", calls(c.tool, c.asks))
			a.start(name == "printed", append(args, "go on", "--allow-all-tools")...)
			a.asks("touch made.txt")
			key := esc
			if name == "handed back" {
				key = "\x02" // Ctrl+B
			}
			a.counts(key, hides(c.tool))
			if name == "printed" {
				a.told(1, "Denied by preToolUse hook (unable to ask user for confirmation): It was left undecided in askpane.")
			} else {
				a.shows(c.yes)
			}
			if _, err := os.Stat(filepath.Join(a.cwd, "made.txt")); err == nil {
				t.Fatal("it has run")
			}
			if name != "printed" {
				a.step(c.yes, "Enter", "")
				a.made()
			}
		})
	}
}

// Where the person looks at the agent's pane it is the agent's own prompt that comes.
func TestSerialPermissionsWhileLooking(t *testing.T) {
	t.Parallel()
	for _, c := range permitting {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := c.start(t, "permissions", calls(c.tool, c.asks))
			a.start(false, c.args...)
			a.tmux("select-window", "-t", a.pane)
			a.shows(c.yes)
			if screen := a.person.screen(); !hides(c.tool)(screen) || len(a.spool.pending()) > 0 {
				t.Errorf("it is asked for here, too:\n%s", screen)
			}
			a.step(c.yes, "Enter", "")
			a.made()
		})
	}
}

// A killed agent's form stays, and says so.
func TestSerialPermissionsOfAKilledAgent(t *testing.T) {
	t.Parallel()
	for _, c := range permitting {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := c.start(t, "permissions", calls(c.tool, c.asks))
			a.start(false, c.args...)
			id := a.asks("touch made.txt")
			a.kill()
			if !needs.Within(agentPatience, func() bool {
				return a.spool.read("history", id, "answer.json") != "" || strings.Contains(a.person.screen(), "gone")
			}) {
				t.Errorf("the form says nothing:\n%s", a.person.screen())
			}
		})
	}
}
