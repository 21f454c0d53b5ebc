package machine

import (
	"encoding/json"
	"testing"
)

// FuzzDraft: a draft that anybody could have written into the entry brings back
// what fits the form, and never an answer that the form would not take.
func FuzzDraft(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"answers":[{"choices":[9]},{"number":1e308},{"text":""}],"entries":["x"],"cursors":[99,-1],"step":7,"row":-3}`,
		`{"checked":[[5,1]],"ticked":[true],"over":"note","remark":"option","note":"n"}`, `{"over":"reason","reason":"r","step":1,"unfolded":true,"filter":"x"}`,
		`{"answers":[{"optionNotes":{"7":"x","-1":"y"}},{"optionNotes":{"7":"x"}}]}`, `{"answers":[{"choices":[0,0]},{"choices":[-1]}],"over":"filter","visit":true}`} {
		f.Add([]byte("\x01\x00\x02\x01\x00\x01\x04\x00\x01\x01\x00\x00\x03\x00\x00\x01\x01\x00\x00\x05"), []byte(seed))
		f.Add([]byte{0, 2, 1, 4, 4, 9, 11, 4, 12, 3}, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, shape, data []byte) {
		var d Draft
		if json.Unmarshal(data, &d) != nil {
			return
		}
		b := &bytes{shape}
		fm := b.form()
		m := New(fm, &d, b.yes())
		texts := make([]string, len(fm.Questions))
		for i := range texts {
			texts[i] = m.EntryText(i)
		}
		hold(t, fm, m, texts)
		for i, q := range fm.Questions {
			for o := range m.Answer(i).OptionNotes {
				if o < 0 || o >= len(q.Options) {
					t.Fatalf("a remark on option %d of %d", o, len(q.Options))
				}
			}
		}
		for _, a := range []Action{Down, Choose, Accept, Next, NoteOption, Back, Up, Commit} {
			m.Handle(Event{Action: a})
		}
	})
}
