package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
)

// From the version on of which it was seen, Claude Code is asked beside its own dialog. The hook
// of an older installation goes, and uninstalling gives the person's file back.
func TestClaudeHookReplaced(t *testing.T) {
	said := ""
	o := options(t)
	o.Version = func() string { return said }
	const theirs = "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  }\n}\n"
	path := filepath.Join(o.Home, ".claude/settings.json")
	put(t, path, theirs)
	has := func(version, event string, older bool) {
		t.Helper()
		said = version
		steps, err := install("claude", o)
		do(t, steps, err)
		content := tree(t, o.Home)[".claude/settings.json"]
		_, after, _ := strings.Cut(content, `"`+event+`"`)
		if strings.Count(content, asHook+`claude"`) != 1 || !strings.Contains(after, asHook+`claude"`) || strings.Contains(content, `"Elicitation"`) == older {
			t.Errorf("as of %q it has\n%s", version, content)
		}
		said = "2.1.400 (Claude Code)"
		found, err := Check(o)
		if err != nil || len(found) != 1 || !found[0].Ours || found[0].Older != older {
			t.Errorf("as of %q is found %+v, %v", version, found, err)
		}
	}
	has("", "PreToolUse", true)
	has("2.1.328 (Claude Code)", "PreToolUse", true)
	has("2.1.329 (Claude Code)", "PermissionRequest", false)
	has("2.1.99 (Claude Code)", "PreToolUse", true)
	has("Claude Code 2.1.329", "PreToolUse", true)
	has("2.2.0", "PermissionRequest", false)
	has("10.0.1 (Claude Code)", "PermissionRequest", false)
	said = ""
	steps, err := uninstall("claude", o)
	do(t, steps, err)
	if left := tree(t, o.Home); len(left) != 1 || left[".claude/settings.json"] != theirs {
		t.Errorf("left is %q", left)
	}
}

// Each command of a part is tried, and a part is this askpane's only where all its commands are.
func TestCommandsOfAPart(t *testing.T) {
	o := options(t)
	o.Parts, o.Version = []string{"hook"}, func() string { return "2.1.329" }
	steps, err := install("claude", o)
	do(t, steps, err)
	checked := func() Found {
		t.Helper()
		found, err := Check(o)
		if err != nil || len(found) != 1 {
			t.Fatalf("found is %+v, %v", found, err)
		}
		return found[0]
	}
	var called []string
	f := checked()
	for _, trial := range f.Trials() {
		called = append(called, strings.Join(trial.Args, " "))
	}
	if want := []string{"hook claude", "hook claude elicitations"}; !slices.Equal(called, want) || !f.Ours {
		t.Errorf("called is %q of %+v, want %q", called, f, want)
	}
	elicits := asHook + "claude " + Elicitations
	content := tree(t, o.Home)[".claude/settings.json"]
	put(t, filepath.Join(o.Home, ".claude/settings.json"), strings.Replace(content, hint.Word(o.Binary)+elicits, "/another/askpane"+elicits, 1))
	if f := checked(); f.Ours || !slices.Contains(f.Commands, "/another/askpane"+elicits) {
		t.Errorf("with a command of another askpane it is %+v", f)
	}
}
