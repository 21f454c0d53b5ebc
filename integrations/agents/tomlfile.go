package agents

import (
	"bytes"
	"fmt"
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

func (t inTOML) name() string    { return strings.Join(t.table, ".") }
func (t inTOML) snippet() string { return "[" + t.name() + "]\n" + t.body }

// span is one table: its key, and where its lines begin and end.
type span struct {
	key        []string
	start, end int
}

func (t inTOML) add(content []byte) ([]byte, error) {
	ours, _, err := t.find(content)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if len(ours) > 0 { // the table itself; those below it are the person's
		own := ours[0]
		out.Write(content[:own.start])
		out.WriteString(t.snippet())
		out.Write(content[own.end:])
		return out.Bytes(), nil
	}
	out.Write(content)
	switch {
	case len(content) == 0:
	case !bytes.HasSuffix(content, []byte("\n")):
		out.WriteString("\n\n")
	default:
		out.WriteString("\n")
	}
	out.WriteString(t.snippet())
	return out.Bytes(), nil
}

func (t inTOML) remove(content, before []byte) ([]byte, error) {
	ours, _, err := t.find(content)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(ours, func(a, b span) int { return b.start - a.start })
	for _, own := range ours { // and what is below: it means nothing without
		start := own.start
		if bytes.HasSuffix(content[:start], []byte("\n\n")) {
			start-- // the blank line came with it
		}
		content = append(slices.Clone(content[:start]), content[own.end:]...)
	}
	if before != nil && bytes.Equal(content, append(slices.Clone(before), '\n')) {
		return before, nil // its last line had no end
	}
	if before == nil && len(bytes.TrimSpace(content)) == 0 {
		return nil, nil
	}
	return content, nil
}

func (t inTOML) present(content []byte) (string, bool, error) {
	ours, command, err := t.find(content)
	return command, len(ours) > 0, err
}

// find is our table and those below it, in the file's order but ours first, and
// the command that it has.
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
	for _, s := range tables(content) {
		switch {
		case slices.Equal(s.key, t.table):
			ours = slices.Insert(ours, 0, s)
		case len(s.key) > len(t.table) && slices.Equal(s.key[:len(t.table)], t.table):
			ours = append(ours, s)
		}
	}
	switch { // the same said in another way would be said twice
	case len(ours) == 0:
		return nil, "", hint.New("take it out first", "%s is there already, but not as a table [%[1]s]", t.name())
	case !slices.Equal(ours[0].key, t.table):
		return nil, "", hint.New("take it out first", "there is a [%s] without a [%s]", strings.Join(ours[0].key, "."), t.name())
	}
	table, _ := value.(map[string]any)
	command, _ = table["command"].(string)
	return ours, command, nil
}

// tables are the tables of a TOML file that parses. A table ends where its last
// value does: blank lines and comments after it belong to what follows.
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
		spans[i].end = s.start + len(ownLines(content[s.start:s.end]))
	}
	return spans
}

// ownLines is a table's text without the blank lines and comments at its end.
func ownLines(text []byte) []byte {
	end := 0
	for pos := 0; pos < len(text); {
		next := len(text)
		if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		if line := bytes.TrimSpace(text[pos:next]); len(line) > 0 && line[0] != '#' {
			end = next
		}
		pos = next
	}
	return text[:end]
}
