package tests

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// A release is refused where anything that names a version names another one.
func TestReleaseCheck(t *testing.T) {
	t.Parallel()
	const plugin, program = "integrations/agents/files/plugin/.claude-plugin/plugin.json", "askpane"
	toy := map[string]string{
		"CHANGELOG.md": "# Changes\n\n## 1.2.3 (2026-12-01)\n\n- It is there.\n\n## 1.2.2 (2026-11-01)\n",
		plugin:         `{"name": "askpane", "version": "1.2.3"}`,
		"server.json":  `{"version": "1.2.3"}`,
		program:        "#!/bin/sh\n[ \"$1\" = version ] && exec echo 'askpane version v1.2.3 go1.26'\nmkdir \"$2\"\necho '.TH A 1 \"\" \"askpane v1.2.3\"' >\"$2/a.1\"\n",
	}
	for _, c := range []struct{ name, file, old, new, says string }{
		{"agreement", "CHANGELOG.md", "It is", "All is", ""},
		{"changes that are not released", "CHANGELOG.md", "1.2.3 (2026-12-01)", "Unreleased", `CHANGELOG.md has no section "## 1.2.3 (YYYY-MM-DD)"`},
		{"changes of a version that ours begins", "CHANGELOG.md", "1.2.3", "1.2.34", "CHANGELOG.md has no section"},
		{"the plugin", plugin, "1.2.3", "1.2.2", plugin + ` does not say "version": "1.2.3"`},
		{"the registry", "server.json", "1.2.3", "11.2.3", "server.json does not say"},
		{"the program", program, "version v1.2.3", "version v1.2.3+dirty", `askpane version says "askpane version v1.2.3+dirty go1.26"`},
		{"the manual", program, "askpane v1.2.3\"", "askpane v1.2.2\"", "manual pages of another version: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, file := range slices.Sorted(maps.Keys(toy)) {
				text := toy[file]
				if file == c.file {
					text = strings.Replace(text, c.old, c.new, 1)
				}
				must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700))
				must.Do(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o700))
			}
			check, err := filepath.Abs("../.ci/release/check")
			must.Do(t, err)
			cmd := exec.Command(check, "v1.2.3", "./askpane")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if (err == nil) != (c.says == "") || !strings.Contains(string(out), c.says) || strings.Count(string(out), "\n") > 1 {
				t.Errorf("%v, %s", err, out)
			}
		})
	}
}

// What is built in several ways is built with the same tags.
func TestReleaseTags(t *testing.T) {
	t.Parallel()
	tags := regexp.MustCompile(`urfave_cli_no_docs,[a-z0-9,]*`)
	want := tags.FindString(readPage(t, "justfile"))
	for _, file := range []string{".goreleaser.yaml", "tests/bench/limit.go", "tests/bench/page/main.go"} {
		if got := tags.FindString(readPage(t, file)); got != want {
			t.Errorf("%s has %s, and the justfile %s", file, got, want)
		}
	}
	if nix := readPage(t, "flake.nix"); !strings.Contains(nix, `tags = [ "`+strings.ReplaceAll(want, ",", `" "`)+`" ]`) {
		t.Errorf("flake.nix has not the tags %s", want)
	}
}

// apk refuses the folders of a tree, whose modes nfpm writes with a bit that no file's mode has.
func TestTreesAreForRPM(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(readPage(t, ".goreleaser.yaml")) {
		if strings.Contains(line, "type: tree") && !strings.Contains(line, "packager: rpm") {
			t.Errorf("a tree that is not for rpm alone: %s", line)
		}
	}
}
