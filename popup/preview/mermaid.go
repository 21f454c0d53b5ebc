package preview

import (
	"errors"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// The bounds of a diagram. Beyond them it would be no picture in a terminal.
const (
	maxNodes  = 60
	maxEdges  = 150
	maxSource = 16 << 10
)

// errTooWide says that a diagram is understood but has no room.
var errTooWide = errors.New("it is too wide for this place")

// mermaid draws a diagram. There is no maintained Go library for that on the
// module proxy, so flowcharts and sequence diagrams, which agents draw most,
// are laid out here; of all others, and of what cannot be drawn whole, the
// source is shown: half a diagram would be a wrong one.
func (pg *page) mermaid(content string, width int) []Line {
	rows, err := pg.diagram(content, width)
	if err != nil {
		return pg.source(fmt.Sprintf("This diagram is shown as its source: %v.", err), content, width)
	}
	return rows
}

func (pg *page) diagram(content string, width int) ([]Line, error) {
	if len(content) > maxSource {
		return nil, errors.New("it is too large")
	}
	kind, lines := statements(content)
	switch word, rest, _ := strings.Cut(kind, " "); word {
	case "graph", "flowchart", "flowchart-elk":
		f, err := parseFlow(strings.TrimSpace(rest), lines)
		if err != nil {
			return nil, err
		}
		return pg.flow(f, width)
	case "sequenceDiagram":
		s, err := parseSequence(lines)
		if err != nil {
			return nil, err
		}
		return pg.sequence(s, width)
	case "":
		return nil, errors.New("it is empty")
	default:
		return nil, fmt.Errorf("only flowcharts and sequence diagrams are drawn here, not %s", cells.Shorten(word, 30))
	}
}

// statements are the first line of a diagram, which names its kind, and the
// others, without comments (%%), directives and front matter.
func statements(content string) (kind string, lines []string) {
	all := strings.Split(content, "\n")
	if len(all) > 0 && strings.HasPrefix(strings.TrimSpace(all[0]), "```") {
		all = all[1:]
	}
	if len(all) > 0 && strings.TrimSpace(all[0]) == "---" {
		for i, line := range all[1:] {
			if strings.TrimSpace(line) == "---" {
				all = all[i+2:]
				break
			}
		}
	}
	for _, line := range all {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "%%") || strings.HasPrefix(line, "```") {
			continue
		}
		if kind == "" {
			// graph TD; A-->B has it all in one line.
			first, rest, more := strings.Cut(line, ";")
			kind = strings.TrimSpace(first)
			if more && strings.TrimSpace(rest) != "" {
				lines = append(lines, rest)
			}
			continue
		}
		lines = append(lines, line)
	}
	return kind, lines
}

// label is the text of a node or an edge as it is meant to be read: no quotes,
// <br> a line break, mermaid's #entities; decoded.
func label(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	if len(text) >= 2 && text[0] == '`' && text[len(text)-1] == '`' {
		text = text[1 : len(text)-1]
	}
	for _, tag := range []string{"<br>", "<br/>", "<br />", "<BR>", `\n`} {
		text = strings.ReplaceAll(text, tag, "\n")
	}
	for _, e := range [][2]string{{"#quot;", `"`}, {"#amp;", "&"}, {"#lt;", "<"}, {"#gt;", ">"}, {"#35;", "#"}, {"#59;", ";"}} {
		text = strings.ReplaceAll(text, e[0], e[1])
	}
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n")
}

// rowsOf breaks a label into rows of at most width cells.
func rowsOf(text string, width int) (rows []string, widest int) {
	rows = cells.Wrap(text, width)
	for _, row := range rows {
		widest = max(widest, cells.Width(row))
	}
	return rows, widest
}
