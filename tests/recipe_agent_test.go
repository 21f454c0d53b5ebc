package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A parrot has a settings.json as other agents have, and a hook that can only refuse.
var agentRecipe = recipe{
	lines: []addition{
		{"integrations/agents/table.go", "files: copilotFiles},\n", `	{Name: "parrot", Parts: []string{MCP, hook}, Carriers: []string{MCP, hook}, files: func(o Options) []file {
		path := filepath.Join(o.dir("", ".parrot", ".parrot"), "settings.json")
		return []file{
			{MCP, Server, path, inJSON{o.listed(forever, "\"wait\":%d", forever)}},
			{hook, hook, path, inJSON{{path: "/squawks", element: true, runs: true, value: fmt.Sprintf("{\"bash\":%s}", o.hook("parrot"))}}},
		}
	}},
`},
		{"bridge/text/agents.go", "\"Cline\", \"\"},\n", "\t{\"parrot\", \"Parrot CLI\", \"PARROT\"},\n"},
		{"integrations/agents/trial.go", "var tried = map[string]Trial{\n", "\t\"parrot\": {Input: `{\"hook_event_name\":\"Squawk\",\"tool_name\":\"polly\",\"tool_input\":` + tryPlain + \"}\", Says: \"Yes\"},\n"},
		{"integrations/agents/denial/denial.go", "var All = []Agent{\n", "\t{\"parrot\", \"AskUserQuestion\", \"Squawk\", \"polly\", `{\"no\":REASON}`, \"\", \"\", nil, \"\"},\n"},
	},
}

// The parrot's file gets server and hook, and is what it was after; its hook refuses the call
// with the person's answer.
func TestAgentByTheRecipe(t *testing.T) {
	t.Parallel()
	program := byTheRecipes(t)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	home := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Env, cmd.Dir = environ(home, "ASKPANE_SPOOL="+string(s.spool)), home
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	settings := filepath.Join(home, ".parrot", "settings.json")
	const before = "{\n  \"colour\": \"green\" // mine\n}\n"
	mustWrite(t, settings, before)
	contains(t, "install", run("install", "parrot", "--write"), "MCP server, hook: changed "+settings, "Now restart parrot")
	contains(t, "what is installed", run("install", "--check"), "parrot", "this askpane")
	text, _ := os.ReadFile(settings)
	contains(t, "the settings", string(text), `"wait": 604800`, program+` hook parrot"`, "// mine")

	call, out := filepath.Join(home, "call"), filepath.Join(home, "out")
	mustWrite(t, call, `{"hook_event_name":"Squawk","tool_name":"polly","session_id":"s","tool_input":`+choice+`}`)
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "env "+unguarded+" ASKPANE_SPOOL="+string(s.spool)+" HOME="+home+" "+program+" hook parrot <"+call+" >"+out)
	v.see("parrot asks", "Which database?", "Parrot CLI shows no dialog", "hand back")
	v.press("2")
	eventually(t, "the parrot is refused", func() bool {
		said, _ := os.ReadFile(out)
		return strings.HasPrefix(string(said), `{"no":"This is no error: `) && strings.Contains(string(said), "SQLite")
	})

	run("uninstall", "parrot")
	if text, _ := os.ReadFile(settings); string(text) != before {
		t.Errorf("left is %q", text)
	}
}

func mustWrite(t *testing.T, path, content string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
