package change

import (
	"fmt"
	"strings"
)

// around counts the lines that stay and are shown before those that change, and after them.
const around = 3

// mostCells bounds the table by which lines that stay are found between others that change.
// Beyond it all of those count as changed.
const mostCells = 1 << 22

// edited is a line of a diff; sign is ' ', '-' or '+', n its number in the file before, or
// afterwards for '+'.
type edited struct {
	sign byte
	n    int
	text string
}

// diff shows what of before becomes after, in hunks. A line that ends in blanks or in no
// line break differs from one that does not.
func diff(before, after []string) string {
	all := compare(before, after)
	width := len(fmt.Sprint(max(len(before), len(after))))
	var b strings.Builder
	last := -1
	for i, line := range all {
		if !near(all, i) {
			continue
		}
		if last >= 0 && last < i-1 {
			b.WriteString("@@\n")
		}
		fmt.Fprintf(&b, "%c %*d  %s\n", line.sign, width, line.n, single(line.text))
		last = i
	}
	if last < 0 {
		return "@@ nothing changes but, perhaps, the line break at the end\n"
	}
	return b.String()
}

// near reports whether a line changes, or is around one that does.
func near(all []edited, i int) bool {
	for _, line := range all[max(0, i-around):min(len(all), i+around+1)] {
		if line.sign != ' ' {
			return true
		}
	}
	return false
}

// compare lists all lines of both, those that go before those that come.
func compare(before, after []string) (all []edited) {
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for i, line := range before[:head] {
		all = append(all, edited{' ', i + 1, line})
	}
	all = append(all, between(before[head:len(before)-tail], after[head:len(after)-tail], head)...)
	for i, line := range before[len(before)-tail:] {
		all = append(all, edited{' ', len(before) - tail + i + 1, line})
	}
	return all
}

// between compares what is left between equal heads, of so many lines, and tails: by the longest
// common subsequence.
func between(before, after []string, head int) (all []edited) {
	rows, columns := len(before)+1, len(after)+1
	var longest []int32
	if rows*columns <= mostCells {
		longest = make([]int32, rows*columns)
		for i := len(before) - 1; i >= 0; i-- {
			for j := len(after) - 1; j >= 0; j-- {
				if best := max(longest[(i+1)*columns+j], longest[i*columns+j+1]); before[i] == after[j] {
					longest[i*columns+j] = longest[(i+1)*columns+j+1] + 1
				} else {
					longest[i*columns+j] = best
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case longest != nil && i < len(before) && j < len(after) && before[i] == after[j]:
			all = append(all, edited{' ', head + i + 1, before[i]})
			i, j = i+1, j+1
		case i < len(before) && (longest == nil || j == len(after) || longest[(i+1)*columns+j] >= longest[i*columns+j+1]):
			all = append(all, edited{'-', head + i + 1, before[i]})
			i++
		default:
			all = append(all, edited{'+', head + j + 1, after[j]})
			j++
		}
	}
	return all
}
