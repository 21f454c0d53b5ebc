package plain

import (
	"reflect"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
)

// What another surface has said is shown, and a line after that goes on from there.
func TestSaidElsewhere(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", pair)
	s.start()
	s.see("Question 1 of 2")
	req, err := s.bridge.Request()
	if err != nil {
		t.Fatal(err)
	}
	page := machine.New(&req.Form, nil, true).As("browser")
	page.Handle(machine.Event{Action: machine.Next})
	page.Handle(machine.Event{Action: machine.Pick, N: 1})
	if _, _, err := sitting.Write(s.bridge, page.Draft()); err != nil {
		t.Fatal(err)
	}
	s.see("Something was answered elsewhere meanwhile.")
	s.enter("2")
	s.see("One [chosen]")
	s.enter("1", "s")
	s.over()
	if r := s.result(); !reflect.DeepEqual(r.Answers, []form.Answer{form.Choose(1), form.Choose(0)}) {
		t.Errorf("the answers are %+v", r.Answers)
	}
}
