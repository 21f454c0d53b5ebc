package preview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// sequence is a sequence diagram as its source says it.
type sequence struct {
	actors []actor
	steps  []step
	number bool // autonumber
}

type actor struct{ id, text string }

type stepKind uint8

const (
	message stepKind = iota
	note
	band // the begin, a further part or the end of a loop, an alternative…
)

// step is one event, from top to bottom.
type step struct {
	kind     stepKind
	from, to int // actors; of a note, what it is over, or beside where side says so
	text     string
	stroke   stroke
	head     byte // '>', 'x', ')' or ' '
	tail     bool
	side     byte // of a note: 'l', 'r' or 'o'
	open     bool // of a band: it begins something
	closes   bool // and: it ends something
}

// Arrows, the longest first.
var arrows = []struct {
	sign   string
	stroke stroke
	head   byte
	tail   bool
}{
	{"<<-->>", dotted, '>', true}, {"<<->>", solid, '>', true},
	{"-->>", dotted, '>', false}, {"->>", solid, '>', false},
	{"--x", dotted, 'x', false}, {"-x", solid, 'x', false},
	{"--)", dotted, ')', false}, {"-)", solid, ')', false},
	{"-->", dotted, ' ', false}, {"->", solid, ' ', false},
}

func parseSequence(lines []string) (*sequence, error) {
	s := &sequence{}
	var blocks []string
	for _, line := range lines {
		line = strings.TrimSpace(strings.TrimSuffix(line, ";"))
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToLower(word) {
		case "participant", "actor":
			s.participant(rest)
		case "create":
			_, rest, _ = strings.Cut(rest, " ")
			s.participant(rest)
		case "autonumber":
			s.number = !strings.EqualFold(rest, "off")
		case "activate", "deactivate", "destroy", "title", "title:", "acctitle", "accdescr", "links", "link":
			// How long an actor is at work and what it links to is not drawn.
		case "note":
			if err := s.note(rest); err != nil {
				return nil, err
			}
		case "box", "rect":
			blocks = append(blocks, "")
		case "loop", "alt", "opt", "par", "critical", "break":
			blocks = append(blocks, word)
			s.band(step{kind: band, text: strings.TrimSpace(word + " " + label(rest)), open: true})
		case "else", "and", "option":
			if len(blocks) == 0 {
				return nil, fmt.Errorf("an %s in it belongs to nothing", strings.ToLower(word))
			}
			s.band(step{kind: band, text: strings.TrimSpace(word + " " + label(rest))})
		case "end":
			if len(blocks) == 0 {
				return nil, errors.New("an end in it ends nothing")
			}
			if name := blocks[len(blocks)-1]; name != "" {
				s.band(step{kind: band, text: "end " + name, closes: true})
			}
			blocks = blocks[:len(blocks)-1]
		default:
			if err := s.message(line); err != nil {
				return nil, err
			}
		}
		if len(s.actors) > maxNodes || len(s.steps) > maxEdges {
			return nil, errors.New("it has too many parts")
		}
	}
	if len(s.actors) == 0 {
		return nil, errors.New("it has no participants")
	}
	return s, nil
}

func (s *sequence) band(b step) { s.steps = append(s.steps, b) }

func (s *sequence) participant(text string) {
	if text == "" {
		return
	}
	id, name, named := strings.Cut(text, " as ")
	i := s.actor(strings.TrimSpace(id))
	if named {
		s.actors[i].text = label(name)
	}
}

func (s *sequence) actor(id string) int {
	if i := slices.IndexFunc(s.actors, func(a actor) bool { return a.id == id }); i >= 0 {
		return i
	}
	s.actors = append(s.actors, actor{id, label(id)})
	return len(s.actors) - 1
}

// message reads "from->>to: text".
func (s *sequence) message(line string) error {
	who, text, _ := strings.Cut(line, ":")
	for i := range who {
		for _, a := range arrows {
			if i == 0 || !strings.HasPrefix(who[i:], a.sign) {
				continue
			}
			from := strings.TrimSpace(who[:i])
			to := strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(who[i+len(a.sign):]), "+-"))
			if from == "" || to == "" {
				return fmt.Errorf("%q is not understood here", cells.Shorten(line, 24))
			}
			st := step{kind: message, from: s.actor(from), to: s.actor(to), text: label(text), stroke: a.stroke, head: a.head, tail: a.tail}
			s.steps = append(s.steps, st)
			return nil
		}
	}
	return fmt.Errorf("%q is not understood here", cells.Shorten(line, 24))
}

// note reads "right of A: text", "left of A: text" or "over A,B: text".
func (s *sequence) note(rest string) error {
	place, text, ok := strings.Cut(rest, ":")
	st := step{kind: note, text: label(text)}
	who := ""
	for sign, side := range map[string]byte{"right of ": 'r', "left of ": 'l', "over ": 'o'} {
		if after, has := strings.CutPrefix(strings.ToLower(place), sign); has {
			st.side, who = side, place[len(place)-len(after):]
		}
	}
	if !ok || strings.TrimSpace(who) == "" {
		return fmt.Errorf("the note %q is not understood here", cells.Shorten(rest, 24))
	}
	first, last, two := strings.Cut(who, ",")
	st.from = s.actor(strings.TrimSpace(first))
	if st.to = st.from; two {
		st.to = s.actor(strings.TrimSpace(last))
	}
	s.steps = append(s.steps, st)
	return nil
}
