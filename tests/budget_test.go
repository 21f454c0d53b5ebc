package tests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// budget is what a capability may weigh: lines of Go without tests.
type budget struct {
	capability string
	lines      int      // the budget
	today      int      // what it weighed when it was last looked at, where that is more; it may only become less
	in         []string // packages with all below them, or files; the longest that fits a file counts
}

// budgets belong to capabilities, not to the sum. A new one gets a row and a number before
// it is built.
var budgets = []budget{
	{"wait", 3300, 3460, []string{"bridge", "bridge/text", "bridge/watch", "bridge/form", "bridge/machine"}},
	{"spool and mirror", 2100, 2296, []string{"bridge/spool"}},
	{"dialects and MCP", 3500, 0, []string{"bridge/dialect", "bridge/mcp", "cmd/askpane-mcp"}},
	{"form on a terminal", 6900, 8405, []string{"popup", "cmd/askpane-popup", "cmd/internal/popups"}},
	{"plain, inbox, menu", 1900, 2227, []string{"popup/plain", "popup/list", "popup/inbox", "settings/menu"}},
	{"previews and diagrams", 2600, 3324, []string{"popup/preview", "cmd/askpane-preview"}},
	{"hosts", 4700, 4718, []string{"integrations"}},
	{"run", 2800, 0, []string{"integrations/run", "cmd/askpane/run.go"}},
	{"alerts and push", 1480, 0, []string{"notify", "integrations/desk/push", "cmd/askpane-desk/push.go"}},
	{"settings", 1650, 1737, []string{"settings"}},
	{"agents' own questions", 2200, 3097, []string{"integrations/agents/claude", "integrations/agents/codex", "integrations/agents/denial", "integrations/agents/transcript", "bridge/dialect/elicitation.go",
		"bridge/dialect/others.go", "bridge/form/rules.go", "cmd/askpane/hook.go", "cmd/askpane/hook_confirm.go", "cmd/askpane/hook_denial.go", "bridge/handback.go"}},
	{"permissions and plans", 3400, 0, []string{"bridge/change", "bridge/plan", "bridge/permission.go", "bridge/text/document", "bridge/dialect/permission.go", "bridge/dialect/plan.go",
		"bridge/form/document.go", "bridge/form/subject.go", "bridge/machine/hold.go", "cmd/askpane/hook_permission.go",
		"cmd/askpane/hook_plugin.go", "cmd/askpane/review.go", "integrations/agents/claude/permission.go", "integrations/agents/claude/plan.go",
		"integrations/agents/claude/prompt.go", "integrations/agents/codex/permission.go", "integrations/agents/denial/permission.go", "integrations/agents/plugin", "integrations/agents/tools", "popup/document.go", "popup/keymap/plan.go", "popup/layout/document.go", "popup/machine/document.go",
		"popup/machine/permission.go", "popup/page/document.go", "popup/preview/render/lines.go", "popup/scene/document.go", "popup/sitting/permission.go", "settings/permissions.go"}},
	{"agents and install", 1750, 1909, []string{"integrations/agents", "cmd/askpane/install.go", "cmd/askpane/setup.go"}},
	{"commands", 4200, 4692, []string{"cmd"}},
	{"desk and page", 3600, 3875, []string{"integrations/desk", "popup/page", "bridge/address", "cmd/askpane-desk"}},
	{"chat", 3500, 3737, []string{"popup/chat", "integrations/chat", "cmd/askpane-desk/chat.go"}},
	{"machines", 4150, 5560, []string{"integrations/machines", "settings/private", "cmd/askpane-hub", "cmd/askpane-desk/link.go", "bridge/address/hub.go"}},
}

// TestBudgets prints what each capability weighs, and holds it to its budget.
func TestBudgets(t *testing.T) {
	weighs := make([]int, len(budgets))
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if d.IsDir() {
			if name == "tests" || strings.HasPrefix(d.Name(), ".") && path != ".." {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if at := whose(name); at < 0 {
			t.Errorf("%s belongs to no capability", name)
		} else {
			weighs[at] += bytes.Count(content, []byte("\n"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sum, all := 0, 0
	for i, b := range budgets {
		t.Logf("%-24s %6d of %6d", b.capability, weighs[i], b.lines)
		sum, all = sum+weighs[i], all+b.lines
		if most := max(b.lines, b.today); weighs[i] > most {
			t.Errorf("%s: %d lines; %d are the most", b.capability, weighs[i], most)
		}
		if b.today > 0 && weighs[i] <= b.lines {
			t.Errorf("%s is within its budget: what it weighed before can go from the table", b.capability)
		}
	}
	t.Logf("%-24s %6d of %6d", "all", sum, all)
}

// whose returns the number of the budget that the file counts for; -1 is none.
func whose(file string) int {
	at, length := -1, 0
	for i, b := range budgets {
		for _, in := range b.in {
			if (file == in || strings.HasPrefix(file, in+"/")) && len(in) > length {
				at, length = i, len(in)
			}
		}
	}
	return at
}
