package host

import (
	"strings"
	"testing"
)

func TestLast(t *testing.T) {
	for _, c := range []struct{ lines, want int }{{0, 0}, {1, 1}, {600, 600}, {601, 600}, {5000, 600}} {
		got := Last(strings.Repeat("x\n", max(0, c.lines-1)) + strings.Repeat("end\n", min(1, c.lines)))
		if n := strings.Count(got, "\n"); n != c.want || n > 0 && !strings.HasSuffix(got, "end\n") {
			t.Errorf("of %d lines Last leaves %d, the last %q", c.lines, n, got[max(0, len(got)-9):])
		}
	}
}
