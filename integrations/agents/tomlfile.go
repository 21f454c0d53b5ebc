package agents

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/askpane/askpane/bridge/text/hint"
)

// inTOML is our table of servers in a TOML file, without its header. The library says
// where the tables are; the bytes of all others are never touched.
type inTOML string

// ours is the table's key.
var ours = []string{"mcp_servers", server}

func (t inTOML) snippet() string { return "[" + strings.Join(ours, ".") + "]\n" + string(t) }

func (t inTOML) add(content []byte) ([]byte, error) {
	spans, _, err := t.find(content)
	if err != nil {
		return nil, err
	}
	for _, s := range spans {
		if slices.Equal(s.key, ours) { // those below it are the person's
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
	spans, _, err := t.find(content)
	for _, s := range slices.Backward(spans) { // with those below it: they mean nothing without
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
func (t inTOML) find(content []byte) (found []span, command string, err error) {
	var doc struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(content, &doc); err != nil || doc.Servers[server] == nil {
		return nil, "", err
	}
	itself := false
	for _, s := range tables(content) {
		if len(s.key) >= len(ours) && slices.Equal(s.key[:len(ours)], ours) {
			found = append(found, s)
			itself = itself || len(s.key) == len(ours)
		}
	}
	if !itself { // the same said in another way would be said twice
		return nil, "", hint.New("take it out first", "%s is there already, but not as a table [%[1]s]", strings.Join(ours, "."))
	}
	table, _ := doc.Servers[server].(map[string]any)
	command, _ = table["command"].(string)
	return found, command, nil
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
