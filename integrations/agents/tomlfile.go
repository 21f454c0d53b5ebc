package agents

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// inTOML is a table of ours in a TOML file. The library says where the tables
// are; the bytes of all others are never touched.
type inTOML struct {
	table []string
	// body is the table's lines, without its header.
	body string
	// runs is the command that the table has, for a file of another askpane too.
	runs func(values map[string]string) string
}

func (t inTOML) snippet() string { return "[" + strings.Join(t.table, ".") + "]\n" + t.body }

// span is one table: its key, where its lines begin and end, and its strings.
type span struct {
	key        []string
	start, end int
	values     map[string]string
}

func (t inTOML) add(content []byte) ([]byte, error) {
	ours, err := t.find(content)
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
	ours, err := t.find(content)
	if err != nil {
		return nil, err
	}
	for i := len(ours) - 1; i >= 0; i-- { // and what is below: it means nothing without
		start := ours[i].start
		if bytes.HasSuffix(content[:start], []byte("\n\n")) {
			start-- // the blank line came with it
		}
		content = append(slices.Clone(content[:start]), content[ours[i].end:]...)
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
	ours, err := t.find(content)
	if err != nil || len(ours) == 0 {
		return "", false, err
	}
	return t.runs(ours[0].values), true, nil
}

// find is our table and those below it, in the file's order but ours first.
func (t inTOML) find(content []byte) ([]span, error) {
	spans, err := tables(content)
	if err != nil {
		return nil, err
	}
	var ours []span
	for _, s := range spans {
		switch {
		case slices.Equal(s.key, t.table):
			ours = slices.Insert(ours, 0, s)
		case len(s.key) > len(t.table) && slices.Equal(s.key[:len(t.table)], t.table):
			ours = append(ours, s)
		}
		// The same said in another way would be said twice.
		for name := range s.values {
			full := append(slices.Clone(s.key), strings.Split(name, "\x00")...)
			if len(s.key) < len(t.table) && len(full) >= len(t.table) && slices.Equal(full[:len(t.table)], t.table) {
				return nil, fmt.Errorf("%s is there already, but not as a table [%[1]s]; take it out first", strings.Join(t.table, "."))
			}
		}
	}
	if len(ours) > 0 && !slices.Equal(ours[0].key, t.table) {
		return nil, fmt.Errorf("there is a [%s] without a [%s]; take it out first", strings.Join(ours[0].key, "."), strings.Join(t.table, "."))
	}
	slices.SortFunc(ours[min(1, len(ours)):], func(a, b span) int { return a.start - b.start })
	return ours, nil
}

// tables are the tables of a TOML file; the first has no key and is what comes
// before them all. A table ends where its last value does: blank lines and
// comments after it belong to what follows.
func tables(content []byte) ([]span, error) {
	var p unstable.Parser
	p.Reset(content)
	spans := []span{{values: map[string]string{}}}
	for p.NextExpression() {
		node := p.Expression()
		now := &spans[len(spans)-1]
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			key, at := keyOf(&p, node)
			start := bytes.LastIndexByte(content[:at], '\n') + 1
			now.end = start
			spans = append(spans, span{key: key, start: start, values: map[string]string{}})
		case unstable.KeyValue:
			key, _ := keyOf(&p, node)
			value := ""
			if v := node.Value(); v.Kind == unstable.String {
				value = string(v.Data)
			}
			now.values[strings.Join(key, "\x00")] = value
		}
	}
	if err := p.Error(); err != nil {
		return nil, fmt.Errorf("it is not TOML, so it is left alone: %w", err)
	}
	spans[len(spans)-1].end = len(content)
	for i := range spans {
		s := &spans[i]
		s.end = s.start + len(ownLines(content[s.start:s.end]))
	}
	return spans, nil
}

func keyOf(p *unstable.Parser, node *unstable.Node) (key []string, at int) {
	at = -1
	for it := node.Key(); it.Next(); {
		k := it.Node()
		if at < 0 {
			at = int(k.Raw.Offset)
		}
		key = append(key, string(k.Data))
	}
	return key, at
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
