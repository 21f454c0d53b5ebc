package document

import (
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// Changes compares a text with the version before it, by lines without the blanks around
// them. changed lists the lines that are new or other; moved says for each line that stayed
// which one it is now. Lines are counted from 1.
func Changes(before, after string) (changed []int, moved map[int]int) {
	a, b := trimmed(before), trimmed(after)
	moved = map[int]int{}
	Compare(a, b, func(sign byte, i, j int) {
		switch {
		case sign == ' ':
			moved[i+1] = j + 1
		case sign == '+' && b[j] != "":
			changed = append(changed, j+1)
		}
	})
	return changed, moved
}

// Compare calls each with the lines of both texts, those that go (-) before those that come (+),
// and with where it is in either.
func Compare(before, after []string, each func(sign byte, i, j int)) {
	i, j := 0, 0
	end := lcs.Diff{Start: len(before), End: len(before), ReplStart: len(after), ReplEnd: len(after)}
	for _, d := range append(lcs.DiffLines(before, after), end) {
		for ; i < d.Start; i, j = i+1, j+1 {
			each(' ', i, j)
		}
		for ; i < d.End; i++ {
			each('-', i, j)
		}
		for ; j < d.ReplEnd; j++ {
			each('+', i, j)
		}
	}
}

func trimmed(text string) []string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// Carry takes comments on the lines of a text to the version after it: with their lines, and
// where such a line is gone, to the nearest above it that stayed.
func Carry(comments map[int]string, moved map[int]int, after *Document) map[int]string {
	carried := map[int]string{}
	for _, line := range slices.Sorted(maps.Keys(comments)) {
		at := line
		for at > 0 && moved[at] == 0 {
			at--
		}
		place := after.Place(max(1, moved[at]))
		if carried[place] != "" {
			carried[place] += "\n"
		}
		carried[place] += comments[line]
	}
	return carried
}
