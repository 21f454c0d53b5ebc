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
