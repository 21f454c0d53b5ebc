package diagram

import (
	"math"
	"slices"
)

// place gives every node its middle on the cross axis: near the mean of its
// neighbours, in its rank's order, with gap cells between two of them. It returns
// how far the diagram reaches.
func (f *flow) place(gap int) int {
	for _, rank := range f.ranks {
		placeRank(rank, gap)
	}
	for range 4 {
		for _, rank := range f.ranks {
			placeRank(rank, gap, head)
		}
		for _, rank := range slices.Backward(f.ranks) {
			placeRank(rank, gap, tail)
		}
		for _, rank := range f.ranks {
			placeRank(rank, gap, head, tail)
		}
	}
	left, reach := math.MaxInt, 0
	for _, rank := range f.ranks {
		left = min(left, rank[0].first())
	}
	for _, rank := range f.ranks {
		for _, n := range rank {
			n.centre -= left
			reach = max(reach, n.first()+n.cross)
		}
	}
	return reach
}

// mean returns the mean of something of the nodes that links join n with on these sides,
// or n's own where there are none.
func (n *node) mean(of func(*node) int, sides ...int) (mean float64, alone bool) {
	sum, count := 0, 0
	for _, side := range sides {
		for _, e := range n.links[side] {
			sum += of(e.ends[1-side].node)
			count++
		}
	}
	if count == 0 {
		return float64(of(n)), true
	}
	return float64(sum) / float64(count), false
}

// wish returns where a node would best be, and how much that counts: beside its
// neighbours, or, without any, where it is. A long edge is better straight.
func (n *node) wish(sides []int) (at, weight float64) {
	at, alone := n.mean(func(n *node) int { return n.centre }, sides...)
	switch {
	case alone:
		return at, 0.1
	case n.part:
		return at, 2
	}
	return at, 1
}

// pool gathers adjacent nodes that are as near to each other as they may be.
type pool struct {
	sum, weight float64 // of the wishes
	size        int
}

func (p pool) place() float64 { return p.sum / p.weight }

// placeRank places one rank as near as possible, by the least squares, to where its
// nodes want to be, by their links on these sides. With the room that those before
// it take subtracted, a node's place may not be less than the one before: isotonic
// regression, solved by pooling adjacent violators.
func placeRank(rank []*node, gap int, sides ...int) {
	room := make([]int, len(rank))
	var pools []pool
	for i, n := range rank {
		if i > 0 {
			before := rank[i-1]
			room[i] = room[i-1] + before.cross - before.cross/2 + gap + n.cross/2
		}
		wish, weight := n.wish(sides)
		pools = append(pools, pool{weight * (wish - float64(room[i])), weight, 1})
		for n := len(pools) - 1; n > 0 && pools[n-1].place() > pools[n].place(); n-- {
			last := pools[n]
			pools = pools[:n]
			pools[n-1].sum += last.sum
			pools[n-1].weight += last.weight
			pools[n-1].size += last.size
		}
	}
	i := 0
	for _, p := range pools {
		for range p.size {
			rank[i].centre = int(math.Round(p.place())) + room[i]
			i++
		}
	}
}
