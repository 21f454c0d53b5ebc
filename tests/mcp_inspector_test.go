package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

const inspectorDir = "../.cache/inspector"

// inspect runs the official inspector's command line against the server.
func inspect(t *testing.T, env []string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	node, err := os.ReadFile(filepath.Join(inspectorDir, "node"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs(filepath.Join(inspectorDir, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, strings.TrimSpace(string(node)), append([]string{script, "--cli"}, args...)...)
	cmd.Env = env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// The schemas pass the inspector's own rules, without a warning.
func TestInspectorLikesTheTools(t *testing.T) {
	t.Parallel()
	needsInspector(t)
	env := environ(t.TempDir(), "ASKPANE_SPOOL="+string(newSpool(t)))
	out, errs, err := inspect(t, env, "--strict", "--method", "tools/list", "--", binary, "mcp",
		"--tools", "ask_human,question,AskUserQuestion,ask_user_question,ask_user")
	var list struct{ Tools []struct{ Name string } }
	if e := json.Unmarshal([]byte(out), &list); err != nil || e != nil || len(list.Tools) != 6 {
		t.Errorf("%v, %v: %s\n%s", err, e, out, errs)
	}
	if strings.Contains(errs, "Warning: tool") || strings.Contains(errs, "Error: tool") {
		t.Errorf("it says\n%s", errs)
	}
}

func TestInspectorCalls(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	env := append(environ(t.TempDir(), unguarded, "ASKPANE_SPOOL="+string(s.spool)),
		"TMUX="+s.tmux("display-message", "-p", "-t", "main", "#{socket_path},#{pid},0"))
	type ran struct {
		out, errs string
		err       error
	}
	done := make(chan ran, 1)
	needsInspector(t)
	go func() {
		out, errs, err := inspect(t, env, "--method", "tools/call", "--tool-name", "question", "--tool-arg", "prompt=Which colour?",
			"--tool-arg", `options=[{"label":"Red"},{"label":"Green"}]`, "-e", "TMUX="+env[len(env)-1][len("TMUX="):],
			"-e", "ASKPANE_SPOOL="+string(s.spool), "-e", unguarded, "--", binary, "mcp", "--tools", "question", "--call-limit", "0")
		done <- ran{out, errs, err}
	}()
	if !needs.Within(30*time.Second, func() bool { return strings.Contains(v.screen(), "Which colour?") }) {
		t.Fatalf("no popup\n%s", v.screen())
	}
	v.press("1")
	select {
	case r := <-done:
		if r.err != nil || !strings.Contains(r.out, "User selected: Red") {
			t.Errorf("%v: %s\n%s", r.err, r.out, r.errs)
		}
	case <-time.After(30 * time.Second):
		t.Error("the inspector does not return")
	}
}

// needsInspector leaves the test out where there is none.
func needsInspector(t *testing.T) {
	t.Helper()
	needs.Long(t, "the MCP inspector")
	if _, err := os.Stat(filepath.Join(inspectorDir, "node")); err != nil {
		needs.Missing(t, "the MCP inspector", "./tests/run --all installs it")
	}
}
