package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
)

// whole is a file that is all ours. Its first line says so.
type whole struct {
	content string
	// ran finds what the content runs: a JSON string in the first group.
	ran *regexp.Regexp
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
	if m := w.ran.FindSubmatch(content); m == nil || json.Unmarshal(m[1], &binary) != nil {
		return "(nothing that can be read)", true, nil
	}
	return binary, true, nil
}

func (w whole) snippet() string { return w.content }
