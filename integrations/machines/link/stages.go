package link

// stage says how far a question has come between this machine and the hub.
type stage string

// The stages of a question of this machine.
const (
	unknown   stage = "unknown" // the hub shows what it has of it, by and by
	unsent    stage = "unsent"  // the hub does not have what it should
	writing   stage = "writing"
	published stage = "published"
)

// publication decides when to write a question of this machine to the hub. It knows no hub: its
// methods are events. One thing is written at a time.
type publication struct {
	stage   stage
	have    string // what the hub has, in the words of local.want
	written string // last
}

// reset says that there is another session, in which the hub shows what it has.
func (p *publication) reset() {
	p.have = ""
	switch p.stage {
	case published:
		p.stage = unknown
	case writing:
		p.stage = unsent
	}
}

// should says what the hub should have, and whether it can be written to. It reports whether
// to write that now.
func (p *publication) should(want string, ready bool) (write bool) {
	switch {
	case p.stage == writing:
	case p.have == want:
		p.stage = published
	case !ready:
		p.stage = unsent
	default:
		p.stage, p.written, write = writing, want, true
	}
	return write
}

// wrote says whether the hub has taken what was written.
func (p *publication) wrote(taken bool) {
	if p.stage = unsent; taken {
		p.have = p.written
	}
}

// The stages of a question of another machine.
const (
	open     stage = "open"     // nobody has answered it here
	answered stage = "answered" // somebody has, and the hub is to have the answer
	placed   stage = "placed"   // the hub has it, refuses it or is being told
	settled  stage = "settled"  // it has ended here as on its machine, and is on view yet
	left     stage = "left"     // we have let go of it
)

// bidding decides when to send the answer to a question of another machine there. Like
// publication, it knows no hub and no entry.
type bidding struct {
	stage   stage
	showing bool // a popup may be up, whose end is waited for
}

// reset says that there is another session, or that the hub may have room now.
func (b *bidding) reset() {
	if b.stage == placed {
		b.stage = answered
	}
}

// next says whether our entry has an answer, whether the question has ended by its machine's
// word, and whether the hub can be written to. It reports whether to place the answer now.
func (b *bidding) next(given, ended, ready bool) (place bool) {
	switch {
	case b.stage == left:
	case b.stage == settled || ended:
		if b.stage = settled; !b.showing {
			b.stage = left
		}
	case b.stage == placed || !given:
	case ready:
		b.stage, place = placed, true
	default:
		b.stage = answered
	}
	return place
}
