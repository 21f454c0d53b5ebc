package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Whoever follows a link from one document to another, or to a heading or a picture,
// gets there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	followed := 0
	pages, err := fs.Glob(os.DirFS(".."), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := fs.Glob(os.DirFS(".."), "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, more...) {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			target, anchor, _ := strings.Cut(m[1], "#")
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join("..", path)); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !anchors(readPage(t, path))[anchor] {
				t.Errorf("%s links to %s, and that has no such heading", page, m[1])
			}
		}
	}
	if followed < 50 {
		t.Errorf("only %d links were found", followed)
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// anchors are the headings' names in links, as GitHub makes them.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])] = true
	}
	return all
}
