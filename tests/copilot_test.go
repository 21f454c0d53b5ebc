package tests

import "testing"

// newCopilot is Copilot CLI with the parts of ours that are named.
func newCopilot(t *testing.T, parts string, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "copilot", script...)
	t.Cleanup(a.endDaemons) // it goes on writing when its terminal has gone
	a.env = []string{"COPILOT_OFFLINE=true", "COPILOT_AUTO_UPDATE=false", "COPILOT_PROVIDER_BASE_URL=" + a.model.url + "/v1",
		"COPILOT_PROVIDER_API_KEY=dummy-key", "COPILOT_MODEL=gpt-5-mini"}
	a.write(".copilot/config.json", `{"trusted_folders":["`+a.cwd+`"],"banner":"never"}`)
	a.install("--write", "--only", parts)
	return a
}
