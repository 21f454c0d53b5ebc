// Package hint has what parts of askpane say of a thing that is not as it should
// be: errors with a hint, and the checks of askpane doctor.
package hint

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Error is an error that says what can be done about it. Whatever prints it in one
// line prints both; Of tells them apart.
type Error struct {
	error
	Hint string // what to do about it, without a full stop
}

func (e *Error) Error() string { return e.error.Error() + separator + e.Hint }

// Unwrap is what is wrong.
func (e *Error) Unwrap() error { return e.error }

const separator = "; "

// New is an error with a hint. What is wrong is formatted as fmt.Errorf does it.
func New(hint, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), hint}
}

// Of is what err says and its hint, which is empty where it has none. What was
// wrapped around an Error stays with what is wrong.
func Of(err error) (what, hint string) {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error(), ""
	}
	return strings.TrimSuffix(err.Error(), separator+e.Hint), e.Hint
}

// Check is one thing that askpane doctor has looked at. The part of askpane that
// it is about gives it.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	State   State  `json:"state"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"` // the command that mends it, or what to do
}

// State is how the thing was found.
type State string

// The states.
const (
	OK   State = "ok"
	Off  State = "off"  // switched off, or not there and not needed
	Warn State = "warn" // asking works, and something is not as it should be
	Fail State = "fail" // asking cannot work
)

// Wrong is a Check of a thing that is not as it should be: what err says, and its hint.
func Wrong(section, name string, state State, err error) Check {
	what, fix := Of(err)
	return Check{section, name, state, what, fix}
}

// Word makes one word of s for a shell, with quotes where it needs them: hints
// have commands that a person copies.
func Word(s string) string {
	special := func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("/._-+@%:,", r)
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// JSON is a value of ours as JSON in one line, which is JavaScript too, and a literal in
// KDL and Lua. People read it, so its <, > and & stay.
func JSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // only our own values come here
	}
	return strings.TrimSpace(b.String())
}

// Nearest is the one of names that somebody who wrote name may have meant; empty
// where none is near.
func Nearest(name string, names []string) (best string) {
	if len(name) > 64 { // the distance of two texts costs the product of their lengths
		return ""
	}
	least := math.MaxInt
	for _, n := range names {
		d := distance(strings.ToLower(name), strings.ToLower(n))
		if len(name) > 1 && strings.HasPrefix(n, name) {
			d = min(d, 1)
		}
		if d <= (max(len(name), len(n))+1)/3 && d < least {
			best, least = n, d
		}
	}
	return best
}

// distance is how many slips of the fingers make b of a: letters that are missing, too
// many, wrong, or two in each other's place, which smetrics, that urfave/cli brings,
// counts as two.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			case i > 1 && j > 1 && a[i-2:i] == string([]byte{b[j-1], b[j-2]}):
				d[i][j] = 1 + min(d[i-2][j-2], d[i-1][j-1], d[i-1][j], d[i][j-1])
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
		}
	}
	return d[len(a)][len(b)]
}

// DidYouMean is the end of a sentence that something is not known; empty without a
// name to offer.
func DidYouMean(name string) string {
	if name == "" {
		return ""
	}
	return " (did you mean " + name + "?)"
}
