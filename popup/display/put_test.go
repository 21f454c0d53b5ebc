package display

import (
	"testing"

	"github.com/gdamore/tcell/v2"
)

// Put leaves alone every cell that it was not given.
func TestPutKeepsToItsCells(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"abcdefghij", "日本語日本語", "a日b本c語", "👩\u200d👩\u200d👧👍🏽🇩🇪x", "\u0301a", "e\u0301"} {
		for width := range 8 {
			screen := tcell.NewSimulationScreen("UTF-8")
			if err := screen.Init(); err != nil {
				t.Fatal(err)
			}
			screen.SetSize(12, 3)
			screen.Fill('#', tcell.StyleDefault)
			Put(screen, 2, 1, width, tcell.StyleDefault, text)
			for y := range 3 {
				for x := range 12 {
					cell, _, _ := screen.Get(x, y)
					inside := y == 1 && x >= 2 && x < 2+width
					if !inside && cell != "#" {
						t.Errorf("%q in %d cells draws %q at %d,%d", text, width, cell, x, y)
					}
				}
			}
			screen.Fini()
		}
	}
}
