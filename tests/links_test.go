package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// mostWords are those of what people read who use askpane, all of it together.
const mostWords = 18_000

// What a user reads stays short: what was measured, and what only those need who change
// askpane, stands in docs/dev.
func TestUsersReadLittle(t *testing.T) {
	t.Parallel()
	words := 0
	for _, page := range append(pages(t, "docs/*.md"), "README.md") {
		if page != "docs/design.md" && page != "docs/contracts.md" {
			words += len(strings.Fields(readPage(t, page)))
		}
	}
	if words > mostWords || words < mostWords/2 {
		t.Errorf("README.md and docs have %d words for users; %d are the most", words, mostWords)
	}
}

// pages are the documents whose names are like that.
func pages(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := fs.Glob(os.DirFS(".."), pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Whoever follows a link from one document to another, or to a heading or a picture,
// gets there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, page := range slices.Concat(pages(t, "*.md"), pages(t, "docs/*.md"), pages(t, "docs/dev/*.md")) {
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
