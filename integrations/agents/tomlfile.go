package agents

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/askpane/askpane/bridge/text/hint"
)

// inTOML is a table of ours in a TOML file, with a command. The library says where
// the tables are; the bytes of all others are never touched.
type inTOML struct {
	table []string
	// body is the table's lines, without its header.
	body string
}

func (t inTOML) snippet() string { return "[" + strings.Join(t.table, ".") + "]\n" + t.body }

func (t inTOML) add(content []byte) ([]byte, error) {
	ours, _, err := t.find(content)
	if err != nil {
		return nil, err
	}
	for _, s := range ours {
		if slices.Equal(s.key, t.table) { // those below it are the person's
			return slices.Concat(content[:s.start], []byte(t.snippet()), content[s.end:]), nil
		}
	}
	gap := "\n"
	switch {
	case len(content) == 0:
		gap = ""
	case !bytes.HasSuffix(content, []byte("\n")):
		gap = "\n\n"
	}
	return slices.Concat(content, []byte(gap+t.snippet())), nil
}

func (t inTOML) remove(content, _ []byte) ([]byte, error) {
	ours, _, err := t.find(content)
	for _, s := range slices.Backward(ours) { // with those below it: they mean nothing without
		start := s.start
		if bytes.HasSuffix(content[:start], []byte("\n\n")) {
			start-- // the blank line came with it
		}
		content = slices.Concat(content[:start], content[s.end:])
	}
	return content, err
}

func (t inTOML) present(content []byte) (command string, ours bool, err error) {
	spans, command, err := t.find(content)
	return command, len(spans) > 0, err
}

// find is our table and those below it, in the file's order, and the command that
// it has.
func (t inTOML) find(content []byte) (ours []span, command string, err error) {
	var doc map[string]any
	if err := toml.Unmarshal(content, &doc); err != nil {
		return nil, "", fmt.Errorf("it is not TOML, so it is left alone: %w", err)
	}
	var value any = doc
	for _, name := range t.table {
		table, _ := value.(map[string]any)
		value = table[name]
	}
	if value == nil {
		return nil, "", nil
	}
	itself := false
	for _, s := range tables(content) {
		if len(s.key) >= len(t.table) && slices.Equal(s.key[:len(t.table)], t.table) {
			ours = append(ours, s)
			itself = itself || len(s.key) == len(t.table)
		}
	}
	if !itself { // the same said in another way would be said twice
		return nil, "", hint.New("take it out first", "%s is there already, but not as a table [%[1]s]", strings.Join(t.table, "."))
	}
	table, _ := value.(map[string]any)
	command, _ = table["command"].(string)
	return ours, command, nil
}

// span is one table: its key, and where its lines begin and end.
type span struct {
	key        []string
	start, end int
}

// notIts are the blank lines and comments at a table's end: they belong to what
// follows.
var notIts = regexp.MustCompile(`(?m:^[ \t\r]*(#.*)?\n?)+\z`)

// tables are the tables of a TOML file that parses.
func tables(content []byte) []span {
	var p unstable.Parser
	p.Reset(content)
	var spans []span
	for p.NextExpression() {
		node := p.Expression()
		if node.Kind != unstable.Table && node.Kind != unstable.ArrayTable {
			continue
		}
		s := span{end: len(content)}
		for it := node.Key(); it.Next(); {
			if s.key == nil {
				s.start = bytes.LastIndexByte(content[:it.Node().Raw.Offset], '\n') + 1
			}
			s.key = append(s.key, string(it.Node().Data))
		}
		if n := len(spans); n > 0 {
			spans[n-1].end = s.start
		}
		spans = append(spans, s)
	}
	for i, s := range spans {
		if at := notIts.FindIndex(content[s.start:s.end]); at != nil {
			spans[i].end = s.start + at[0]
		}
	}
	return spans
}
