package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

var (
	run   = regexp.MustCompile(`<text[^>]*>([^<]{12,})</text>`)
	times = regexp.MustCompile(`\d+s|\d\d:\d\d`)
)

// texts returns the longer texts of a picture, with no times in them. It leaves out what the
// person in the film types, which has Coupon in it as soon as it is whole: how often a text is
// seen while it grows depends on the machine.
func texts(t *testing.T, file string) map[string]bool {
	t.Helper()
	svg, err := os.ReadFile(file)
	must.Do(t, err)
	var all []string
	for _, m := range run.FindAllStringSubmatch(string(svg), -1) {
		all = append(all, times.ReplaceAllString(strings.TrimSpace(html.UnescapeString(m[1])), "…"))
	}
	lasting := map[string]bool{}
	for _, text := range all {
		typed := slices.ContainsFunc(all, func(other string) bool { return strings.Contains(other, "Coupon") && strings.HasPrefix(other, text) })
		if !typed {
			lasting[text] = true
		}
	}
	return lasting
}

// The film in the README shows what askpane shows today: who plays it again sees the same texts.
func TestFilmIsTrue(t *testing.T) {
	needs.Long(t, "the film in the README, played again")
	for _, program := range []string{"tmux", "vim"} {
		needs.Program(t, program)
	}
	t.Chdir("../..")
	dir := t.TempDir()
	must.Do(t, takeAll(dir, "askpane", ""))
	kept, now := texts(t, "docs/askpane.svg"), texts(t, filepath.Join(dir, "askpane.svg"))
	if len(kept) < 20 {
		t.Errorf("there are only %d texts", len(kept))
	}
	for text := range kept {
		if !now[text] {
			t.Errorf("docs/askpane.svg shows %q, which is not there any more: just picture -only askpane", text)
		}
	}
	for text := range now {
		if !kept[text] {
			t.Errorf("%q is new: just picture -only askpane", text)
		}
	}
}
