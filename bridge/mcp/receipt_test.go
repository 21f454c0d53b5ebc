package mcp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// limited is a server for a client that gives a call up so soon.
func (s *stage) limited(limit time.Duration) *client {
	s.config.CallLimit = &limit
	return s.connect("x", nil)
}

// patient has that client wait for ever from the next call on.
func (s *stage) patient() { *s.config.CallLimit = noLimit }

// Before the client gives up there is a receipt, as often as need be; the
// answer comes with the call that waits then.
func TestReceipts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.limited(200 * time.Millisecond)
	r := c.begin("question", store).result()
	id := s.pending(1)[0]
	s.is(r, bridge.Pending, textOf(r))
	if want := fmt.Sprintf(`{"id":"%s","next":"not answered yet; call collect_answer with this id, which waits for the answer","status":"pending"}`, id); details(t, r) != want || r.IsError || !strings.Contains(textOf(r), `collect_answer with {"id":"`+id+`"}`) {
		t.Errorf("details %s, want %s; text %q", details(t, r), want, textOf(r))
	}
	if s.open(id).Status().AgentGone {
		t.Error("after its receipt nobody waits for the question")
	}
	for range 2 {
		s.is(c.begin("collect_answer", `{"id":"`+id+`"}`).result(), bridge.Pending, textOf(r))
	}
	s.patient()
	d := c.begin("collect_answer", `{"id":"`+id+`"}`)
	s.answers(id)
	s.is(d.result(), form.Answered, stored)
	s.delivered(id)
	again := c.begin("collect_answer", `{"id":"`+id+`"}`).result()
	if !again.IsError || !strings.Contains(textOf(again), "handed over already") {
		t.Errorf("collected twice: %q", textOf(again))
	}
}

// An answer given while no call waits is there for either way to ask for it.
func TestAnsweredAfterTheReceipt(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} {
		s := newStage(t)
		c := s.limited(200 * time.Millisecond)
		c.begin("question", store).result()
		s.patient()
		id := s.pending(1)[0]
		s.answers(id)
		s.until("the bridge has left it", func() bool { return s.open(id).Status().AgentGone })
		s.undelivered(id)
		var r *sdk.CallToolResult
		if again {
			r = c.begin("question", store).result()
		} else {
			r = c.begin("collect_answer", `{"id":"`+id+`"}`).result()
		}
		s.is(r, form.Answered, stored)
		if got := strings.Contains(textOf(r), "Recovered: "); got != again || !strings.Contains(textOf(r), "when no call was waiting") {
			t.Errorf("asked again %v: %q", again, textOf(r))
		}
		s.delivered(id)
	}
}

// The same question asked again after the receipt joins the one that waits.
func TestAskedAgainAfterTheReceipt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.limited(200 * time.Millisecond)
	c.begin("question", store).result()
	id := s.pending(1)[0]
	d := c.begin("question", store)
	r := d.result()
	if r.Meta["askpane/id"] != id {
		t.Errorf("asked anew: %v, want %s", r.Meta, id)
	}
	s.pending(1)
}

// Of two calls that collect one answer the later one waits: the other may have
// been given up without a word.
func TestCollectTakesTheCallsPlace(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	c := s.limited(200 * time.Millisecond)
	c.begin("question", store).result()
	s.patient()
	id := s.pending(1)[0]
	calls := []*called{c.begin("collect_answer", `{"id":"`+id+`"}`), c.begin("collect_answer", `{"id":"`+id+`"}`)}
	outcomes := map[any]int{}
	select {
	case r := <-calls[0].got:
		outcomes[r.Meta["askpane/outcome"]]++
		calls = calls[1:]
	case r := <-calls[1].got:
		outcomes[r.Meta["askpane/outcome"]]++
		calls = calls[:1]
	case <-time.After(patience):
		t.Fatal("both wait")
	}
	s.answers(id)
	outcomes[calls[0].result().Meta["askpane/outcome"]]++
	if outcomes["pending"] != 1 || outcomes["answered"] != 1 {
		t.Errorf("they ended %v", outcomes)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	get := func(name string) string { return env[name] }
	for _, c := range []struct {
		client   string
		progress bool
		want     time.Duration
	}{
		{"opencode", false, time.Minute}, {"opencode", true, 0}, {"claude-code", true, 2 * time.Minute},
		{"gemini-cli-mcp-client", true, 65 * time.Second}, {"codex-mcp-client", true, 2 * time.Minute}, {"somebody", true, time.Minute},
		{"copilot-cli", true, time.Minute}, {"@cline/core", false, time.Minute}, {"qwen-cli-mcp-client-askpane", true, 5 * time.Minute},
	} {
		if got := clientNamed(c.client).callLimit(c.progress, get); got != c.want {
			t.Errorf("%s: %v, want %v", c.client, got, c.want)
		}
	}
	for name, c := range clients {
		if _, known := text.Known(c.agent); !known {
			t.Errorf("%s is the agent %q, which is not in text.Agents", name, c.agent)
		}
	}
	env["CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS"] = "0"
	if got := clientNamed("claude-code").callLimit(true, get); got != 30*time.Minute {
		t.Errorf("without backgrounding: %v", got)
	}
	env["MCP_TOOL_TIMEOUT"] = "4000"
	if got := clientNamed("claude-code").callLimit(true, get); got != 4*time.Second {
		t.Errorf("with a limit of the person's: %v", got)
	}
	for limit, want := range map[time.Duration]time.Duration{4 * time.Second: 3 * time.Second, time.Minute: 55 * time.Second} {
		c := call{began: time.Now()}
		if got := c.receiptIn(limit); got > want || got < want-time.Second {
			t.Errorf("a receipt for %v after %v, want %v", limit, got, want)
		}
	}
}
