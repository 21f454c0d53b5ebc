package diagram

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// A cell of a picture, in CSS pixels. The page's monospace type at 13.3 pixels is as wide.
const cellWidth, cellHeight = 8, 18

// SVG draws the diagram that source describes as a picture for a page, and returns it in rows as
// well, and what Draw says below it. One that does not fit in width cells has widest at most. Its
// lines and texts have classes, by which the page gives them colours. Errors are those of Draw.
func SVG(source string, width, widest int) (picture string, drawn, below []styled.Row, err error) {
	c, below, err := draw(source, width)
	if errors.Is(err, errTooWide) {
		c, below, err = draw(source, widest)
	}
	return c.svg(), c.rows(), below, err
}

// halves has the paths from the middle of a cell to its edges and back.
var halves = map[directions]string{up: "v-9m0 9", down: "v9m0-9", left: "h-4m4 0", right: "h4m-4 0"}

// curves has the paths of signs that are no text in an outline or at the end of a line. Each
// begins in the middle of its cell. The tip of an arrow reaches the middle of the next one, and meets
// the line there.
var curves = map[string]string{
	"┌": halves[right] + halves[down], "┐": halves[left] + halves[down], "└": halves[right] + halves[up], "┘": halves[left] + halves[up],
	"╭": "m4 0q-4 0-4 9", "╮": "m-4 0q4 0 4 9", "╯": "m-4 0q4 0 4-9", "╰": "m4 0q-4 0-4-9",
	"├": halves[up] + halves[down] + halves[right], "┤": halves[up] + halves[down] + halves[left], "─": halves[left] + halves[right], "│": halves[up] + halves[down],
	"(": "m0-9q-2 9 0 18", ")": "m0-9q2 9 0 18", "<": "m0-9l-4 9 4 9", ">": "m0-9l4 9-4 9",
	"/": "m2-9l-4 18", `\`: "m-2-9l4 18",
	"►": "m-4 0h2m0-5l10 5-10 5z", "◄": "m4 0h-2m0-5l-10 5 10 5z", "▼": "m0-9v17m-5 0h10l-5 10z", "▲": "m0 9v-17m-5 0h10l-5-10z",
}

// slants has those that are at the left end of a line, and at its right end.
var slants = map[string][2]string{"╱": {"m4 0l-4 9", "m-4 0l4-9"}, "╲": {"m4 0l-4-9", "m-4 0l4 9"}}

// classes names the strokes for the page.
var classes = map[stroke]string{solid: "solid", thick: "thick", dotted: "dotted"}

// svg returns the drawing as a picture, whose name for those who do not see it is all of its texts.
func (c canvas) svg() string {
	var texts, said []string
	paths := map[string]string{}
	end := c.end()
	for y := range end.y {
		for x := 0; x < end.x; {
			at := point{x, y}
			if class, path := c.path(at); path != "" {
				paths[class] += fmt.Sprintf("M%d %d%s", x*cellWidth+cellWidth/2, y*cellHeight+cellHeight/2, path)
			}
			run, width := c.run(at)
			if run != "" {
				said = append(said, html.EscapeString(run))
				texts = append(texts, fmt.Sprintf(`<text x="%d" y="%d" textLength="%d" class="%s">%s</text>`, x*cellWidth, y*cellHeight+13, width*cellWidth, styled.Classes[c[at].style], said[len(said)-1]))
			}
			x += max(1, width)
		}
	}
	picture := fmt.Sprintf(`<svg role="img" aria-label="Diagram: %s" width="%d" height="%d" viewBox="0 0 %[2]d %[3]d">`, strings.Join(said, ", "), end.x*cellWidth, end.y*cellHeight)
	for _, class := range slices.Sorted(maps.Keys(paths)) {
		picture += fmt.Sprintf(`<path class="%s" d="%s"/>`, class, paths[class])
	}
	return picture + strings.Join(texts, "") + "</svg>"
}

// path returns what a square has of the lines, and its class; empty where it has a text.
func (c canvas) path(at point) (class, path string) {
	q := c[at]
	switch ends := slants[q.text]; {
	case q.text == "":
		for _, d := range []directions{up, down, left, right} {
			if q.lines&d != 0 {
				path += halves[d]
			}
		}
		return classes[q.stroke], path
	case q.style == styled.Dim && q.text == "║", q.style == styled.Emphasis && strings.Contains("▌▐", q.text): // the sides of a note
		return classes[thick], curves["│"]
	case q.style != styled.Dim:
		return "", ""
	case ends[0] != "" && c[point{at.x + 1, at.y}].lines != 0:
		path = ends[0]
	default:
		path = cmp.Or(ends[1], curves[q.text])
	}
	if strings.HasSuffix(path, "z") {
		return "filled", path
	}
	return classes[solid], path
}

// run returns the text that begins in a square, as far as it is one in one style, without its last blanks,
// and how many cells it takes.
func (c canvas) run(at point) (text string, width int) {
	style, blanks := c[at].style, 0
	for ; ; at.x++ {
		q := c[at]
		_, path := c.path(at)
		switch {
		case q.text == covered:
		case q.text == " " && text != "" && blanks == 0:
			blanks = 1
		case q.text == "" || q.text == " " || path != "" || q.style != style:
			return text, width
		default:
			text += strings.Repeat(" ", blanks) + q.text
			width += blanks + cells.Width(q.text)
			blanks = 0
		}
	}
}
