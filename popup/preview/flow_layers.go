package preview

import "slices"

// A diagram is laid out in layers (Sugiyama, Tagawa and Toda 1981): nodes get
// ranks so that edges lead from one to a higher one; an edge that passes ranks,
// and the label of an edge, get vertices of their own there; the vertices of a
// rank are ordered so that few edges cross, and then placed.
//
// Two axes serve all four directions: ranks follow each other along the main
// axis (down in TD, rightwards in LR), the vertices of a rank along the cross axis.

// vertex is what stands in a rank: a node, the label of an edge, or the place
// where an edge passes.
type vertex struct {
	node  int    // index into flow.nodes; -1 for a label or a passing edge
	text  string // of a label
	rows  []string
	rank  int
	cross int // size along the cross axis
	main  int // size along the main axis
	// centre and start say where it is: its middle on the cross axis, its first
	// cell on the main axis.
	centre, start int
	stroke        stroke
}

func (v *vertex) passing() bool { return v.node < 0 && v.text == "" }

// first is the first cell of v on the cross axis.
func (v *vertex) first() int { return v.centre - v.cross/2 }

// link is an edge, or a part of one, between vertices of adjacent ranks.
type link struct {
	from, to   int
	stroke     stroke
	tail, head byte // the signs at from and to
}

type layers struct {
	vertices []vertex
	links    []link
	ranks    [][]int // the vertices of each rank, in order
}

// arc is an edge between nodes while ranks are sought.
type arc struct {
	from, to int
	edge     int
	turned   bool
}

// maxVertices bounds the work that long edges make.
const maxVertices = 1200

// layer builds the ranks; nil if there would be too many vertices.
func (f *flow) layer() *layers {
	arcs := f.acyclic()
	rank := f.rank(arcs)
	l := &layers{}
	place := make([]int, len(f.nodes))
	for i := range f.nodes {
		place[i] = l.add(vertex{node: i, rank: rank[i]})
	}
	for _, a := range arcs {
		e := f.edges[a.edge]
		tail, head := e.tail, e.head
		if a.turned {
			tail, head = head, tail
		}
		span := rank[a.to] - rank[a.from]
		at := place[a.from]
		for step := 1; step < span; step++ {
			v := vertex{node: -1, rank: rank[a.from] + step, stroke: e.stroke}
			if e.text != "" && step == (span+1)/2 {
				v.text = e.text
			}
			if len(l.vertices) >= maxVertices {
				return nil
			}
			next := l.add(v)
			l.links = append(l.links, link{at, next, e.stroke, tail, ' '})
			at, tail = next, ' '
		}
		l.links = append(l.links, link{at, place[a.to], e.stroke, tail, head})
	}
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

// acyclic turns the edges that close a circle, and in BT and RL, which are TD
// and LR upside down, all others.
func (f *flow) acyclic() []arc {
	upside := f.direction == "BT" || f.direction == "RL"
	arcs := make([]arc, len(f.edges))
	out := make([][]int, len(f.nodes))
	for i, e := range f.edges {
		arcs[i] = arc{from: e.from, to: e.to, edge: i}
		out[e.from] = append(out[e.from], i)
	}
	state := make([]byte, len(f.nodes)) // 0 new, 1 on the way, 2 done
	var visit func(n int)
	visit = func(n int) {
		state[n] = 1
		for _, i := range out[n] {
			switch to := f.edges[i].to; state[to] {
			case 0:
				visit(to)
			case 1:
				arcs[i] = arc{from: to, to: n, edge: i, turned: true}
			}
		}
		state[n] = 2
	}
	for n := range f.nodes {
		if state[n] == 0 {
			visit(n)
		}
	}
	if upside {
		for i, a := range arcs {
			arcs[i] = arc{from: a.to, to: a.from, edge: a.edge, turned: !a.turned}
		}
	}
	return arcs
}

// rank gives each node the length of the longest way to it, an edge with a
// label counting two; then those that nothing leads to move up to their successors.
func (f *flow) rank(arcs []arc) []int {
	rank := make([]int, len(f.nodes))
	length := func(a arc) int {
		if f.edges[a.edge].text != "" {
			return 2
		}
		return 1
	}
	for changed, rounds := true, 0; changed && rounds <= len(f.nodes); rounds++ {
		changed = false
		for _, a := range arcs {
			if r := rank[a.from] + length(a); r > rank[a.to] {
				rank[a.to], changed = r, true
			}
		}
	}
	for n := range f.nodes {
		nearest := -1
		for _, a := range arcs {
			if a.to == n {
				nearest = -1
				break
			}
			if r := rank[a.to] - length(a); a.from == n && (nearest < 0 || r < nearest) {
				nearest = r
			}
		}
		if nearest > rank[n] {
			rank[n] = nearest
		}
	}
	return rank
}

// order sorts each rank by the mean place of the neighbours in the rank before
// it (barycentre), then after it, some times over.
func (l *layers) order() {
	above, below := l.neighbours()
	at := make([]int, len(l.vertices))
	number := func(rank []int) {
		for i, v := range rank {
			at[v] = i
		}
	}
	for _, rank := range l.ranks {
		number(rank)
	}
	best, least := l.copyRanks(), l.crossings(at)
	for sweep := range 8 {
		for i := range l.ranks {
			r, next := i, above
			if sweep%2 == 1 {
				r, next = len(l.ranks)-1-i, below
			}
			key := map[int]float64{}
			for _, v := range l.ranks[r] {
				key[v] = float64(at[v])
				if len(next[v]) > 0 {
					sum := 0
					for _, n := range next[v] {
						sum += at[n]
					}
					key[v] = float64(sum) / float64(len(next[v]))
				}
			}
			slices.SortStableFunc(l.ranks[r], func(a, b int) int {
				switch {
				case key[a] < key[b]:
					return -1
				case key[a] > key[b]:
					return 1
				}
				return 0
			})
			number(l.ranks[r])
		}
		if n := l.crossings(at); n < least {
			best, least = l.copyRanks(), n
		}
	}
	l.ranks = best
}

func (l *layers) copyRanks() [][]int {
	ranks := make([][]int, len(l.ranks))
	for i, r := range l.ranks {
		ranks[i] = slices.Clone(r)
	}
	return ranks
}

func (l *layers) neighbours() (above, below [][]int) {
	above, below = make([][]int, len(l.vertices)), make([][]int, len(l.vertices))
	for _, k := range l.links {
		above[k.to] = append(above[k.to], k.from)
		below[k.from] = append(below[k.from], k.to)
	}
	return above, below
}

// crossings counts the pairs of links that cross, at being each vertex's place.
func (l *layers) crossings(at []int) int {
	byRank := make([][]link, len(l.ranks))
	for _, k := range l.links {
		r := l.vertices[k.from].rank
		byRank[r] = append(byRank[r], k)
	}
	n := 0
	for _, links := range byRank {
		for i, a := range links {
			for _, b := range links[i+1:] {
				if (at[a.from]-at[b.from])*(at[a.to]-at[b.to]) < 0 {
					n++
				}
			}
		}
	}
	return n
}
