package diagram

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// flow holds a flowchart as its source says it, and then in layers.
type flow struct {
	direction
	nodes  nodes
	edges  []edge
	groups []*flowGroup

	ranks [][]*node
	links []*edge // edges, or parts of them, between nodes of adjacent ranks
}

// flowGroup holds a subgraph. Its nodes are drawn among the others; its name and what
// belongs to it are said below the diagram. Where edges lead to it as a whole it is
// drawn as a node of its own.
type flowGroup struct {
	id, title string
	nodes     nodes
}

// direction says where edges lead: downwards, or as these say.
type direction struct {
	across   bool // rightwards instead
	reversed bool // upwards or leftwards
}

var directionNames = map[string]direction{"": {}, "TD": {}, "TB": {}, "V": {}, "LR": {across: true}, ">": {across: true},
	"BT": {reversed: true}, "^": {reversed: true}, "RL": {true, true}, "<": {true, true}}

func parseFlow(name string, lines []string) (*flow, error) {
	name = strings.ToUpper(strings.Trim(name, "; "))
	direction, ok := directionNames[name]
	if !ok {
		return nil, fmt.Errorf("its direction %q is not known here", cells.Shorten(name, 20))
	}
	p := &flowParser{flow: flow{direction: direction}}
	for _, line := range lines {
		for p.rest = line; p.rest != ""; {
			p.statement()
			if len(p.nodes) > maxNodes || len(p.edges) > maxEdges || len(p.groups) > maxNodes {
				p.fail(errTooManyParts)
			}
			if p.err != nil {
				return nil, p.err
			}
		}
	}
	if len(p.nodes) == 0 {
		return nil, errors.New("it has no nodes")
	}
	p.nameGroups()
	return &p.flow, nil
}

// groupSign stands before the name of a subgraph, in the diagram and below it.
const groupSign = "▤ "

// nameGroups names the nodes that stand for a subgraph as a whole.
func (f *flow) nameGroups() {
	for _, g := range f.groups {
		for _, n := range f.nodes {
			if n.id == g.id && n.text == g.id {
				n.text = groupSign + g.title
			}
		}
	}
}

// flowParser reads statements until one fails.
type flowParser struct {
	flow
	rest string       // what has not been read of the line
	open []*flowGroup // those that the statement is in
	err  error        // the first
}

func (p *flowParser) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// match reads what a pattern, which begins with ^, finds; nil if that is nothing.
func (p *flowParser) match(pattern *regexp.Regexp) []string {
	m := pattern.FindStringSubmatch(p.rest)
	if m != nil {
		p.rest = p.rest[len(m[0]):]
	}
	return m
}

func (p *flowParser) accept(sign string) (ok bool) {
	p.rest, ok = strings.CutPrefix(strings.TrimLeft(p.rest, " "), sign)
	return ok
}

// ended reports whether the statement has been read to its end.
func (p *flowParser) ended() bool { return p.accept(";") || p.rest == "" }

func (p *flowParser) statement() {
	if p.ended() {
		return
	}
	word, _, _ := strings.Cut(p.rest, " ")
	switch strings.TrimRight(word, ";:") {
	case "subgraph":
		m := p.match(groupPattern)
		g := &flowGroup{id: strings.TrimSpace(m[1] + m[3]), title: label(m[2] + m[3])}
		p.open, p.groups = append(p.open, g), append(p.groups, g)
	case "end":
		if p.accept("end"); len(p.open) == 0 {
			p.fail(errEndsNothing)
			return
		}
		p.open = p.open[:len(p.open)-1]
	case "style", "classDef", "class", "linkStyle", "click", "direction", "accTitle", "accDescr":
		_, p.rest, _ = strings.Cut(p.rest, ";") // what it looks like and does, not what it says
	default:
		p.chain()
	}
}

// groupPattern begins a subgraph: id[title], or one text that is both.
var groupPattern = regexp.MustCompile(`^subgraph(?:([^;[]*[^;[ ][^;[]*)\[([^;]*)\]|([^;]*?)) *(?:;|$)`)

// chain reads nodes with edges between them: A --> B & C --> D. An edge from a node to
// itself is a part of the node.
func (p *flowParser) chain() {
	from := p.nodeList()
	for p.err == nil && !p.ended() {
		e, to := p.edge(), p.nodeList()
		if len(p.edges)+len(from)*len(to) > maxEdges {
			p.fail(errors.New("it has too many edges"))
			return
		}
		for _, e.ends[tail].node = range from {
			for _, n := range to {
				if e.ends[head].node = n; n == e.ends[tail].node {
					n.loops = append(n.loops, strings.TrimSpace("↺ "+e.text))
				} else {
					p.edges = append(p.edges, e)
				}
			}
		}
		from = to
	}
}

// nodeList reads nodes joined by &.
func (p *flowParser) nodeList() nodes {
	list := nodes{p.node()}
	for p.accept("&") {
		list = append(list, p.node())
	}
	return list
}

// idPattern matches an id. A - or . belongs to it only between two letters, since -->
// begins with one.
var (
	idPattern    = regexp.MustCompile(`^ *(` + letters + `(?:[-.]` + letters + `)*)`)
	classPattern = regexp.MustCompile(`^:::(?:` + letters + `(?:[-.]` + letters + `)*)?`)
)

const letters = `[\p{L}\p{Nd}\p{M}_\x{2000}-\x{10ffff}]+`

func (p *flowParser) node() *node {
	m := p.match(idPattern)
	if m == nil {
		p.fail(notUnderstood(strings.TrimLeft(p.rest, " ")))
		return &node{}
	}
	n := p.nodes.named(m[1])
	if len(p.open) > 0 {
		if g := p.open[len(p.open)-1]; !slices.Contains(g.nodes, n) {
			g.nodes = append(g.nodes, n)
		}
	}
	for _, s := range shapes {
		if m := p.match(s.pattern); m != nil {
			n.text, n.outline = label(m[1]+m[2]), s.outline
			break
		}
	}
	p.match(classPattern)
	if p.rest != "" && strings.ContainsRune("[({@", rune(p.rest[0])) {
		p.fail(notUnderstood(p.rest))
	}
	return n
}

type shape struct {
	pattern *regexp.Regexp
	outline outline
}

// boxed makes the shape of a node with its text, which may be quoted, in these brackets.
func boxed(open, end, signs string) shape {
	open, end = regexp.QuoteMeta(open), regexp.QuoteMeta(end)
	return shape{regexp.MustCompile(`^` + open + `(?: *("[^"]*") *|([^][{}"]*?))` + end), outline([]rune(signs))}
}

// shapes has the boxes that stand for the brackets around a node's text, the
// longest first, since [( begins like [.
var shapes = []shape{
	boxed("(((", ")))", "╭╮╯╰()"),
	boxed("((", "))", "╭╮╯╰()"),
	boxed("([", "])", "╭╮╯╰()"),
	boxed("[(", ")]", "╭╮╯╰││"),
	boxed("[[", "]]", "┌┐┘└║║"),
	boxed("[/", "/]", "┌┐┘└//"),
	boxed("[/", `\]`, `┌┐┘└/\`),
	boxed(`[\`, `\]`, `┌┐┘└\\`),
	boxed(`[\`, "/]", `┌┐┘└\/`),
	boxed("{{", "}}", "╱╲╱╲<>"),
	boxed("[", "]", "┌┐┘└││"),
	boxed("(", ")", "╭╮╯╰││"),
	boxed("{", "}", "╱╲╱╲<>"),
	boxed(">", "]", "┌┐┘└>│"),
}

// strokes says how edges are drawn, by the second of their signs.
var strokes = map[byte]stroke{'-': solid, '=': thick, '.': dotted, '~': invisible}

// An edge is signs with a mark before and behind them. An o or x right behind them is
// a mark, even where a name seems to begin with it: A---oB has a circle, in Mermaid too.
// A label stands in bars behind it, or in it: then it ends as the edge began.
var (
	edgePattern  = regexp.MustCompile(`^(?:([<ox]?)(--+|==+|-\.[-.]*)([>ox]?)|(~~~+))`)
	labelPattern = regexp.MustCompile(`^ *\|([^|]*)\|`)
	edgeEnds     = map[stroke]*regexp.Regexp{
		solid:  regexp.MustCompile(`^(.*?)--[-=.]*([>ox]?)`),
		thick:  regexp.MustCompile(`^(.*?)==[-=.]*([>ox]?)`),
		dotted: regexp.MustCompile(`^(.*?)\.-[-=.]*([>ox]?)`),
	}
)

// edge reads what joins two nodes.
func (p *flowParser) edge() (e edge) {
	m := p.match(edgePattern)
	if m == nil {
		p.fail(notUnderstood(p.rest))
		return e
	}
	e.stroke, e.ends[tail].mark, e.ends[head].mark = strokes[m[0][len(m[1])+1]], marks[m[1]], marks[m[3]]
	// Two signs without a mark open a label.
	if len(m[2]) == 2 && m[3] == "" && !strings.HasPrefix(p.rest, "|") {
		if m = p.match(edgeEnds[e.stroke]); m == nil {
			p.fail(notUnderstood(p.rest))
			return e
		}
		e.text, e.ends[head].mark = label(m[1]), marks[m[2]]
	}
	if m = p.match(labelPattern); m != nil {
		e.text = label(m[1])
	}
	return e
}
