// Package hint holds errors that say what can be done about them, and the checks of
// askpane doctor.
package hint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Error says what can be done about what went wrong. One line prints both; Of tells
// them apart.
type Error struct {
	error
	Hint string // what to do about it, without a full stop
}

func (e *Error) Error() string { return e.error.Error() + separator + e.Hint }

func (e *Error) Unwrap() error { return e.error }

const separator = "; "

// New returns an error with a hint. It formats what is wrong as fmt.Errorf does.
func New(hint, format string, args ...any) error {
	return &Error{fmt.Errorf(format, args...), hint}
}

// Of returns what err says, and its hint if it has one. What was wrapped around an
// Error stays with what is wrong.
func Of(err error) (what, hint string) {
	var e *Error
	if !errors.As(err, &e) {
		return err.Error(), ""
	}
	return strings.TrimSuffix(err.Error(), separator+e.Hint), e.Hint
}

// Check reports on one thing to askpane doctor.
type Check struct {
	Section string `json:"section"`
	Name    string `json:"name"`
	State   State  `json:"state"`
	Detail  string `json:"detail"`
	Fix     string `json:"fix,omitempty"` // the command that mends it, or what to do
}

type State string

const (
	OK   State = "ok"
	Off  State = "off"  // switched off, or not there and not needed
	Warn State = "warn" // asking works, and something is not as it should be
	Fail State = "fail" // asking cannot work
)

// Wrong returns a Check that says what err says, with its hint.
func Wrong(section, name string, state State, err error) Check {
	what, fix := Of(err)
	return Check{section, name, state, what, fix}
}

// Word quotes s for a shell where it needs that: hints have commands that a person
// copies.
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

// JSON writes a value of ours in one line, which is JavaScript too, and a literal in
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
