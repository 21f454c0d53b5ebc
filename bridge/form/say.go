package form

import (
	"strconv"
	"strings"
)

// Say is an answer to q in words, as the review, the history and askpane show
// say it; empty where nothing was said. It is the one place where an answer
// becomes a text for a person's eyes, unsafe to draw until Visible has seen it.
// sign stands before what was typed.
func (q *Question) Say(a Answer, sign string) string {
	var parts []string
	for _, c := range a.Choices {
		if c >= 0 && c < len(q.Options) {
			parts = append(parts, q.Options[c].Label)
		}
	}
	if a.Text != nil {
		parts = append(parts, sign+*a.Text)
	}
	if a.Number != nil {
		parts = append(parts, strconv.FormatFloat(*a.Number, 'f', -1, 64))
	}
	if a.Empty {
		parts = append(parts, "left empty")
	}
	return strings.Join(parts, ", ")
}
