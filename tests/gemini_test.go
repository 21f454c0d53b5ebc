package tests

import (
	"strings"
	"testing"
)

// newGemini is Gemini CLI with our MCP server.
func newGemini(t *testing.T, script ...turn) *agent {
	t.Helper()
	return newGeminiWith(t, "mcp", script...)
}

// newGeminiWith is Gemini CLI with the parts of ours that are named.
func newGeminiWith(t *testing.T, parts string, script ...turn) *agent {
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
	a.install("--write", "--only", parts)
	return a
}

// Gemini CLI tells its servers nothing of Esc, so what the person answers after that is
// delivered to nobody; the same question asked again gets it.
func TestGeminiAnsweredAfterEsc(t *testing.T) {
	t.Parallel()
	ask := calls("ask_human", database)
	a := newGemini(t, ask, ask)
	a.start(false, "-m", "gemini-2.5-flash", "-i", "ask me")
	id := a.asks("Which database?")
	a.keys("Escape")
	a.shows("Request cancelled")
	a.picks()
	eventually(t, "the answer is delivered", func() bool {
		return strings.Contains(a.spool.read("history", id, "answer.json"), `"outcome":"answered"`)
	})
	a.keys("go on")
	a.shows("go on")
	before := len(a.model.said())
	a.press("Enter", func() bool { return len(a.model.said()) > before })
	eventually(t, "the model gets the answer, or the person a new form", func() bool {
		bodies := a.model.said()
		return strings.Contains(bodies[len(bodies)-1], "Recovered: the same question was asked by an earlier call") || len(a.spool.pending()) > 0
	})
	bodies := a.model.said()
	if last := bodies[len(bodies)-1]; !strings.Contains(last, sqlite) || len(a.spool.pending()) > 0 {
		t.Errorf("%d forms wait, and the model was told\n%s", len(a.spool.pending()), last)
	}
}
