package keymap

import (
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// What no other group has is answering.
const answering = 1

// groups lists those of the help in their order, with what their keys do.
var groups = []struct {
	name string
	does []string
}{
	{"Move", []string{"move", "first, last", "question", "submit tab", "scroll", "the oldest", "the newest"}},
	{"Answer", nil},
	{"Look", []string{"look at", "preview", "filter", "show all", "peek at the pane", "browser", "help"}},
	{"Elsewhere", []string{"go there, answer later", NextWaiting, "previous waiting", "back to the list", "go to its pane", "mute for an hour", "end the mute", "quit", "close"}},
}

// group returns the number of the group that has what a key does.
func group(does string) int {
	for i, g := range groups {
		if slices.Contains(g.does, does) {
			return i
		}
	}
	return answering
}

// HelpRows lays the help out as a table: the groups in as many columns as there is room
// for; on few rows without their names, all keys one after the other in columns; and on
// fewer one behind the other.
func HelpRows(hints []Hint, width, rows int) []styled.Row {
	var titled, single [][]Hint
	for i, g := range groups {
		part := []Hint{{}, {Help: g.name}}
		for _, h := range hints {
			if group(h.Help) == i {
				part, single = append(part, h), append(single, []Hint{h})
			}
		}
		if len(part) > 2 {
			titled = append(titled, part)
		}
	}
	for _, parts := range [][][]Hint{titled, single} {
		for columns := len(groups); columns > 0 && len(parts) > 0; columns-- {
			all := table(parts, (len(parts)+columns-1)/columns)
			if len(all) <= rows && !slices.ContainsFunc(all, func(r styled.Row) bool { return r.Width() > width }) {
				return all
			}
		}
	}
	return running(slices.Concat(single...), width)
}

// table lays parts out in columns, so many in each, with the keys aligned at the right.
func table(parts [][]Hint, each int) (rows []styled.Row) {
	const gap = 4
	for some := range slices.Chunk(parts, each) {
		column, at, keys := slices.Concat(some...), 0, 0
		if column[0].Help == "" { // what parts it from the one above
			column = column[1:]
		}
		for _, row := range rows {
			at = max(at, row.Width()+gap)
		}
		for _, h := range column {
			keys = max(keys, cells.Width(h.Keys))
		}
		for i, h := range column {
			if i == len(rows) {
				rows = append(rows, nil)
			}
			style := styled.Text
			if h.Keys == "" {
				style = styled.Dim
			}
			pad := strings.Repeat(" ", at-rows[i].Width()+keys-cells.Width(h.Keys))
			rows[i] = rows[i].With(pad, styled.Text).With(h.Keys, styled.Strong).With("  "+h.Help, style)
		}
	}
	return rows
}

// running lays hints out one behind the other.
func running(hints []Hint, width int) (rows []styled.Row) {
	var row styled.Row
	for _, h := range hints {
		if len(row) > 0 && row.Width()+cells.Width(" · "+h.Keys+" "+h.Help) > width {
			rows, row = append(rows, row), nil
		} else if len(row) > 0 {
			row = row.With(" · ", styled.Dim)
		}
		row = row.With(h.Keys, styled.Strong).With(" "+h.Help, styled.Text)
	}
	return append(rows, row)
}
