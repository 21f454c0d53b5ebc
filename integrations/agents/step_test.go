package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// refused is a plan or its execution that fails with want, and leaves the files
// as they were.
func refused(t *testing.T, dir, want string, plan func() ([]Step, error)) {
	t.Helper()
	before := tree(t, dir)
	steps, err := plan()
	for _, s := range steps {
		if err == nil {
			err = s.Apply()
		}
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v, want %q", err, want)
	}
	after := tree(t, dir)
	if len(after) != len(before) {
		t.Errorf("there is %q, and was %q", after, before)
	}
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s is %q, and was %q", name, after[name], content)
		}
	}
}

// A copy that is none of ours is not overwritten, nor taken for ours.
func TestForeignCopy(t *testing.T) {
	for name, theirs := range map[string]string{"beside a file": "{}\n", "beside none": ""} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			path := filepath.Join(o.Home, ".gemini/settings.json")
			put(t, copyOf(path), "my own notes\n")
			if theirs != "" {
				put(t, path, theirs)
			}
			refused(t, o.Home, copyOf(path)+" is there already", func() ([]Step, error) { return install("gemini", o) })
			put(t, copyOf(path), theirs) // one of who was killed between the copy and the change
			if theirs == "" {
				must.Do(t, os.Remove(copyOf(path)))
			}
			steps, err := install("gemini", o)
			do(t, steps, err)
			steps, err = uninstall("gemini", o)
			do(t, steps, err)
			if left := tree(t, o.Home); left[".gemini/settings.json"] != theirs || len(left) > 1 {
				t.Errorf("left is %q", left)
			}
		})
	}
}

// A link that came with a project leads to no file outside it.
func TestProjectsLinks(t *testing.T) {
	for _, c := range []struct{ agent, link, to string }{
		{"claude", ".claude/settings.json", "outside/settings.json"},
		{"claude", ".claude", "outside"},
		{"gemini", ".gemini/settings.json", "outside/none.json"},
		{"gemini", ".gemini", "outside/none"},
		{"opencode", ".opencode", "outside"},
		{"opencode", "opencode.json", "outside/settings.json"},
		{"pi", ".pi/extensions", "outside"},
		{"codex", ".codex/config.toml", "outside/none.toml"},
		{"codex", ".codex/config.toml.before-askpane", "outside/settings.json"},
	} {
		t.Run(c.link+" to "+c.to, func(t *testing.T) {
			o := options(t)
			top := t.TempDir()
			o.Project = filepath.Join(top, "project")
			put(t, filepath.Join(top, "outside/settings.json"), "{}\n")
			link := filepath.Join(o.Project, c.link)
			must.Do(t, os.MkdirAll(filepath.Dir(link), 0o755))
			must.Do(t, os.Symlink(filepath.Join(top, c.to), link))
			a := named(c.agent)
			o.Parts = a.Parts
			outside := filepath.Join(top, "outside")
			refused(t, outside, "leads out of the project", func() ([]Step, error) { return install(c.agent, o) })
			refused(t, outside, "leads out of the project", func() ([]Step, error) { return uninstall(c.agent, o) })
		})
	}
}

// A link within a project is followed, as everywhere.
func TestProjectsOwnLink(t *testing.T) {
	o := options(t)
	top := t.TempDir()
	put(t, filepath.Join(top, "real/shared/gemini.json"), "{}\n")
	must.Do(t, os.Symlink("real", filepath.Join(top, "project")))
	o.Project = filepath.Join(top, "project")
	must.Do(t, os.Mkdir(filepath.Join(o.Project, ".gemini"), 0o755))
	must.Do(t, os.Symlink("../shared/gemini.json", filepath.Join(o.Project, ".gemini/settings.json")))
	steps, err := install("gemini", o)
	do(t, steps, err)
	if data, _ := os.ReadFile(filepath.Join(top, "real/shared/gemini.json")); !strings.Contains(string(data), "askpane") {
		t.Errorf("the file has %q", data)
	}
	steps, err = uninstall("gemini", o)
	do(t, steps, err)
	if data, _ := os.ReadFile(filepath.Join(top, "real/shared/gemini.json")); string(data) != "{}\n" {
		t.Errorf("left is %q", data)
	}
}

// A file that appears, goes or changes after it was looked at is left alone.
func TestChangedMeanwhile(t *testing.T) {
	for name, c := range map[string][2]string{"appears": {"", "{\"a\": 1}\n"}, "changes": {"{}\n", "{\"a\": 1}\n"}, "goes": {"{}\n", ""}, "appears empty": {"", " "}} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			path := filepath.Join(o.Home, ".gemini/settings.json")
			if c[0] != "" {
				put(t, path, c[0])
			}
			steps, err := install("gemini", o)
			must.Do(t, err)
			if c[1] != "" {
				put(t, path, strings.TrimSpace(c[1]))
			} else {
				must.Do(t, os.Remove(path))
			}
			refused(t, o.Home, "has changed meanwhile", func() ([]Step, error) { return steps, nil })
		})
	}
}

// Folders that are empty go with our file, and nothing else does: a folder that
// holds something, and one that is a link.
func TestEmptyFolders(t *testing.T) {
	o := options(t)
	put(t, filepath.Join(o.Home, ".pi/agent/mine"), "x")
	real := filepath.Join(t.TempDir(), "gemini")
	must.Do(t, os.Mkdir(real, 0o755))
	must.Do(t, os.Symlink(real, filepath.Join(o.Home, ".gemini")))
	for _, name := range []string{"pi", "gemini", "codex"} {
		steps, err := install(name, o)
		do(t, steps, err)
		steps, err = uninstall(name, o)
		do(t, steps, err)
	}
	for name, want := range map[string]bool{".pi/agent/mine": true, ".pi/agent/extensions": false, ".gemini": true, ".codex": false} {
		if _, err := os.Lstat(filepath.Join(o.Home, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if names, err := os.ReadDir(real); len(names) != 0 || err != nil {
		t.Errorf("in the linked folder there is %v, %v", names, err)
	}
}

// What a person has beside our hook, in the same element or under another program's name, is theirs.
func TestHooksOfOthers(t *testing.T) {
	t.Parallel()
	const theirs = `{"type": "command", "command": "notify-send asked"}`
	element := func(hooks string) string {
		return `{"hooks": {"PermissionRequest": [{"matcher": "AskUserQuestion", "hooks": [` + hooks + `]}]}}` + "\n"
	}
	for name, c := range map[string]struct{ before, after string }{
		"after ours":     {element(`{"type": "command", "command": "/old/askpane hook claude"}, ` + theirs), element(theirs)},
		"before ours":    {element(theirs + `, {"type": "command", "command": "/old/askpane hook claude"}`), element(theirs)},
		"twice ours":     {element(`{"type": "command", "command": "/old/askpane hook claude"}, {"type": "command", "command": "/older/askpane hook claude"}, ` + theirs), element(theirs)},
		"of another one": {element(`{"type": "command", "command": "/opt/mine hook claude"}`), element(`{"type": "command", "command": "/opt/mine hook claude"}`)},
	} {
		o := options(t)
		o.Binary, o.Version = "/opt/askpane", func() string { return besideFrom }
		path := filepath.Join(o.Home, ".claude", "settings.json")
		put(t, path, c.before)
		for range 2 { // the second changes nothing
			steps, err := install("claude", o)
			do(t, steps, err)
		}
		_, command, _ := strings.Cut(c.after, `"command": `)
		command, _, _ = strings.Cut(command, "}")
		content := tree(t, o.Home)[".claude/settings.json"]
		if !strings.Contains(content, command) || strings.Count(content, `"/opt/askpane hook claude"`) != 1 || strings.Contains(content, "/old") {
			t.Errorf("%s: installed it is %s", name, content)
		}
		steps, err := uninstall("claude", o)
		do(t, steps, err)
		if content := tree(t, o.Home)[".claude/settings.json"]; content != c.after {
			t.Errorf("%s: it becomes\n%swant\n%s", name, content, c.after)
		}
	}
}
