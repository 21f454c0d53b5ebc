package change

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/document"
)

// around counts the lines that stay and are shown before those that change, and after them.
const around = 3

// edited is a line of a diff; sign is ' ', '-' or '+'. n counts it in the file as it will be, and for '-' as it is.
type edited struct {
	sign byte
	n    int
	text string
}

// unseen matches the other blanks, which nobody can tell from a plain one, and what nobody can tell from nothing.
var unseen = regexp.MustCompile(`[\x{a0}\x{1680}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}\x{fe0e}\x{fe0f}]`)

// look returns what can be seen of a line.
func look(line string) string {
	return strings.TrimRight(unseen.ReplaceAllString(text.Bare(single(line)), " "), " ")
}

// diff shows what of before becomes after, in hunks; of changed lines that look the same it shows the blanks, too.
func diff(before, after []string) string {
	all, looks, alike := compare(before, after), map[string]string{}, map[string]bool{}
	for _, line := range all {
		at := look(line.text)
		was, known := looks[at]
		alike[at] = alike[at] || known && was != line.text
		looks[at] = line.text
	}
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
		if line.sign != ' ' && alike[look(line.text)] {
			line.text = unseen.ReplaceAllStringFunc(strings.ReplaceAll(line.text, "\t", "⇥   "), document.CodePoint) + "⏎"
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
