package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
)

// Prompts describes a tool that an agent's program calls, and not its model, where it would show a prompt.
type Prompts struct {
	Tool string // its name
	Read func(call []byte, cwd string) (Prompt, error)
}

// Prompt says what a call of it asks, and how it is answered.
type Prompt struct {
	Dialect string
	Request []byte
	Result  func(bridge.Envelope) string // what the call returns, however the form has ended
}

func promptDefinition(name string) *sdk.Tool {
	return definition(name, "Ask the person for a permission",
		"For the agent's program (claude --permission-prompt-tool), not for its model: whether the tool may be used.",
		json.RawMessage(`{"type":"object","properties":{"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}},"required":["tool_name","input"]}`))
}

func (s *server) prompt(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p, err := s.Prompts.Read(arguments(req), s.cwd(ctx, req.ProtocolVersion()))
	if err != nil {
		return failed(err), nil
	}
	c := s.call(req)
	c.says = p.Result
	return c.answer(ctx, p.Dialect, p.Request)
}
