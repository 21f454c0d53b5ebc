package scene

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/popup/machine"
)

func do(actions ...machine.Action) (events []machine.Event) {
	for _, a := range actions {
		events = append(events, machine.Event{Action: a})
	}
	return events
}

// everywhere is what every question and review has.
const everywhere = "Help, No, because…, Cancel"

// names are what can be done after some events, but for that.
func names(t *testing.T, request string, after ...machine.Event) string {
	t.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		t.Fatal(err)
	}
	m := machine.New(&f, nil, true)
	for _, e := range after {
		m.Handle(e)
	}
	primary, others := actions(m, Status{})
	var said []string
	for _, d := range append(primary, others...) {
		if slices.Contains(said, d.Label) {
			t.Errorf("there are two of %s after %v in %s", d.Label, after, request)
		}
		said = append(said, d.Label)
	}
	own, found := strings.CutSuffix(strings.Join(said, ", "), everywhere)
	if !found {
		t.Errorf("after %v in %s there are %v", after, request, said)
	}
	return strings.TrimSuffix(own, ", ")
}

func TestActions(t *testing.T) {
	t.Parallel()
	const (
		many   = `{"value":"a","label":"A"},{"value":"b","label":"B"}`
		typed  = `{"header":"H","question":"Q?","type":"select_many","options":[{"label":"A"},{"label":"B"}]}`
		danger = `{"header":"D","question":"Q?","type":"confirm_enum","is_dangerous":true}`
		dialog = `{"header":"H","question":"%s?","multiSelect":true,"options":[{"label":"A"},{"label":"B"}]}`
		form   = `{"id":"%s","type":"checkbox","prompt":"Q?","options":[` + many + `]}`
		human  = `{"id":"%s","type":"choice","header":"H","prompt":"Q?","multi":true,"options":[` + many + `]}`
		text   = `{"id":"%s","type":"text","header":"H","prompt":"Q?"}`
		plain  = `{"id":"%s","prompt":"Q?","options":[` + many + `]}`
	)
	asks := func(questions ...string) string {
		for i, q := range questions {
			if strings.Contains(q, "%s") {
				questions[i] = fmt.Sprintf(q, string(rune('a'+i)))
			}
		}
		return `{"questions":[` + strings.Join(questions, ",") + `]}`
	}
	next := do(machine.Next)
	for _, c := range []struct {
		request string
		after   []machine.Event
		want    string
	}{
		{asks(typed), nil, "Select, Note"},
		{asks(typed, typed), nil, "Select, Next, Note"},
		{asks(typed, typed), next, "Select, Previous, Next, Note"},
		{asks(typed, typed), do(machine.Next, machine.Next), "Submit, Previous"},
		{asks(danger), nil, "Confirm"},
		{asks(typed, danger), next, "Confirm"},
		{asks(dialog), nil, "Select, Note"},
		{asks(dialog, dialog), nil, "Select, Next, Note"},
		{asks(dialog, dialog), next, "Select, Next, Previous, Note"},
		{asks(form), nil, "Done"},
		{asks(form, form), nil, "Answer, Next"},
		{asks(form, form), next, "Answer, Next, Previous"},
		{asks(form, form), do(machine.Next, machine.Next), "Submit, Previous"},
		{asks(human), nil, "Answer, Next, Comment on “A”, Comment on question, Unanswered"},
		{asks(human, human), next, "Answer, Next, Previous, Comment on “A”, Comment on question, Unanswered"},
		{asks(text), nil, "Answer, Next, Comment, Unanswered"},
		{asks(text), next, "Submit, Comment on form, Previous"},
		{asks(plain), nil, ""},
		{asks(plain, plain), nil, "Next"},
		{asks(plain, plain), next, "Next, Previous"},
		{`{"prompt":"Q?","multi":true,"options":[{"label":"A"},{"label":"B"}]}`, nil, "Done"},
	} {
		if got := names(t, c.request, c.after...); got != c.want {
			t.Errorf("after %v in %s there are\n%s, want\n%s", c.after, c.request, got, c.want)
		}
	}
}

// What sends the ticks does so wherever the cursor is, also on an Other that is not ticked.
func TestTicksAreSentFromAnywhere(t *testing.T) {
	t.Parallel()
	_, f, err := dialect.Decode("", []byte(`{"prompt":"Q?","multi":true,"allowOther":true,"options":[{"label":"A"},{"label":"B"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m := machine.New(&f, nil, true)
	m.Handle(machine.Event{Action: machine.Pick, N: 1})
	m.Handle(machine.Event{Action: machine.Last})
	primary, _ := actions(m, Status{})
	for _, e := range primary[0].Events {
		m.Handle(e)
	}
	if r, over := m.Result(); !over || len(r.Answers) != 1 || !slices.Equal(r.Answers[0].Choices, []int{0}) {
		t.Errorf("it is in %s with %+v", m.Mode(), r)
	}
}
