package popup

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/needs"
)

// walk goes through a form by random keys of its own table, the same at each
// run, and calls at wherever it comes by.
func walk(t *testing.T, f form.Form, at func(m *machine.Machine, keys keymap.Form)) {
	t.Helper()
	random := rand.New(rand.NewPCG(5, 4))
	keys := keymap.Of(&f).Keys()
	typedElsewhere := machine.Draft{Beside: map[int][]string{}}
	for i := range len(f.Questions) + 1 {
		typedElsewhere.Beside[i] = []string{"another"}
	}
	for round := range 40 {
		m := machine.New(&f, nil, true)
		if f.Subject() != nil && round%2 == 1 {
			m.HandsBack = true
		}
		if round >= 30 {
			m = machine.New(&f, &typedElsewhere, true)
		}
		m.Seen = f.Document() != nil
		for range 60 {
			at(m, keys)
			var names []string
			for _, b := range keys {
				if b.Applies(m) {
					names = append(names, b.Keys...)
				}
			}
			switch {
			case m.Mode() == machine.Help:
				m.Handle(machine.Event{Action: machine.Back})
			case len(names) == 0 || m.Typing() && random.IntN(3) == 0:
				m.Handle(machine.Event{Action: machine.Type, Text: []string{"", "x", "3"}[random.IntN(3)]})
			default:
				e, bound := keys.Event(m, names[random.IntN(len(names))])
				if ends := e.Action == machine.Cancel || e.Action == machine.HandBack; bound && (!ends || m.Mode() == machine.Closed || random.IntN(4) == 0) {
					m.Handle(e)
				}
			}
		}
	}
}

// place is where a walk through a form is.
type place struct {
	*testing.T
	f    *form.Form
	m    *machine.Machine
	keys keymap.Form
	v    *view // of the form, in which all that a view may have is there
}

// TestKeysWherever goes through a form of every kind, and checks at every place what holds
// of keys wherever one is.
func TestKeysWherever(t *testing.T) {
	needs.Unraced(t)
	t.Parallel()
	all := &rows{all: map[string]bool{}, reached: map[string]bool{}}
	t.Run("forms", func(t *testing.T) {
		for i, f := range everyForm(t) {
			t.Run(fmt.Sprint(i, " ", f.Dialect), func(t *testing.T) {
				t.Parallel()
				p := place{T: t, f: &f, v: everything(&f)}
				turning := newStage(t, oneQuestion, nil, 62, 16)
				walk(t, f, func(m *machine.Machine, keys keymap.Form) {
					p.m, p.keys, p.v.m = m, keys, m
					p.bindsNoKeyTwice()
					p.turns(turning)
					p.promisesNoKeptKey()
					p.takesNoKeyFromText()
					p.bindsOnceForReaders()
					p.footerIsTheTable()
					all.come(p)
				})
			})
		}
	})
	all.allReached(t)
}

// bindsNoKeyTwice: a key that two rows bind in one place would do what the first says
// while the footer promises the second too. The keys of the view and the new line keys go
// before the table's.
func (p *place) bindsNoKeyTwice() {
	bound := map[string]string{}
	if p.m.SeveralLines() {
		for _, k := range []string{"Shift+Enter", "Alt+Enter", "Ctrl+J"} {
			if !keymap.NewLine(k) {
				p.Fatalf("%s is no new line", k)
			}
			bound[k] = "new line"
		}
	}
	bind := func(row string, names []string) {
		for _, k := range names {
			if first, twice := bound[k]; twice {
				p.Errorf("%s: %q and %q both bind %s", p.m.Mode(), first, row, k)
			}
			bound[k] = row
		}
	}
	for _, r := range viewKeys {
		if r.Do != nil && r.When(p.v) {
			bind(r.Help, r.Keys)
		}
	}
	for i, b := range p.keys {
		if b.Applies(p.m) {
			bind(fmt.Sprintf("row %d, %s", i, b.Help), b.Keys)
		}
	}
}

// turns: the keys that go to another form do so wherever the form still takes something,
// whatever has the focus.
func (p *place) turns(s *stage) {
	if p.m.Mode() == machine.Over {
		return
	}
	var turns []int
	s.view.goToOther = func(step int) { turns = append(turns, step) }
	at := *p.m
	s.view.m = &at
	s.view.press("Ctrl+N", keysByName["Ctrl+N"])
	s.view.press("Ctrl+B", keysByName["Ctrl+B"])
	want := []int{1, -1}
	if p.m.Takes(machine.HandBack) { // Ctrl+B does that
		want = want[:1]
	}
	if !slices.Equal(turns, want) {
		p.Fatalf("%s: Ctrl+N and Ctrl+B do %v", p.m.Mode(), turns)
	}
}

// keptKeys are some that a terminal may keep for itself.
var keptKeys = strings.Fields("Ctrl+G Ctrl+P Ctrl+O Ctrl+N Ctrl+B")

// promisesNoKeptKey: what the terminal keeps for itself is not promised.
func (p *place) promisesNoKeptKey() {
	p.v.kept = keptKeys
	for _, h := range p.v.hints(true) {
		for _, k := range shownKeys(strings.ReplaceAll(h.Keys, "//", "/")) {
			if slices.Contains(keptKeys, k) {
				p.Errorf("%s: %s for %q, which the terminal keeps", p.m.Mode(), k, h.Help)
			}
		}
	}
	p.v.kept = nil
}

// takesNoKeyFromText: in an entry, what can be typed is text, the new line keys are its
// own, and so is what moves in it, but in a number, which has one line.
func (p *place) takesNoKeyFromText() {
	if !p.m.Typing() {
		return
	}
	moves := []string{"Left", "Right", "Home", "End", "Backspace", "Delete"}
	if p.m.SeveralLines() {
		moves = append(moves, "Up", "Down")
	}
	for i, b := range p.keys {
		for _, k := range b.Keys {
			if b.Applies(p.m) && (len([]rune(k)) == 1 || k == "Space" || slices.Contains(moves, k)) {
				p.Errorf("row %d takes %s away from the text of %s", i, k, p.m.Mode())
			}
		}
	}
}

// bindsOnceForReaders: no key of the reader's table is bound twice.
func (p *place) bindsOnceForReaders() {
	bound := map[string]bool{"e": true, "PgUp": true, "PgDn": true}
	draft := p.m.Draft()
	read := machine.Reading(p.f, &draft)
	read.Handle(machine.Event{Action: machine.GoTo, N: p.m.Step()})
	for _, b := range p.keys.Reading() {
		for _, k := range b.Keys {
			if b.Applies(read) && bound[k] {
				p.Errorf("%s: %s is bound twice for readers", read.Mode(), k)
			}
			bound[k] = bound[k] || b.Applies(read)
		}
	}
}

// footerIsTheTable: the footer says nothing that is not bound, and everything that has a
// name and is.
func (p *place) footerIsTheTable() {
	if p.m.Mode() == machine.Help || p.m.Mode() == machine.Over {
		return
	}
	row := keymap.Footer(p.v.hints(false), 400)
	for _, b := range p.keys {
		help := b.Help
		if help == "cancel" { // where there is a list to go back to, as here
			help = "back to the list"
		}
		if b.Applies(p.m) && !b.Quiet && !strings.Contains(row, help) {
			p.Errorf("%s: no %q in %q", p.m.Mode(), help, row)
		}
	}
	for part := range strings.SplitSeq(row, " · ") {
		sign, help, ok := strings.Cut(part, " ")
		if !ok || help == "" {
			p.Errorf("%s: %q says no key and what it does", p.m.Mode(), part)
		}
		for _, k := range shownKeys(strings.ReplaceAll(sign, "//", "/")) {
			if !p.binds(k) {
				p.Errorf("the footer of %s says %q, and %s is not bound", p.m.Mode(), part, k)
			}
		}
	}
}

// binds reports whether a key does anything there.
func (p *place) binds(k string) bool {
	if _, bound := p.keys.Event(p.m, k); bound {
		return true
	}
	for _, r := range viewKeys {
		if r.Do != nil && slices.Contains(r.Keys, k) && r.When(p.v) {
			return true
		}
	}
	return keymap.NewLine(k) && p.m.SeveralLines()
}

// rows are those of all tables, and which of them walks have come to. A row that no form
// ever comes to is a promise to nobody; of those that several dialects have, it is enough that
// one comes to it.
type rows struct {
	mu           sync.Mutex
	all, reached map[string]bool
}

func (r *rows) come(p place) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range p.keys {
		for _, mode := range b.Modes {
			row := fmt.Sprintf("%s %v, %q, %d", mode, b.Keys, b.Help, b.Action)
			r.all[row] = true
			r.reached[row] = r.reached[row] || mode == p.m.Mode() && b.Applies(p.m)
		}
	}
}

func (r *rows) allReached(t *testing.T) {
	t.Helper()
	for row := range r.all {
		if !r.reached[row] {
			t.Errorf("%s is never reached", row)
		}
	}
}
