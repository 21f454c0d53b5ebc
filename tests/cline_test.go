package tests

import "testing"

// newCline is Cline with our MCP server.
func newCline(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "cline", script...)
	a.env = []string{"CLINE_NO_AUTO_UPDATE=1", "CLINE_TELEMETRY_DISABLED=1",
		"CLINE_SESSION_BACKEND_MODE=local"} // no daemon that outlives it
	a.write(".cline/data/settings/providers.json", `{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{"openai-compatible":{
  "settings":{"provider":"openai-compatible","apiKey":"dummy-key","model":"scripted-1","baseUrl":"`+a.model.url+`/v1"},
  "updatedAt":"2026-11-28T05:51:52.488Z","tokenSource":"manual"}}}`)
	a.install("--write")
	return a
}
