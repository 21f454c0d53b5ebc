// Package golden holds screens against files: what a simulated terminal shows,
// as text that a person can read and look through in a change.
//
// A test that uses it takes -update, which writes the files anew.
package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

var update = flag.Bool("update", false, "rewrite the golden screens in testdata/screens")

// Rows is what stands on the screen, without blanks at the ends.
func Rows(screen tcell.SimulationScreen) []string {
	width, height := screen.Size()
	rows := make([]string, height)
	for y := range height {
		var b strings.Builder
		for x := 0; x < width; {
			cluster, _, w := screen.Get(x, y)
			b.WriteString(cluster)
			x += max(1, w)
		}
		rows[y] = strings.TrimRight(b.String(), " ")
	}
	return rows
}

// Frame is the screen in a frame, below its size and the cursor's place.
func Frame(screen tcell.SimulationScreen) string {
	width, height := screen.Size()
	var b strings.Builder
	fmt.Fprintf(&b, "%dx%d", width, height)
	if x, y, visible := screen.GetCursor(); visible {
		fmt.Fprintf(&b, ", cursor at column %d, row %d", x, y)
	}
	edge := strings.Repeat("─", width)
	b.WriteString("\n┌" + edge + "┐\n")
	for _, row := range Rows(screen) {
		b.WriteString("│" + row + strings.Repeat(" ", max(0, width-uniseg.StringWidth(row))) + "│\n")
	}
	return b.String() + "└" + edge + "┘\n"
}

// Check holds a screen against testdata/screens/NAME.txt.
func Check(t testing.TB, name, screen string) {
	t.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(screen), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run this package's tests with -update and look at it", err)
	}
	if string(want) != screen {
		t.Errorf("the screen is not %s any more; if that is meant, run this package's tests with -update and look at it. It is\n%s\nand was\n%s", path, screen, want)
	}
}
