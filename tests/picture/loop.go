package main

import (
	"fmt"
	"strings"
	"time"
)

// svg is the film as one picture: its frames stand one below the other, behind a window
// of one frame's height, and a style moves them up in steps. What is the same in all of
// them stands still, and each row is drawn once, wherever and how often it is shown.
// Without animation the telling frame is in the window.
func (f *film) svg() []byte {
	frames, ends := f.frames[:len(f.frames)-1], f.ends()
	total := ends[len(ends)-1]
	height := f.Height() * cellHeight
	var rows, still, moving, keys strings.Builder
	drawn := map[string]string{"": ""}
	use := func(b *strings.Builder, row string, y int) {
		id, known := drawn[row]
		if !known {
			id = fmt.Sprintf("r%d", len(drawn))
			drawn[row] = id
			fmt.Fprintf(&rows, `<g id="%s">%s</g>`+"\n", id, row)
		}
		if id != "" {
			fmt.Fprintf(b, `<use href="#%s" y="%d"/>`, id, y)
		}
	}
	same, telling := f.same(), 0
	for y, row := range frames[0].rows {
		if same[y] {
			use(&still, row, y*cellHeight)
		}
	}
	for i, frame := range frames {
		if frame.tells {
			telling = i // the last one, where the person has moved to their choice
		}
		var begins time.Duration
		if i > 0 {
			begins = ends[i-1]
		}
		fmt.Fprintf(&keys, "%.4g%%{transform:translateY(-%dpx)}", 100*begins.Seconds()/total.Seconds(), i*height)
		for y, row := range frame.rows {
			if !same[y] {
				use(&moving, row, i*height+y*cellHeight)
			}
		}
		moving.WriteString("\n")
	}
	style := fmt.Sprintf("<style>\n.film{animation:film %.4gs step-end infinite}\n@keyframes film{%s}\n", total.Seconds(), &keys) +
		"@media (prefers-reduced-motion:reduce){.film{animation:none}}\n</style>\n"
	inside := fmt.Sprintf("<defs>\n%s</defs>\n%s\n<g class=\"film\" transform=\"translate(0 -%d)\">\n%s</g>\n", &rows, &still, telling*height, &moving)
	return f.sheet(f.Width(), f.Height(), label, style, inside)
}

// ends is when each frame ends, in the film's time.
func (f *film) ends() (ends []time.Duration) {
	var at time.Duration
	for i := range len(f.frames) - 1 {
		at += min(f.frames[i+1].at.Sub(f.frames[i].at), longest)
		ends = append(ends, at.Round(10*time.Millisecond))
	}
	return ends
}

// same says which rows never change.
func (f *film) same() []bool {
	same := make([]bool, f.Height())
	for y := range same {
		same[y] = true
		for _, frame := range f.frames[:len(f.frames)-1] {
			same[y] = same[y] && frame.rows[y] == f.frames[0].rows[y]
		}
	}
	return same
}
