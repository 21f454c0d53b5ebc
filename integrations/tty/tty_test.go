package tty

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing but a terminal is written to, whatever stands at the path.
func TestOnlyTerminals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Ring(file); err == nil || !strings.Contains(err.Error(), "is not a terminal") {
		t.Errorf("Ring on a file: %v", err)
	}
	if data, err := os.ReadFile(file); string(data) != "kept" {
		t.Errorf("the file is now %q, %v", data, err)
	}
	if err := Ring(filepath.Join(t.TempDir(), "absent")); !os.IsNotExist(err) {
		t.Errorf("Ring on nothing: %v", err)
	}
}
