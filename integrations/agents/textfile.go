package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/edit"
)

// inText puts a text of ours into a file of lines: it never touches the bytes around it.
type inText struct {
	text string // for a person to read
	mark string // is in it where it is there; empty where nothing tells parts of it apart
	// find finds ours, that which an update replaces first, and the command that it runs.
	find func(content []byte) (found []span, command string, err error)
	// fit finds where it goes in content, which has none (at is where it was, or the end),
	// and in what words.
	fit func(content []byte, at int) (where int, fitted string, err error)
}

type span struct{ start, end int }

func (t inText) snippet() string { return t.text }

// with returns the other text, which says all that t does.
func (t inText) with(other kind) kind {
	more := other.(inText)
	more.mark = t.mark
	return more
}

func (t inText) add(content []byte) ([]byte, error) {
	found, _, err := t.find(content)
	if err != nil {
		return nil, err
	}
	at := len(content)
	if len(found) > 0 {
		at, content = found[0].start, slices.Concat(content[:found[0].start], content[found[0].end:])
	}
	at, text, err := t.fit(content, at)
	if err != nil {
		return nil, err
	}
	if at > 0 && content[at-1] != '\n' {
		text = "\n" + text
	}
	return slices.Concat(content[:at], []byte(text), content[at:]), nil
}

func (t inText) remove(content, _ []byte) ([]byte, error) {
	found, _, err := t.find(content)
	slices.SortFunc(found, func(a, b span) int { return b.start - a.start })
	for _, s := range found {
		content = slices.Concat(content[:s.start], content[s.end:])
	}
	return content, err
}

func (t inText) present(content []byte) (commands []string, ours bool, err error) {
	found, command, err := t.find(content)
	if len(found) == 0 || !bytes.Contains(content[found[0].start:found[0].end], []byte(t.mark)) {
		return nil, false, err
	}
	return []string{command}, true, err
}

// inLines puts a block of lines between two comments that only we write. fit may change the
// lines; nil puts them at the end of the file.
func inLines(comment, binary, lines string, fit func(content []byte, lines string) (int, string, error)) inText {
	first, last := comment+" askpane begin: ", comment+" askpane end\n"
	return inText{text: lines, find: func(content []byte) (found []span, command string, err error) {
		start, end := bytes.Index(content, []byte(first)), bytes.Index(content, []byte("\n"+last))
		if start < 0 {
			return nil, "", nil
		}
		// Nobody knows what in a block without its end is ours.
		if end < start || bytes.Count(content, []byte(first)) > 1 {
			return nil, "", fmt.Errorf("the lines from %q to %q are not whole any more; take them out by hand", strings.TrimSpace(first), strings.TrimSpace(last))
		}
		line, _, _ := bytes.Cut(content[start+len(first):], []byte("\n"))
		if json.Unmarshal(line, &command) != nil {
			err = errors.New("the line with askpane's path cannot be read")
		}
		return []span{{start, end + 1 + len(last)}}, command, err
	}, fit: func(content []byte, at int) (_ int, _ string, err error) {
		lines := lines
		if fit != nil {
			at, lines, err = fit(content, lines)
		}
		return at, first + hint.JSON(binary) + "\n" + lines + last, err
	}}
}

// alone fits the lines into a file of their own.
func alone(content []byte, lines string) (at int, fitted string, err error) {
	if len(content) > 0 {
		err = errors.New("there is a file of somebody else's by this name; move it away first")
	}
	return 0, lines, err
}

// ours has the key of our table of servers.
var ours = []string{"mcp_servers", ServerName}

// inTOML puts that table, given without its header.
func inTOML(table string) inText {
	text := "[" + strings.Join(ours, ".") + "]\n" + table
	return inText{text: text, find: tables, fit: func(content []byte, at int) (int, string, error) {
		text := strings.Repeat("\n", min(at, 1)) + text // a blank line comes with it
		err := toml.Unmarshal(edit.Blank(slices.Concat(content[:at], []byte("\n"+text), content[at:])), new(map[string]any))
		return at, text, err // servers that are all said in one line take no table
	}}
}

// notIts matches the blank lines and comments at a table's end: they belong to what follows.
var notIts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m:^[ \t\r]*(#.*)?\n?)+\z`) })

// alone cuts a table out with the blank line that came with it, and without what belongs to
// the next.
func (s span) alone(content []byte) span {
	if its := notIts().FindIndex(content[s.start:s.end]); its != nil {
		s.end = s.start + its[0]
	}
	if bytes.HasSuffix(content[:s.start], []byte("\n\n")) {
		s.start--
	}
	return s
}

// tables finds our table and those below it, which mean nothing without it.
func tables(content []byte) (found []span, command string, err error) {
	content = edit.Blank(content)
	var doc struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(content, &doc); err != nil || doc.Servers[ServerName] == nil {
		return nil, "", err
	}
	itself := -1
	var p unstable.Parser
	p.Reset(content)
	for p.NextExpression() {
		node := p.Expression()
		if node.Kind != unstable.Table && node.Kind != unstable.ArrayTable {
			continue
		}
		var key []string
		start := 0
		for it := node.Key(); it.Next(); {
			if key == nil {
				start = bytes.LastIndexByte(content[:it.Node().Raw.Offset], '\n') + 1
			}
			key = append(key, string(it.Node().Data))
		}
		if n := len(found) - 1; n >= 0 && found[n].end == len(content) {
			found[n].end = start
		}
		if len(key) >= len(ours) && slices.Equal(key[:len(ours)], ours) {
			if found = append(found, span{start, len(content)}); len(key) == len(ours) {
				itself = len(found) - 1
			}
		}
	}
	if itself < 0 { // the same said in another way would be said twice
		return nil, "", hint.New("take it out first", "%s is there already, but not as a table [%[1]s]", strings.Join(ours, "."))
	}
	for i := range found {
		found[i] = found[i].alone(content)
	}
	found[0], found[itself] = found[itself], found[0]
	table, _ := doc.Servers[ServerName].(map[string]any)
	command, _ = table["command"].(string)
	return found, command, nil
}
