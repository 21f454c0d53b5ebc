package form

import (
	"strconv"
	"strings"
)

// masked stands for a secret, whose length is then not told.
const masked = "•••"

// Hidden is what of a text that was typed may be shown: all of it, if it is no secret.
func (q *Question) Hidden(text string) string {
	if q.Secret && text != "" {
		return masked
	}
	return text
}

// Say is an answer to q in words, as the review, the history and askpane show
// say it; empty where nothing was said. It is the one place where an answer
// becomes a text for a person's eyes, unsafe to draw until Visible has seen it.
// sign stands before what was typed, and label changes the labels of options; it
// may be nil. A secret is masked.
func (q *Question) Say(a Answer, sign string, label func(string) string) string {
	if label == nil {
		label = func(text string) string { return text }
	}
	var parts []string
	for _, c := range a.Choices {
		if c >= 0 && c < len(q.Options) {
			parts = append(parts, label(q.Options[c].Label))
		}
	}
	switch {
	case a.Text != nil:
		parts = append(parts, sign+q.Hidden(*a.Text))
	case a.Withheld:
		parts = append(parts, sign+masked)
	}
	if a.Number != nil {
		parts = append(parts, strconv.FormatFloat(*a.Number, 'f', -1, 64))
	}
	if a.Empty {
		parts = append(parts, "left empty")
	}
	return strings.Join(parts, ", ")
}
