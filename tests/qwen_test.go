package tests

import "testing"

// newQwen is Qwen Code with the parts of ours that are named.
func newQwen(t *testing.T, parts string, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "qwen", script...)
	t.Cleanup(a.endDaemons) // it goes on writing when its terminal has gone
	a.env = []string{"OPENAI_API_KEY=dummy-key", "OPENAI_BASE_URL=" + a.model.url + "/v1", "OPENAI_MODEL=scripted-1"}
	a.write(".qwen/settings.json", `{
  // of the test
  "security": {"auth": {"selectedType": "openai"}},
  "general": {"enableAutoUpdate": false, "disableAutoUpdate": true},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}`)
	a.install("--write", "--only", parts)
	return a
}
