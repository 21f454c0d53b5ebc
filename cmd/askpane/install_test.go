package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Claude Code's own installation may be known to an interactive shell alone, by an alias.
func TestClaudeBehindAnAlias(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("PATH", home)
	path := filepath.Join(home, ".claude", "local", "claude")
	if got := claudeVersion(); got != "" {
		t.Fatalf("without one the version is %q", got)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho '2.1.330 (Claude Code)'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := claudeVersion(); got != "2.1.330 (Claude Code)" {
		t.Errorf("the version is %q", got)
	}
}
