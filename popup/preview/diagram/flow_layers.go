package diagram

import (
	"cmp"
	"slices"
)

// A flowchart is laid out in layers (Sugiyama, Tagawa and Toda 1981): nodes get
// ranks so that edges lead from one to a higher one; an edge that passes ranks, and
// the label of an edge, get vertices of their own there; the vertices of a rank are
// ordered so that few edges cross, and then placed.
//
// Two axes serve all four directions: ranks follow each other along the main axis
// (down in TD, rightwards in LR), the vertices of a rank along the cross axis.

// vertex is what stands in a rank: a node, the label of an edge, or the place where
// an edge passes.
type vertex struct {
	node   int    // -1 for a label or a passing edge
	text   string // of a label
	rows   []string
	rank   int
	stroke stroke

	cross, main   int // size along the axes
	centre, start int // its middle on the cross axis, its first cell on the main axis
}

func (v *vertex) passing() bool { return v.node < 0 && v.text == "" }

// first is the first cell of v on the cross axis.
func (v *vertex) first() int { return v.centre - v.cross/2 }

// link is an edge, or a part of one, between vertices of adjacent ranks.
type link struct {
	from, to   int
	stroke     stroke
	tail, head mark
}

type layers struct {
	vertices []vertex
	links    []link
	ranks    [][]int // the vertices of each rank, in order
	// above and below are each vertex's neighbours in the ranks beside its own.
	above, below [][]int
}

// maxVertices bounds the work that long edges make.
const maxVertices = 1200

// layered builds the ranks; nil if there would be too many vertices.
func (f *flow) layered() *layers {
	edges := f.acyclic()
	ranks := f.rankNodes(edges)
	l := &layers{}
	for i := range f.nodes {
		l.add(vertex{node: i, rank: ranks[i]})
	}
	for _, e := range edges {
		span := ranks[e.to] - ranks[e.from]
		from, tail := e.from, e.tail
		for step := 1; step < span; step++ {
			v := vertex{node: -1, rank: ranks[e.from] + step, stroke: e.stroke}
			if step == (span+1)/2 {
				v.text = e.text
			}
			if len(l.vertices) >= maxVertices {
				return nil
			}
			next := l.add(v)
			l.links = append(l.links, link{from, next, e.stroke, tail, noMark})
			from, tail = next, noMark
		}
		l.links = append(l.links, link{from, e.to, e.stroke, tail, e.head})
	}
	l.findNeighbours()
	l.order()
	return l
}

func (l *layers) add(v vertex) int {
	for len(l.ranks) <= v.rank {
		l.ranks = append(l.ranks, nil)
	}
	l.vertices = append(l.vertices, v)
	l.ranks[v.rank] = append(l.ranks[v.rank], len(l.vertices)-1)
	return len(l.vertices) - 1
}

// acyclic is the edges with those turned round that close a circle, and in BT and
// RL, which are TD and LR upside down, all others.
func (f *flow) acyclic() []flowEdge {
	upsideDown := f.direction == "BT" || f.direction == "RL"
	edges := slices.Clone(f.edges)
	open, visited := make([]bool, len(f.nodes)), make([]bool, len(f.nodes))
	var visit func(n int)
	visit = func(n int) {
		open[n], visited[n] = true, true
		for i, e := range f.edges {
			if e.from != n {
				continue
			}
			if !visited[e.to] {
				visit(e.to)
			}
			if open[e.to] != upsideDown {
				edges[i] = flowEdge{e.to, e.from, e.text, e.stroke, e.head, e.tail}
			}
		}
		open[n] = false
	}
	for n := range f.nodes {
		if !visited[n] {
			visit(n)
		}
	}
	return edges
}

// ranks is how many ranks an edge leads on: its label has one of its own.
func (e *flowEdge) ranks() int {
	if e.text != "" {
		return 2
	}
	return 1
}

// rankNodes gives each node the length of the longest way to it; then those that
// nothing leads to move up to what they lead to.
func (f *flow) rankNodes(edges []flowEdge) []int {
	rank := make([]int, len(f.nodes))
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			if r := rank[e.from] + e.ranks(); r > rank[e.to] {
				rank[e.to], changed = r, true
			}
		}
	}
	for n := range f.nodes {
		if slices.ContainsFunc(edges, func(e flowEdge) bool { return e.to == n }) {
			continue
		}
		nearest := -1
		for _, e := range edges {
			if r := rank[e.to] - e.ranks(); e.from == n && (nearest < 0 || r < nearest) {
				nearest = r
			}
		}
		rank[n] = max(rank[n], nearest)
	}
	return rank
}

func (l *layers) findNeighbours() {
	l.above, l.below = make([][]int, len(l.vertices)), make([][]int, len(l.vertices))
	for _, k := range l.links {
		l.above[k.to] = append(l.above[k.to], k.from)
		l.below[k.from] = append(l.below[k.from], k.to)
	}
}

// order sorts each rank by the mean place of the neighbours in the rank before it
// (barycentre), then after it, some times over, and keeps the order with the fewest
// crossings.
func (l *layers) order() {
	at := make([]int, len(l.vertices)) // each vertex's place in its rank
	number := func(rank []int) {
		for i, v := range rank {
			at[v] = i
		}
	}
	for _, rank := range l.ranks {
		number(rank)
	}
	best, fewest := l.copyRanks(), l.crossings(at)
	for sweep := range 8 {
		neighbours, ranks := l.above, slices.Clone(l.ranks)
		if sweep%2 == 1 {
			neighbours = l.below
			slices.Reverse(ranks)
		}
		for _, rank := range ranks {
			barycentre := map[int]float64{}
			for _, v := range rank {
				barycentre[v] = mean(neighbours[v], at, at[v])
			}
			slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(barycentre[a], barycentre[b]) })
			number(rank)
		}
		if n := l.crossings(at); n < fewest {
			best, fewest = l.copyRanks(), n
		}
	}
	l.ranks = best
}

// mean is the mean of the places of these vertices, or the other where there are none.
func mean(vertices, places []int, other int) float64 {
	if len(vertices) == 0 {
		return float64(other)
	}
	sum := 0
	for _, v := range vertices {
		sum += places[v]
	}
	return float64(sum) / float64(len(vertices))
}

func (l *layers) copyRanks() [][]int {
	ranks := slices.Clone(l.ranks)
	for i := range ranks {
		ranks[i] = slices.Clone(ranks[i])
	}
	return ranks
}

// crossings counts the pairs of links that cross, at being each vertex's place.
func (l *layers) crossings(at []int) int {
	n := 0
	for i, a := range l.links {
		for _, b := range l.links[i+1:] {
			sameRanks := l.vertices[a.from].rank == l.vertices[b.from].rank
			if sameRanks && (at[a.from]-at[b.from])*(at[a.to]-at[b.to]) < 0 {
				n++
			}
		}
	}
	return n
}
