package change

import (
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/document"
)

// around counts the lines that stay and are shown before those that change, and after them.
const around = 3

// edited is a line of a diff; sign is ' ', '-' or '+'. n counts it in the file as it will be, and
// for '-' as it is.
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
	return slices.ContainsFunc(all[max(0, i-around):min(len(all), i+around+1)], func(line edited) bool { return line.sign != ' ' })
}

// compare lists all lines of both, those that go before those that come.
func compare(before, after []string) (all []edited) {
	i, j := 0, 0
	change := func(k, l int) {
		for ; i < k; i++ {
			all = append(all, edited{'-', i + 1, before[i]})
		}
		for ; j < l; j++ {
			all = append(all, edited{'+', j + 1, after[j]})
		}
	}
	document.Common(before, after, func(k, l int) {
		change(k, l)
		all = append(all, edited{' ', l + 1, before[k]})
		i, j = k+1, l+1
	})
	change(len(before), len(after))
	return all
}
