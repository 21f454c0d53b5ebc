package diagram

import (
	"regexp"
	"strings"
)

// strokes are how edges are drawn, by the second of their signs; closes are the signs
// that end a label in an edge.
var (
	strokes = map[byte]stroke{'-': solid, '=': thick, '.': dotted, '~': invisible}
	closes  = map[stroke]string{solid: "--", thick: "==", dotted: ".-"}
)

// An edge is signs with a mark before and behind them. An o or x right behind them is
// a mark, even where a name seems to begin with it: A---oB has a circle, in Mermaid too.
var (
	edgePattern = regexp.MustCompile(`^(?:([<ox]?)(--+|==+|-\.[-.]*)([>ox]?)|(~~~+))`)
	edgeEnd     = regexp.MustCompile(`^[-=.]+([>ox]?)`)
)

// edge reads what joins two nodes: an edge, perhaps with a label in it, or in bars
// behind it.
func (p *flowParser) edge() (flowEdge, error) {
	m := edgePattern.FindStringSubmatch(p.rest)
	if m == nil {
		return flowEdge{}, notUnderstood(p.rest)
	}
	p.rest = p.rest[len(m[0]):]
	e := flowEdge{stroke: strokes[m[0][len(m[1])+1]], tail: markOf(m[1]), head: markOf(m[3])}
	// Two signs without a mark open a label that the same signs close.
	if len(m[2]) == 2 && e.head == noMark && !strings.HasPrefix(p.rest, "|") {
		text, _, closed := strings.Cut(p.rest, closes[e.stroke])
		if !closed {
			return e, notUnderstood(p.rest)
		}
		end := edgeEnd.FindStringSubmatch(p.rest[len(text):])
		e.text, e.head, p.rest = label(text), markOf(end[1]), p.rest[len(text)+len(end[0]):]
	}
	if p.skipBlanks(); p.take("|") {
		text, rest, ok := strings.Cut(p.rest, "|")
		if !ok {
			return e, notUnderstood(p.rest)
		}
		e.text, p.rest = label(text), rest
	}
	return e, nil
}

func markOf(sign string) mark {
	switch sign {
	case "":
		return noMark
	case "<":
		return arrow
	}
	return mark(sign[0])
}
