package claude

import (
	"encoding/json"
	"fmt"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Elicitation is the event of a form that an MCP server asks for. Claude shows its own when the
// hook has ended without an answer.
const Elicitation = "Elicitation"

// ReadElicitation reads what a hook gets of it, and returns it in the dialect elicitation. The error
// says what it is, if it is no form, and is ErrNotOurs of our own server's.
func ReadElicitation(data []byte, ours string) (in Input, request []byte, err error) {
	var form struct {
		Input
		Server  string          `json:"mcp_server_name"`
		Message string          `json:"message"`
		Mode    string          `json:"mode"`
		Schema  json.RawMessage `json:"requested_schema"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return in, nil, fmt.Errorf("read the hook's input: %w", err)
	}
	if form.Server == ours {
		return in, nil, ErrNotOurs
	}
	if form.Event != Elicitation || form.Mode != "" && form.Mode != "form" || form.Schema == nil {
		return in, nil, fmt.Errorf("expected a form of an MCP server, got %.40q of %.40q, mode %.40q", form.Event, form.Server, form.Mode)
	}
	request = []byte(hint.JSON(map[string]any{"message": form.Message, "requestedSchema": form.Schema, "serverName": form.Server}))
	return form.Input, request, nil
}

// Fill puts the details of an answer into Claude's words.
func Fill(details json.RawMessage) (d Decision, err error) {
	d.Output.Event = Elicitation
	var said struct {
		Action  string
		Content json.RawMessage
	}
	err = json.Unmarshal(details, &said)
	d.Output.Action, d.Output.Content = said.Action, said.Content
	return d, err
}
