package mcp

import (
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/askpane/askpane/bridge"
)

// PermissionPrompt is the name of the tool that Claude Code's --permission-prompt-tool is for.
const PermissionPrompt = "permission_prompt"

// Prompt is what a call of that tool asks.
type Prompt struct {
	Dialect string
	Request []byte
	Result  func(bridge.Envelope) string // what the call returns, however the form has ended
}

func promptDefinition() *sdk.Tool {
	return definition(PermissionPrompt, "Ask the person for a permission",
		"For the agent's program (claude --permission-prompt-tool), not for its model: whether the tool may be used.",
		json.RawMessage(`{"type":"object","properties":{"tool_name":{"type":"string"},"input":{"type":"object"},"tool_use_id":{"type":"string"}},"required":["tool_name","input"]}`))
}

func (s *server) prompt(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p, err := s.Prompts(arguments(req), s.cwd(ctx, req.ProtocolVersion()))
	if err != nil {
		return failed(err), nil
	}
	c := s.call(req)
	c.says = p.Result
	return c.answer(ctx, p.Dialect, p.Request)
}
