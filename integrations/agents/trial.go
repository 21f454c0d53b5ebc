package agents

import "strings"

// Trial is a call of an installed command as an agent makes it, of a question or a permission
// that harms nothing, with Yes as its first choice.
type Trial struct {
	What  string   // says what is tried, where the name of the part says something else
	Args  []string // of askpane; Trials finds a hook's
	Input string
	Says  string // is in a line of what is printed when the first choice was taken
	Open  bool   // the input stays open until then
	Quiet bool   // it asks nobody, and prints that at once
}

// tried has the calls as agents make them (docs/dev/agents.md): of hooks by what stands behind
// “hook”, of the others by their part. Claude Code's come from a sub-agent, which shows nothing beside.
var tried = map[string]Trial{
	"claude":                 {Input: claudeCalls + `"AskUserQuestion","tool_input":` + tryPlain + "}", Says: `"Yes"`},
	"claude " + Elicitations: {What: "hook for forms of MCP servers", Input: `{"hook_event_name":"Elicitation","mcp_server_name":"test","message":"A test","requested_schema":` + tryForm + "}", Says: `"Yes"`},
	"claude permissions":     {Input: claudeCalls + `"Bash","tool_input":{"command":"true"}}`, Says: `"allow"`},
	"claude auto":            {Input: `{"hook_event_name":"PreToolUse","permission_mode":"auto","tool_name":"Bash","tool_input":{"command":"rm test"}}`, Says: `"ask"`, Quiet: true},
	"claude plans":           {Input: claudeCalls + `"ExitPlanMode","tool_input":{"plan":"# A test of askpane doctor"}}`, Says: `"allow"`},
	"gemini": {Input: `{"hook_event_name":"BeforeTool","tool_name":"ask_user","tool_input":{"questions":[{"question":"A test?","header":"Test",` +
		`"type":"choice","options":[{"label":"Yes","description":""},{"label":"No","description":""}]}]}}`, Says: "Yes"},
	"qwen":                {Input: claudeCalls + `"ask_user_question","tool_input":` + tryPlain + "}", Says: "Yes"},
	"qwen permissions":    {Input: claudeCalls + `"run_shell_command","tool_input":{"command":"true"}}`, Says: `"allow"`},
	"copilot":             {Input: `{"toolName":"ask_user","toolArgs":{"message":"A test","requestedSchema":` + tryForm + "}}", Says: "Yes"},
	"plugin opencode":     {Input: pluginCall, Says: `"once"`},
	"plugin kilo":         {Input: pluginCall, Says: `"once"`},
	"plugin pi":           {Input: pluginCall, Says: "{}"},
	"copilot permissions": {Input: `{"toolName":"bash","toolArgs":{"command":"true"}}`, Says: `"allow"`},
	MCP:                   {Args: []string{"mcp"}, Input: tryServer, Says: "Yes", Open: true},
	"plugin":              {Args: []string{"hook", "plugin", "opencode", "opencode"}, Input: tryQuestion, Says: "Yes"},
	"extension":           {Args: []string{"ask", "--dialect", "buttons"}, Input: tryButtons, Says: "Yes"},
}

const (
	claudeCalls = `{"hook_event_name":"PermissionRequest","agent_id":"test","tool_name":`
	tryPlain    = `{"questions":[{"question":"A test?","header":"Test","options":[{"label":"Yes","description":""},{"label":"No","description":""}],"multiSelect":false}]}`
	tryForm     = `{"type":"object","properties":{"test":{"type":"string","title":"A test?","enum":["Yes","No"]}},"required":["test"]}`
	pluginCall  = `{"permission":"bash","directory":"/","input":{"command":"true"}}`
	tryQuestion = `{"questions":[{"question":"A test?","options":[{"label":"Yes"},{"label":"No"}]}]}`
	tryButtons  = `{"prompt":"A test?","options":[{"label":"Yes"},{"label":"No"}]}`
	tryServer   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"askpane doctor","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask_human","arguments":{"questions":[{"id":"test","type":"choice","header":"Test","prompt":"A test?","options":[{"value":"yes","label":"Yes"},{"value":"no","label":"No"}]}]}}}
`
)

// Trials returns a call of each command of f; none of what no agent calls.
func (f Found) Trials() (all []Trial) {
	for _, command := range f.Commands {
		_, called, is := strings.Cut(command, asHook)
		if !is && f.Part == Permissions {
			called = "plugin " + f.Agent
		} else if !is {
			called = f.Part
		}
		if t, ok := tried[called]; ok {
			if t.Args == nil {
				t.Args = append([]string{"hook"}, strings.Fields(called)...)
			}
			all = append(all, t)
		}
	}
	return all
}
