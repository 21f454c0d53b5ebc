package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newCodex is Codex with our MCP server.
func newCodex(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "codex", script...)
	a.env = []string{"SCRIPTED_API_KEY=dummy-key"}
	a.write(".codex/config.toml", fmt.Sprintf(`model = "scripted-1"
model_provider = "scripted"
check_for_update_on_startup = false # tests
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "%s/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
[projects.%q]
trust_level = "trusted"
`, a.model.url, a.cwd))
	a.install("--write")
	// Codex hands on none of its environment but what is named.
	a.edit(".codex/config.toml", "\"ASKPANE_HOST\"]\n", "\"ASKPANE_HOST\"]\n\n[mcp_servers.askpane.env]\nASKPANE_GUARD_MS = \"0\"\n")
	return a
}

// Codex's screen leaves a daemon behind that starts the servers, with the pane
// of the first screen for all: the popup opens where the person is all the same,
// after that pane is gone too.
func TestCodexDaemon(t *testing.T) {
	t.Parallel()
	a := newCodex(t, calls("ask_human", database))
	t.Cleanup(a.endDaemons)
	a.start(false)
	a.shows("scripted-1")
	first := a.pane
	a.start(false, "ask me")
	a.tmux("kill-pane", "-t", first)
	a.asks("codex asks", "Which database?")
	if !slices.ContainsFunc(atHome(a.home), func(pid int) bool {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return strings.Contains(string(line), "--managed-daemon")
	}) {
		t.Error("there is no daemon, so this tests nothing")
	}
	a.picks()
	a.shows(modelSaysLast)
}

// The pane that the daemon hands on is still there, and another's: the popup
// opens where the person is, and the question is not taken for that pane's.
func TestCodexDaemonTwoScreens(t *testing.T) {
	t.Parallel()
	a := newCodex(t, calls("ask_human", database))
	t.Cleanup(a.endDaemons)
	a.start(false)
	a.shows("scripted-1")
	first := a.pane
	a.start(false, "ask me")
	id := a.asks("codex asks", "Which database?")
	var req struct {
		Origin struct{ Pane, Ref string }
	}
	if err := json.Unmarshal([]byte(a.spool.read(id, "request.json")), &req); err != nil {
		t.Fatal(err)
	}
	if req.Origin.Ref == first || req.Origin.Pane != "" && req.Origin.Pane == a.tmux("display-message", "-p", "-t", first, "#{session_name}:#{window_index}.#{pane_index}") {
		t.Errorf("the question is taken for that of %s, the first screen's pane: %+v", first, req.Origin)
	}
	if title := a.tmux("display-message", "-p", "-t", first, "#{pane_title}"); strings.Contains(title, "🔔") {
		t.Errorf("the first screen's title is %q", title)
	}
	a.picks()
	a.shows(modelSaysLast)
}

// endDaemons ends what the agent has left behind.
func (a *agent) endDaemons() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} { // one of them ignores the first
		for _, pid := range atHome(a.home) {
			_ = syscall.Kill(pid, sig)
		}
		if pollFor(2*time.Second, func() bool { return len(atHome(a.home)) == 0 }) {
			return
		}
	}
	a.t.Errorf("left behind: %v", atHome(a.home))
}

// Two agents of different kinds ask at once: one form after the other, and each
// gets its own answer.
func TestTwoAgentsAtOnce(t *testing.T) {
	t.Parallel()
	a, b := newPi(t, calls("question", colour)), newCodex(t, calls("ask_human", database))
	b.tmuxServer, b.person = a.tmuxServer, a.person
	a.start(true, "-p", "ask me")
	b.start(true, "exec", "--skip-git-repo-check", "ask me")
	if !pollFor(agentPatience, func() bool { return len(a.spool.pending()) == 2 }) {
		t.Fatalf("not both ask: %v", a.spool.pending())
	}
	for range 2 {
		a.person.until("showed a question", func(screen string) bool {
			return strings.Contains(screen, "1. Red") || strings.Contains(screen, "SQLite")
		})
		if strings.Contains(a.person.screen(), "1. Red") {
			a.person.see("pi asks")
			a.person.press("2")
			a.person.unsee("1. Red")
		} else {
			a.person.see("codex asks")
			a.picks()
			a.person.unsee("SQLite")
		}
	}
	a.told(1, "Colour: user selected: 2. Green")
	if got := b.model.result(1); !strings.Contains(got, `"label":"SQLite","selected":true`) {
		t.Errorf("codex was told %q", got)
	}
	a.ended()
	b.ended()
}
