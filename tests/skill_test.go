package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The skill's example, run by an agent's shell tool as the skill says: the popup
// opens, and the model reads the result.
func TestSkillInAShellTool(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "askpane")
	if out, err := exec.Command(binary, "install", "skill", dir, "--write").CombinedOutput(); err != nil {
		t.Fatalf("askpane install skill: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "SKILL.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```sh\n")
	example, _, ok := strings.Cut(rest, "\n```")
	if !ok {
		t.Fatalf("there is no example in %s", text)
	}
	arguments, err := json.Marshal(map[string]string{"command": example})
	if err != nil {
		t.Fatal(err)
	}
	a := newPi(t, calls("bash", string(arguments)))
	a.start(true, "-p", "ask me")
	a.asks("pi asks", "Where should sessions be kept?")
	a.person.press("2")
	var e struct{ Outcome, Text string }
	if got := a.model.result(1); json.Unmarshal([]byte(got), &e) != nil || e.Outcome != "answered" || e.Text != "Store: user selected: 2. PostgreSQL" {
		t.Errorf("the model was told %q", got)
	}
	a.ended()
}
