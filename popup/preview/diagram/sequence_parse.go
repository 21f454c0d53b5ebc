package diagram

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// sequence holds a sequence diagram as its source says it.
type sequence struct {
	actors nodes
	steps  []*step
}

// step holds one event, from top to bottom: a message, a note, or a line across all
// that begins, continues or ends a loop, an alternative…
type step struct {
	edge  // of a note, to the first and the last actor that it belongs to
	kind  stepKind
	rows  []string // the text, as it is drawn
	width int      // and how wide that is
}

type stepKind uint8

const (
	message stepKind = iota
	over             // a note, and so are the next two
	leftOf
	rightOf
	begins
	goesOn
	ends
)

var noteKinds = map[string]stepKind{"": over, "left": leftOf, "right": rightOf}

func (s *step) toSelf() bool { return s.kind == message && s.ends[tail].node == s.ends[head].node }

// span returns the step's leftmost and rightmost actor.
func (s *step) span() (first, last *node) {
	first, last = s.ends[tail].node, s.ends[head].node
	if first.rank > last.rank {
		return last, first
	}
	return first, last
}

// An actor is "participant A as text", a message "from->>to: text", a note "right of
// A: text" or "over A,B: text".
var (
	actorPattern   = regexp.MustCompile(`^(?i:create )?\s*\S+\s+(.+?)\s*(?: as (.*))?$`)
	messagePattern = regexp.MustCompile(`^([^:]+?)(?:(<<)(--?)(>>)|(--?)(?:(>>|[x)])|>))\s*[-+]*([^:]*[^:\s])\s*(?::(.*))?$`)
	notePattern    = regexp.MustCompile(`^(?i:(left|right) of|over)\s+([^:,]*[^:,\s])\s*(?:,([^:]*))?:(.*)$`)
)

type sequenceParser struct {
	sequence
	numbered bool
	blocks   []string // those that are open; those that are not drawn have no name
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
	number := 0
	for _, s := range p.steps {
		if s.kind == message && p.numbered {
			number++
			s.text = strings.TrimSpace(strconv.Itoa(number) + ". " + s.text)
		}
	}
	return &p.sequence, nil
}

func (p *sequenceParser) statement(line string) error {
	keyword, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	band := strings.TrimSpace(keyword + " " + label(rest))
	switch strings.ToLower(keyword) {
	case "":
	case "participant", "actor", "create":
		if m := actorPattern.FindStringSubmatch(line); m != nil {
			actor := p.actors.named(m[1])
			actor.text = cmp.Or(label(m[2]), actor.text)
		}
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
		p.step(begins, band)
	case "else", "and", "option":
		if len(p.blocks) == 0 {
			return fmt.Errorf("an %s in it belongs to nothing", strings.ToLower(keyword))
		}
		p.step(goesOn, band)
	case "end":
		return p.end()
	default:
		return p.message(line)
	}
	return nil
}

// step adds a step between actors, if it has any.
func (p *sequenceParser) step(kind stepKind, text string, ids ...string) *step {
	s := &step{kind: kind, edge: edge{text: text}}
	for i, id := range ids {
		s.ends[i].node = p.actors.named(strings.TrimSpace(id))
	}
	p.steps = append(p.steps, s)
	return s
}

func (p *sequenceParser) end() error {
	last := len(p.blocks) - 1
	if last < 0 {
		return errEndsNothing
	}
	if name := p.blocks[last]; name != "" {
		p.step(ends, "end "+name)
	}
	p.blocks = p.blocks[:last]
	return nil
}

func (p *sequenceParser) message(line string) error {
	m := messagePattern.FindStringSubmatch(line)
	if m == nil {
		return notUnderstood(line)
	}
	s := p.step(message, label(m[8]), m[1], m[7])
	s.ends[tail].mark, s.ends[head].mark = marks[m[2]], marks[m[4]+m[6]]
	if len(m[3]+m[5]) == 2 {
		s.stroke = dotted
	}
	return nil
}

func (p *sequenceParser) note(rest string) error {
	m := notePattern.FindStringSubmatch(rest)
	if m == nil {
		return fmt.Errorf("the note %w", notUnderstood(rest))
	}
	p.step(noteKinds[strings.ToLower(m[1])], label(m[4]), m[2], cmp.Or(m[3], m[2]))
	return nil
}
