package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// says has a machine of the form on a surface go on from a draft.
func says(from *Draft, by string, events ...Event) Draft {
	m := New(syncForm(), from, false).As(by)
	for _, e := range events {
		m.Handle(e)
	}
	return m.Draft()
}

// shared is what of a draft is the same for all surfaces.
func shared(d Draft) string {
	d.View, d.Views = View{}, nil
	file, _ := json.Marshal(d)
	return string(file)
}

// Of two drafts the one stands that was made with the other in view, else the later one,
// with all that was typed in the other, in whatever order they come: on one disk, on the
// disks of two machines, and on two surfaces.
func TestJoin(t *testing.T) {
	t.Parallel()
	entry := func(text string) []Event { return []Event{{Action: GoTo, N: 3}, types(text)} }
	note := func(text string) []Event {
		return []Event{{Action: GoTo}, {Action: NoteQuestion}, types(text), {Action: Leave}}
	}
	option := []Event{{Action: GoTo, N: 1}, {Action: NoteOption}, types("on x"), {Action: Leave}}
	comment := []Event{{Action: ToReview}, {Action: NoteForm}, types("on all"), {Action: Leave}}
	tick, nothing := []Event{{Action: GoTo, N: 1}, {Action: Pick, N: 1}}, []Event(nil)
	base := says(nil, "popup@build1", entry("base")...)
	known := says(&base, "popup@laptop", entry("base, and more")...)
	for _, c := range []struct {
		name string
		a, b Draft
		want string // of the text question
		all  string // what else is there of the others, question by question
	}{
		{"the same", base, base, "base", ""},
		{"one knew the other", base, known, "base, and more", ""},
		{"it has emptied the entry", base, says(&base, "popup@laptop", entry("")...), "", ""},
		{"it was made with both in view", known, Join(says(&base, "popup@build1", entry("x")...), known, "build1"), "x", "3: base, and more"},
		{"a tie goes to the asking machine", says(&base, "popup@laptop", entry("there")...), says(&base, "browser@build1", entry("here")...), "here", "3: there"},
		{"a tie that the name decides", says(&base, "popup@laptop", entry("l")...), says(&base, "popup@desktop", entry("d")...), "l", "3: d"},
		{"the later one", says(&base, "popup@laptop", entry("th")...), says(&base, "popup@build1", nothing...), "th", ""},
		{"more was said there", says(&base, "popup@laptop", append(entry("th"), types("there"))...), says(&base, "popup@build1", entry("here")...), "there", "3: here"},
		{"every text", says(&base, "popup@laptop", slices.Concat(entry("there"), note("why"), option, comment, tick)...), says(&base, "browser@build1", slices.Concat(entry("a"), entry("b"), note("no"), entry("c"), entry("d"), entry("here"))...),
			"here", "0: why; 1: on x; 3: there; 5: on all"},
		{"ticks go, what was typed in common stays", says(&base, "popup@laptop", tick...), says(&base, "popup@build1", note("why")...), "base", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := Join(c.a, c.b, "build1")
			if other := Join(c.b, c.a, "build1"); shared(one) != shared(other) {
				t.Fatalf("it depends on the order:\n%s\n%s", shared(one), shared(other))
			}
			var all []string
			for _, i := range slices.Sorted(maps.Keys(one.Beside)) {
				all = append(all, fmt.Sprintf("%d: %s", i, strings.Join(one.Beside[i], ", ")))
			}
			is(t, "the entry", one.Entries[3], c.want)
			is(t, "what else was typed", strings.Join(all, "; "), c.all)
			for _, again := range []Draft{Join(one, c.a, "build1"), Join(c.b, one, "build1"), Join(one, one, "build1")} {
				is(t, "when one comes again", shared(again), shared(one))
			}
			// Here both meet the other's, and none knows which machine asks.
			a, b := New(syncForm(), &c.a, false).As(c.a.Writer), New(syncForm(), &c.b, false).As(c.b.Writer)
			a.Meet(c.b)
			b.Meet(c.a)
			is(t, "when they meet", shared(a.Draft()), shared(b.Draft()))
			is(t, "on one disk", shared(Merge(c.a, c.b)), shared(Merge(c.b, c.a)))
			is(t, "and there", shared(Merge(c.a, c.b)), shared(a.Draft()))
		})
	}
}

// A draft of an askpane whose drafts had stamps is read, with all that was typed, and what
// is said next replaces it.
func TestStampedDraft(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/stamped-draft.json")
	if err != nil {
		t.Fatal(err)
	}
	var d Draft
	if err := json.Unmarshal(file, &d); err != nil {
		t.Fatal(err)
	}
	page := New(syncForm(), &d, false).As("browser k3")
	is(t, "the page's step", page.Step(), 3)
	is(t, "the entries", fmt.Sprintf("%q", page.s.Entries), `["foo" "" "7" "long" ""]`)
	is(t, "the answers", fmt.Sprintln(page.Answer(1).Choices, *page.Answer(2).Number, page.Answer(1).Note, page.Comment()), "[0] 7 mind the licence for the form\n")
	page.Handle(Event{Action: GoTo})
	is(t, "the offer", page.Offered(), "bar")
	popup := New(syncForm(), &d, false).As("popup")
	is(t, "the remark that was being typed", string(popup.Mode())+" "+popup.Buffer(), "note half a no")
	popup.Handle(Event{Action: Leave})
	merged := Merge(d, popup.Draft())
	is(t, "what is written", fmt.Sprint(merged.Answers[0].Note, merged.Entries, merged.Beside), "half a no[foo  7 long ] map[0:[bar]]")
	late := Merge(d, says(nil, "browser b", Event{Action: GoTo, N: 3}, types("x"), types("short")))
	is(t, "where somebody had not seen it", late.Entries[3]+fmt.Sprint(late.Beside), "shortmap[0:[foo bar] 1:[mind the licence] 2:[7] 3:[long] 5:[for the form]]")
}

// walker is one surface of a random walk.
type walker struct {
	*Machine
	name    string
	pending *Draft   // to be written
	unsaved []string // what was typed and is not written yet; the last may be behind pending
	covered int      // how many of these are in pending
	inbox   []Draft  // read, and not met yet
}

// walk is a form on surfaces of several machines, which do, write, read and send at random.
type walk struct {
	*testing.T
	*rand.Rand
	form    *form.Form
	disks   []*desk
	all     [][]*walker // by machine
	late    []Draft     // sent, and not there yet
	tokens  []string    // all that was typed,
	mayGo   map[string]bool
	secrets []string
}

// Surfaces of two machines, whatever they do, in turn or at once, whenever they write, read
// and hear of each other, and whoever is killed: in the end the same stands for all, and
// what was written is there, unless somebody who had it typed something else over it.
func TestSyncWalks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		w := &walk{T: t, Rand: rand.New(rand.NewPCG(seed, 17)), mayGo: map[string]bool{}}
		w.begin()
		for range 160 {
			w.step()
		}
		w.rest()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func (w *walk) begin() {
	data := make([]byte, 200)
	for i := range data {
		data[i] = byte(w.Uint32())
	}
	w.form = (&bytes{data}).form()
	for i := range w.form.Questions {
		q := &w.form.Questions[i]
		q.Secret = q.Kind == form.Text && !q.Dangerous && q.Initial.Text == nil && w.IntN(3) == 0
	}
	for _, machine := range []string{"@a", "@b"} {
		w.disks = append(w.disks, newDesk(w.T, w.form))
		surfaces := []*walker{{name: "popup" + machine}, {name: "page 1" + machine}, {name: "page 2" + machine}}
		w.all = append(w.all, surfaces[:1+w.IntN(3)])
	}
	for at := range w.all {
		for _, s := range w.all[at] {
			w.start(at, s)
		}
	}
}

// gone notes that what is in these texts may go.
func (w *walk) gone(texts ...string) {
	for _, token := range w.tokens {
		w.mayGo[token] = w.mayGo[token] || strings.Contains(strings.Join(texts, " "), token)
	}
}

// start opens a surface, which was killed if it was open.
func (w *walk) start(at int, s *walker) {
	s.Machine, s.pending, s.inbox = w.disks[at].open(s.name), nil, nil
	w.gone(s.unsaved...)
	s.unsaved, s.covered = nil, 0
}

func (w *walk) write(at int, s *walker) {
	if s.pending != nil {
		s.inbox = append(s.inbox, w.disks[at].write(*s.pending))
		s.unsaved, s.covered, s.pending = s.unsaved[s.covered:], 0, nil
	}
}

func (w *walk) save(s *walker) { s.pending, s.covered = new(s.Draft()), len(s.unsaved) }

func (w *walk) act(at int, s *walker) {
	e := Event{Action: Action(w.IntN(int(Focus) + 1)), N: w.IntN(8), Text: fmt.Sprintf("t%d;", len(w.tokens))}
	if w.IntN(2) == 0 && s.Typing() {
		e.Action = Type
	}
	before := s.s.clone()
	if e.Action == Type {
		w.tokens = append(w.tokens, e.Text)
		switch {
		case s.TypingSecret():
			w.secrets = append(w.secrets, e.Text)
			fallthrough
		case !s.entryOpen():
			w.mayGo[e.Text] = true // until it is kept
		default:
			s.unsaved = append(s.unsaved, e.Text)
		}
		if w.IntN(4) == 0 {
			s.KeepBeside(e.Text)
		}
	}
	s.Handle(e)
	keeps := func(was, is string) { // a remark
		if was != is {
			// An offer that is taken keeps what was typed over it, and what others have saved since the remark
			// was opened is offered.
			if (e.Action != TakeOffer || before.Note != was) && was == before.Held {
				w.gone(was)
			}
			delete(w.mayGo, is)
			s.unsaved = append(s.unsaved, is)
		}
	}
	for i := range w.form.Questions {
		if is := s.s.Entries[i]; is != before.Entries[i] {
			if e.Action != TakeOffer { // which keeps it
				w.gone(before.Entries[i])
			}
			s.unsaved = append(s.unsaved, is)
		}
		keeps(before.Answers[i].Note, s.s.Answers[i].Note)
	}
	keeps(before.Comment, s.Comment())
	w.save(s)
	if _, over := s.Result(); over {
		w.write(at, s)
		w.start(at, s)
	}
}

func (w *walk) meet(s *walker) {
	typing, entry, before := s.typing, s.Buffer(), s.s.clone()
	s.Meet(s.inbox[0])
	s.inbox = s.inbox[1:]
	if typing && s.Buffer() != entry {
		w.Errorf("%q was under the fingers and became %q", entry, s.Buffer())
	}
	for i, q := range w.form.Questions {
		if q.Secret && s.s.Entries[i] != before.Entries[i] {
			w.Errorf("a secret %q became %q", before.Entries[i], s.s.Entries[i])
		}
	}
	hold(w.T, w.form, s.Machine, s.s.Entries)
}

// hear has a machine take over what another has sent.
func (w *walk) hear(at int, other Draft) {
	if len(other.Seen) == 0 { // nothing was said, and nothing is sent
		return
	}
	d := other
	if w.disks[at].disk != nil {
		disk := w.disks[at].read()
		d = Join(other, disk, "a")
		d.View, d.Views = disk.View, disk.Views
	}
	w.disks[at].disk, _ = json.Marshal(d)
}

func (w *walk) step() {
	at := w.IntN(len(w.all))
	switch s, n := w.all[at][w.IntN(len(w.all[at]))], w.IntN(24); {
	case n < 9:
		w.act(at, s)
	case n < 12:
		w.write(at, s)
	case n < 15:
		s.inbox = append(s.inbox, w.disks[at].read())
	case n < 19 && len(s.inbox) > 0:
		w.meet(s)
	case n == 19 && w.IntN(3) == 0:
		w.start(at, s)
	case n == 20 || n == 21:
		w.late = append(w.late, w.disks[at].read())
	case n > 21 && len(w.late) > 0:
		w.hear(at, w.late[w.IntN(len(w.late))])
	}
}

// rest has all write, read and hear of each other, until nothing changes any more, and then
// checks what they have.
func (w *walk) rest() {
	states := func() string { return shared(w.disks[0].read()) + shared(w.disks[1].read()) }
	for round, before := 0, ""; before != states(); round++ {
		if before = states(); round > 6 {
			w.Fatal("they do not come to rest")
		}
		for at := range w.all {
			for _, s := range w.all[at] {
				w.save(s)
				w.write(at, s)
				for s.inbox = append(s.inbox, w.disks[at].read()); len(s.inbox) > 0; {
					w.meet(s)
				}
			}
			w.hear(1-at, w.disks[at].read())
		}
	}
	disk := w.disks[0].read()
	if len(disk.Seen) == 0 {
		return
	}
	is(w.T, "what stands on the other machine", shared(w.disks[1].read()), shared(disk))
	for at := range w.all {
		for _, s := range w.all[at] {
			is(w.T, "what stands on "+s.name, shared(s.Draft()), shared(disk))
		}
	}
	for _, token := range w.tokens {
		switch there, secret := strings.Contains(shared(disk), token), slices.Contains(w.secrets, token); {
		case secret && there:
			w.Errorf("%s is told: %s", token, shared(disk))
		case !secret && !there && !w.mayGo[token]:
			w.Errorf("%s is lost: %s", token, shared(disk))
		}
	}
}
