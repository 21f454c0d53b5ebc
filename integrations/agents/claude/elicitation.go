package claude

import (
	"encoding/json"
	"fmt"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/agents/tools"
)

// Elicitation is the event of a form that an MCP server asks for. Claude shows its own when the
// hook has ended without an answer.
const Elicitation = "Elicitation"

// ReadElicitation reads what a hook gets of it. The error says what it is, if it is no form, and is
// tools.ErrUnasked of our own server's.
func ReadElicitation(data []byte, ours string) (Prompt, error) {
	var form struct {
		Prompt
		Server  string          `json:"mcp_server_name"`
		Message string          `json:"message"`
		Mode    string          `json:"mode"`
		Schema  json.RawMessage `json:"requested_schema"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return form.Prompt, fmt.Errorf("read the hook's input: %w", err)
	}
	if form.Server == ours {
		return form.Prompt, tools.ErrUnasked
	}
	if form.Event != Elicitation || form.Mode != "" && form.Mode != "form" || form.Schema == nil {
		return form.Prompt, fmt.Errorf("expected a form of an MCP server, got %.40q of %.40q, mode %.40q", form.Event, form.Server, form.Mode)
	}
	form.Ask = []byte(hint.JSON(map[string]any{"message": form.Message, "requestedSchema": form.Schema, "serverName": form.Server}))
	return form.Prompt, nil
}
