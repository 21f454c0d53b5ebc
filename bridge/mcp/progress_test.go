package mcp

import (
	"context"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/tests/must"
)

// listen is a client with a call that waits, and what it is told meanwhile.
func (s *stage) listen() (id string, told <-chan *sdk.ProgressNotificationParams, got <-chan error) {
	s.Helper()
	notes, ended := make(chan *sdk.ProgressNotificationParams, 1000), make(chan error, 1)
	c := s.connect("opencode", &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { notes <- r.Params }})
	params := &sdk.CallToolParams{Name: "question", Arguments: map[string]any{}}
	params.Arguments = map[string]any{"prompt": "P?", "options": []any{map[string]any{"label": "a"}, map[string]any{"label": "b"}}}
	params.SetProgressToken("token")
	go func() {
		_, err := c.CallTool(s.Context(), params)
		ended <- err
	}()
	return s.pending(1)[0], notes, ended
}

func TestProgress(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.config.progressEvery = 20 * time.Millisecond
	id, told, got := s.listen()
	last := -1.0
	for range 3 {
		select {
		case p := <-told:
			if p.ProgressToken != "token" || p.Progress <= last || !strings.HasPrefix(p.Message, "waiting for the person, ") {
				t.Errorf("told %+v after %v", p, last)
			}
			last = p.Progress
		case <-time.After(patience):
			t.Fatal("no progress is told")
		}
	}
	s.answers(id)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// A heartbeat of the alerts is progress too, in its own words.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	beats := make(chan Beat, 1)
	s.alert = func(beat Beat) { beats <- beat }
	id, told, got := s.listen()
	beat := <-beats
	must.Do(t, beat(t.Context(), 4*time.Minute+30*time.Second))
	select {
	case p := <-told:
		if p.ProgressToken != "token" || !strings.Contains(p.Message, "for 4m 30s now") {
			t.Errorf("told %+v", p)
		}
	case <-time.After(patience):
		t.Fatal("the client is told nothing")
	}
	s.answers(id)
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// A client that does not want to hear of progress cannot be told, and after a
// receipt there is no call to tell.
func TestHeartbeatOfNoUse(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	beats := make(chan Beat, 1)
	s.alert = func(beat Beat) { beats <- beat }
	s.connect("x", nil).begin("question", store)
	if err := (<-beats)(t.Context(), time.Minute); err == nil || !strings.Contains(err.Error(), "hear of progress") {
		t.Errorf("the heartbeat says %v", err)
	}
	r := s.limited(200*time.Millisecond).begin("question", numbered(2)).result()
	s.is(r, bridge.Pending, textOf(r))
	if err := (<-beats)(t.Context(), time.Minute); err != nil {
		t.Errorf("the heartbeat after the receipt says %v", err)
	}
}
