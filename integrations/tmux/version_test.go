package tmux

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

func TestProgram(t *testing.T) {
	needs.Program(t, "tmux")
	version, err := installed(t.Context())
	if err != nil || !regexp.MustCompile(`^\S+$`).MatchString(version) {
		t.Errorf("Program = %q, %v", version, err)
	}
	t.Setenv("PATH", filepath.Join(os.TempDir(), "absent"))
	if _, err := installed(t.Context()); err == nil {
		t.Error("a tmux was found where there is none")
	}
}

func TestSince33(t *testing.T) {
	for version, fits := range map[string]bool{
		"3.3": true, "3.3a": true, "3.2a": false, "2.9": false, "1.8": false, "3.10": true, "4.0": true,
		"next-3.8": true, "next-3.2": false, "master": true, "openbsd-7.5": true, "": true,
	} {
		if err := since33(version); (err == nil) != fits {
			t.Errorf("since33(%q) = %v", version, err)
		}
	}
}
