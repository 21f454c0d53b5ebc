package diagram

import "slices"

// trunk joins the links that leave one port of one node: they share the track on
// which they run along the cross axis.
type trunk struct {
	links     []*edge
	low, high int // the stretch of its track
	track     int // from 0; -1 as long as it has none
}

func (t *trunk) straight() bool { return t.low == t.high }

// start returns where the links leave.
func (t *trunk) start() end { return t.links[0].ends[tail] }

// channel holds a rank on the main axis, and the room behind it, where links run to the next.
type channel struct {
	start, depth int // of the rank
	lead         int // the room before the first track
	trunks       []*trunk
	tracks       int
}

// findPort returns where on the cross axis a link meets its node at one end: in the middle.
// With other marks among the links there, those that are not the usual one meet it
// aside, to where they lead, or they would seem to be on all links.
func (e *edge) findPort(at int, across bool) int {
	n, usual := e.ends[at].node, [2]mark{tail: noMark, head: arrow}[at]
	shared, lead := false, 0
	for _, other := range n.links[at] {
		if other.stroke == invisible {
			continue
		}
		shared = shared || other.ends[at].mark != e.ends[at].mark
		if other.ends[at].mark != usual {
			lead += other.ends[1-at].centre - n.centre
		}
	}
	away := 2
	if across {
		away = 1 // a row is as high as two cells are wide
	}
	switch {
	case !shared || e.ends[at].mark == usual || e.stroke == invisible:
		return n.centre
	case lead < 0:
		return n.centre - away
	}
	return n.centre + away
}

// route gathers the links between each two ranks in trunks and gives them tracks.
func (f *flow) route(across bool) []channel {
	channels := make([]channel, len(f.ranks))
	for _, e := range f.links {
		if e.stroke == invisible {
			continue
		}
		for at := range e.ends {
			e.ends[at].port = e.findPort(at, across)
		}
		c := &channels[e.ends[tail].rank]
		c.add(e)
		if across || e.ends[tail].mark != noMark {
			c.lead = 1
		}
	}
	for i := range channels {
		channels[i].layTracks()
	}
	return channels
}

// add adds a link to the trunk that leaves where it does.
func (c *channel) add(e *edge) {
	from, to := e.ends[tail], e.ends[head].port
	for _, t := range c.trunks {
		if t.start().node == from.node && t.start().port == from.port {
			t.links, t.low, t.high = append(t.links, e), min(t.low, to), max(t.high, to)
			e.trunk = t
			return
		}
	}
	e.trunk = &trunk{links: []*edge{e}, low: min(from.port, to), high: max(from.port, to), track: -1}
	c.trunks = append(c.trunks, e.trunk)
}

// layTracks gives each trunk that does not run straight a track. None overlaps
// another on the same track.
func (c *channel) layTracks() {
	left := slices.DeleteFunc(slices.Clone(c.trunks), (*trunk).straight)
	slices.SortStableFunc(left, func(a, b *trunk) int { return a.low - b.low })
	for ; len(left) > 0; c.tracks++ {
		end, all := -2, len(left)
		left = slices.DeleteFunc(left, func(t *trunk) bool {
			if t.low <= end+1 || c.waits(t) {
				return false
			}
			t.track, end = c.tracks, t.high
			return true
		})
		if len(left) == all { // each waits for another: the first goes
			left[0].track = c.tracks
			left = left[1:]
		}
	}
}

// waits reports whether t arrives in line with where another leaves that has not
// turned off before: the two would run in one line.
func (c *channel) waits(t *trunk) bool {
	return slices.ContainsFunc(c.trunks, func(other *trunk) bool {
		before := other.straight() || other == t || other.track >= 0 && other.track < c.tracks
		return !before && slices.ContainsFunc(t.links, func(e *edge) bool { return e.ends[head].port == other.start().port })
	})
}
