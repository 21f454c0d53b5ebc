package diagram

import (
	"cmp"
	"errors"
	"maps"
	"slices"
)

// A flowchart is laid out in layers (Sugiyama, Tagawa and Toda 1981): nodes get
// ranks so that edges lead from one to a higher one; an edge that passes ranks, and
// the label of an edge, get nodes of their own there; the nodes of a rank are
// ordered so that few edges cross, and then placed.
//
// Two axes serve all four directions: ranks follow each other along the main axis
// (down in TD, rightwards in LR), the nodes of a rank along the cross axis.

// maxLinks bounds the work that long edges make.
const maxLinks = 1200

// layer builds the ranks.
func (f *flow) layer() error {
	f.turnEdges()
	f.rankNodes()
	for _, n := range f.nodes {
		f.add(n)
	}
	for _, e := range f.edges {
		first, last := e.ends[tail].rank, e.ends[head].rank
		for rank := first + 1; rank < last; rank++ {
			n := &node{part: true, rank: rank, stroke: e.stroke}
			if rank-first == (last-first+1)/2 {
				n.text = e.text
			}
			f.add(n)
			f.link(edge{ends: [2]end{e.ends[tail], {node: n}}, stroke: e.stroke})
			e.ends[tail] = end{node: n}
		}
		if f.link(e); len(f.links) > maxLinks {
			return errors.New("it has too many long edges")
		}
	}
	f.order()
	return nil
}

func (f *flow) add(n *node) {
	for len(f.ranks) <= n.rank {
		f.ranks = append(f.ranks, nil)
	}
	f.ranks[n.rank] = append(f.ranks[n.rank], n)
}

func (f *flow) link(e edge) {
	f.links = append(f.links, &e)
	for side, end := range e.ends {
		end.links[side] = append(end.links[side], &e)
	}
}

// turnEdges turns those edges round that close a circle, and in BT and RL, which are
// TD and LR upside down, all others.
func (f *flow) turnEdges() {
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
			if open[to] != f.reversed {
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

// ranks returns how many ranks an edge leads on: its label has one of its own.
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
func (f *flow) order() {
	places := map[*node]int{} // of each node in its rank
	place := func(n *node) int { return places[n] }
	for _, rank := range f.ranks {
		number(rank, places)
	}
	best, fewest := maps.Clone(places), f.crossings(places)
	for sweep := range 8 {
		side, ranks := head, slices.All(f.ranks)
		if sweep%2 == 1 {
			side, ranks = tail, slices.Backward(f.ranks)
		}
		for _, rank := range ranks {
			barycentre := map[*node]float64{}
			for _, n := range rank {
				barycentre[n], _ = n.mean(place, side)
			}
			slices.SortStableFunc(rank, func(a, b *node) int { return cmp.Compare(barycentre[a], barycentre[b]) })
			number(rank, places)
		}
		if n := f.crossings(places); n < fewest {
			best, fewest = maps.Clone(places), n
		}
	}
	for _, rank := range f.ranks {
		slices.SortFunc(rank, func(a, b *node) int { return best[a] - best[b] })
	}
}

func number(rank []*node, places map[*node]int) {
	for i, n := range rank {
		places[n] = i
	}
}

// crossings counts the pairs of links that cross.
func (f *flow) crossings(places map[*node]int) int {
	apart := func(a, b end) int { return places[a.node] - places[b.node] }
	n := 0
	for i, a := range f.links {
		for _, b := range f.links[i+1:] {
			sameRanks := a.ends[tail].rank == b.ends[tail].rank
			if sameRanks && apart(a.ends[tail], b.ends[tail])*apart(a.ends[head], b.ends[head]) < 0 {
				n++
			}
		}
	}
	return n
}
