package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// --check only looks, and tells by its exit code what is stale, also before the name of an agent.
func TestCheckBeforeTheAgent(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"askpane": {"command": "/old/askpane", "args": ["mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"gemini", "--check"}, {"--check", "gemini"}} {
		cmd := exec.Command(binary, append([]string{"install"}, args...)...)
		cmd.Env, cmd.Dir = append(environ(home), "HOME="+home), home
		out, _ := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(string(out), "not this askpane: /old/askpane mcp") {
			t.Errorf("askpane install %q: exit code %d, %s", args, code, out)
		}
	}
}

// What install says to run next does what it says as it stands there: for the same project, and
// with nothing at the end of a command that is none of it. What --only does not name stays, which
// is said, and what is there is not offered.
func TestInstallSaysWhatIsNext(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	for _, step := range []struct {
		args string
		want []string
	}{
		{"claude --project", []string{"--only questions,permissions,plans --write --project\n", "--only questions,mcp --write --project\n"}},
		{"claude --project --write", []string{"\nTo undo: askpane uninstall claude --project\n", "--only questions,permissions,plans --write --project\n", "--only questions,mcp --write --project\n"}},
		{"claude --project --only permissions --write", []string{"left as it is: hook. askpane uninstall claude --project takes", "--only auto --write --project\n"}},
		{"claude --only questions,permissions --write", []string{"--only questions,plans --write\n", "--only auto --write\n"}},
		{"claude --only questions --write", []string{"nothing to do", "left as it is: permissions. askpane uninstall claude takes"}},
		{"claude --only auto", []string{"Its plans can come here, too: "}},
		{"claude --only auto --write", []string{"left as it is: hook, permissions", "\nTo undo: askpane uninstall claude\nIts plans"}},
		{"tmux --write", []string{"\nNow run tmux source-file " + home + "/.tmux.conf\nTo undo: askpane uninstall tmux\n"}},
		{"codex --write", []string{"\nNow restart codex\nTo undo: askpane uninstall codex\n"}},
		{"desk --write", []string{"\nNow run ", "\nTo undo: askpane uninstall desk\n"}},
	} {
		cmd := exec.Command(binary, append([]string{"install"}, strings.Fields(step.args)...)...)
		cmd.Env, cmd.Dir = append(environ(home), "HOME="+home, "PATH=/nowhere"), project
		out, err := cmd.CombinedOutput()
		if contains(t, "install "+step.args, string(out), step.want...); err != nil {
			t.Errorf("install %s: %v, %s", step.args, err, out)
		}
		if strings.Contains(step.args, "claude --only auto") && strings.Contains(string(out), "To have it ask there") {
			t.Errorf("install %s: it offers what is there: %s", step.args, out)
		}
		if strings.Contains(step.args, "claude --only questions,permissions") && strings.Contains(string(out), "left as it is") {
			t.Errorf("install %s: nothing else was there: %s", step.args, out)
		}
	}
}
