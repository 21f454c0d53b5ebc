// Package qr draws QR codes in a terminal's cells, two of their squares in each.
package qr

import (
	"strings"

	"rsc.io/qr"
)

// A code needs quiet light squares around it.
const quiet = 2

// Rows returns the rows of a code for text, to be drawn dark on light; inverted, light on dark.
func Rows(text string, inverted bool) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	var rows []string
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var b strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(halves[code.Black(x, y) != inverted][code.Black(x, y+1) != inverted])
		}
		rows = append(rows, b.String())
	}
	return rows, nil
}

// halves maps two squares, the upper one first, to their sign.
var halves = map[bool]map[bool]string{false: {false: " ", true: "▄"}, true: {false: "▀", true: "█"}}
