// Package denial has the agents whose hooks cannot answer their own question tool, only
// refuse its call: the refusal says in words that it is the person's answer. Of those that can be
// told a permission by a hook it has that, too.
//
// It reads what a hook gets and makes what it prints, and touches nothing. The rule that must
// hold here: what is no call of those tools is the agent's own affair.
package denial

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

// Agent says how an agent's hook tells of a question and takes a refusal. The facts are from
// the real programs (docs/dev/agents.md).
type Agent struct {
	Name    string // as askpane install has it
	Dialect string // in which its tool's input is
	event   string // of the hook; empty where its input does not say
	tool    string
	refusal string // JSON, with REASON in place of a string
	allowed string // where the hook can allow a call, too
	asks    string // has its own prompt come for a call that it would allow by itself; empty where its hook is told of no such call
	// readers lists the commands that only read, of an agent that tells its hook of those, too.
	readers []string
	// Stopped is in the line that its transcript gets when the person stops it, where it tells its hook nothing of that.
	Stopped string
}

// All lists them. Adding one is a row here; CONTRIBUTING.md says what else an agent takes.
var All = []Agent{
	{"gemini", "gemini", "BeforeTool", "ask_user", `{"decision":"deny","reason":REASON}`, "", "", nil, `"type":"info","content":"Request cancelled."`},
	{"copilot", "copilot", "", "ask_user", `{"permissionDecision":"deny","permissionDecisionReason":REASON}`, `{"permissionDecision":"allow"}`,
		`{"permissionDecision":"ask","permissionDecisionReason":"It was left undecided in askpane."}` + "\n", []string{"ls", "cat", "pwd", "head", "tail", "wc", "grep", "rg", "du", "df", "stat", "file", "which", "echo", "date", "whoami"}, `{"type":"abort",`},
	{"qwen", "AskUserQuestion", "PermissionRequest", "ask_user_question",
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":REASON}}}`,
		`{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, "", nil, ""},
}

// Call is one call of an agent's tool, as its hook gets it.
type Call struct {
	Event      string          `json:"hook_event_name"`
	Tool       string          `json:"tool_name"`
	Input      json.RawMessage `json:"tool_input"`
	Session    string          `json:"session_id"`      // the agent's own name for it
	Transcript string          `json:"transcript_path"` // of its file, of which Copilot CLI tells nothing; empty where none is known
	Dir        string          `json:"cwd"`
	// Copilot CLI has these, which are in those above when the call was read.
	ToolName  string          `json:"toolName"`
	ToolArgs  json.RawMessage `json:"toolArgs"`
	SessionID string          `json:"sessionId"`
}

// Read reads what the hook gets of a call of the question tool.
func (a Agent) Read(input []byte) (c Call, err error) {
	c, err = a.read(input)
	if err == nil && c.Tool != a.tool {
		err = fmt.Errorf("expected the tool %s, got %.40q", a.tool, c.Tool)
	}
	return c, err
}

// read reads what the hook gets of a call of any tool.
func (a Agent) read(input []byte) (c Call, err error) {
	if err := json.Unmarshal(input, &c); err != nil {
		return c, fmt.Errorf("read the hook's input: %w", err)
	}
	if c.Event != a.event {
		return c, fmt.Errorf("expected the event %q, got %.40q", a.event, c.Event)
	}
	if c.SessionID != "" {
		c.Transcript = filepath.Join(host.Dir(os.Getenv("HOME"), os.Getenv("COPILOT_HOME"), ".copilot"), "session-state", filepath.Base(c.SessionID), "events.jsonl")
	}
	c.Tool, c.Session, c.Input = c.Tool+c.ToolName, c.Session+c.SessionID, append(c.Input, c.ToolArgs...) // each is one of two names
	var quoted string
	if json.Unmarshal(c.Input, &quoted) == nil { // JSON in a string
		c.Input = json.RawMessage(quoted)
	}
	if !json.Valid(c.Input) {
		return c, errors.New("the tool's input is not JSON")
	}
	return c, nil
}

// Refuse makes what the hook prints, so that the model reads reason.
func (a Agent) Refuse(reason string) string {
	return strings.Replace(a.refusal, "REASON", hint.JSON(reason), 1) + "\n"
}

// Answered and Declined begin the refusal that carries an answer, or why there is none, and say so by themselves, since
// the agent puts a word like "blocked" in front of it.
const (
	Answered = "This is no error: the person has answered the question in askpane. Do not ask it again. Their answer: "
	Declined = "This is no error: the person has declined in askpane to answer the question. Do not ask it again. Their reason: "
)
