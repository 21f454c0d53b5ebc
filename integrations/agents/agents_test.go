package agents

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tailscale/hujson"
)

// options are those of a person with an empty home.
func options(t *testing.T) Options {
	t.Helper()
	return Options{Binary: "/opt/ask pane/askpane", Home: t.TempDir(), Env: func(string) string { return "" }, Version: func() string { return "" },
		Tools: []Tool{{"ask_human", "ask_user"}}}
}

// everyPart is o with every part of an agent.
func everyPart(name string, o Options) Options {
	a := named(name)
	o.Parts = a.Parts
	return o
}

func names() (all []string) {
	for _, a := range All() {
		all = append(all, a.Name)
	}
	return all
}

func named(name string) Agent {
	return All()[slices.Index(names(), name)]
}

func install(name string, o Options) ([]Step, error) {
	return named(name).Install(o)
}

func uninstall(name string, o Options) ([]Step, error) {
	return named(name).Uninstall(o)
}

func do(t *testing.T, steps []Step, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if err := s.Apply(); err != nil {
			t.Fatal(err)
		}
	}
}

// tree is every file below dir with its content.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// In an empty home: installed, found, installed again without a change, and
// gone without a trace.
func TestEveryAgentInAnEmptyHome(t *testing.T) {
	for _, name := range names() {
		for _, project := range []bool{false, true} {
			if a := named(name); (a.Setup != nil || a.Personal) && project {
				continue
			}
			t.Run(name, func(t *testing.T) {
				o := everyPart(name, options(t))
				dir := o.Home
				if project {
					o.Project = t.TempDir()
					dir = o.Project
				}
				steps, err := install(name, o)
				do(t, steps, err)
				first := tree(t, dir)
				if len(first) == 0 {
					t.Fatal("nothing was written")
				}
				steps, err = install(name, o)
				do(t, steps, err)
				for _, s := range steps {
					if s.Changed {
						t.Errorf("installing again changes %s", s.Path)
					}
				}
				found, err := Check(o)
				if err != nil || len(found) == 0 {
					t.Errorf("Check finds %v, %v", found, err)
				}
				for _, f := range found {
					if f.Agent != name || !f.Ours {
						t.Errorf("Check says %+v", f)
					}
				}
				moved := o
				moved.Binary = "/elsewhere/askpane"
				if found, err := Check(moved); err != nil || len(found) == 0 || found[0].Ours {
					t.Errorf("Check takes another askpane for this one: %+v, %v", found, err)
				}
				steps, err = install(name, moved) // that one takes it over
				do(t, steps, err)
				if found, err := Check(moved); err != nil || len(found) == 0 || !found[0].Ours {
					t.Errorf("Check after it was taken over: %+v, %v", found, err)
				}
				steps, err = uninstall(name, o)
				do(t, steps, err)
				if left, err := os.ReadDir(dir); len(left) != 0 || err != nil {
					t.Errorf("left behind: %v, %v", left, err)
				}
			})
		}
	}
}

type person struct{ agent, path, content string }

// files that people have, and what must still be in them.
var persons = []person{
	{"gemini", ".gemini/settings.json", "{\n\t\"security\": {\"auth\": {\"selectedType\": \"x\"}}, // mine\n\t/* servers */\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"o\"}\n\t}\n}\n"},
	{"gemini", ".gemini/settings.json", `{"a":1}`},
	{"gemini", ".gemini/settings.json", `{"a": 1, "mcpServers": {}}`},
	{"gemini", ".gemini/settings.json", "{}"},
	{"gemini", ".gemini/settings.json", ""},
	{"gemini", ".gemini/settings.json", "{\n  // nothing yet\n}\n"},
	{"opencode", ".config/opencode/opencode.jsonc", "{\n    \"model\": \"a/b\", // the good one\n    \"mcp\": {\n        \"x\": {\"type\": \"local\"}, // trailing\n    },\n}\n"},
	{"opencode", ".config/opencode/opencode.json", "{\n  \"$schema\": \"s\",\n  \"mcp\": {\n    \"x\": {}\n    // the last\n  }\n}"},
	{"gemini", ".gemini/settings.json", "{\n  \"hooks\": {\n    \"BeforeTool\": [\n      {\"matcher\": \".*\", \"hooks\": [{\"type\": \"command\", \"command\": \"guard hook gemini.sh\"}]}\n    ]\n  }\n}\n"},
	{"qwen", ".qwen/settings.json", "{\n  \"mcpServers\": {\"other\": {\"command\": \"o\"}}, // mine\n  \"hooks\": {\"PermissionRequest\": []}\n}\n"},
	{"kilo", ".config/kilo/kilo.jsonc", "{\n    \"model\": \"a/b\", // the good one\n}\n"},
	{"copilot", ".copilot/mcp-config.json", "{\n  \"mcpServers\": {\n    \"other\": {\"type\": \"local\", \"command\": \"o\", \"args\": [], \"tools\": [\"*\"]}\n  }\n}\n"},
	{"cline", ".cline/data/settings/cline_mcp_settings.json", "{\n  \"mcpServers\": {}\n}"},
	{"claude", ".claude/settings.json", "{\n  \"permissions\": {\n    \"allow\": [\"Bash(ls)\"]\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  },\n  \"env\": {\"CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS\": \"90000\", \"B\": \"1\"}\n}\n"},
	{"claude", ".claude/settings.json", "{\"permissions\":{\"allow\":[]},\"hooks\":{}}"},
	{"codex", ".codex/config.toml", "# mine\nmodel = \"x\" # the good one\n\n[mcp_servers.other]\ncommand = \"o\"\n\n# about profiles\n[profiles.a]\nmodel = \"y\"\n"},
	{"codex", ".codex/config.toml", "model = \"x\""},
	{"codex", ".codex/config.toml", "[a]\nb = [\n  1, # one\n]\n\n# the end\n"},
	{"codex", ".codex/config.toml", "\n"},
	{"gemini", ".gemini/settings.json", "{\n  \"hooks\": {\n  },\n  \"mcpServers\": { }\n}\n"},
}

// marked begin with a byte order mark, as some editors write it.
var marked = []person{
	{"codex", ".codex/config.toml", "\ufeffmodel = \"x\"\n"},
	{"gemini", ".gemini/settings.json", "\ufeff{\n  \"a\": 1\n}\n"},
}

// What a person wrote is there to the byte when we are gone again.
func TestUninstallRestores(t *testing.T) {
	for _, p := range slices.Concat(persons, ofMultiplexers, marked) {
		t.Run(p.path, func(t *testing.T) {
			o := everyPart(p.agent, options(t))
			path := filepath.Join(o.Home, p.path)
			put(t, path, p.content)
			steps, err := install(p.agent, o)
			do(t, steps, err)
			installed := tree(t, o.Home)
			if got := installed[p.path]; got == p.content || !strings.Contains(got, "askpane") {
				t.Errorf("installed into it is\n%s", got)
			}
			if installed[p.path+".before-askpane"] != p.content {
				t.Errorf("there is no copy beside it: %v", installed)
			}
			for _, word := range strings.FieldsFunc(p.content, func(r rune) bool { return !unicode.IsLetter(r) && r != '/' && r != '#' }) {
				if !strings.Contains(installed[p.path], word) {
					t.Errorf("%q is gone from\n%s", word, installed[p.path])
				}
			}
			t.Logf("installed:\n%s", installed[p.path])
			steps, err = uninstall(p.agent, o)
			do(t, steps, err)
			left := tree(t, o.Home)
			if len(left) != 1 || left[p.path] != p.content {
				t.Errorf("left is\n%q\nwant\n%q", left, p.content)
			}
		})
	}
}

// With a change of the person's after we came, only ours goes, and theirs stays.
func TestUninstallKeepsLaterChanges(t *testing.T) {
	for _, p := range persons {
		t.Run(p.path, func(t *testing.T) {
			o := everyPart(p.agent, options(t))
			path := filepath.Join(o.Home, p.path)
			put(t, path, p.content)
			steps, err := install(p.agent, o)
			do(t, steps, err)
			installed := tree(t, o.Home)[p.path]
			isTOML := strings.HasSuffix(p.path, ".toml")
			changed := strings.Replace(installed, "{", "{\n\"later\": \"change\", // mine\n", 1)
			if isTOML {
				changed = "later = \"change\" # mine\n" + installed + "\n[last]\nx = 1\n"
			}
			put(t, path, changed)
			steps, err = uninstall(p.agent, o)
			do(t, steps, err)
			files := tree(t, o.Home)
			if len(files) != 1 {
				t.Errorf("left behind: %q", files)
			}
			left := files[p.path]
			if strings.Contains(left, "askpane") || strings.Contains(left, "604800") || !strings.Contains(left, "later") || !strings.Contains(left, "// mine") && !isTOML {
				t.Fatalf("left is\n%s", left)
			}
			if isTOML {
				want := "later = \"change\" # mine\n" + p.content + "\n[last]\nx = 1\n"
				if strings.Join(strings.Fields(left), " ") != strings.Join(strings.Fields(want), " ") {
					t.Errorf("left is\n%s\nwant\n%s", left, want)
				}
				return
			}
			want := p.content
			if strings.TrimSpace(want) == "" {
				want = "{}"
			}
			want = strings.Replace(want, "{", "{\n\"later\": \"change\", // mine\n", 1)
			if a, b := meaning(t, left), meaning(t, want); a != b {
				t.Errorf("left means\n%s\nwant\n%s\nit is\n%s", a, b, left)
			}
			for _, comment := range []string{"// the last", "// trailing", "/* servers */", "// nothing yet", "// the good one"} {
				if strings.Contains(p.content, comment) && !strings.Contains(left, comment) {
					t.Errorf("the comment %q is gone:\n%s", comment, left)
				}
			}
		})
	}
}

// meaning is JSON without comments and layout.
func meaning(t *testing.T, content string) string {
	t.Helper()
	raw, err := hujson.Standardize([]byte(content))
	if err != nil {
		t.Fatalf("%v:\n%s", err, content)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v:\n%s", err, content)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

// A table below ours may stand before it.
func TestTOMLInAnyOrder(t *testing.T) {
	got, err := inTOML("").remove([]byte("[mcp_servers.askpane.env]\nA = \"x\"\n\n[other]\ny = 1\n\n[mcp_servers.askpane]\ncommand = \"c\"\n"), nil)
	if want := "\n[other]\ny = 1\n"; err != nil || string(got) != want {
		t.Errorf("left is %q, %v, want %q", got, err, want)
	}
}

// A file that we cannot read is not changed, and the error says where.
func TestBrokenFiles(t *testing.T) {
	for _, p := range []struct{ agent, path, content, want string }{
		{"gemini", ".gemini/settings.json", "{\n  \"a\": \n}", "line 3"},
		{"gemini", ".gemini/settings.json", "[]", "expected a JSON object"},
		{"gemini", ".gemini/settings.json", `{"mcpServers": []}`, "mcpServers is not an object"},
		{"claude", ".claude/settings.json", `{"hooks": {"PreToolUse": {}}}`, "hooks.PreToolUse is not a list"},
		{"codex", ".codex/config.toml", "a = \n", "toml: "},
		{"codex", ".codex/config.toml", "[mcp_servers]\naskpane = { command = \"x\" }\n", "already"},
		{"codex", ".codex/config.toml", "mcp_servers = { other = { command = \"x\" } }\n", "mcp_servers already exists"},
		{"codex", ".codex/config.toml", "[mcp_servers.askpane.env]\nA = \"x\"\n", "not as a table [mcp_servers.askpane]"},
		{"pi", ".pi/agent/extensions/askpane.ts", "// my own\n", "somebody else's"},
	} {
		t.Run(p.path, func(t *testing.T) {
			o := options(t)
			put(t, filepath.Join(o.Home, p.path), p.content)
			_, err := install(p.agent, o)
			if err == nil || !strings.Contains(err.Error(), p.want) || !strings.Contains(err.Error(), p.path) {
				t.Errorf("the error is %v, want %q with the path", err, p.want)
			}
		})
	}
}

// A file that is a link to somebody's dotfiles stays one, and keeps its mode.
func TestLinksStay(t *testing.T) {
	o := options(t)
	real := filepath.Join(t.TempDir(), "gemini.json")
	put(t, real, "{}\n")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(o.Home, ".gemini/settings.json")
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	steps, err := install("gemini", o)
	do(t, steps, err)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if data, _ := os.ReadFile(real); !strings.Contains(string(data), "askpane") {
		t.Errorf("the file has %s", data)
	}
}

// A script that another version of askpane has written is told from one whose person has chosen other tools.
func TestScriptOfAnotherVersion(t *testing.T) {
	t.Parallel()
	o := options(t)
	o.Tools = []Tool{{Name: "mine", Dialect: "question"}}
	steps, err := install("pi", o)
	do(t, steps, err)
	o.Tools = nil
	path := filepath.Join(o.Home, ".pi/agent/extensions/askpane.ts")
	for _, older := range []bool{false, true} {
		if older {
			put(t, path, strings.Replace(tree(t, o.Home)[".pi/agent/extensions/askpane.ts"], "import", "// as it was\nimport", 1))
		}
		if found, err := Check(o); err != nil || len(found) != 1 || !found[0].Ours || found[0].Older != older {
			t.Errorf("changed: %t, and it is found as %+v, %v", older, found, err)
		}
	}
}

// The constants that are written into the scripts are where they are expected.
func TestScriptsGetTheirConstants(t *testing.T) {
	o := options(t)
	for _, name := range []string{"pi", "opencode", "kilo"} {
		steps, err := install(name, everyPart(name, o))
		if err != nil {
			t.Fatal(err)
		}
		scripts := slices.DeleteFunc(steps, func(s Step) bool { return filepath.Ext(s.Path) != ".ts" })
		if len(scripts) != 2 { // for questions, and for permissions
			t.Errorf("%s has the scripts %+v", name, scripts)
		}
		for _, s := range scripts {
			if !strings.Contains(s.Snippet, "const ASKPANE = \"/opt/ask pane/askpane\";\n") {
				t.Errorf("%s does not say where askpane is", s.Path)
			}
			if name == "kilo" && !strings.Contains(s.Snippet, "const AGENT = \"kilo\";\n") {
				t.Errorf("kilo's plugin says that it is opencode's:\n%s", s.Snippet)
			}
		}
		if name == "pi" && !strings.Contains(scripts[0].Snippet, `const TOOLS: Tool[] = [{"name":"ask_human","dialect":"ask_user"}];`) {
			t.Error("pi's extension has no tools")
		}
	}
}
