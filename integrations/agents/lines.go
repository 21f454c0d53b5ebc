package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/settings/edit"
)

// inLines is a block of lines of ours between two comments that only we write.
type inLines struct {
	comment string // what begins a comment there
	binary  string
	lines   string
	// fit finds where the block goes, and may change its lines; nil is the end of
	// the file.
	fit func(content []byte, lines string) (at int, fitted string, err error)
}

// alone fits the lines into a file of their own.
func alone(content []byte, lines string) (at int, fitted string, err error) {
	if len(content) > 0 {
		err = errors.New("there is a file of somebody else's by this name; move it away first")
	}
	return 0, lines, err
}

func (b inLines) first() string { return b.comment + " askpane begin: " }
func (b inLines) last() string  { return b.comment + " askpane end\n" }

func (b inLines) snippet() string { return b.lines }

// find is where the block stands; start is -1 where there is none. A block
// without its end was broken by somebody, and nobody knows what in it is ours.
func (b inLines) find(content []byte) (start, end int, err error) {
	start = bytes.Index(content, []byte(b.first()))
	if start < 0 {
		return start, start, nil
	}
	end = bytes.Index(content, []byte("\n"+b.last()))
	if end < start || bytes.Count(content, []byte(b.first())) > 1 {
		return 0, 0, fmt.Errorf("the lines from %q to %q are not whole any more; take them out by hand", strings.TrimSpace(b.first()), strings.TrimSpace(b.last()))
	}
	return start, end + 1 + len(b.last()), nil
}

func (b inLines) add(content []byte) ([]byte, error) {
	at, end, err := b.find(content)
	if err != nil {
		return nil, err
	}
	lines := b.lines
	if at >= 0 {
		content = slices.Concat(content[:at], content[end:])
	} else {
		at = len(content)
	}
	if b.fit != nil {
		if at, lines, err = b.fit(content, lines); err != nil {
			return nil, err
		}
	}
	block := b.first() + edit.JSON(b.binary) + "\n" + lines + b.last()
	if at > 0 && content[at-1] != '\n' {
		block = "\n" + block
	}
	return slices.Concat(content[:at], []byte(block), content[at:]), nil
}

func (b inLines) remove(content, _ []byte) ([]byte, error) {
	start, end, err := b.find(content)
	if err != nil || start < 0 {
		return content, err
	}
	return slices.Concat(content[:start], content[end:]), nil
}

func (b inLines) present(content []byte) (binary string, ours bool, err error) {
	start, _, err := b.find(content)
	if err != nil || start < 0 {
		return "", false, err
	}
	line, _, _ := bytes.Cut(content[start+len(b.first()):], []byte("\n"))
	if json.Unmarshal(line, &binary) != nil {
		return "", true, errors.New("the line with askpane's path cannot be read")
	}
	return binary, true, nil
}
