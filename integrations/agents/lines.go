package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// inLines is a block of lines of ours in a file that has one statement a line,
// between two comments that only we write.
type inLines struct {
	comment string // what begins a comment there
	binary  string
	lines   string
	// before finds where the block goes, and may change its lines; nil is the
	// end of the file.
	before func(content []byte, lines string) (at int, fitted string, err error)
}

func (b inLines) first() string { return b.comment + " askpane begin: " }
func (b inLines) last() string  { return b.comment + " askpane end\n" }

func (b inLines) block(lines string) string {
	return b.first() + encode(b.binary) + "\n" + lines + b.last()
}

func (b inLines) snippet() string { return b.lines }

// find is where the block stands; start is -1 where there is none. A block
// without its end was broken by somebody, and nobody knows what in it is ours.
func (b inLines) find(content []byte) (start, end int, err error) {
	at := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(b.first())).FindAllIndex(content, -1)
	if len(at) == 0 {
		return -1, -1, nil
	}
	start = at[0][0]
	n := bytes.Index(content[start:], []byte("\n"+b.last()))
	if n < 0 || len(at) > 1 {
		return 0, 0, fmt.Errorf("the lines from %q to %q are not whole any more; take them out by hand", strings.TrimSpace(b.first()), strings.TrimSpace(b.last()))
	}
	return start, start + n + 1 + len(b.last()), nil
}

func (b inLines) add(content []byte) ([]byte, error) {
	start, end, err := b.find(content)
	if err != nil {
		return nil, err
	}
	old := content
	if start >= 0 {
		old = append(bytes.Clone(content[:start]), content[end:]...)
	}
	at, lines := len(old), b.lines
	if b.before != nil {
		if at, lines, err = b.before(old, b.lines); err != nil {
			return nil, err
		}
	}
	if start >= 0 && b.before == nil {
		at = start // where it is
	}
	var out bytes.Buffer
	out.Write(old[:at])
	if at > 0 && old[at-1] != '\n' {
		out.WriteString("\n")
	}
	out.WriteString(b.block(lines))
	out.Write(old[at:])
	return out.Bytes(), nil
}

func (b inLines) remove(content, before []byte) ([]byte, error) {
	start, end, err := b.find(content)
	if err != nil || start < 0 {
		return content, err
	}
	rest := append(bytes.Clone(content[:start]), content[end:]...)
	if bytes.Equal(bytes.TrimSuffix(rest, []byte("\n")), before) { // the last line had no end
		return before, nil
	}
	if len(rest) == 0 && before == nil {
		return nil, nil
	}
	return rest, nil
}

func (b inLines) present(content []byte) (string, bool, error) {
	start, _, err := b.find(content)
	if err != nil || start < 0 {
		return "", false, err
	}
	line, _, _ := bytes.Cut(content[start+len(b.first()):], []byte("\n"))
	binary, ok := decode(string(line))
	if !ok {
		return "", true, errors.New("the line with askpane's path cannot be read")
	}
	return binary, true, nil
}

// decode is a string that encode has written.
func decode(line string) (s string, ok bool) {
	ok = json.Unmarshal([]byte(line), &s) == nil
	return s, ok
}
