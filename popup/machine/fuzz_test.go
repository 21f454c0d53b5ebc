package machine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// bytes reads decisions from fuzzed data; at its end every one is 0.
type bytes struct{ data []byte }

func (b *bytes) next(n int) int {
	if len(b.data) == 0 {
		return 0
	}
	v := int(b.data[0])
	b.data = b.data[1:]
	return v % n
}

func (b *bytes) yes() bool { return b.next(2) == 1 }

var words = []string{"", "a", " ", "x\ny", "3", "-7.5", "1e400", "NaN", "日本", "o1", "no", " pad "}

// form is one that some dialect could have decoded.
func (b *bytes) form() *form.Form {
	f := &form.Form{Dialect: "fuzz", Remarks: []form.Remarks{form.NoRemarks, form.Notes, form.Comments}[b.next(3)], Partial: b.yes()}
	for i := range 1 + b.next(4) {
		f.Questions = append(f.Questions, b.question(i))
	}
	f.Review = len(f.Questions) > 1 || f.Partial
	return f
}

func (b *bytes) question(i int) form.Question {
	q := form.Question{ID: fmt.Sprint(i), Label: fmt.Sprintf("Q%d", i+1), Prompt: "?",
		Kind: []form.Kind{form.One, form.Many, form.Number, form.Text}[b.next(4)], Optional: b.yes(), Dangerous: b.next(4) == 1}
	switch q.Kind {
	case form.Number:
		if b.yes() {
			low := float64(b.next(5) - 2)
			high := low + float64(b.next(4))
			q.Min, q.Max = &low, &high
		}
		q.Initial = []form.Answer{{}, form.Count(1)}[b.next(2)]
	case form.Text:
		q.Open, q.Multiline = b.yes(), b.yes()
		q.Initial = []form.Answer{{}, form.Type("first")}[b.next(2)]
	default:
		for o := range b.next(13) {
			q.Options = append(q.Options, form.Option{Value: fmt.Sprint(o), Label: fmt.Sprintf("o%d", o)})
		}
		q.Style = []form.Style{form.Rows, form.Buttons, form.Dropdown}[b.next(3)]
		q.SelectRow = q.Kind == form.Many && b.yes()
		if b.yes() || len(q.Options) == 0 {
			q.Other = "Other"
		}
		if len(q.Options) > 0 && b.yes() {
			q.Initial = form.Choose(b.next(len(q.Options)))
		}
		if q.Dangerous { // only a dialect with an Other has it
			q.Other = "Other"
		}
	}
	q.Preset = b.yes() && !q.Dangerous
	return q
}

// FuzzMachine makes a form and a run of events of data and holds the package's
// rule: no panic, no answer that the form would not take, no text lost, and a
// draft that brings all of it back.
func FuzzMachine(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add([]byte{0, 2, 1, 4, 4, 9, 11, 4, 12, 3}, false)
	f.Add([]byte("\x01\x00\x02\x01\x00\x01\x04\x00\x01\x01\x00\x00\x03\x00\x00\x01\x01\x00\x00\x05\x06\x04\x0c\x03\x0d\x04\x04"), true)
	f.Add([]byte("\x02\x01\x01\x00\x00\x00\x0c\x00\x01\x00\x00\x03\x00\x00\x01\x01\x01\x01\x14\x0c\x09\x0d\x04\x12\x0c\x01\x0d\x15\x08\x04"), false)
	f.Add([]byte("\x01\x00\x01\x00\x00\x01\x02\x00\x01\x00\x00\x02\x00\x01\x01\x02\x03\x01\x0c\x01\x0d\x08\x00\x0b\x0c\x04\x0d\x04"), true)
	f.Add([]byte("\x00\x00\x00\x01\x00\x00\x03\x01\x01\x01\x01\x00\x17\x01\x05\x0c\x01\x06\x0c\x0a\x0d"), true)
	f.Fuzz(play)
}

// Random data, the same at each run, reaches what a short fuzzing does not.
func TestRandomForms(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		data := make([]byte, 40+random.IntN(300))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		play(t, data, random.IntN(2) == 0)
	}
}

func play(t *testing.T, data []byte, danger bool) {
	t.Helper()
	all := data
	defer func() {
		if t.Failed() {
			t.Logf("data %q, danger check %v", all, danger)
		}
	}()
	b := &bytes{data}
	fm := b.form()
	m := New(fm, nil, danger)
	texts := make([]string, len(fm.Questions))
	for i := range texts {
		texts[i] = m.EntryText(i)
	}
	for len(b.data) > 0 {
		e := Event{Action: Action(b.next(int(TypeOther + 2)))} // and one that there is not
		if e.Action == End && b.next(8) != 0 {
			e.Action = Type // most forms shall last longer
		}
		switch e.Action {
		case Pick, GoTo:
			e.N = b.next(16) - 2
		case Type:
			e.Text = words[b.next(len(words))]
		}
		step, mode, remarks := m.Step(), m.Mode(), said(m)
		m.Handle(e)
		roundTrip(t, fm, m)
		switch own := mode == Entry || mode == Text || mode == Danger; {
		case e.Action == Type && own:
			texts[step] = e.Text
		case (e.Action == Up || e.Action == Down || e.Action == Write) && (mode == Number || mode == Entry && fm.Questions[step].Kind == form.Number):
			texts[step] = m.EntryText(step) // a nudge is a change of the text
		case e.Action == Recommend || e.Action == RecommendAll:
			for i := range texts { // what is recommended takes the place of no text but a blank one
				if strings.TrimSpace(texts[i]) == "" {
					texts[i] = m.EntryText(i)
				}
			}
		}
		hold(t, fm, m, texts)
		if mode != Note && !maps.Equal(remarks, said(m)) {
			t.Fatalf("%+v in mode %s makes of the remarks %v: %v", e, mode, remarks, said(m))
		}
	}
}

// said is every remark of m, by what it is about.
func said(m *Machine) map[string]string {
	all := map[string]string{"form": m.Comment()}
	for i, a := range m.Answers() {
		all[fmt.Sprint(i)] = a.Note
		for o, note := range a.OptionNotes {
			all[fmt.Sprint(i, o)] = note
		}
	}
	return all
}

func hold(t *testing.T, f *form.Form, m *Machine, texts []string) {
	t.Helper()
	for i, text := range texts {
		if m.EntryText(i) != text {
			t.Fatalf("the text of question %d was %q and is %q", i, text, m.EntryText(i))
		}
		a := m.Answer(i)
		if a.Given() {
			if err := f.Questions[i].Check(a); err != nil {
				t.Fatalf("question %d holds an answer that %v", i, err)
			}
		}
		if m.Dangerous(i) && len(a.Choices) > 0 {
			t.Fatalf("a danger was answered by an option: %+v", a)
		}
	}
	if q := m.Question(); q != nil && m.Mode() == List && !slices.Contains(m.Shown(), m.Cursor()) && len(m.Shown()) > 0 {
		t.Fatalf("the cursor is at %d and only %v are on view", m.Cursor(), m.Shown())
	}
	r, over := m.Result()
	if over != (m.Mode() == Over) {
		t.Fatalf("result %v in mode %s", over, m.Mode())
	}
	if over {
		if err := f.Check(r); err != nil {
			t.Fatalf("result %+v: %v", r, err)
		}
	}
}
