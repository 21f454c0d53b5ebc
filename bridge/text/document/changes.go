package document

import (
	"maps"
	"slices"
	"strings"
)

// mostCompared bounds the product of the lines that two versions do not have in common at
// their ends: beyond it all of those count as changed.
const mostCompared = 4_000_000

// Changes compares a text with the version before it, by lines without the blanks around
// them. changed lists the lines that are new or other; moved says for each line that stayed
// which one it is now. Lines are counted from 1.
func Changes(before, after string) (changed []int, moved map[int]int) {
	a, b := trimmed(before), trimmed(after)
	moved = map[int]int{}
	Common(a, b, func(i, j int) { moved[i+1] = j + 1 })
	stayed := map[int]bool{}
	for _, line := range moved {
		stayed[line] = true
	}
	for i, line := range b {
		if !stayed[i+1] && line != "" {
			changed = append(changed, i+1)
		}
	}
	return changed, moved
}

// Common calls keep with the indexes of the lines that two texts have in common, in order.
func Common(a, b []string, keep func(i, j int)) {
	begin, end, least := 0, 0, min(len(a), len(b))
	for ; begin < least && a[begin] == b[begin]; begin++ {
		keep(begin, begin)
	}
	for end < least-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	common(a[begin:len(a)-end], b[begin:len(b)-end], func(i, j int) { keep(begin+i, begin+j) })
	for ; end > 0; end-- {
		keep(len(a)-end, len(b)-end)
	}
}

// common does so for what lies between equal beginnings and ends: for a longest common subsequence.
func common(a, b []string, keep func(i, j int)) {
	if len(a)*len(b) > mostCompared {
		return
	}
	rest := make([][]int, len(a)+1) // how many lines a[i:] and b[j:] have in common
	for i := range rest {
		rest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if rest[i][j] = max(rest[i+1][j], rest[i][j+1]); a[i] == b[j] {
				rest[i][j] = rest[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			keep(i, j)
			i, j = i+1, j+1
		case rest[i+1][j] >= rest[i][j+1]:
			i++
		default:
			j++
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
