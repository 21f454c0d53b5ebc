package host

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Setup is a block of lines for a host's own configuration: keys for the
// questions that wait, and what askpane needs there to open popups.
type Setup struct {
	What string // what it is, in words
	// File is where that configuration is; env looks a variable up, and exists a file.
	File    func(home string, env func(string) string, exists func(path string) bool) string
	Comment string // what begins a comment there
	Lines   func(binary string) string
	// Fit finds where in the file the lines go, and may change them; nil is its end.
	Fit func(content []byte, lines string) (at int, fitted string, err error)
}

// Dir is the directory (or file) that a variable's value names, and else the one
// below home.
func Dir(home, value string, below ...string) string {
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(append([]string{home}, below...)...)
}

// ShellWord makes one word of s for a shell, with quotes where it needs them.
func ShellWord(s string) string { return hint.Word(s) }

// Quoted makes a string literal of s, as JSON, KDL and Lua read it.
func Quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be
	return strings.TrimSpace(b.String())
}
