package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestStarting holds what counts as starting a goroutine: one package for each way, one
// that starts none, and one whose test alone does.
func TestStarting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":             "module toy\n",
		"statement/a.go":     "package a\n\nfunc F() { go func() {}() }\n",
		"group/a.go":         "package a\n\nimport \"sync\"\n\nfunc F(w *sync.WaitGroup) { w.Go(func() {}) }\n",
		"later/a.go":         "package a\n\nimport \"time\"\n\nfunc F() { time.AfterFunc(1, func() {}) }\n",
		"second/a.go":        "package a\n",
		"second/b.go":        "package a\n\nfunc F() { go F() }\n",
		"none/a.go":          "package a\n\nfunc Go() { Go() }\n",
		"tested/a.go":        "package a\n",
		"tested/a_test.go":   "package a\n\nfunc init() { go func() {}() }\n",
		"tests/program/a.go": "package main\n\nfunc main() { go main() }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := starting(dir, "./...")
	if want := []string{"toy/group", "toy/later", "toy/second", "toy/statement"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}

// TestStartingHere: the packages of pure rules start none, and the ones around them do.
func TestStartingHere(t *testing.T) {
	t.Parallel()
	got, err := starting(filepath.Join("..", ".."), "./...")
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/askpane/askpane/"
	for name, want := range map[string]bool{"popup": true, "bridge": true, "popup/machine": false, "bridge/machine": false, "bridge/dialect": false} {
		if slices.Contains(got, module+name) != want {
			t.Errorf("%s starts goroutines: %t, want %t", name, !want, want)
		}
	}
}
