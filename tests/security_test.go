package tests

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every test that SECURITY.md names for a claim is there.
func TestSecurityClaimsHaveTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 15 {
		t.Fatalf("only %d tests are named", len(names))
	}
	cmd := exec.Command("grep", "-rhoE", "--include=*_test.go", "^func (Test|Fuzz)[A-Za-z]+\\(", "..")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(out), "func "+name[1]+"(\n") {
			t.Errorf("SECURITY.md names %s, which is not there", name[1])
		}
	}
}
