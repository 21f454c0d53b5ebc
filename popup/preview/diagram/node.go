package diagram

// node holds a box with a text. In a flowchart it may also be a part of an edge that
// stands where a box may: the edge's label, or the place where it passes a rank.
type node struct {
	id, text string
	outline  outline
	loops    []string // edges from the node to itself, each as a line of text
	part     bool     // of an edge
	stroke   stroke   // of that edge

	rank  int        // in a flowchart from 0; actors are counted from 1
	links [2][]*edge // those that have the node as their tail, and as their head

	rows          []string // the text, as it is drawn
	cross, main   int      // size along the axes
	centre, start int      // its middle on the cross axis, its first cell on the main axis
}

func (n *node) passing() bool { return n.part && n.text == "" }

// first returns the first cell of n on the cross axis.
func (n *node) first() int { return n.centre - n.cross/2 }

// The ends of an edge.
const (
	tail = iota
	head
)

type end struct {
	*node
	mark mark
	port int // where on the cross axis it meets the node
}

// edge joins two nodes.
type edge struct {
	ends   [2]end
	text   string
	stroke stroke
	trunk  *trunk // the one that it is part of in a flowchart
}

type nodes []*node

// named finds the node with that id, or adds it.
func (l *nodes) named(id string) *node {
	for _, n := range *l {
		if n.id == id {
			return n
		}
	}
	n := &node{id: id, text: label(id), outline: rectangle}
	*l = append(*l, n)
	return n
}
