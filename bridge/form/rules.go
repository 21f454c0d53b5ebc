package form

import (
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/text"
)

// Rules says what an answer has to keep besides, in the words of JSON Schema. A zero sets no
// rule.
type Rules struct {
	Whole bool `json:"whole,omitempty"` // of a Number: it has no fraction
	// MinLength and MaxLength bound a Text, in characters (code points).
	MinLength int `json:"minLength,omitempty"`
	MaxLength int `json:"maxLength,omitempty"`
	// Pattern has to match somewhere in a Text. It is in the syntax of RE2.
	Pattern string `json:"pattern,omitempty"`
	Format  string `json:"format,omitempty"` // of a Text: a key of Formats
	// MinItems and MaxItems bound how many options of a Many are chosen.
	MinItems int `json:"minItems,omitempty"`
	MaxItems int `json:"maxItems,omitempty"`
}

// Format is a form that a text may have to have.
type Format struct {
	name string // what a person reads
	fits func(text string) bool
}

// Formats has MCP's for a string. The first two are ASCII alone, which is what servers take.
var Formats = map[string]Format{
	"email": {"an email address", func(s string) bool {
		address, err := mail.ParseAddress(s)
		return err == nil && address.Address == s && len(s) == utf8.RuneCountInString(s)
	}},
	"uri": {"a URI, as https://example.org", func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && u.Scheme != "" && !strings.ContainsAny(s, " \n\"<>\\^`{|}") && len(s) == utf8.RuneCountInString(s)
	}},
	"date":      {"a date, as 2026-11-28", func(s string) bool { return isTime(time.DateOnly, s) }},
	"date-time": {"a date and time, as 2026-11-28T09:30:00Z", func(s string) bool { return isTime(time.RFC3339, s) }},
}

// isTime keeps to RFC 3339. Parse alone does not: it takes T9:30, and a comma before a fraction.
func isTime(layout, s string) bool {
	t, err := time.Parse(layout, s)
	return err == nil && !strings.Contains(s, ",") && strings.HasPrefix(s, t.Format(layout[:min(len(layout), len("2006-01-02T15:04:05"))]))
}

// String says what the rules want, as in "a whole number" or "2 to 3 choices".
func (r *Rules) String() string {
	var parts []string
	if r.Whole {
		parts = append(parts, "a whole number")
	}
	if f, known := Formats[r.Format]; known {
		parts = append(parts, f.name)
	}
	if r.MinLength > 0 || r.MaxLength > 0 {
		parts = append(parts, span(r.MinLength, r.MaxLength, "character"))
	}
	if r.Pattern != "" {
		parts = append(parts, "a text that matches "+text.OneLine(r.Pattern, 80))
	}
	if r.MinItems > 0 || r.MaxItems > 0 {
		parts = append(parts, span(r.MinItems, r.MaxItems, "choice"))
	}
	return strings.Join(parts, ", ")
}

// span says how many there may be, where 0 is no bound.
func span(least, most int, noun string) string {
	switch {
	case least == most:
		return "exactly " + counted(least, noun)
	case most == 0:
		return "at least " + counted(least, noun)
	case least == 0:
		return "at most " + counted(most, noun)
	}
	return fmt.Sprintf("%d to %s", least, counted(most, noun))
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// check is Question.Check for a question with rules.
func (r *Rules) check(q *Question, a Answer) error {
	plain := *q
	plain.Rules = nil
	switch err := plain.Check(a); {
	case err != nil || a.Empty || a.Withheld:
		return err
	case a.Number != nil:
		if n := *a.Number; r.Whole && (n != math.Trunc(n) || math.Abs(n) >= beyondWhole) {
			return fmt.Errorf("is %v, which is no whole number below 2^53", n)
		}
	case q.Kind == Text:
		return r.checkText(*a.Text)
	case q.Kind == Many && outside(len(a.Choices), r.MinItems, r.MaxItems):
		return fmt.Errorf("has %s; it takes %s", counted(len(a.Choices), "choice"), span(r.MinItems, r.MaxItems, "choice"))
	}
	return nil
}

// beyondWhole is the first whole number that a float64 has for another one, too: 2^53 for 2^53+1.
const beyondWhole = 1 << 53

func (r *Rules) checkText(s string) error {
	f, known := Formats[r.Format]
	pattern, err := regexp.Compile(r.Pattern)
	switch length := utf8.RuneCountInString(s); {
	case err != nil || !known && r.Format != "":
		return errors.New("cannot be checked by the rules of this question")
	case outside(length, r.MinLength, r.MaxLength):
		return fmt.Errorf("has %s; it takes %s", counted(length, "character"), span(r.MinLength, r.MaxLength, "character"))
	case known && !f.fits(s):
		return fmt.Errorf("is not %s", f.name)
	case !pattern.MatchString(s):
		return fmt.Errorf("does not match %s", text.OneLine(r.Pattern, 80))
	}
	return nil
}

// outside reports whether n is out of bounds, where a most of 0 is none.
func outside(n, least, most int) bool { return n < least || most > 0 && n > most }
