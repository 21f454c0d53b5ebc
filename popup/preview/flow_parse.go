package preview

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/text/cells"
)

// flow is a flowchart as its source says it.
type flow struct {
	direction string // TD, LR, BT or RL
	nodes     []flowNode
	edges     []flowEdge
	groups    []flowGroup
	index     map[string]int
}

type flowNode struct {
	id, text string
	shape    corners
	// loops are the labels of edges from the node to itself.
	loops []string
}

type flowEdge struct {
	from, to int
	text     string
	stroke   stroke
	// tail and head are the signs at its ends: ' ' none, '>' an arrow, 'o', 'x'.
	tail, head byte
}

// flowGroup is a subgraph. Its nodes are drawn among the others; its name and
// who belongs to it are said below the diagram. Where edges lead to it as a
// whole it is drawn as a node of its own.
type flowGroup struct {
	id, title string
	nodes     []int
}

// What the brackets around a node's text look like in boxes; the longest first,
// since [( begins like [.
var shapes = []struct {
	open, end string
	corners   corners
}{
	{"(((", ")))", corners{'╭', '╮', '╯', '╰', '(', ')'}},
	{"((", "))", corners{'╭', '╮', '╯', '╰', '(', ')'}},
	{"([", "])", corners{'╭', '╮', '╯', '╰', '(', ')'}},
	{"[(", ")]", corners{'╭', '╮', '╯', '╰', '│', '│'}},
	{"[[", "]]", corners{'┌', '┐', '┘', '└', '║', '║'}},
	{"[/", "/]", corners{'┌', '┐', '┘', '└', '/', '/'}},
	{"[/", "\\]", corners{'┌', '┐', '┘', '└', '/', '\\'}},
	{"[\\", "\\]", corners{'┌', '┐', '┘', '└', '\\', '\\'}},
	{"[\\", "/]", corners{'┌', '┐', '┘', '└', '\\', '/'}},
	{"{{", "}}", corners{'╱', '╲', '╱', '╲', '<', '>'}},
	{"[", "]", plainBox},
	{"(", ")", corners{'╭', '╮', '╯', '╰', '│', '│'}},
	{"{", "}", corners{'╱', '╲', '╱', '╲', '<', '>'}},
	{">", "]", corners{'┌', '┐', '┘', '└', '>', '│'}},
}

var plainBox = corners{'┌', '┐', '┘', '└', '│', '│'}

func parseFlow(direction string, lines []string) (*flow, error) {
	f := &flow{direction: "TD", index: map[string]int{}}
	switch direction = strings.ToUpper(strings.Trim(direction, "; ")); direction {
	case "", "TD", "TB", "V":
	case "LR", "RL", "BT":
		f.direction = direction
	case ">":
		f.direction = "LR"
	case "<":
		f.direction = "RL"
	case "^":
		f.direction = "BT"
	default:
		return nil, fmt.Errorf("its direction %q is not known here", cells.Shorten(direction, 20))
	}
	var open []int
	for _, line := range lines {
		for line != "" {
			p := &flowParser{flow: f, rest: line, open: open}
			if err := p.statement(); err != nil {
				return nil, err
			}
			open = p.open
			if len(f.nodes) > maxNodes || len(f.edges) > maxEdges || len(f.groups) > maxNodes {
				return nil, errors.New("it has too many parts")
			}
			line = p.rest
		}
	}
	if len(f.nodes) == 0 {
		return nil, errors.New("it has no nodes")
	}
	f.settle()
	return f, nil
}

// groupSign stands before the name of a subgraph, in the diagram and below it.
const groupSign = "▤ "

// settle names the nodes that stand for a subgraph, which an edge may lead to
// and from as a whole, and makes marks in a node of edges to itself.
func (f *flow) settle() {
	for _, g := range f.groups {
		if i, ok := f.index[g.id]; ok && f.nodes[i].text == g.id {
			f.nodes[i].text = groupSign + g.title
		}
	}
	kept := f.edges[:0]
	for _, e := range f.edges {
		if e.from == e.to {
			f.nodes[e.from].loops = append(f.nodes[e.from].loops, e.text)
			continue
		}
		kept = append(kept, e)
	}
	f.edges = kept
}

// flowParser reads one statement; rest is what follows it on the line, open the
// subgraphs around it.
type flowParser struct {
	*flow
	rest string
	open []int
}

func (p *flowParser) skip() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *flowParser) take(sign string) bool {
	rest, ok := strings.CutPrefix(p.rest, sign)
	p.rest = rest
	return ok
}

func (p *flowParser) statement() error {
	p.skip()
	if p.rest == "" || p.take(";") {
		return nil
	}
	word, _, _ := strings.Cut(p.rest, " ")
	switch strings.TrimRight(word, ";:") {
	case "subgraph":
		return p.group()
	case "end":
		if p.rest = strings.TrimPrefix(p.rest, "end"); len(p.open) == 0 {
			return errors.New("an end in it ends nothing")
		}
		p.open = p.open[:len(p.open)-1]
		return nil
	case "style", "classDef", "class", "linkStyle", "click", "direction", "accTitle", "accDescr":
		_, p.rest, _ = strings.Cut(p.rest, ";") // what it looks like and does, not what it says
		return nil
	}
	from, err := p.several()
	if err != nil {
		return err
	}
	for {
		if p.skip(); p.rest == "" || p.take(";") {
			return nil
		}
		edge, err := p.edge()
		if err != nil {
			return err
		}
		to, err := p.several()
		if err != nil {
			return err
		}
		for _, a := range from {
			for _, b := range to {
				edge.from, edge.to = a, b
				if p.edges = append(p.edges, edge); len(p.edges) > maxEdges {
					return errors.New("it has too many edges")
				}
			}
		}
		from = to
	}
}

func (p *flowParser) group() error {
	p.rest = strings.TrimPrefix(p.rest, "subgraph")
	head, rest, _ := strings.Cut(p.rest, ";")
	p.rest = rest
	head = strings.TrimSpace(head)
	g := flowGroup{id: head, title: label(head)}
	if i := strings.IndexByte(head, '['); i > 0 && strings.HasSuffix(head, "]") {
		g.id, g.title = strings.TrimSpace(head[:i]), label(head[i+1:len(head)-1])
	}
	p.groups = append(p.groups, g)
	p.open = append(p.open, len(p.groups)-1)
	return nil
}

// several reads nodes joined by &.
func (p *flowParser) several() ([]int, error) {
	var nodes []int
	for {
		n, err := p.node()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if p.skip(); !p.take("&") {
			return nodes, nil
		}
	}
}

func (p *flowParser) node() (int, error) {
	p.skip()
	id := p.rest[:idLength(p.rest)]
	if id == "" {
		return 0, p.unknown()
	}
	p.rest = p.rest[len(id):]
	n, ok := p.index[id]
	if !ok {
		n = len(p.nodes)
		p.nodes = append(p.nodes, flowNode{id: id, text: id, shape: plainBox})
		p.index[id] = n
	}
	if len(p.open) > 0 {
		if g := &p.groups[p.open[len(p.open)-1]]; !slices.Contains(g.nodes, n) {
			g.nodes = append(g.nodes, n)
		}
	}
	for _, s := range shapes {
		if !strings.HasPrefix(p.rest, s.open) {
			continue
		}
		if text, rest, ok := bracketed(p.rest[len(s.open):], s.end); ok {
			p.rest = rest
			p.nodes[n].text, p.nodes[n].shape = label(text), s.corners
			break
		}
	}
	if strings.HasPrefix(p.rest, ":::") {
		p.rest = p.rest[3:]
		p.rest = p.rest[idLength(p.rest):]
	}
	if p.rest != "" && strings.ContainsRune("[({@", rune(p.rest[0])) {
		return 0, p.unknown()
	}
	return n, nil
}

// bracketed is the text up to end, which does not count within quotes.
func bracketed(s, end string) (text, rest string, ok bool) {
	if trimmed := strings.TrimLeft(s, " "); strings.HasPrefix(trimmed, `"`) {
		if i := strings.IndexByte(trimmed[1:], '"'); i >= 0 {
			after := strings.TrimLeft(trimmed[i+2:], " ")
			rest, ok = strings.CutPrefix(after, end)
			return trimmed[:i+2], rest, ok
		}
		return "", "", false
	}
	i := strings.Index(s, end)
	if i < 0 || strings.ContainsAny(s[:i], `[]{}"`) {
		return "", "", false
	}
	return s[:i], s[i+len(end):], true
}

// idLength is how long the id at the begin of s is. A - belongs to it only
// between two letters, since --> begins with one.
func idLength(s string) int {
	n := 0
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		joined := (r == '-' || r == '.') && n > 0 && n+1 < len(s) && (unicode.IsLetter(rune(s[n+1])) || unicode.IsDigit(rune(s[n+1])))
		if !joined && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r < 0x2000 {
			break
		}
		n += size
	}
	return n
}

func (p *flowParser) unknown() error {
	return fmt.Errorf("%q is not understood here", cells.Shorten(p.rest, 24))
}
