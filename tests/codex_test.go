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

	"github.com/askpane/askpane/tests/needs"
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
// after that pane is gone too; and while it is there, the question is not taken for
// that pane's.
func TestCodexDaemon(t *testing.T) {
	for _, c := range []struct {
		name string
		gone bool // the first screen's pane
	}{{"its pane is gone", true}, {"its pane is another's", false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newCodex(t, calls("ask_human", database))
			t.Cleanup(a.endDaemons)
			a.start(false)
			a.shows("scripted-1")
			first := a.pane
			a.start(false, "ask me")
			if c.gone {
				a.tmux("kill-pane", "-t", first)
			}
			id := a.asks("codex asks", "Which database?")
			if !slices.ContainsFunc(atHome(a.home), func(pid int) bool {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				return strings.Contains(string(line), "--managed-daemon")
			}) {
				t.Error("there is no daemon, so this tests nothing")
			}
			if !c.gone {
				a.notOf(first, id)
			}
			a.picks()
			a.shows(modelSaysLast)
		})
	}
}

// notOf checks that a question is not taken for that of a pane.
func (a *agent) notOf(pane, id string) {
	a.t.Helper()
	var req struct {
		Origin struct{ Pane, Ref string }
	}
	if err := json.Unmarshal([]byte(a.spool.read(id, "request.json")), &req); err != nil {
		a.t.Fatal(err)
	}
	if req.Origin.Ref == pane || req.Origin.Pane != "" && req.Origin.Pane == a.tmux("display-message", "-p", "-t", pane, "#{session_name}:#{window_index}.#{pane_index}") {
		a.t.Errorf("the question is taken for that of %s, the first screen's pane: %+v", pane, req.Origin)
	}
	if title := a.tmux("display-message", "-p", "-t", pane, "#{pane_title}"); strings.Contains(title, "🔔") {
		a.t.Errorf("the first screen's title is %q", title)
	}
}

// endDaemons ends what the agent has left behind.
func (a *agent) endDaemons() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} { // one of them ignores the first
		for _, pid := range atHome(a.home) {
			_ = syscall.Kill(pid, sig)
		}
		if needs.Within(2*time.Second, func() bool { return len(atHome(a.home)) == 0 }) {
			return
		}
	}
	a.t.Errorf("left behind: %v", atHome(a.home))
}
