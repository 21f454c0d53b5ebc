package diagram

import "slices"

// trunk is the links that leave one port of one vertex: they share the track on
// which they run along the cross axis.
type trunk struct {
	from      int
	port      int // where it leaves, on the cross axis
	low, high int // the stretch of its track
	track     int // from 0; -1 as long as it has none
	branches  []branch
	after     []*trunk // those whose track must come before
}

type branch struct {
	link
	target int // where it arrives on the cross axis
}

func (t *trunk) straight() bool { return t.low == t.high }

// arrivesAt reports whether one of t's branches arrives at that place.
func (t *trunk) arrivesAt(place int) bool {
	return slices.ContainsFunc(t.branches, func(b branch) bool { return b.target == place })
}

// channel is the room between two ranks.
type channel struct {
	trunks []*trunk
	tracks int
	tails  bool // a link in it has a mark where it leaves
}

// face is the side of a vertex where links leave, or where they arrive.
type face struct {
	vertex  int
	arrives bool
}

// port is where links leave or arrive on a face. With other marks among them, those
// that are not the usual one get a port aside, or they would seem to be on all links.
type port struct {
	marks map[mark]bool
	aside int // to which side the links lead that have another mark
}

func (p *port) shared() bool { return len(p.marks) > 1 }

// usual is the mark that most links have there.
func (f face) usual() mark {
	if f.arrives {
		return arrow
	}
	return noMark
}

func (l *layers) ports() map[face]*port {
	ports := map[face]*port{}
	note := func(f face, m mark, far int) {
		if ports[f] == nil {
			ports[f] = &port{marks: map[mark]bool{}}
		}
		if ports[f].marks[m] = true; m != f.usual() {
			ports[f].aside += l.vertices[far].centre - l.vertices[f.vertex].centre
		}
	}
	for _, k := range l.links {
		if k.stroke != invisible {
			note(face{k.from, false}, k.tail, k.to)
			note(face{k.to, true}, k.head, k.from)
		}
	}
	return ports
}

// place is where on the cross axis a link leaves or arrives, given the face's middle.
func (p *port) place(centre int, usual, across bool) int {
	away := 2
	if across {
		away = 1 // a row is as high as two cells are wide
	}
	switch {
	case usual || !p.shared():
		return centre
	case p.aside < 0:
		return centre - away
	}
	return centre + away
}

// route gathers the links between each two ranks in trunks and gives them tracks.
func (l *layers) route(across bool) []channel {
	ports := l.ports()
	place := func(f face, m mark) int {
		return ports[f].place(l.vertices[f.vertex].centre, m == f.usual(), across)
	}
	channels := make([]channel, max(0, len(l.ranks)-1))
	for _, k := range l.links {
		if k.stroke == invisible {
			continue
		}
		leaves, arrives := place(face{k.from, false}, k.tail), place(face{k.to, true}, k.head)
		c := &channels[l.vertices[k.from].rank]
		t := c.trunk(k.from, leaves)
		t.branches = append(t.branches, branch{k, arrives})
		t.low, t.high = min(t.low, arrives), max(t.high, arrives)
		c.tails = c.tails || k.tail != noMark
	}
	for i := range channels {
		channels[i].layTracks()
	}
	return channels
}

// trunk is the one that leaves there, which may be new.
func (c *channel) trunk(from, port int) *trunk {
	for _, t := range c.trunks {
		if t.from == from && t.port == port {
			return t
		}
	}
	t := &trunk{from: from, port: port, low: port, high: port, track: -1}
	c.trunks = append(c.trunks, t)
	return t
}

// layTracks gives each trunk that does not run straight a track: none overlaps
// another on the same track, and where one leaves in line with where another
// arrives, it turns off first, or the two would run in one line.
func (c *channel) layTracks() {
	var left []*trunk
	for _, t := range c.trunks {
		if t.straight() {
			continue
		}
		left = append(left, t)
		for _, other := range c.trunks {
			if t != other && !other.straight() && t.arrivesAt(other.port) {
				t.after = append(t.after, other)
			}
		}
	}
	slices.SortStableFunc(left, func(a, b *trunk) int { return a.low - b.low })
	for ; len(left) > 0; c.tracks++ {
		rest := c.fillTrack(left)
		if len(rest) == len(left) { // each waits for another: the first goes
			rest[0].track = c.tracks
			rest = rest[1:]
		}
		left = rest
	}
}

// fillTrack puts as many of these trunks on the next track as there is room for,
// and returns the others.
func (c *channel) fillTrack(trunks []*trunk) (rest []*trunk) {
	end := -2
	for _, t := range trunks {
		waits := slices.ContainsFunc(t.after, func(o *trunk) bool { return o.track < 0 || o.track == c.tracks })
		if waits || t.low <= end+1 {
			rest = append(rest, t)
			continue
		}
		t.track, end = c.tracks, t.high
	}
	return rest
}
