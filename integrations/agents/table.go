package agents

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
)

// all lists the agents. CONTRIBUTING.md says what adding one takes; docs/agents.md and docs/dev/agents.md what is known of each.
var all = []Agent{
	// pi loads every .ts file of its extensions' folders, in a project only once the
	// person trusts it.
	{Name: "pi", Parts: []string{"extension", Permissions}, Carriers: []string{"extension"}, files: piFiles,
		Caution: "pi asks for no permission itself: list what needs yours by askpane settings set permissionAsk 'git push, write, edit', for example."},
	// The hook answers Claude Code's own tool AskUserQuestion and is subject to none of
	// what befalls MCP calls there: permissions, tool search, moving to the background.
	// The MCP server is for `claude -p`, which does not offer that tool.
	{Name: "claude", Parts: []string{"hook", Permissions, Auto, Plans, MCP}, Carriers: []string{"hook"}, files: claudeFiles,
		Hint:    "Sub-agents of Claude Code are offered MCP tools alone; to have them ask, too: askpane install claude --only questions,mcp --write",
		Caution: "In auto mode, its default, Claude Code asks for no permission, and so nothing comes here. To have it ask there, too, before what the setting permissionDangerous lists: askpane install claude --only auto --write"},
	// opencode's plugin answers its own tool `question` from our popup; the MCP server
	// is for `opencode run`, which does not offer that tool. Kilo is opencode under another
	// name.
	{Name: "opencode", Parts: []string{MCP, "plugin", Permissions}, Carriers: []string{MCP, "plugin"}, files: func(o Options) []file { return opencodeFiles(o, "opencode") },
		Caution: "opencode allows nearly everything unasked, unless the member permission of its configuration says otherwise."},
	{Name: "kilo", Parts: []string{MCP, "plugin", Permissions}, Carriers: []string{MCP, "plugin"}, files: func(o Options) []file { return opencodeFiles(o, "kilo") },
		Caution: "Kilo asks for what the member permission of its configuration says."},
	// codex starts servers with hardly any environment, so that what finds the person
	// has to be passed on by name. The server is also what has Codex's permissions asked here.
	{Name: "codex", Parts: []string{MCP, Permissions}, Carriers: []string{MCP}, files: codexFiles},
	// Unless Gemini CLI trusts a server, `gemini -p` does not offer its tools. Its hook, as
	// those of Copilot and Qwen, can only refuse a call of its own tool (package denial).
	{Name: "gemini", Parts: []string{MCP, hook}, Carriers: []string{MCP}, Hint: ownTool, files: func(o Options) []file {
		path := filepath.Join(o.dir("", ".gemini", ".gemini"), "settings.json")
		return []file{
			{MCP, Server, path, inJSON{o.listed(forever, `"timeout":%d,"trust":true`, forever*1000)}},
			{hook, hook, path, inJSON{o.hooked("BeforeTool", "^ask_user$", "gemini", forever*1000)}},
		}
	}},
	// Qwen Code hides the tools of servers behind a search unless told otherwise. It takes a
	// time limit of 1000 or more for milliseconds.
	{Name: "qwen", Parts: []string{MCP, hook, Permissions}, Carriers: []string{MCP}, Hint: ownTool, files: func(o Options) []file {
		path := filepath.Join(o.dir("QWEN_HOME", ".qwen", ".qwen"), "settings.json")
		return []file{
			{MCP, Server, path, inJSON{o.listed(forever, `"timeout":%d,"trust":true,"alwaysLoadTools":true`, forever*1000)}},
			{hook, hook, path, inJSON{o.hooked("PermissionRequest", "^ask_user_question$", "qwen", forever*1000)}},
			{Permissions, forPermissions, path, inJSON{o.hooked("PermissionRequest", "^(run_shell_command|write_file|edit|web_fetch)$", "qwen permissions", forever*1000)}},
		}
	}},
	{Name: "copilot", Parts: []string{MCP, hook, Permissions}, Carriers: []string{MCP}, Hint: ownTool,
		Caution: "Copilot CLI tells of every command and every change of a file before it applies its own rules: these are asked for here even where it would allow them itself, also with --allow-all-tools.", files: copilotFiles},
	// Cline lets no call take longer than an hour, so that its calls return receipts.
	{Name: "cline", Parts: []string{MCP}, Carriers: []string{MCP}, Personal: true, files: func(o Options) []file {
		data := host.Dir(o.Home, o.Env("CLINE_DATA_DIR"), ".cline", "data")
		return []file{{MCP, Server, filepath.Join(data, "settings", "cline_mcp_settings.json"), inJSON{o.listed(hour, `"timeout":%d`, hour)}}}
	}},
}

// ownTool offers the hook of an agent that is told the answer as a refusal.
const ownTool = "To have the questions of its own tool come here, too, with your answers as refusals of the call: askpane install AGENT --only questions,hook --write"

var (
	//go:embed files/pi.ts
	piExtension string
	//go:embed files/pi-permissions.ts
	piPermissions string
	//go:embed files/opencode.ts
	opencodePlugin string
	//go:embed files/opencode-permissions.ts
	opencodePermissions string
)

// dir returns an agent's directory: the project's, or the person's, which a variable may
// name.
func (o Options) dir(env, project string, home ...string) string {
	if o.Project != "" {
		return filepath.Join(o.Project, project)
	}
	return host.Dir(o.Home, o.Env(env), home...)
}

// script tells a file of ours in TypeScript where askpane is.
func (o Options) script(text string) kind {
	text = strings.Replace(text, `const ASKPANE = "askpane";`, "const ASKPANE = "+hint.JSON(o.Binary)+";", 1)
	return inLines("//", o.Binary, text, alone)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func piFiles(o Options) []file {
	dir := filepath.Join(o.dir("PI_CODING_AGENT_DIR", ".pi", ".pi", "agent"), "extensions")
	text := piExtension
	if o.Tools != nil {
		text = strings.Replace(text, `[{"name":"ask_human","dialect":"ask_user"}]`, hint.JSON(o.Tools), 1)
	}
	return []file{
		{"extension", "extension", filepath.Join(dir, "askpane.ts"), o.script(text)},
		{Permissions, "extension for permissions", filepath.Join(dir, "askpane-permissions.ts"), o.script(piPermissions)},
	}
}

// opencodeFiles makes the files of opencode, or of an agent that is opencode under another name.
func opencodeFiles(o Options, name string) []file {
	config := filepath.Join(host.Dir(o.Home, o.Env("XDG_CONFIG_HOME"), ".config"), name)
	plugins := filepath.Join(config, "plugins")
	if o.Project != "" {
		config, plugins = o.Project, filepath.Join(o.Project, "."+name, "plugins")
	}
	settings := filepath.Join(config, name+".json")
	if exists(settings + "c") { // with comments
		settings += "c"
	}
	named := func(text string) kind {
		return o.script(strings.Replace(text, `const AGENT = "opencode";`, "const AGENT = "+hint.JSON(name)+";", 1))
	}
	return []file{
		{MCP, Server, settings, inJSON{{
			path: "/mcp/" + ServerName, runs: true,
			value: fmt.Sprintf(`{"type":"local","command":%s,"enabled":true,"timeout":%d}`,
				hint.JSON(append([]string{o.Binary}, o.mcp(forever)...)), forever*1000),
		}}},
		{"plugin", "plugin", filepath.Join(plugins, "askpane.ts"), named(opencodePlugin)},
		{Permissions, "plugin for permissions", filepath.Join(plugins, "askpane-permissions.ts"), named(opencodePermissions)},
	}
}

// copilotFiles keeps the hook in a file of its own, as Copilot CLI loads every file of the
// folder.
func copilotFiles(o Options) []file {
	dir, servers := o.dir("COPILOT_HOME", ".github", ".copilot"), "mcp-config.json"
	if o.Project != "" {
		servers = "mcp.json"
	}
	hooks := filepath.Join(dir, "hooks", "askpane.json")
	before := func(tools, runs string) inJSON {
		return inJSON{{path: "/version", value: "1"}, {path: "/hooks/preToolUse", element: true, runs: true,
			value: fmt.Sprintf(`{"type":"command","matcher":%q,"bash":%s,"timeoutSec":%d}`, tools, o.hook(runs), forever)}}
	}
	return []file{
		{MCP, Server, filepath.Join(dir, servers), inJSON{o.listed(forever, `"type":"local","tools":["*"],"timeout":%d`, forever*1000)}},
		{hook, hook, hooks, before("ask_user", "copilot")},
		{Permissions, forPermissions, hooks, before("^(bash|create|edit|web_fetch)$", "copilot "+Permissions)},
	}
}

// listed makes our server's entry in a file that lists servers as most agents do. The agent
// lets a call take limit seconds; more has what it wants to be told besides.
func (o Options) listed(limit int, more string, args ...any) entry {
	return entry{path: "/mcpServers/" + ServerName, runs: true,
		value: fmt.Sprintf(`{"command":%s,"args":%s,`, hint.JSON(o.Binary), hint.JSON(o.mcp(limit))) + fmt.Sprintf(more, args...) + "}"}
}

// forPermissions is what a file has of the part Permissions.
const forPermissions = "hook for permissions"

// hooked makes our hook an element of the list of hooks for an event. It runs ours for the tools
// that match, all where nothing is said of tools, and may take that long in the agent's unit.
func (o Options) hooked(event, matcher, ours string, limit int) entry {
	if matcher != "" {
		matcher = `"matcher":` + hint.JSON(matcher) + `,`
	}
	return entry{path: "/hooks/" + event, element: true, runs: true,
		value: fmt.Sprintf(`{%s"hooks":[{"type":"command","command":%s,"timeout":%d}]}`, matcher, o.hook(ours), limit)}
}

// hook makes the command line that an agent's hook runs, as JSON.
func (o Options) hook(agent string) string { return hint.JSON(hint.Word(o.Binary) + asHook + agent) }

// inWords makes a list with blanks in it.
func inWords(words []string) string { return strings.ReplaceAll(hint.JSON(words), ",", ", ") }

// codexFiles makes the table of our server, which an argument has ask for permissions, too.
func codexFiles(o Options) []file {
	path := filepath.Join(o.dir("CODEX_HOME", ".codex", ".codex"), "config.toml")
	table := func(args []string) inText {
		return inTOML(fmt.Sprintf("command = %s\nargs = %s\ntool_timeout_sec = %d\nenv_vars = %s\n",
			hint.JSON(o.Binary), inWords(args), forever, inWords(codexEnv())))
	}
	asking := table(append(o.mcp(forever), permissionsFlag))
	asking.mark = hint.JSON(permissionsFlag)
	return []file{{MCP, Server, path, table(o.mcp(forever))}, {Permissions, Permissions, path, asking}}
}

// permissionsFlag is the argument of askpane mcp.
const permissionsFlag = "--permissions"

// codexEnv names the variables of the hosts, of desktop notifications, of where files go, and
// ours.
func codexEnv() (names []string) {
	for _, k := range integrations.Kinds() {
		names = append(names, k.Env...)
	}
	return append(names, "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_SESSION_TYPE",
		"DBUS_SESSION_BUS_ADDRESS", "ASKPANE_SPOOL", "ASKPANE_HOST")
}

// multiplexers returns the hosts that have a configuration of their own (host.Setup).
func multiplexers() (found []Agent) {
	for _, k := range integrations.Kinds() {
		if s := k.Setup; s != nil {
			found = append(found, Agent{Name: k.Name, Setup: s, Use: s.What, Parts: []string{s.What}, Carriers: []string{s.What}, Personal: true, files: func(o Options) []file {
				return []file{{s.What, s.What, s.File(o.Home, o.Env, exists), inLines(s.Comment, o.Binary, s.Lines(o.Binary), s.Fit)}}
			}})
		}
	}
	return found
}
