package document

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sum returns the SHA-256 of a text, in hexadecimal digits.
func Sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// Unix ends the lines of a text in \n alone, wherever a screen breaks them (text.Visible).
var Unix = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n").Replace

// mostCompared bounds the product of the lines that two versions do not have in common at
// their ends: beyond it all of those count as changed.
const mostCompared = 4_000_000

// Changes compares a text with the version before it, by lines without the blanks around
// them. changed lists the lines that are new or other; carried has the comments on lines of the
// version before with their lines, and where such a line is gone, with the nearest above it that
// stayed. Lines are counted from 1.
func Changes(before, after string, comments map[int]string) (changed []int, carried map[int]string) {
	a, b := trimmed(before), trimmed(after)
	moved, stayed := map[int]int{}, map[int]bool{}
	Common(a, b, func(i, j int) { moved[i+1], stayed[j+1] = j+1, true })
	for i, line := range b {
		if !stayed[i+1] && line != "" {
			changed = append(changed, i+1)
		}
	}
	places := Parse(after)
	carried = map[int]string{}
	for _, line := range slices.Sorted(maps.Keys(comments)) {
		at := line
		for at > 0 && moved[at] == 0 {
			at--
		}
		place := places.Place(max(1, moved[at]))
		if carried[place] != "" {
			carried[place] += "\n"
		}
		carried[place] += comments[line]
	}
	return changed, carried
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
