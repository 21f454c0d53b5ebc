package page

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"
)

// iconScale is how many pixels of icon one unit of icon.svg has.
const iconScale = 3

// icon is icon.svg as PNG, which home screens of iOS want.
var icon = sync.OnceValue(func() []byte {
	ground, accent, text := color.NRGBA{0x15, 0x18, 0x1c, 255}, color.NRGBA{0x56, 0xc8, 0xd8, 255}, color.NRGBA{0xe6, 0xe8, 0xea, 255}
	boxes := []struct {
		x, y, width, height, round float64 // from its middle
		line                       float64 // half of what is drawn; 0 is all of it
		color                      color.NRGBA
	}{{32, 32, 21, 17, 6, 2, accent}, {20, 32, 2, 8, 0, 0, accent}, {36, 27, 10, 2, 2, 0, text}, {32.5, 36, 6.5, 2, 2, 0, text}}
	img := image.NewNRGBA(image.Rect(0, 0, 64*iconScale, 64*iconScale))
	for i := 0; i < len(img.Pix); i += 4 {
		x, y := (float64(i/4%img.Rect.Dx())+0.5)/iconScale, (float64(i/img.Stride)+0.5)/iconScale
		c := ground
		for _, b := range boxes {
			right, down := math.Abs(x-b.x)-b.width+b.round, math.Abs(y-b.y)-b.height+b.round
			far := math.Hypot(max(right, 0), max(down, 0)) + min(max(right, down), 0) - b.round // from the edge; inside it is less than 0
			if b.line > 0 {
				far = math.Abs(far) - b.line
			}
			if far < 0 {
				c = b.color
			}
		}
		img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = c.R, c.G, c.B, c.A
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // into memory
	return b.Bytes()
})
