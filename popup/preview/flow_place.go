package preview

import "math"

// place gives every vertex its middle on the cross axis: near the mean of its
// neighbours, in its rank's order, with gap cells between two of them. It
// returns how far the diagram reaches.
func (l *layers) place(gap int) int {
	above, below := l.neighbours()
	for _, rank := range l.ranks {
		l.settle(rank, gap, func(int) (float64, bool) { return 0, false })
	}
	both := make([][]int, len(l.vertices))
	for v := range both {
		both[v] = append(append(both[v], above[v]...), below[v]...)
	}
	for round := range 12 {
		next, ranks := above, l.ranks
		switch {
		case round%3 == 1:
			next = below
		case round%3 == 2:
			next = both
		}
		for i := range ranks {
			rank := ranks[i]
			if round%3 == 1 {
				rank = ranks[len(ranks)-1-i]
			}
			l.settle(rank, gap, func(v int) (float64, bool) {
				if len(next[v]) == 0 {
					return 0, false
				}
				sum := 0
				for _, n := range next[v] {
					sum += l.vertices[n].centre
				}
				return float64(sum) / float64(len(next[v])), true
			})
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

// settle places one rank as near as possible, by the least squares, to where
// its vertices want to be. With the room that those before it take subtracted,
// a vertex's place may not be less than the one before: isotonic regression,
// solved by pooling adjacent violators.
func (l *layers) settle(rank []int, gap int, want func(v int) (float64, bool)) {
	type pool struct{ sum, weight float64 }
	var pools []pool
	size := make([]int, 0, len(rank)) // how many vertices each pool has
	room := make([]int, len(rank))
	for i, v := range rank {
		if i > 0 {
			before := &l.vertices[rank[i-1]]
			room[i] = room[i-1] + (before.cross - before.cross/2) + gap + l.vertices[v].cross/2
		}
		wish, has := want(v)
		weight := 1.0
		if !has {
			wish, weight = float64(l.vertices[v].centre), 0.1
		} else if l.vertices[v].node < 0 {
			weight = 2 // a long edge is better straight
		}
		pools = append(pools, pool{weight * (wish - float64(room[i])), weight})
		size = append(size, 1)
		for n := len(pools) - 1; n > 0 && pools[n-1].sum/pools[n-1].weight > pools[n].sum/pools[n].weight; n-- {
			pools[n-1].sum += pools[n].sum
			pools[n-1].weight += pools[n].weight
			size[n-1] += size[n]
			pools, size = pools[:n], size[:n]
		}
	}
	i := 0
	for n, p := range pools {
		for range size[n] {
			l.vertices[rank[i]].centre = int(math.Round(p.sum/p.weight)) + room[i]
			i++
		}
	}
}
