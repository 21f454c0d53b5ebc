package render

import (
	"math"
	"slices"
	"strings"

	tables "github.com/yuin/goldmark/extension/ast"

	"github.com/askpane/askpane/popup/preview/styled"
)

// A column is at least so wide; a table with no room for that many cells a column is drawn as a list of its rows.
const narrowest = 5

// table draws a table within width: columns as wide as they want to be, the widest
// narrowed, and what is in them wrapped, until it fits.
func (d document) table(t *tables.Table, width int) []styled.Row {
	var body [][][]styled.Span
	var wants []int
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		style := styled.Text
		if row == t.FirstChild() {
			style = styled.Strong
			wants = make([]int, row.ChildCount())
		}
		var columns [][]styled.Span
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			spans := d.inline(cell, with(styled.Span{}, style))
			for _, line := range styled.Wrap(spans, math.MaxInt) {
				wants[len(columns)] = max(wants[len(columns)], line.Width(), 1)
			}
			columns = append(columns, spans)
		}
		body = append(body, columns)
	}
	widths := share(wants, width-3*(len(wants)-1))
	if widths == nil {
		return records(body[0], body[1:], width)
	}
	rows := append(tableRow(body[0], widths, t.Alignments), rule(widths))
	for _, row := range body[1:] {
		rows = append(rows, tableRow(row, widths, t.Alignments)...)
	}
	return rows
}

// share divides room among columns: what each wants where that fits, else the widest
// give first; nil where they cannot have narrowest cells each.
func share(wants []int, room int) []int {
	widths, sum := slices.Clone(wants), 0
	for _, want := range wants {
		sum += want
	}
	for ; sum > room; sum-- {
		widest := slices.Max(widths)
		if widest <= narrowest {
			return nil
		}
		widths[slices.Index(widths, widest)]--
	}
	return widths
}

func rule(widths []int) styled.Row {
	var parts []string
	for _, width := range widths {
		parts = append(parts, strings.Repeat("─", width))
	}
	return styled.Row{{Text: strings.Join(parts, "─┼─"), Style: styled.Dim}}
}

// tableRow draws one row of a table, as high as the highest of its cells.
func tableRow(row [][]styled.Span, widths []int, alignments []tables.Alignment) []styled.Row {
	height := 1
	columns := make([][]styled.Row, len(row))
	for i, spans := range row {
		columns[i] = styled.Wrap(spans, widths[i])
		height = max(height, len(columns[i]))
	}
	rows := make([]styled.Row, height)
	for y := range rows {
		for i, lines := range columns {
			if i > 0 {
				rows[y] = append(rows[y], styled.Span{Text: " │ ", Style: styled.Dim})
			}
			var line styled.Row
			if y < len(lines) {
				line = lines[y]
			}
			rows[y] = append(rows[y], aligned(line, widths[i], alignments[i])...)
		}
	}
	return rows
}

// aligned pads line to width cells.
func aligned(line styled.Row, width int, to tables.Alignment) styled.Row {
	before, after := 0, max(0, width-line.Width())
	switch to {
	case tables.AlignRight:
		before, after = after, 0
	case tables.AlignCenter:
		before, after = after/2, after-after/2
	}
	padded := styled.Row{{Text: strings.Repeat(" ", before)}}
	return append(append(padded, line...), styled.Span{Text: strings.Repeat(" ", after)})
}

// records draws a table with too many columns: each row as lines "head: value".
func records(head [][]styled.Span, body [][][]styled.Span, width int) []styled.Row {
	var rows []styled.Row
	for i, row := range body {
		if i > 0 {
			rows = append(rows, nil)
		}
		for j, value := range row {
			spans := append(styled.Row{}, head[j]...)
			spans = append(append(spans, styled.Span{Text: ": ", Style: styled.Dim}), value...)
			rows = append(rows, styled.Wrap(spans, width)...)
		}
	}
	return rows
}
