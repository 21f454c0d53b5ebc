package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// cited is a document in a comment, by its name alone or by its path from the top.
	cited = regexp.MustCompile(`[A-Za-z0-9_./-]+\.md\b`)
	// headed is a document and one of its headings, in brackets: (docs/hosts.md, zellij).
	headed = regexp.MustCompile(`\((docs/[a-z/]+\.md), ([^)]+)\)`)
	// remarks are the comments of shell scripts and of TypeScript.
	remarks = map[string]*regexp.Regexp{
		".sh": regexp.MustCompile(`(?m)(?:^|\s)#(.*)$`),
		".ts": regexp.MustCompile(`(?m)(?:^|\s)//(.*)$|(?s)/\*(.*?)\*/`),
	}
)

// A stranger can read every document that a comment names, and finds the heading.
func TestCommentsCiteWhatIsHere(t *testing.T) {
	t.Parallel()
	documents, sources := map[string]bool{}, []string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == ".cache" || name == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md":
			documents[strings.TrimPrefix(filepath.ToSlash(path), "../")], documents[name] = true, true
		case d.Type().IsRegular() && kindOf(path) != "":
			sources = append(sources, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !documents["docs/design.md"] || len(sources) < 300 {
		t.Fatalf("%d documents and %d sources: this is not the whole tree", len(documents), len(sources))
	}
	found := 0
	for _, path := range sources {
		for _, comment := range commentsIn(t, path) {
			for _, name := range cited.FindAllString(comment, -1) {
				found++
				if !documents[name] {
					t.Errorf("%s cites %s, which is not in the repository", path, name)
				}
			}
			for _, at := range headed.FindAllStringSubmatch(comment, -1) {
				if documents[at[1]] && !hasHeading(t, at[1], at[2]) {
					t.Errorf("%s cites %q in %s, which has no such heading", path, at[2], at[1])
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d citations were found", found)
	}
}

// kindOf is what the file is written in, by its ending: .go, .ts or .sh, which is
// also a script without one. Empty is anything else.
func kindOf(path string) string {
	switch ext := filepath.Ext(path); ext {
	case ".go", ".ts", ".sh":
		return ext
	case "":
		start := make([]byte, 32)
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		defer f.Close()
		n, _ := f.Read(start)
		if first, _, _ := strings.Cut(string(start[:n]), "\n"); strings.HasPrefix(first, "#!") && strings.HasSuffix(first, "sh") {
			return ".sh"
		}
	}
	return ""
}

// commentsIn are the file's comments, each on one line.
func commentsIn(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	if kind := kindOf(path); kind != ".go" {
		for _, m := range remarks[kind].FindAllStringSubmatch(string(text), -1) {
			all = append(all, strings.Join(m[1:], " "))
		}
		return []string{strings.Join(all, " ")}
	}
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.Comments {
		all = append(all, oneLine(group))
	}
	return all
}

func oneLine(group *ast.CommentGroup) string { return strings.Join(strings.Fields(group.Text()), " ") }

func hasHeading(t *testing.T, document, heading string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", document))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^#+ ` + regexp.QuoteMeta(heading) + `(,|$)`).Match(text)
}
