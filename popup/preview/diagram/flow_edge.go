package diagram

import "strings"

// strokes are the signs that edges are made of, by what they begin with. A label
// in an edge ends where its signs come again, in the order of closes.
var strokes = []struct {
	opens, signs, closes string
	stroke               stroke
}{
	{"--", "-", "--", solid}, {"==", "=", "==", thick}, {"-.", "-.", ".-", dotted},
}

// edge reads what joins two nodes: a mark, signs with or without a label in them,
// another mark, and perhaps a label in bars.
func (p *flowParser) edge() (flowEdge, error) {
	var e flowEdge
	if p.take("~~~") {
		p.rest = strings.TrimLeft(p.rest, "~")
		e.stroke = invisible
		return e, nil
	}
	p.tail(&e)
	for _, s := range strokes {
		if !strings.HasPrefix(p.rest, s.opens) {
			continue
		}
		e.stroke = s.stroke
		length := p.takeAll(s.signs)
		p.head(&e)
		// Two signs without a mark open a label that the same signs close.
		if e.head == noMark && length == 2 && !strings.HasPrefix(p.rest, "|") {
			text, _, closed := strings.Cut(p.rest, s.closes)
			if !closed {
				return e, notUnderstood(p.rest)
			}
			e.text, p.rest = label(text), p.rest[len(text):]
			p.takeAll(s.signs)
			p.head(&e)
		}
		return e, p.labelInBars(&e)
	}
	return e, notUnderstood(p.rest)
}

// takeAll takes all of these signs, and says how many there were.
func (p *flowParser) takeAll(signs string) int {
	before := len(p.rest)
	p.rest = strings.TrimLeft(p.rest, signs)
	return before - len(p.rest)
}

// tail reads the mark at the near end.
func (p *flowParser) tail(e *flowEdge) {
	if len(p.rest) < 2 || !strings.ContainsRune("-=", rune(p.rest[1])) {
		return
	}
	switch {
	case p.take("<"):
		e.tail = arrow
	case p.take("o"):
		e.tail = circle
	case p.take("x"):
		e.tail = crossMark
	}
}

// head reads the mark at the far end. An o or x right behind the signs is one, even
// where a name seems to begin with it: A---oB has a circle, in Mermaid too.
func (p *flowParser) head(e *flowEdge) {
	switch {
	case p.take(">"):
		e.head = arrow
	case p.take("o"):
		e.head = circle
	case p.take("x"):
		e.head = crossMark
	}
}

func (p *flowParser) labelInBars(e *flowEdge) error {
	if p.skipBlanks(); !p.take("|") {
		return nil
	}
	text, rest, ok := strings.Cut(p.rest, "|")
	if !ok {
		return notUnderstood(p.rest)
	}
	e.text, p.rest = label(text), rest
	return nil
}
