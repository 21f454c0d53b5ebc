package diagram

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// flow is a flowchart as its source says it.
type flow struct {
	direction string // TD, LR, BT or RL
	nodes     []flowNode
	edges     []flowEdge
	groups    []flowGroup
}

type flowNode struct {
	id, text string
	outline  outline
	loops    []string // the labels of edges from the node to itself
}

type flowEdge struct {
	from, to   int
	text       string
	stroke     stroke
	tail, head mark
}

// mark is the sign at an end of an edge.
type mark byte

const (
	noMark    mark = 0
	arrow     mark = '>'
	circle    mark = 'o'
	crossMark mark = 'x'
)

// flowGroup is a subgraph. Its nodes are drawn among the others; its name and what
// belongs to it are said below the diagram. Where edges lead to it as a whole it is
// drawn as a node of its own.
type flowGroup struct {
	id, title string
	nodes     []int
}

var flowDirections = map[string]string{"": "TD", "TD": "TD", "TB": "TD", "V": "TD",
	"LR": "LR", "RL": "RL", "BT": "BT", ">": "LR", "<": "RL", "^": "BT"}

func parseFlow(direction string, lines []string) (*flow, error) {
	direction = strings.ToUpper(strings.Trim(direction, "; "))
	known, ok := flowDirections[direction]
	if !ok {
		return nil, fmt.Errorf("its direction %q is not known here", cells.Shorten(direction, 20))
	}
	p := &flowParser{flow: flow{direction: known}, index: map[string]int{}}
	for _, line := range lines {
		for p.rest = line; p.rest != ""; {
			if err := p.statement(); err != nil {
				return nil, err
			}
			if len(p.nodes) > maxNodes || len(p.edges) > maxEdges || len(p.groups) > maxNodes {
				return nil, errTooManyParts
			}
		}
	}
	if len(p.nodes) == 0 {
		return nil, errors.New("it has no nodes")
	}
	p.nameGroups()
	p.takeLoops()
	return &p.flow, nil
}

// groupSign stands before the name of a subgraph, in the diagram and below it.
const groupSign = "▤ "

// nameGroups names the nodes that stand for a subgraph as a whole.
func (p *flowParser) nameGroups() {
	for _, g := range p.groups {
		if i, ok := p.index[g.id]; ok && p.nodes[i].text == g.id {
			p.nodes[i].text = groupSign + g.title
		}
	}
}

// takeLoops makes edges from a node to itself a part of the node.
func (p *flowParser) takeLoops() {
	p.edges = slices.DeleteFunc(p.edges, func(e flowEdge) bool {
		if e.from == e.to {
			p.nodes[e.from].loops = append(p.nodes[e.from].loops, e.text)
		}
		return e.from == e.to
	})
}

// flowParser reads statements; rest is what has not been read of the line.
type flowParser struct {
	flow
	rest  string
	index map[string]int // nodes by id
	open  []int          // the groups that the statement is in
}

func (p *flowParser) skipBlanks() { p.rest = strings.TrimLeft(p.rest, " ") }

func (p *flowParser) take(sign string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, sign)
	return ok
}

// ended reports whether the statement has been read to its end.
func (p *flowParser) ended() bool {
	p.skipBlanks()
	return p.rest == "" || p.take(";")
}

func (p *flowParser) statement() error {
	if p.ended() {
		return nil
	}
	word, _, _ := strings.Cut(p.rest, " ")
	switch strings.TrimRight(word, ";:") {
	case "subgraph":
		p.group()
		return nil
	case "end":
		p.take("end")
		if len(p.open) == 0 {
			return errEndsNothing
		}
		p.open = p.open[:len(p.open)-1]
		return nil
	case "style", "classDef", "class", "linkStyle", "click", "direction", "accTitle", "accDescr":
		_, p.rest, _ = strings.Cut(p.rest, ";") // what it looks like and does, not what it says
		return nil
	}
	return p.chain()
}

// chain reads nodes with edges between them: A --> B & C --> D.
func (p *flowParser) chain() error {
	from, err := p.nodeList()
	for err == nil && !p.ended() {
		var edge flowEdge
		var to []int
		if edge, err = p.edge(); err != nil {
			return err
		}
		if to, err = p.nodeList(); err != nil {
			return err
		}
		if len(p.edges)+len(from)*len(to) > maxEdges {
			return errors.New("it has too many edges")
		}
		for _, edge.from = range from {
			for _, edge.to = range to {
				p.edges = append(p.edges, edge)
			}
		}
		from = to
	}
	return err
}

// group reads the begin of a subgraph: an id, a title, or id[title].
func (p *flowParser) group() {
	p.take("subgraph")
	name, rest, _ := strings.Cut(p.rest, ";")
	name = strings.TrimSpace(name)
	g := flowGroup{id: name, title: label(name)}
	if id, title, ok := strings.Cut(name, "["); ok && id != "" && strings.HasSuffix(title, "]") {
		g.id, g.title = strings.TrimSpace(id), label(strings.TrimSuffix(title, "]"))
	}
	p.rest = rest
	p.open = append(p.open, len(p.groups))
	p.groups = append(p.groups, g)
}

// nodeList reads nodes joined by &.
func (p *flowParser) nodeList() (nodes []int, err error) {
	for {
		n, err := p.node()
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
		if p.skipBlanks(); !p.take("&") {
			return nodes, nil
		}
	}
}

func (p *flowParser) node() (int, error) {
	p.skipBlanks()
	id := p.takeID()
	if id == "" {
		return 0, notUnderstood(p.rest)
	}
	n, ok := p.index[id]
	if !ok {
		n = len(p.nodes)
		p.nodes = append(p.nodes, flowNode{id: id, text: id, outline: rectangle})
		p.index[id] = n
	}
	if len(p.open) > 0 {
		if g := &p.groups[p.open[len(p.open)-1]]; !slices.Contains(g.nodes, n) {
			g.nodes = append(g.nodes, n)
		}
	}
	p.shape(&p.nodes[n])
	if p.take(":::") { // a class
		p.takeID()
	}
	if p.rest != "" && strings.ContainsRune("[({@", rune(p.rest[0])) {
		return 0, notUnderstood(p.rest)
	}
	return n, nil
}

// idPattern is an id. A - or . belongs to it only between two letters, since -->
// begins with one.
var idPattern = regexp.MustCompile(`^[\p{L}\p{Nd}\p{M}_\x{2000}-\x{10ffff}]+(?:[-.][\p{L}\p{Nd}\p{M}_\x{2000}-\x{10ffff}]+)*`)

func (p *flowParser) takeID() string {
	id := idPattern.FindString(p.rest)
	p.rest = p.rest[len(id):]
	return id
}

// shapes are the boxes that stand for the brackets around a node's text, the
// longest first, since [( begins like [.
var shapes = []struct {
	open, end string
	outline   outline
}{
	{"(((", ")))", outline{'╭', '╮', '╯', '╰', '(', ')'}},
	{"((", "))", outline{'╭', '╮', '╯', '╰', '(', ')'}},
	{"([", "])", outline{'╭', '╮', '╯', '╰', '(', ')'}},
	{"[(", ")]", outline{'╭', '╮', '╯', '╰', '│', '│'}},
	{"[[", "]]", outline{'┌', '┐', '┘', '└', '║', '║'}},
	{"[/", "/]", outline{'┌', '┐', '┘', '└', '/', '/'}},
	{"[/", "\\]", outline{'┌', '┐', '┘', '└', '/', '\\'}},
	{"[\\", "\\]", outline{'┌', '┐', '┘', '└', '\\', '\\'}},
	{"[\\", "/]", outline{'┌', '┐', '┘', '└', '\\', '/'}},
	{"{{", "}}", outline{'╱', '╲', '╱', '╲', '<', '>'}},
	{"[", "]", rectangle},
	{"(", ")", outline{'╭', '╮', '╯', '╰', '│', '│'}},
	{"{", "}", outline{'╱', '╲', '╱', '╲', '<', '>'}},
	{">", "]", outline{'┌', '┐', '┘', '└', '>', '│'}},
}

// shape reads the brackets and the text in them, if there are any.
func (p *flowParser) shape(n *flowNode) {
	for _, s := range shapes {
		inside, ok := strings.CutPrefix(p.rest, s.open)
		if !ok {
			continue
		}
		if text, rest, ok := bracketed(inside, s.end); ok {
			n.text, n.outline, p.rest = label(text), s.outline, rest
			return
		}
	}
}

// bracketed is the text up to end, which does not count within quotes.
func bracketed(s, end string) (text, rest string, ok bool) {
	if quoted, ok := strings.CutPrefix(strings.TrimLeft(s, " "), `"`); ok {
		text, rest, closed := strings.Cut(quoted, `"`)
		rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " "), end)
		return `"` + text + `"`, rest, closed && ok
	}
	text, rest, ok = strings.Cut(s, end)
	return text, rest, ok && !strings.ContainsAny(text, `[]{}"`)
}
