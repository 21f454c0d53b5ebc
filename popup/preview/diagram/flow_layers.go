package diagram

import (
	"cmp"
	"errors"
	"slices"
)

// A flowchart is laid out in layers (Sugiyama, Tagawa and Toda 1981): nodes get
// ranks so that edges lead from one to a higher one; an edge that passes ranks, and
// the label of an edge, get nodes of their own there; the nodes of a rank are
// ordered so that few edges cross, and then placed.
//
// Two axes serve all four directions: ranks follow each other along the main axis
// (down in TD, rightwards in LR), the nodes of a rank along the cross axis.
type layers struct {
	ranks [][]*node
	links []*edge // edges, or parts of them, between nodes of adjacent ranks
}

// maxLinks bounds the work that long edges make.
const maxLinks = 1200

// layered builds the ranks.
func (f *flow) layered() (*layers, error) {
	f.turnEdges()
	f.rankNodes()
	l := &layers{}
	for _, n := range f.nodes {
		l.add(n)
	}
	for _, e := range f.edges {
		first, last := e.ends[tail].rank, e.ends[head].rank
		for rank := first + 1; rank < last; rank++ {
			n := &node{part: true, rank: rank, stroke: e.stroke}
			if rank-first == (last-first+1)/2 {
				n.text = e.text
			}
			l.add(n)
			l.link(edge{ends: [2]end{e.ends[tail], {node: n}}, stroke: e.stroke})
			e.ends[tail] = end{node: n}
		}
		if l.link(e); len(l.links) > maxLinks {
			return nil, errors.New("it has too many long edges")
		}
	}
	l.order()
	return l, nil
}

func (l *layers) add(n *node) {
	for len(l.ranks) <= n.rank {
		l.ranks = append(l.ranks, nil)
	}
	l.ranks[n.rank] = append(l.ranks[n.rank], n)
}

func (l *layers) link(e edge) {
	l.links = append(l.links, &e)
	for side, end := range e.ends {
		end.links[side] = append(end.links[side], &e)
	}
}

// turnEdges turns those edges round that close a circle, and in BT and RL, which are
// TD and LR upside down, all others.
func (f *flow) turnEdges() {
	upsideDown := f.direction == "BT" || f.direction == "RL"
	turned := slices.Clone(f.edges)
	open, visited := map[*node]bool{}, map[*node]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		open[n], visited[n] = true, true
		for i, e := range f.edges {
			if e.ends[tail].node != n {
				continue
			}
			to := e.ends[head].node
			if !visited[to] {
				visit(to)
			}
			if open[to] != upsideDown {
				slices.Reverse(turned[i].ends[:])
			}
		}
		open[n] = false
	}
	for _, n := range f.nodes {
		if !visited[n] {
			visit(n)
		}
	}
	f.edges = turned
}

// ranks is how many ranks an edge leads on: its label has one of its own.
func (e *edge) ranks() int {
	if e.text != "" {
		return 2
	}
	return 1
}

// rankNodes gives each node the length of the longest way to it; then those that
// nothing leads to move up to what they lead to.
func (f *flow) rankNodes() {
	reached := map[*node]bool{}
	for changed := true; changed; {
		changed = false
		for _, e := range f.edges {
			to := e.ends[head].node
			reached[to] = true
			if r := e.ends[tail].rank + e.ranks(); r > to.rank {
				to.rank, changed = r, true
			}
		}
	}
	for _, n := range f.nodes {
		nearest := -1
		for _, e := range f.edges {
			if r := e.ends[head].rank - e.ranks(); e.ends[tail].node == n && (nearest < 0 || r < nearest) {
				nearest = r
			}
		}
		if !reached[n] {
			n.rank = max(n.rank, nearest)
		}
	}
}

// order sorts each rank by the mean place of the neighbours in the rank before it
// (barycentre), then after it, some times over, and keeps the order with the fewest
// crossings.
func (l *layers) order() {
	for _, rank := range l.ranks {
		number(rank)
	}
	place := func(n *node) int { return n.place }
	best, fewest := l.copyRanks(), l.crossings()
	for sweep := range 8 {
		side, ranks := head, slices.All(l.ranks)
		if sweep%2 == 1 {
			side, ranks = tail, slices.Backward(l.ranks)
		}
		for _, rank := range ranks {
			barycentre := map[*node]float64{}
			for _, n := range rank {
				barycentre[n], _ = n.mean(place, side)
			}
			slices.SortStableFunc(rank, func(a, b *node) int { return cmp.Compare(barycentre[a], barycentre[b]) })
			number(rank)
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.copyRanks(), n
		}
	}
	l.ranks = best
}

func number(rank []*node) {
	for i, n := range rank {
		n.place = i
	}
}

func (l *layers) copyRanks() [][]*node {
	ranks := slices.Clone(l.ranks)
	for i := range ranks {
		ranks[i] = slices.Clone(ranks[i])
	}
	return ranks
}

// crossings counts the pairs of links that cross.
func (l *layers) crossings() int {
	n := 0
	for i, a := range l.links {
		for _, b := range l.links[i+1:] {
			sameRanks := a.ends[tail].rank == b.ends[tail].rank
			if sameRanks && (a.ends[tail].place-b.ends[tail].place)*(a.ends[head].place-b.ends[head].place) < 0 {
				n++
			}
		}
	}
	return n
}
