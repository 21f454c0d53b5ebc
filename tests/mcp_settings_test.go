package tests

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/tests/needs"
)

// The settings that count are those of the project in which the agent works, as
// they are when its call goes away: an edit under the open form decides it.
func TestMCPKeepAfterCancel(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, file := repository(t, `{"guardMs": 0, "debounceMs": 0}`)
	m := s.mcpIn(dir, nil)
	defer m.leave()
	kept := m.begin("question", colour)
	v.see("> 1. Red")
	kept.cancel()
	v.see("agent gone")
	v.press("1")
	v.unsee("Which colour?")
	m.begin("question", colour).says("answered", "Colour: user selected: 1. Red")

	gone := m.begin("question", colour)
	v.see("> 1. Red")
	// What is wrong in the new file is said when the server has it.
	if err := os.WriteFile(file, []byte(`{"guardMs": 0, "debounceMs": 0, "keepAfterCancel": false, "theme": "plaid"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the server has the change", func() bool { return strings.Contains(m.said(), "plaid") })
	gone.cancel()
	v.unsee("Which colour?")
	eventually(t, "the question is over", func() bool { return len(s.spool.pending()) == 0 && len(s.spool.history()) == 2 })
}

// The setting heartbeatWhileActive reaches the agent, in a progress message of
// its own words. The interval is the shortest there is.
func TestMCPHeartbeat(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the heartbeat of half a minute")
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{"guardMs": 0, "heartbeatWhileActive": true, "heartbeatIntervalMinutes": 0.5}`)
	told := make(chan string, 100)
	m := s.mcpIn(dir, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		told <- r.Params.Message
	}})
	defer m.leave()
	params := &sdk.CallToolParams{Name: "question", Arguments: json.RawMessage(colour)}
	params.SetProgressToken("token")
	got := make(chan error, 1)
	go func() {
		_, err := m.CallTool(t.Context(), params)
		got <- err
	}()
	v.see("> 1. Red")
	late := time.After(30*time.Second + patience)
	for beaten := false; !beaten; {
		select {
		case message := <-told:
			beaten = strings.Contains(message, "still waits for an answer, for 30s now")
		case <-late:
			t.Fatal("there is no heartbeat")
		}
	}
	v.press("1")
	if err := <-got; err != nil {
		t.Error(err)
	}
}
