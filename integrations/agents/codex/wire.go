package codex

import (
	"encoding/json"
	"strings"
)

// Message is one of JSON-RPC as Codex's daemon speaks it: a request has an ID and a Method, a
// notification a Method alone, and a response an ID alone.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params any             `json:"params,omitempty"` // of what is sent
	Result any             `json:"result,omitempty"` // of what is sent
}

// Received is a Message that the daemon has sent.
type Received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// params has the members that we read of all requests and notifications.
type params struct {
	ThreadID  string          `json:"threadId"`
	ItemID    string          `json:"itemId"`
	RequestID json.RawMessage `json:"requestId"`
	Thread    thread          `json:"thread"`
	Turn      turn            `json:"turn"`
	Status    status          `json:"status"`
	Item      item            `json:"item"`

	Questions []json.RawMessage `json:"questions"` // of request_user_input

	Kind        string            `json:"kind"` // and what follows: of what is to be allowed
	Reason      string            `json:"reason"`
	Command     string            `json:"command"`
	Cwd         string            `json:"cwd"`
	Environment string            `json:"environmentId"`
	Decisions   []json.RawMessage `json:"availableDecisions"`

	ServerName      string          `json:"serverName"` // and what follows: of an elicitation
	Mode            string          `json:"mode"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema"`
	Meta            struct {
		Approval  string          `json:"codex_approval_kind"`
		Tool      string          `json:"tool_name"`
		Arguments json.RawMessage `json:"tool_params"`
		Persist   []string        `json:"persist"`
	} `json:"_meta"`
}

// result has the members that we read of all responses.
type result struct {
	CodexHome string   `json:"codexHome"`
	Data      []string `json:"data"` // of the loaded threads
	Thread    thread   `json:"thread"`
	Page      struct {
		Data []turn `json:"data"`
	} `json:"initialTurnsPage"`
	Config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
			Enabled *bool    `json:"enabled"` // nil is true
		} `json:"mcp_servers"`
	} `json:"config"`
}

// read reads what a message carries, and a dialect's details. Members of another shape than ours stay
// empty: what is in them is nothing that was asked for.
func read[T any](raw json.RawMessage) (v T) {
	_ = json.Unmarshal(raw, &v)
	return v
}

type thread struct {
	ID        string `json:"id"`
	Cwd       string `json:"cwd"`
	Ephemeral bool   `json:"ephemeral"`
	Rollout   string `json:"path"`
	Status    status `json:"status"`
}

type status struct {
	Type string `json:"type"`
}

const (
	active    = "active"
	notLoaded = "notLoaded"
)

type turn struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Items  []item `json:"items"`
}

const inProgress = "inProgress"

// item is a step of a turn: what the person wrote, what the agent said or does.
type item struct {
	ID        string            `json:"id"`
	Type      string            `json:"type"`
	Status    string            `json:"status"`
	Delivery  string            `json:"delivery"`
	Questions []json.RawMessage `json:"questions"`
	ClientID  string            `json:"clientId"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
	Changes []struct {
		Path string `json:"path"`
		Kind struct {
			Type string `json:"type"`
			To   string `json:"move_path"`
		} `json:"kind"`
		Diff string `json:"diff"` // of a file that comes or goes, its content
	} `json:"changes"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Error     struct {
		Message string `json:"message"`
	} `json:"error"`
}

// denied reports whether an item that has ended was not allowed.
func (i item) denied() bool {
	return i.Status == "declined" || i.Error.Message == "user rejected MCP tool call" || i.Error.Message == "user cancelled MCP tool call"
}

func (i item) asks() bool {
	return i.Type == "agentMessage" && i.Delivery == "async" && len(i.Questions) > 0
}

// What the person answers to request_user_input_async is a message of theirs: a list between
// these two lines, as Codex's own picker sends it (docs/dev/agents.md, Codex's own questions).
const (
	ourMessage = "askpane-" // begins the name that we give it
	opening    = "<send_user_message_question_reply>\n"
	closing    = "\n</send_user_message_question_reply>"
)

// answers lists the questions that a message of the person's answers: the item of each and its
// place in that. Any other message answers none by name.
func (i item) answers() (all []asyncID) {
	var text strings.Builder
	for _, part := range i.Content {
		text.WriteString(part.Text)
	}
	inner, tagged := strings.CutPrefix(text.String(), opening)
	inner, closed := strings.CutSuffix(inner, closing)
	var answers []struct {
		ID string `json:"questionItemId"`
	}
	if !tagged || !closed || json.Unmarshal([]byte(inner), &answers) != nil {
		return nil
	}
	for _, a := range answers {
		var id asyncID
		if json.Unmarshal([]byte(a.ID), &[]any{&id.tool, &id.item, &id.place}) == nil {
			all = append(all, id)
		}
	}
	return all
}

// asyncID names one question of an item, as ["request_user_input_async","call_0",0].
type asyncID struct {
	tool, item string
	place      int
}
