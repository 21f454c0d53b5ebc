package agents

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/agents/denial"
	"github.com/askpane/askpane/integrations/agents/tools"
)

// Two parts of an agent may be installed one after the other; the copy is from
// before the first.
func TestPartsOneByOne(t *testing.T) {
	o := options(t)
	const theirs = "{\n  \"model\": \"x\"\n}\n"
	path := filepath.Join(o.Home, ".claude/settings.json")
	put(t, path, theirs)
	for _, part := range []string{"hook", "mcp"} {
		o.Parts = []string{part}
		steps, err := install("claude", o)
		do(t, steps, err)
	}
	if got := tree(t, o.Home)[".claude/settings.json.before-askpane"]; got != theirs {
		t.Errorf("the copy is %q", got)
	}
	steps, err := uninstall("claude", o)
	do(t, steps, err)
	if left := tree(t, o.Home); len(left) != 1 || left[".claude/settings.json"] != theirs {
		t.Errorf("left is %q", left)
	}
}

func TestUnknownPart(t *testing.T) {
	o := options(t)
	o.Parts = []string{"plugin"}
	if _, err := install("gemini", o); err == nil || !strings.Contains(err.Error(), `no part "plugin"; there are questions, mcp, hook`) {
		t.Errorf("an unknown part: %v", err)
	}
}

// Whoever asks for no part gets what carries questions, and another time what is there: permissions
// for nobody who has not asked for them. What is taken out is named.
func TestPartsByThemselves(t *testing.T) {
	for _, a := range all {
		o := options(t)
		wanted, err := a.Wanted(o)
		if err != nil || slices.Contains(wanted, Permissions) || slices.Contains(wanted, Plans) {
			t.Errorf("%s gets %q, %v", a.Name, wanted, err)
		}
		if !slices.Contains(a.Parts, Permissions) {
			continue
		}
		for _, part := range []string{Questions, Permissions} {
			o.Parts = []string{part}
			steps, err := install(a.Name, o)
			do(t, steps, err)
			o.Parts = nil
			there, err := a.Wanted(o)
			if err != nil || slices.Contains(there, Permissions) != (part == Permissions) || slices.Contains(there, Plans) {
				t.Errorf("%s has %q after %s, %v", a.Name, there, part, err)
			}
			steps, err = install(a.Name, o)
			do(t, steps, err)
			if again, _ := a.Wanted(o); !slices.Equal(again, there) {
				t.Errorf("%s has %q, and %q after it was installed again", a.Name, there, again)
			}
		}
	}
	o := options(t)
	o.Parts = []string{Permissions}
	steps, err := install("claude", o)
	do(t, steps, err)
	o.Parts = nil
	if steps, err = uninstall("claude", o); err != nil || len(steps) != 1 || steps[0].What != "hook for permissions" {
		t.Errorf("to be taken out: %+v, %v", steps, err)
	}
}

// Codex's permissions are an argument of the server, which comes and goes with them.
func TestPartOfServer(t *testing.T) {
	o := options(t)
	for _, c := range []struct {
		parts []string
		found []string // by --check
		flag  bool
	}{
		{nil, []string{Server}, false},
		{[]string{Permissions}, []string{Server, Permissions}, true},
		{nil, []string{Server, Permissions}, true},
		{[]string{Questions}, []string{Server}, false},
		{[]string{Questions, Permissions}, []string{Server, Permissions}, true},
	} {
		o.Parts = c.parts
		steps, err := install("codex", o)
		do(t, steps, err)
		o.Parts = nil
		var found []string
		all, err := Check(o)
		for _, f := range all {
			found = append(found, f.What)
		}
		if has := strings.Contains(tree(t, o.Home)[".codex/config.toml"], `"--permissions"]`); err != nil || has != c.flag || !slices.Equal(found, c.found) {
			t.Errorf("after %q there are %q, %v, and the argument is there: %v", c.parts, found, err, has)
		}
	}
	steps, err := uninstall("codex", o)
	do(t, steps, err)
	if left := tree(t, o.Home); len(left) != 0 {
		t.Errorf("left is %q", left)
	}
}

// Each command of ours that an agent calls is tried by askpane doctor, and it is known what the tool
// does that asks for a permission then. Hooks but Claude's and the plugins' refuse calls.
func TestEveryCommandIsTried(t *testing.T) {
	for _, a := range all {
		o := options(t)
		o.Parts, o.Version = a.Parts, func() string { return "2.1.329" }
		steps, err := install(a.Name, o)
		do(t, steps, err)
		found, err := Check(o)
		if err != nil {
			t.Error(err)
		}
		for _, f := range found {
			trials := f.Trials()
			if len(trials) != len(f.Commands) && (a.Name != "codex" || f.Part != Permissions) { // its daemon tells of those
				t.Errorf("%s: of %q there are only %d in tried", a.Name, f.Commands, len(trials))
			}
			for _, trial := range trials {
				var call struct {
					Tool                 string `json:"tool_name"`
					ToolName, Permission string
				}
				_ = json.Unmarshal([]byte(trial.Input), &call) // a server gets several lines
				if tool := call.Tool + call.ToolName + call.Permission; f.Part == Permissions && !tools.Known(strings.Replace(a.Name, "kilo", "opencode", 1), tool) {
					t.Errorf("%s: it is not known what %q does", a.Name, tool)
				}
				refuses := func(d denial.Agent) bool { return d.Name == trial.Args[1] }
				if trial.Args[0] == "hook" && trial.Args[1] != "claude" && trial.Args[1] != "plugin" && !slices.ContainsFunc(denial.All, refuses) {
					t.Errorf("askpane %s is no command", strings.Join(trial.Args, " "))
				}
			}
		}
	}
}
