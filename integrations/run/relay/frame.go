package relay

import (
	"slices"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// frame draws the whole terminal: the command's screen, and over it the box with top.
func (b *box) frame(top *uv.Buffer) *uv.Buffer {
	under := b.cover.Under.Cells
	f := &uv.Buffer{Lines: make([]uv.Line, under.Height())}
	for y, line := range under.Lines {
		f.Lines[y] = slices.Clone(line)
	}
	area := *b.area.Load()
	if b.bordered {
		drawBorder(f, area.Inset(-1))
	}
	for y := area.Min.Y; y < min(area.Max.Y, f.Height()); y++ {
		// Through SetCell at the edges, for the sake of wide signs that are cut.
		f.SetCell(area.Min.X, y, nil)
		f.SetCell(area.Max.X-1, y, nil)
		copy(f.Lines[y][area.Min.X:], top.Lines[y-area.Min.Y])
	}
	return f
}

const title = " askpane "

// borderStyle keeps the border from drawing the eye.
var borderStyle = uv.Style{Fg: ansi.BrightBlack}

func drawBorder(f *uv.Buffer, area uv.Rectangle) {
	border := uv.RoundedBorder().Style(borderStyle)
	border.Draw(uv.ScreenBuffer{RenderBuffer: &uv.RenderBuffer{Buffer: f}}, area)
	if area.Dx() > len(title)+4 {
		for i, sign := range title {
			f.SetCell(area.Min.X+2+i, area.Min.Y, &uv.Cell{Content: string(sign), Width: 1, Style: borderStyle})
		}
	}
}
