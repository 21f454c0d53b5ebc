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
				p.put(x, y, c, ansi.EraseCharacter(n))
				x += n - 1
			} else {
				p.put(x, y, c, cmp.Or(c.Content, " "))
			}
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

// put writes something at a place with a cell's pen and link.
func (p *painter) put(x, y int, c *uv.Cell, what string) {
	if p.x != x || p.y != y {
		p.b.WriteString(ansi.CursorPosition(x+1, y+1))
	}
	if !c.Style.Equal(&p.pen) {
		p.b.WriteString(ansi.ResetStyle + c.Style.String())
		p.pen = c.Style
	}
	p.linkTo(c.Link)
	p.b.WriteString(what)
	p.x, p.y = x+1, y
	if len(what) > 1 { // terminals differ in how wide these are
		p.x = -1
	}
}

func (p *painter) linkTo(link uv.Link) {
	if link != p.link {
		p.b.WriteString(linkTo(link))
		p.link = link
	}
}

func linkTo(link uv.Link) string {
	return "\x1b]8;" + link.URL + ";" + link.Params + "\x1b\\" // vt has the two the wrong way round
}
