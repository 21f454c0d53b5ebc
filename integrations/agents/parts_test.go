package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
