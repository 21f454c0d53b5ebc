package tests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fzipp/gocyclo"
)

// What can be read in one go: a function's cyclomatic complexity, and a file's
// lines. A function that has to be above it says so with //gocyclo:ignore and the
// reason.
const (
	mostPaths = 15
	mostLines = 400
)

// TestReadable holds the product's functions and all of the repository's files to
// a size that is read in one go.
func TestReadable(t *testing.T) {
	functions, files := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir // what is installed for the tests
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		if n := bytes.Count(content, []byte("\n")); n > mostLines {
			t.Errorf("%s has %d lines; %d are the most", path, n, mostLines)
		}
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, filepath.Join("..", "tests")) {
			return nil
		}
		for _, f := range gocyclo.Analyze([]string{path}, nil) {
			if functions++; f.Complexity > mostPaths {
				t.Errorf("%v: %s has a cyclomatic complexity of %d; %d is the most", f.Pos, f.FuncName, f.Complexity, mostPaths)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 || functions < 500 {
		t.Errorf("only %d files and %d functions were looked at", files, functions)
	}
}
