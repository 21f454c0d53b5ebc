package preview

import "strings"

// edge reads a link: <--, its signs, a label in it or in bars after it.
func (p *flowParser) edge() (flowEdge, error) {
	e := flowEdge{tail: ' ', head: ' '}
	if p.rest != "" && strings.IndexByte("<ox", p.rest[0]) >= 0 && len(p.rest) > 1 && strings.IndexByte("-=", p.rest[1]) >= 0 {
		e.tail = p.rest[0]
		p.rest = p.rest[1:]
	}
	if e.tail == '<' {
		e.tail = '>'
	}
	switch {
	case p.take("~~~"):
		p.rest = strings.TrimLeft(p.rest, "~")
		e.stroke = unseen
		return e, nil
	case strings.HasPrefix(p.rest, "--"):
	case strings.HasPrefix(p.rest, "=="):
		e.stroke = thick
	case strings.HasPrefix(p.rest, "-."):
		e.stroke = dotted
	default:
		return e, p.unknown()
	}
	signs := map[stroke]string{solid: "-", thick: "=", dotted: "-."}[e.stroke]
	start := p.rest
	p.rest = strings.TrimLeft(p.rest, signs)
	drawn := len(start) - len(p.rest)
	p.head(&e)
	// Two signs and no head open a label that the same signs close.
	if e.head == ' ' && drawn == 2 && !strings.HasPrefix(p.rest, "|") {
		end := map[stroke]string{solid: "--", thick: "==", dotted: ".-"}[e.stroke]
		i := strings.Index(p.rest, end)
		if i < 0 {
			return e, p.unknown()
		}
		e.text = label(p.rest[:i])
		p.rest = strings.TrimLeft(p.rest[i:], signs)
		p.head(&e)
	}
	if p.skip(); p.take("|") {
		text, rest, ok := strings.Cut(p.rest, "|")
		if !ok {
			return e, p.unknown()
		}
		e.text, p.rest = label(text), rest
	}
	return e, nil
}

// head reads the sign at the far end. An o or x right behind the signs is one,
// even where a name seems to begin with it: A---oB has a circle, in mermaid too.
func (p *flowParser) head(e *flowEdge) {
	if p.rest == "" || strings.IndexByte(">ox", p.rest[0]) < 0 {
		return
	}
	e.head = p.rest[0]
	p.rest = p.rest[1:]
}
