package preview

import "slices"

// bundle is the links that leave one port of one vertex: they share a trunk and
// the track on which they run along the cross axis.
type bundle struct {
	from        int
	source      int // where the port is on the cross axis
	low, high   int // the stretch of its track
	track       int // from 0; -1 if it runs straight
	links       []routed
	predecessor []int // bundles whose track must come first
}

type routed struct {
	link
	target int // where its port on the other side is
}

// channel is the room between two ranks.
type channel struct {
	bundles []*bundle
	tracks  int
	tails   bool // a link in it has a sign where it leaves
}

// ports says where on the cross axis each link leaves and arrives. Links with
// the same sign share the middle of the side; with others among them, those
// with another than the usual sign get a port of their own, on the side they
// lead to, or their sign would seem to be on all.
func (l *layers) ports(across bool) (leave, arrive []int) {
	type end struct {
		vertex int
		in     bool
	}
	ends := func(k link) (from, to end) { return end{k.from, false}, end{k.to, true} }
	signs, aside := map[end]map[byte]bool{}, map[end]int{}
	note := func(e end, sign, usual byte, other int) {
		if signs[e] == nil {
			signs[e] = map[byte]bool{}
		}
		if signs[e][sign] = true; sign != usual {
			aside[e] += l.vertices[other].centre - l.vertices[e.vertex].centre
		}
	}
	for _, k := range l.links {
		if from, to := ends(k); k.stroke != unseen {
			note(from, k.tail, ' ', k.to)
			note(to, k.head, '>', k.from)
		}
	}
	port := func(e end, sign, usual byte) int {
		at := l.vertices[e.vertex].centre
		if len(signs[e]) < 2 || sign == usual {
			return at
		}
		away := 2
		if across {
			away = 1 // a row is as high as two cells are wide
		}
		if aside[e] < 0 {
			away = -away
		}
		return at + away
	}
	for _, k := range l.links {
		from, to := ends(k)
		leave = append(leave, port(from, k.tail, ' '))
		arrive = append(arrive, port(to, k.head, '>'))
	}
	return leave, arrive
}

// needsPorts reports for each vertex whether it needs a second port.
func (l *layers) needsPorts() []bool {
	in, out := make([]map[byte]bool, len(l.vertices)), make([]map[byte]bool, len(l.vertices))
	for i := range in {
		in[i], out[i] = map[byte]bool{}, map[byte]bool{}
	}
	for _, k := range l.links {
		if k.stroke != unseen {
			out[k.from][k.tail], in[k.to][k.head] = true, true
		}
	}
	needs := make([]bool, len(l.vertices))
	for i := range needs {
		needs[i] = len(in[i]) > 1 || len(out[i]) > 1
	}
	return needs
}

// route bundles the links between each two ranks and gives them tracks.
func (l *layers) route(across bool) []channel {
	leave, arrive := l.ports(across)
	channels := make([]channel, max(0, len(l.ranks)-1))
	for i, k := range l.links {
		if k.stroke == unseen {
			continue
		}
		c := &channels[l.vertices[k.from].rank]
		n := slices.IndexFunc(c.bundles, func(b *bundle) bool { return b.from == k.from && b.source == leave[i] })
		if n < 0 {
			n = len(c.bundles)
			c.bundles = append(c.bundles, &bundle{from: k.from, source: leave[i], low: leave[i], high: leave[i]})
		}
		b := c.bundles[n]
		b.links = append(b.links, routed{k, arrive[i]})
		b.low, b.high = min(b.low, arrive[i]), max(b.high, arrive[i])
		c.tails = c.tails || k.tail != ' '
	}
	for i := range channels {
		channels[i].lay()
	}
	return channels
}

// lay gives each bundle that does not run straight a track: none overlaps
// another on the same track, and where one leaves in line with where another
// arrives, it turns off first, or the two would run in one line.
func (c *channel) lay() {
	var left []int
	for i, b := range c.bundles {
		b.track = -1
		if b.low == b.high {
			continue
		}
		left = append(left, i)
		for j, other := range c.bundles {
			if i != j && slices.ContainsFunc(b.links, func(r routed) bool { return r.target == other.source }) && other.low != other.high {
				b.predecessor = append(b.predecessor, j)
			}
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return c.bundles[a].low - c.bundles[b].low })
	for len(left) > 0 {
		end := -2
		var rest []int
		for _, i := range left {
			b := c.bundles[i]
			waits := slices.ContainsFunc(b.predecessor, func(j int) bool { t := c.bundles[j].track; return t < 0 || t == c.tracks })
			if waits || b.low <= end+1 {
				rest = append(rest, i)
				continue
			}
			b.track, end = c.tracks, b.high
		}
		if len(rest) == len(left) { // each waits for another: the first goes
			c.bundles[rest[0]].track = c.tracks
			rest = rest[1:]
		}
		left = rest
		c.tracks++
	}
}
