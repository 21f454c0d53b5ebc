package keymap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// played is a form of a request after these keys, each of which has to be bound or,
// where text is typed, to be text.
func played(t *testing.T, request string, keys ...string) *machine.Machine {
	t.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	m := machine.New(&f, nil, true)
	for _, key := range keys {
		e, bound := Of(&f).Keys().Event(m, key)
		if !bound {
			t.Fatalf("%s is not bound in %s of %s", key, m.Mode(), request)
		}
		m.Handle(e)
	}
	return m
}

// footer is all that the footer may say.
func footer(m *machine.Machine) string {
	return Footer(Joined(Of(m.Form()).Keys().Hints(m, false)), 400)
}

// y and n answer a yes or no wherever no contract publishes them, and the footer says so.
func TestYesAndNo(t *testing.T) {
	t.Parallel()
	const question, buttons, radio = `{"questions":[{"id":"q","prompt":"Go on?","options":[%s]}]}`, `{"prompt":"Go on?","options":[%s]}`,
		`{"questions":[{"id":"q","type":"radio","prompt":"Go on?","options":[%s]}]}`
	yes, no := `{"value":"1","label":"Yes, all of it"}`, `{"value":"2","label":"no"}`
	for _, request := range []string{question, buttons, radio} {
		request = fmt.Sprintf(request, yes+","+no+`,{"value":"3","label":"Later"}`)
		for key, choice := range map[string]int{"y": 0, "n": 1} {
			r, over := played(t, request, key).Result()
			if !over || r.Outcome != form.Answered || r.Answers[0].Choices[0] != choice {
				t.Errorf("%s: %s answers %+v", request, key, r)
			}
		}
		if says := footer(played(t, request)); !strings.Contains(says, "y yes · n no") {
			t.Errorf("%s: the footer says %q", request, says)
		}
	}
	for name, options := range map[string]string{
		"two of them": yes + "," + no + `,{"value":"3","label":"Yes, and later as well"}`, "no no": yes + `,{"value":"3","label":"Nothing"}`,
	} {
		if says := footer(played(t, fmt.Sprintf(question, options))); strings.Contains(says, "y yes") {
			t.Errorf("%s: the footer says %q", name, says)
		}
	}
	words := fmt.Sprintf(radio, `{"value":"yes","label":"Deploy"},{"value":"no","label":"Wait"}`) // as ask --confirm does
	if r, _ := played(t, words, "n").Result(); len(r.Answers) != 1 || r.Answers[0].Choices[0] != 1 {
		t.Errorf("other words for yes and no: %+v", r)
	}
	for _, request := range []string{`{"questions":[{"header":"Go","question":"Go on?","options":[{"label":"Yes"},{"label":"No"}]}]}`,
		`{"questions":[{"type":"choice","id":"q","header":"Go","prompt":"Go on?","options":[{"value":"1","label":"Yes"},{"value":"2","label":"No"}]}]}`} {
		if m := played(t, request, "n"); m.Mode() != machine.Note {
			t.Errorf("%s: n leads to %s, and its contract opens the note", request, m.Mode())
		}
	}
}

// One Enter takes a default, or a number that was nudged; where nothing stands there, or
// something was said, it opens the entry. AskUserQuestion has published that it always does.
func TestEnterTakesADefault(t *testing.T) {
	t.Parallel()
	of := func(q form.Question, dialect, shape string, keys ...string) *machine.Machine {
		q.ID, q.Label, q.Prompt = "q", "Q", "?"
		m := machine.New(&form.Form{Dialect: dialect, Shape: shape, Questions: []form.Question{q}}, nil, true)
		for _, key := range keys {
			e, bound := Of(m.Form()).Keys().Event(m, key)
			if !bound {
				t.Fatalf("%s is not bound in %s", key, m.Mode())
			}
			m.Handle(e)
		}
		return m
	}
	most := 3.0
	number, name := form.Question{Kind: form.Number, Initial: form.Count(3), Max: &most}, form.Question{Kind: form.Text, Initial: form.Type("shop")}
	for _, c := range []struct {
		q    form.Question
		keys []string
		want string
	}{
		{number, []string{"Enter"}, "3"}, {number, []string{"Down", "Enter"}, "2"}, {name, []string{"Enter"}, "shop"},
	} {
		for _, asked := range [][2]string{{"question", ""}, {"AskUserQuestion", form.UsualKeys}} {
			m := of(c.q, asked[0], asked[1], c.keys...)
			r, over := m.Result()
			if !over || c.q.Say(r.Answers[0], "", func(s string) string { return s }) != c.want {
				t.Errorf("%v of %v: %v leads to %+v in %s", asked, c.q.Kind, c.keys, r, m.Mode())
			}
		}
		if m := of(c.q, "AskUserQuestion", "", c.keys...); m.Mode() != machine.Entry {
			t.Errorf("AskUserQuestion, %v: %v leads to %s", c.q.Kind, c.keys, m.Mode())
		}
	}
	for _, q := range []form.Question{{Kind: form.Number}, {Kind: form.Text}} {
		if m := of(q, "question", "", "Enter"); m.Mode() != machine.Entry {
			t.Errorf("without a default Enter leads to %s", m.Mode())
		}
	}
}

// A letter that is a key on no list begins the text of the list's own entry, where it has one.
func TestLettersBegin(t *testing.T) {
	t.Parallel()
	lists := map[string]bool{ // whether it has such an entry
		`{"questions":[{"id":"q","prompt":"Which?","options":[{"value":"a","label":"A"}]}]}`:                                                        true,
		`{"questions":[{"header":"Q","question":"Which?","type":"select_many","options":[{"label":"A"}]}]}`:                                         true,
		`{"questions":[{"id":"q","type":"radio","prompt":"Which?","options":[{"label":"A"}]}]}`:                                                     true,
		`{"questions":[{"id":"q","type":"radio","prompt":"Which?","options":[{"label":"A"}],"allowOther":false}]}`:                                  false,
		`{"questions":[{"type":"choice","id":"q","header":"Q","prompt":"Which?","options":[{"value":"a","label":"A"},{"value":"b","label":"B"}]}]}`: false,
	}
	for request, other := range lists {
		m := played(t, request)
		if _, begins := Begins(m, "o"); begins != (other && m.Form().Dialect != "AskUserQuestion") { // which has published it
			t.Errorf("%s: o begins %v", request, begins)
		}
		for _, key := range []string{"Z", "y", "ä", "日"} {
			if opens, begins := Begins(m, key); begins != other || begins && (opens != machine.TypeOther || !Answers(m, key)) {
				t.Errorf("%s: %s begins %v, %v", request, key, opens, begins)
			}
		}
		for _, key := range []string{"j", "k", "g", "G", "R", "/", "?", "e", "n", "c", "u", "1", "Space", "Tab", "F1", "-"} {
			if _, begins := Begins(m, key); begins {
				t.Errorf("%s: %s begins a text", request, key)
			}
		}
	}
}

// Wherever Enter ticks, one key finishes, also from the entry for other words, and the footer
// names it; on the row that does the same, Enter does.
func TestAKeyFinishes(t *testing.T) {
	t.Parallel()
	for _, request := range []string{
		`{"questions":[{"header":"Q","question":"Which?","type":"select_many","options":[{"label":"A"},{"label":"B"}]}]}`,
		`{"questions":[{"header":"Q","question":"Which?","multiSelect":true,"options":[{"label":"A"},{"label":"B"}]}]}`,
	} {
		for _, keys := range [][]string{{"Enter", "Ctrl+D"}, {"1", "Down", "Down", "Ctrl+D"}, {"1", "G", "Enter"}} {
			m := played(t, request, keys...)
			if r, over := m.Result(); !over || len(r.Answers[0].Choices) != 1 {
				t.Errorf("%v lead to %+v in %s", keys, r, m.Mode())
			}
		}
		for key, says := range map[string]string{"Up": "Enter/Space tick · Ctrl+D done", "G": "Enter/Ctrl+D done"} {
			if said := footer(played(t, request, key)); !strings.Contains(said, says) {
				t.Errorf("the footer says %q, not %q", said, says)
			}
		}
		if m := played(t, request, "Ctrl+D"); m.Notice() != "Nothing is chosen yet." {
			t.Errorf("without a choice it says %q", m.Notice())
		}
	}
}
