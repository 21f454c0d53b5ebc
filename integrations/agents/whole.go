package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// whole is a file that is all ours. Its first line says so.
type whole struct {
	content string
	// ran is the start of the line that says what it runs; a JSON string and a
	// semicolon follow.
	ran string
}

func (w whole) mark() string { return w.content[:strings.IndexByte(w.content, '\n')] }

func (w whole) add(content []byte) ([]byte, error) {
	if content != nil && !bytes.HasPrefix(content, []byte(w.mark())) {
		return nil, errors.New("there is a file of somebody else's by this name; move it away first")
	}
	return []byte(w.content), nil
}

func (w whole) remove([]byte, []byte) ([]byte, error) { return nil, nil }

func (w whole) present(content []byte) (string, bool, error) {
	if !bytes.HasPrefix(content, []byte(w.mark())) {
		return "", false, nil
	}
	var binary string
	_, rest, _ := strings.Cut(string(content), "\n"+w.ran)
	line, _, _ := strings.Cut(rest, ";\n")
	if json.Unmarshal([]byte(line), &binary) != nil {
		return "(nothing that can be read)", true, nil
	}
	return binary, true, nil
}

func (w whole) snippet() string { return w.content }
