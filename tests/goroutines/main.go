// Command goroutines prints the packages of this repository whose code starts
// goroutines, a line each: those that ./tests/run --all tests with the race detector. It
// would only make the tests of the others ten times slower.
//
// The rule that must hold here: it reads the code as it is, and has no list of its own.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	found, err := starting(".", "./...")
	if err != nil {
		fmt.Fprintln(os.Stderr, "goroutines:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(found, "\n"))
}

// starting are the import paths of the packages in dir that the go command's pattern
// stands for, of those whose code starts a goroutine. Tests are no such code, and
// neither are the programs below tests.
func starting(dir, pattern string) ([]string, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles", pattern)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var found []string
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if slices.Contains(strings.Split(p.ImportPath, "/"), "tests") {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			if starts(file) {
				found = append(found, p.ImportPath)
				break
			}
		}
	}
	return found, nil
}

// starts reports whether a file starts a goroutine: with a go statement, by the Go of a
// sync.WaitGroup and its like, or by an AfterFunc of time or context.
func starts(file *ast.File) (does bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			does = true
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok && (called.Sel.Name == "Go" || called.Sel.Name == "AfterFunc") {
				does = true
			}
		}
		return !does
	})
	return does
}
