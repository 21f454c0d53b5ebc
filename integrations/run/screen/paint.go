package screen

import (
	"cmp"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// paint draws the cells of to that differ from those of from, which are on the
// terminal already; all of them where from is nil or of another size. The
// terminal is as neutral leaves it; its cursor and pen are anywhere afterwards.
func paint(from, to *uv.Buffer) string {
	if from != nil && from.Bounds() != to.Bounds() {
		from = nil
	}
	p := painter{x: -1}
	p.b.WriteString(ansi.ResetStyle)
	for y, line := range to.Lines {
		same := func(x int) bool { return from != nil && line[x].Equal(from.CellAt(x, y)) }
		for x := 0; x < len(line); x++ {
			c := &line[x]
			secondHalf := c.Width == 0 && c.Content == "" && x > 0 && line[x-1].Width == 2
			if secondHalf || same(x) {
				continue
			}
			// Blanks are erased and not written: so nobody copies them with the text.
			n := 0
			for x+n < len(line) && line[x+n].Equal(&uv.EmptyCell) && !same(x+n) {
				n++
			}
			if n > 3 {
				p.blank(x, y, n)
				x += n - 1
				continue
			}
			p.cell(x, y, c)
		}
	}
	p.linkTo(uv.Link{})
	return p.b.String() + ansi.ResetStyle
}

type painter struct {
	b    strings.Builder
	x, y int // where the cursor is; -1 where that is not certain
	pen  uv.Style
	link uv.Link
}

// to goes to a cell and takes the pen for it.
func (p *painter) to(x, y int, pen uv.Style) {
	if p.x != x || p.y != y {
		p.b.WriteString(ansi.CursorPosition(x+1, y+1))
	}
	if !pen.Equal(&p.pen) {
		p.b.WriteString(ansi.ResetStyle + pen.String())
		p.pen = pen
	}
	p.x, p.y = x, y
}

func (p *painter) blank(x, y, n int) {
	p.to(x, y, uv.Style{})
	p.b.WriteString(ansi.EraseCharacter(n))
}

func (p *painter) cell(x, y int, c *uv.Cell) {
	p.to(x, y, c.Style)
	p.linkTo(c.Link)
	content := cmp.Or(c.Content, " ")
	p.b.WriteString(content)
	p.x = x + 1
	if len(content) > 1 { // terminals differ in how wide these are
		p.x = -1
	}
}

func (p *painter) linkTo(link uv.Link) {
	if link != p.link {
		p.b.WriteString("\x1b]8;" + link.URL + ";" + link.Params + "\x1b\\") // vt has the two the wrong way round
		p.link = link
	}
}
