// Package qr draws QR codes in a terminal's cells, two of their squares in each.
package qr

import (
	"strings"

	"rsc.io/qr"
)

// quiet is how many light squares there have to be around a code.
const quiet = 2

// Rows are the rows of a code for text, dark on light whatever the terminal's colours.
func Rows(text string) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	var rows []string
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var b strings.Builder
		b.WriteString("\x1b[30;107m")
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(halves[code.Black(x, y)][code.Black(x, y+1)])
		}
		b.WriteString("\x1b[m")
		rows = append(rows, b.String())
	}
	return rows, nil
}

// halves are the signs of two squares, the upper one first.
var halves = map[bool]map[bool]string{false: {false: " ", true: "▄"}, true: {false: "▀", true: "█"}}
