// Package hint has errors that say what can be done about them.
//
// Such an error has two parts: what is wrong, and a hint. Whatever prints an
// error in one line prints both; Of tells them apart for what shows them apart.
package hint

import (
	"errors"
	"fmt"
	"strings"
)

// Error is an error with a hint.
type Error struct {
	Err  error  // what is wrong; never nil
	Hint string // what to do about it, without a full stop
}

// Error is what is wrong and what to do about it, in one line.
func (e *Error) Error() string { return e.Err.Error() + separator + e.Hint }

// Unwrap is what is wrong.
func (e *Error) Unwrap() error { return e.Err }

const separator = "; "

// New is an error with a hint. What is wrong is formatted as fmt.Errorf does it.
func New(hint, format string, args ...any) error { return Add(fmt.Errorf(format, args...), hint) }

// Add is err with a hint, or nil where err is.
func Add(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &Error{err, hint}
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
