package preview

import (
	"strings"

	"github.com/gomarkdown/markdown/ast"
)

// narrowest is the least width of a column; a table with no room for that many
// cells a column is drawn as a list of its rows.
const narrowest = 5

type tableCell struct {
	spans []Span
	align ast.CellAlignFlags
}

// table draws a table within width: columns as wide as they want to be, the
// widest narrowed, and what is in them wrapped, until it fits.
func (pg *page) table(t *ast.Table, width int) []Line {
	head, body := pg.tableCells(t)
	if len(head) == 0 {
		return nil
	}
	wants := make([]int, len(head))
	for _, row := range append([][]tableCell{head}, body...) {
		for i, c := range row {
			for _, line := range wrap(c.spans, 1<<20) {
				wants[i] = max(wants[i], line.width(), 1)
			}
		}
	}
	widths, ok := share(wants, width-3*(len(head)-1))
	if !ok {
		return pg.records(head, body, width)
	}
	rows := pg.tableRow(head, widths)
	var rule strings.Builder
	for i, w := range widths {
		if i > 0 {
			rule.WriteString("─┼─")
		}
		rule.WriteString(strings.Repeat("─", w))
	}
	rows = append(rows, Line{{rule.String(), pg.Dim}})
	for _, row := range body {
		if rows = append(rows, pg.tableRow(row, widths)...); len(rows) > maxRows {
			break
		}
	}
	return rows
}

// tableCells are the contents of t, each row as long as the first.
func (pg *page) tableCells(t *ast.Table) (head []tableCell, body [][]tableCell) {
	for _, part := range t.Children {
		_, isHead := part.(*ast.TableHeader)
		for _, r := range part.GetChildren() {
			var row []tableCell
			for _, c := range r.GetChildren() {
				if cell, ok := c.(*ast.TableCell); ok {
					row = append(row, tableCell{pg.inline(cell.Children, look{strong: isHead}), cell.Align})
				}
			}
			if isHead && head == nil {
				head = row
			} else if row != nil {
				body = append(body, row)
			}
		}
	}
	for i, row := range body {
		for len(row) < len(head) {
			row = append(row, tableCell{})
		}
		body[i] = row[:len(head)]
	}
	return head, body
}

// share divides room among columns: what each wants where that fits, else the
// widest give first.
func share(wants []int, room int) ([]int, bool) {
	widths := append([]int(nil), wants...)
	sum, least := 0, 0
	for _, w := range widths {
		sum += w
		least += min(w, narrowest)
	}
	if least > room {
		return nil, false
	}
	most := room
	for sum > room && most > 0 {
		most--
		sum = 0
		for i, w := range wants {
			widths[i] = min(w, max(most, narrowest))
			sum += widths[i]
		}
	}
	// Rounding left a few cells over: the first narrowed columns get them.
	for i := range widths {
		if extra := min(wants[i]-widths[i], room-sum); extra > 0 && most < room {
			widths[i]++
			sum++
		}
	}
	return widths, true
}

func (pg *page) tableRow(row []tableCell, widths []int) []Line {
	high := 1
	columns := make([][]Line, len(row))
	for i, c := range row {
		columns[i] = wrap(c.spans, widths[i])
		high = max(high, len(columns[i]))
	}
	rows := make([]Line, high)
	for y := range rows {
		for i, lines := range columns {
			if i > 0 {
				rows[y] = append(rows[y], Span{" │ ", pg.Dim})
			}
			var text Line
			if y < len(lines) {
				text = lines[y]
			}
			before, after := 0, max(0, widths[i]-text.width())
			switch row[i].align {
			case ast.TableAlignmentRight:
				before, after = after, 0
			case ast.TableAlignmentCenter:
				before, after = after/2, after-after/2
			}
			if i == len(columns)-1 {
				after = 0
			}
			rows[y] = append(rows[y], pg.blanks(before)...)
			rows[y] = append(rows[y], text...)
			rows[y] = append(rows[y], pg.blanks(after)...)
		}
	}
	return rows
}

func (pg *page) blanks(n int) Line {
	if n <= 0 {
		return nil
	}
	return Line{{strings.Repeat(" ", n), pg.Text}}
}

// records draws a table with too many columns: each row as lines "head: value".
func (pg *page) records(head []tableCell, body [][]tableCell, width int) []Line {
	var rows []Line
	for i, row := range body {
		if i > 0 {
			rows = append(rows, nil)
		}
		for j, c := range row {
			spans := append(append([]Span(nil), head[j].spans...), Span{": ", pg.Dim})
			if rows = append(rows, wrap(append(spans, c.spans...), width)...); len(rows) > maxRows {
				return rows
			}
		}
	}
	return rows
}
