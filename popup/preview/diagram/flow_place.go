package diagram

import (
	"math"
	"slices"
)

// place gives every vertex its middle on the cross axis: near the mean of its
// neighbours, in its rank's order, with gap cells between two of them. It returns
// how far the diagram reaches.
func (l *layers) place(gap int) int {
	none, both := make([][]int, len(l.vertices)), make([][]int, len(l.vertices))
	for _, rank := range l.ranks {
		l.placeRank(rank, gap, none)
	}
	for v := range both {
		both[v] = slices.Concat(l.above[v], l.below[v])
	}
	upwards := slices.Clone(l.ranks)
	slices.Reverse(upwards)
	for range 4 {
		for _, rank := range l.ranks {
			l.placeRank(rank, gap, l.above)
		}
		for _, rank := range upwards {
			l.placeRank(rank, gap, l.below)
		}
		for _, rank := range l.ranks {
			l.placeRank(rank, gap, both)
		}
	}
	left, reach := math.MaxInt, 0
	for i := range l.vertices {
		left = min(left, l.vertices[i].first())
	}
	for i := range l.vertices {
		v := &l.vertices[i]
		v.centre -= left
		reach = max(reach, v.first()+v.cross)
	}
	return reach
}

// wish is where a vertex would best be, and how much that counts: beside its
// neighbours, or, without any, where it is. A long edge is better straight.
func (l *layers) wish(v int, neighbours []int) (at, weight float64) {
	if len(neighbours) == 0 {
		return float64(l.vertices[v].centre), 0.1
	}
	sum := 0
	for _, n := range neighbours {
		sum += l.vertices[n].centre
	}
	weight = 1
	if l.vertices[v].node < 0 {
		weight = 2
	}
	return float64(sum) / float64(len(neighbours)), weight
}

// pool is adjacent vertices that are as near to each other as they may be.
type pool struct {
	sum, weight float64 // of the wishes
	size        int
}

func (p pool) place() float64 { return p.sum / p.weight }

// placeRank places one rank as near as possible, by the least squares, to where its
// vertices want to be. With the room that those before it take subtracted, a
// vertex's place may not be less than the one before: isotonic regression, solved
// by pooling adjacent violators.
func (l *layers) placeRank(rank []int, gap int, neighbours [][]int) {
	room := make([]int, len(rank))
	var pools []pool
	for i, v := range rank {
		if i > 0 {
			before := &l.vertices[rank[i-1]]
			room[i] = room[i-1] + before.cross - before.cross/2 + gap + l.vertices[v].cross/2
		}
		wish, weight := l.wish(v, neighbours[v])
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
			l.vertices[rank[i]].centre = int(math.Round(p.place())) + room[i]
			i++
		}
	}
}
