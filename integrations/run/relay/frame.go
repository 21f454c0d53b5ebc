package relay

import (
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// frame draws the whole terminal: the command's screen, and over it the box with top.
func (b *box) frame(top *uv.Buffer) *uv.Buffer {
	f := uv.ScreenBuffer{RenderBuffer: &uv.RenderBuffer{Buffer: b.cover.Under.Cells.Clone()}}
	area := *b.area.Load()
	if b.bordered {
		drawBorder(f, area.Inset(-1))
	}
	f.ClearArea(area)
	top.Draw(f, area)
	return f.Buffer
}

const title = " askpane "

// borderStyle keeps the border from drawing the eye.
var borderStyle = uv.Style{Fg: ansi.BrightBlack}

func drawBorder(f uv.ScreenBuffer, area uv.Rectangle) {
	border := uv.RoundedBorder().Style(borderStyle)
	border.Draw(f, area)
	if area.Dx() > len(title)+4 {
		for i, sign := range title {
			f.SetCell(area.Min.X+2+i, area.Min.Y, &uv.Cell{Content: string(sign), Width: 1, Style: borderStyle})
		}
	}
}
