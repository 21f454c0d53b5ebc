package tests

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// askpane --help promises examples in each command's help: those of the other programs have them,
// too, and an example is of its command.
func TestHelpOfOtherProgramsHasExamples(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mcp", "desk", "page", "phone", "chat", "hub", "join", "forward"} {
		cmd := exec.Command(binary, name, "--help")
		cmd.Env = environ(t.TempDir())
		out, err := cmd.CombinedOutput()
		_, examples, _ := strings.Cut(string(out), "\nExamples\n")
		other := func(line string) bool { return !strings.Contains(line, "askpane "+name) }
		if err != nil || slices.ContainsFunc(strings.Split(strings.TrimSpace(examples), "\n"), other) {
			t.Errorf("askpane %s --help: %v, %s", name, err, out)
		}
	}
}
