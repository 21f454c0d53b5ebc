package diagram

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sequence is a sequence diagram as its source says it.
type sequence struct {
	actors   []actor
	steps    []step
	numbered bool
}

type actor struct{ id, text string }

type stepKind uint8

const (
	message stepKind = iota
	note
	band // the begin, a further part or the end of a loop, an alternative…
)

type side uint8

const (
	over side = iota
	leftOf
	rightOf
)

var sides = map[string]side{"": over, "left": leftOf, "right": rightOf}

type bandPart uint8

const (
	goesOn bandPart = iota
	begins
	ends
)

// step is one event, from top to bottom.
type step struct {
	kind     stepKind
	from, to int // actors; of a note, the first and the last that it belongs to
	text     string
	arrow    messageArrow
	side     side // of a note
	part     bandPart
}

func (s step) toSelf() bool { return s.kind == message && s.from == s.to }

// span is the step's leftmost and rightmost actor.
func (s step) span() (first, last int) { return min(s.from, s.to), max(s.from, s.to) }

// head is the sign at the end of a message, by where it leads to.
type head struct{ left, right string }

var (
	arrowHead = head{"◄", "►"}
	crossHead = head{"x", "x"}
	asyncHead = head{"(", ")"}
)

// messageArrow is what a message is drawn with.
type messageArrow struct {
	stroke stroke
	head   head
	tail   bool // the message goes both ways
}

var messageArrows = map[string]messageArrow{
	"<<-->>": {dotted, arrowHead, true}, "<<->>": {solid, arrowHead, true},
	"-->>": {dotted, arrowHead, false}, "->>": {solid, arrowHead, false},
	"--x": {dotted, crossHead, false}, "-x": {solid, crossHead, false},
	"--)": {dotted, asyncHead, false}, "-)": {solid, asyncHead, false},
	"-->": {dotted, head{}, false}, "->": {solid, head{}, false},
}

// A message is "from->>to: text", a note "right of A: text" or "over A,B: text".
var (
	messagePattern = regexp.MustCompile(`^([^:]+?)(<<-->>|<<->>|-->>|->>|--x|-x|--\)|-\)|-->|->)\s*[-+]*([^:]*[^:\s])\s*(?::(.*))?$`)
	notePattern    = regexp.MustCompile(`^(?i:(left|right) of|over)\s+([^:,]*[^:,\s])\s*(?:,([^:]*))?:(.*)$`)
)

type sequenceParser struct {
	sequence
	blocks []string // those that are open; those that are not drawn have no name
}

func parseSequence(lines []string) (*sequence, error) {
	p := &sequenceParser{}
	for _, line := range lines {
		if err := p.statement(strings.TrimSpace(strings.TrimSuffix(line, ";"))); err != nil {
			return nil, err
		}
		if len(p.actors) > maxNodes || len(p.steps) > maxEdges {
			return nil, errTooManyParts
		}
	}
	if len(p.actors) == 0 {
		return nil, errors.New("it has no participants")
	}
	return &p.sequence, nil
}

func (p *sequenceParser) statement(line string) error {
	keyword, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(keyword) {
	case "":
	case "participant", "actor":
		p.participant(rest)
	case "create":
		_, rest, _ = strings.Cut(rest, " ")
		p.participant(rest)
	case "autonumber":
		p.numbered = !strings.EqualFold(rest, "off")
	case "activate", "deactivate", "destroy", "title", "title:", "acctitle", "accdescr", "links", "link":
		// How long an actor is at work and what it links to is not drawn.
	case "note":
		return p.note(rest)
	case "box", "rect":
		p.blocks = append(p.blocks, "")
	case "loop", "alt", "opt", "par", "critical", "break":
		p.blocks = append(p.blocks, keyword)
		p.band(keyword+" "+label(rest), begins)
	case "else", "and", "option":
		if len(p.blocks) == 0 {
			return fmt.Errorf("an %s in it belongs to nothing", strings.ToLower(keyword))
		}
		p.band(keyword+" "+label(rest), goesOn)
	case "end":
		return p.end()
	default:
		return p.message(line)
	}
	return nil
}

func (p *sequenceParser) band(text string, part bandPart) {
	p.steps = append(p.steps, step{kind: band, text: strings.TrimSpace(text), part: part})
}

func (p *sequenceParser) end() error {
	last := len(p.blocks) - 1
	if last < 0 {
		return errEndsNothing
	}
	if name := p.blocks[last]; name != "" {
		p.band("end "+name, ends)
	}
	p.blocks = p.blocks[:last]
	return nil
}

func (p *sequenceParser) participant(text string) {
	if text == "" {
		return
	}
	id, name, named := strings.Cut(text, " as ")
	i := p.actor(id)
	if named {
		p.actors[i].text = label(name)
	}
}

// actor is the number of the actor with that id, who may be new.
func (p *sequenceParser) actor(id string) int {
	id = strings.TrimSpace(id)
	if i := slices.IndexFunc(p.actors, func(a actor) bool { return a.id == id }); i >= 0 {
		return i
	}
	p.actors = append(p.actors, actor{id, label(id)})
	return len(p.actors) - 1
}

func (p *sequenceParser) message(line string) error {
	m := messagePattern.FindStringSubmatch(line)
	if m == nil {
		return notUnderstood(line)
	}
	p.steps = append(p.steps, step{kind: message, from: p.actor(m[1]), to: p.actor(m[3]), text: label(m[4]), arrow: messageArrows[m[2]]})
	return nil
}

func (p *sequenceParser) note(rest string) error {
	m := notePattern.FindStringSubmatch(rest)
	if m == nil {
		return fmt.Errorf("the note %w", notUnderstood(rest))
	}
	s := step{kind: note, side: sides[strings.ToLower(m[1])], from: p.actor(m[2]), text: label(m[4])}
	if s.to = s.from; m[3] != "" {
		s.to = p.actor(m[3])
	}
	p.steps = append(p.steps, s)
	return nil
}
