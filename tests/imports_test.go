package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/askpane/askpane/"

// ours says which of our packages each package may reach, directly or through
// others (docs/design.md, Layout). The longest entry that a package's path begins
// with counts; a package without one may not be there.
var ours = map[string][]string{
	"cmd":               {"cmd/internal", "popup", "bridge", "notify", "integrations", "settings"},
	"popup":             {"popup", "bridge/change", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "integrations/host", "settings"},
	"popup/machine":     {"bridge/form", "bridge/text"},
	"popup/keymap":      {"popup/machine", "popup/preview/styled", "bridge/form", "bridge/text"},
	"popup/list":        {"popup/display", "popup/keymap", "popup/machine", "popup/preview/styled", "bridge/form", "bridge/text"},
	"popup/scene":       {"popup/machine", "popup/keymap", "popup/preview/styled", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch"},
	"popup/layout":      {"popup/scene", "popup/machine", "popup/keymap", "popup/preview/styled", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch"},
	"popup/display":     {"popup/preview/styled", "bridge/text"}, // no form, no spool
	"bridge":            {"bridge", "integrations/host", "settings"},
	"bridge/address":    {"bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "settings/private"},
	"bridge/machine":    {"bridge/form", "bridge/text"},
	"bridge/mcp":        {"bridge", "integrations/host", "settings"},
	"bridge/form":       {"bridge/text"},
	"bridge/change":     {"bridge/form", "bridge/text"},
	"bridge/spool":      {"bridge/form", "bridge/text", "bridge/watch"},
	"bridge/dialect":    {"bridge/form", "bridge/text"},
	"notify":            {"bridge/form", "bridge/text", "bridge/watch", "integrations/host", "settings"},
	"integrations":      {"integrations", "bridge/text", "bridge/watch", "settings"},
	"integrations/host": {"bridge/text/hint"},
	// Codex's daemon is a program outside, and its questions go the bridge's way.
	"integrations/agents/codex":        {"integrations/agents/tools", "integrations/process", "integrations/host", "bridge/text", "bridge/watch"},
	"integrations/agents/codex/socket": {"integrations/agents/codex", "integrations/agents/tools", "integrations/agents/transcript", "integrations/process", "integrations/host", "bridge", "settings"},
	// A surface that is no terminal reaches nothing outside.
	"popup/page": {"popup", "bridge/change", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "settings"},
	"popup/chat": {"popup", "bridge/change", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "settings"},
	// The process that serves them, and the services.
	"integrations/desk":           {"integrations/desk", "integrations/host", "popup/page", "bridge/address", "bridge/change", "bridge/dialect", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "settings", "popup"},
	"integrations/chat":           {"integrations/chat", "popup/chat", "bridge/change", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "settings", "popup"},
	"integrations/machines":       {"integrations/machines", "popup/machine", "bridge/address", "bridge/change", "bridge/form", "bridge/spool", "bridge/text", "bridge/watch", "integrations/host", "settings"},
	"integrations/machines/trust": {"settings/private", "bridge/text/hint"},
	"settings/private":            {"bridge/text/hint"},
	"integrations/tty":            {"bridge/text/hint", "integrations/process", "integrations/host"}, // whose terminal we were started on
	"settings":                    {"bridge/watch", "bridge/text/hint", "bridge/text/nearest", "settings/edit"},
	"settings/edit":               {"bridge/text/hint"},
	"popup/preview":               {"popup/preview", "bridge/form", "bridge/text"},
	"settings/menu":               {"settings", "bridge/text", "bridge/watch", "popup/list", "popup/keymap", "popup/display", "popup/machine", "popup/preview/styled", "bridge/form"},
	"bridge/text":                 {},
	"bridge/watch":                {},
}

// standardOnly are the packages that stand on the standard library alone.
var standardOnly = []string{"bridge/form", "popup/machine", "bridge/machine", "bridge/dialect"}

// noTerminal are the packages that draw on none: what is no terminal shows forms by
// them too.
var (
	noTerminal = []string{"popup/machine", "popup/keymap", "popup/scene", "popup/layout", "popup/preview/styled", "popup/record", "popup/sitting", "popup/page", "popup/chat", "integrations/desk", "integrations/chat", "integrations/machines"}
	terminals  = []string{"github.com/gdamore/tcell/v2", "github.com/rivo/tview", "golang.org/x/term"}
)

// TestImportsPointOneWay asks the go command what each package is built from.
func TestImportsPointOneWay(t *testing.T) {
	packages := listed(t)
	if len(packages) < len(ours) {
		t.Fatalf("only %d packages of ours are listed", len(packages))
	}
	for _, p := range packages {
		name, isOurs := strings.CutPrefix(p.ImportPath, module)
		if !isOurs || name == "tests" || strings.HasPrefix(name, "tests/") {
			continue
		}
		allowed, known := rule(name)
		if !known {
			t.Errorf("%s is not in the layout of docs/design.md; add it there and to ours", name)
		}
		for _, dep := range p.Deps {
			if d, isOurs := strings.CutPrefix(dep, module); isOurs && !under(d, allowed) {
				t.Errorf("%s reaches %s; it may reach %v", name, d, allowed)
			}
			if under(name, standardOnly) && strings.Contains(strings.Split(dep, "/")[0], ".") && !strings.HasPrefix(dep, module) {
				t.Errorf("%s reaches %s; the standard library is all it may", name, dep)
			}
			if under(name, noTerminal) && under(dep, terminals) {
				t.Errorf("%s reaches %s; it is to know no terminal", name, dep)
			}
		}
		switch parts := strings.Split(name, "/"); parts[len(parts)-1] {
		case "util", "utils", "common", "helpers", "types":
			t.Errorf("%s: a package's name says what it is for", name)
		}
	}
}

// needless lists what the programs on the way of a question do not need and must not link:
// Go initialises every package of a program each time it starts.
var needless = map[string][]string{
	"cmd/askpane": {
		"encoding/gob",
		"net/http",
		"github.com/google/jsonschema-go",
		"github.com/modelcontextprotocol/go-sdk",
		"github.com/alecthomas/chroma",
		"github.com/yuin/goldmark",
		"github.com/nats-io",
		"filippo.io/age",
	},
	"cmd/askpane-popup": {
		"net/http",
		"text/template",
		"github.com/urfave/cli",
		"github.com/charmbracelet/x",
		"github.com/godbus/dbus",
		module + "bridge/dialect",
		module + "notify",
	},
}

// TestImportsOfAskpane holds what is needless out of these programs.
func TestImportsOfAskpane(t *testing.T) {
	for program, none := range needless {
		cmd := exec.Command("go", "list", "-deps", "-tags", "urfave_cli_no_docs", "./"+program) // the tag of just build
		cmd.Dir = ".."
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, module+"popup") {
			t.Fatalf("%s does not reach popup; the list is not what it seems", program)
		}
		for _, dep := range deps {
			if under(dep, none) {
				t.Errorf("%s reaches %s, which no question needs; it belongs in a program of its own (cmd/internal/programs)", program, dep)
			}
		}
	}
}

type listedPackage struct {
	ImportPath string
	Deps       []string
}

func listed(t *testing.T) []listedPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Deps", "./...")
	cmd.Dir = ".."
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []listedPackage
	for dec := json.NewDecoder(out); ; {
		var p listedPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("go list: %v", err)
	}
	return all
}

// rule is the longest entry of ours that name is or lies below.
func rule(name string) (allowed []string, known bool) {
	for ; name != ""; name, _, _ = cutLast(name) {
		if allowed, known := ours[name]; known {
			return allowed, true
		}
	}
	return nil, false
}

func cutLast(name string) (before, after string, found bool) {
	if i := strings.LastIndex(name, "/"); i >= 0 {
		return name[:i], name[i+1:], true
	}
	return "", name, false
}

func under(name string, roots []string) bool {
	for _, root := range roots {
		if name == root || strings.HasPrefix(name, root+"/") {
			return true
		}
	}
	return false
}
