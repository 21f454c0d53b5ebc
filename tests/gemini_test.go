package tests

import "testing"

// newGemini is Gemini CLI with our MCP server.
func newGemini(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "gemini", script...)
	a.env = []string{"GEMINI_API_KEY=dummy-key", "GOOGLE_GEMINI_BASE_URL=" + a.model.url,
		"GEMINI_CLI_NO_RELAUNCH=true"} // one process, which is the one to kill
	a.write(".gemini/settings.json", `{
  // of the test
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "general": {"enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}`)
	a.install("--write")
	return a
}
