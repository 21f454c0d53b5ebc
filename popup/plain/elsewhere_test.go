package plain

import (
	"os"
	"reflect"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
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

// What another surface has typed while a text was asked for in between, which shows nothing else, is
// offered beside that text.
func TestTypedElsewhereMeanwhile(t *testing.T) {
	t.Parallel()
	_, f, err := dialect.Decode("question", []byte(pair))
	if err != nil {
		t.Fatal(err)
	}
	f.Remarks = form.Comments
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	for letter, do := range map[string]machine.Event{"n": {Action: machine.NoteQuestion}, "o": {Action: machine.TypeOther}} {
		held := &sitting.Sitting{M: machine.New(&f, nil, true).As("popup"), First: &form.Result{}} // over, so nothing is written
		s := &session{Sitting: held, terminal: terminal{File: nowhere}}
		s.handle(letter)
		page := machine.New(&f, nil, true).As("browser")
		for _, e := range []machine.Event{do, typed("theirs"), {Action: machine.Leave}} {
			page.Handle(e)
		}
		s.Met = s.M.Meet(page.Draft())
		s.handle("mine")
		if beside := s.M.Draft().Beside; !s.Met || !reflect.DeepEqual(beside, map[int][]string{0: {"theirs"}}) {
			t.Errorf("%s: what is offered is %v", letter, beside)
		}
	}
}
