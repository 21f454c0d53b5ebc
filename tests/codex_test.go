package tests

import (
	"fmt"
	"testing"
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
	a.edit(".codex/config.toml", "ASKPANE_HOST\",\n]\n", "ASKPANE_HOST\",\n]\n\n[mcp_servers.askpane.env]\nASKPANE_GUARD_MS = \"0\"\n")
	return a
}
