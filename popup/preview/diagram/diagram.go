// Package diagram draws Mermaid's flowcharts and sequence diagrams, which agents
// write most, as rows of text. It draws a diagram whole or says why it cannot:
// half a diagram would be a wrong one.
//
// The module proxy has no maintained library that does this.
package diagram

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// The bounds of a diagram. Beyond them it would be no picture in a terminal.
const (
	maxNodes  = 60
	maxEdges  = 150
	maxSource = 16 << 10 // bytes
	maxHeight = 500      // rows
)

var (
	errTooWide      = errors.New("it is too wide for this place")
	errTooManyParts = errors.New("it has too many parts")
	errEndsNothing  = errors.New("an end in it ends nothing")
)

// notUnderstood says which part of the source has no meaning here.
func notUnderstood(source string) error {
	return fmt.Errorf("%q is not understood here", cells.Shorten(source, 24))
}

// Draw draws the diagram that source describes in rows of at most width cells.
// Its errors say why it cannot, in words that follow a colon.
func Draw(source string, width int) ([]styled.Row, error) {
	c, below, err := draw(source, width)
	return append(c.rows(), below...), err
}

// draw returns the drawing, and the rows that belong below it.
func draw(source string, width int) (c canvas, below []styled.Row, err error) {
	if len(source) > maxSource {
		return nil, nil, errors.New("it is too large")
	}
	kind, lines := statements(source)
	switch word, rest, _ := strings.Cut(kind, " "); word {
	case "graph", "flowchart", "flowchart-elk":
		f, err := parseFlow(strings.TrimSpace(rest), lines)
		if err != nil {
			return nil, nil, err
		}
		return f.draw(width)
	case "sequenceDiagram":
		s, err := parseSequence(lines)
		if err != nil {
			return nil, nil, err
		}
		c, err = s.draw(width)
		return c, nil, err
	case "":
		return nil, nil, errors.New("it is empty")
	default:
		return nil, nil, fmt.Errorf("only flowcharts and sequence diagrams are drawn here, not %s", cells.Shorten(word, 30))
	}
}

// statements returns the first line of a diagram, which names its kind, and the
// others, without comments (%%), directives, fences and front matter.
func statements(source string) (kind string, lines []string) {
	for line := range strings.SplitSeq(source, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "%%") && !strings.HasPrefix(line, "```") {
			lines = append(lines, line)
		}
	}
	if len(lines) > 0 && lines[0] == "---" {
		if end := slices.Index(lines[1:], "---"); end >= 0 {
			lines = lines[end+2:]
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	kind, rest, _ := strings.Cut(lines[0], ";")
	lines[0] = rest // graph TD; A-->B has it all in one line
	return strings.TrimSpace(kind), lines
}

var labelText = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "<BR>", "\n", `\n`, "\n",
	"#quot;", `"`, "#amp;", "&", "#lt;", "<", "#gt;", ">", "#35;", "#", "#59;", ";")

// label returns the text of a node or an edge as it is meant to be read: no quotes,
// <br> a line break, Mermaid's #entities; decoded.
func label(text string) string {
	text = strings.TrimSpace(text)
	for _, quote := range []string{`"`, "`"} {
		if len(text) >= 2 && strings.HasPrefix(text, quote) && strings.HasSuffix(text, quote) {
			text = text[1 : len(text)-1]
		}
	}
	lines := strings.Split(labelText.Replace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// wrapped breaks a label into rows of at most width cells.
func wrapped(text string, width int) (rows []string, widest int) {
	rows = cells.Wrap(text, width)
	for _, row := range rows {
		widest = max(widest, cells.Width(row))
	}
	return rows, widest
}
