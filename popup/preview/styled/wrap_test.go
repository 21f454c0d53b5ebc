package styled

import (
	"slices"
	"strings"
	"testing"
)

func TestWrapCode(t *testing.T) {
	for _, c := range []struct {
		line  string
		width int
		want  []string
	}{
		{"SELECT id FROM sessions", 12, []string{"SELECT id ", "↳ FROM ", "↳ sessions"}},
		{"ab cd", 5, []string{"ab cd"}},
		{"ab cdef", 6, []string{"ab ", "↳ cdef"}},
		{"ab cd  ef", 5, []string{"ab cd", "↳   ", "↳ ef"}},
		{"    abcdefghij", 10, []string{"    abcdef", "↳ ghij"}},
		{"x abcdefghij", 10, []string{"x ", "↳ abcdefgh", "↳ ij"}},
		{"日本 語です", 6, []string{"日本 ", "↳ 語で", "↳ す"}},
		{"", 4, []string{""}},
	} {
		var got []string
		for _, row := range WrapCode([]Span{{Text: c.line}}, c.width) {
			got = append(got, row.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %d cells is %q, want %q", c.line, c.width, got, c.want)
		}
		joined := strings.ReplaceAll(strings.Join(got, ""), "↳ ", "")
		if joined != c.line {
			t.Errorf("%q has become %q", c.line, joined)
		}
	}
}
