package plain

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
	"github.com/askpane/askpane/tests/needs"
)

// Whatever lines come in whatever order: no panic, and no result that the form
// would not take.
func TestAnyLines(t *testing.T) {
	needs.Unraced(t)
	t.Parallel()
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer nowhere.Close()
	lines := strings.Split("||1|2|3|1 3|0|4 o x|,|o|o y|.|..|+|-|99999999999999999999|-1|1 1|b|f|n|n x|c|c 1|c 2 x|c 9 x|p|p 1|u|x|s|r|?|q|n|/b|/f|/u|/r|//b|/|\t|é\u202e|7|abc", "|")
	for k, c := range kinds {
		_, f, err := dialect.Decode(c.dialect, []byte(c.request))
		if err != nil {
			t.Fatal(err)
		}
		ended := 0
		for run := range 200 {
			random := rand.New(rand.NewPCG(uint64(k), uint64(run)))
			held := &sitting.Sitting{M: machine.New(&f, nil, run%2 == 0), First: &form.Result{}} // over, so nothing is written
			s := &session{Sitting: held, terminal: terminal{File: nowhere, width: 40}}
			var said []string
			for range 60 {
				line := lines[random.IntN(len(lines))]
				said = append(said, fmt.Sprintf("%q", line))
				s.handle(line)
				if r, over := s.M.Result(); over {
					if err := f.Check(r); err != nil {
						t.Fatalf("%s/%s after %v: %v", c.dialect, c.name, said, err)
					}
					ended++
					break
				}
				s.next()
				if mode := s.M.Mode(); !s.typing && s.then == nil && (mode == machine.Entry || mode == machine.Note || mode == machine.Decline || mode == machine.Reason || mode == machine.Help) {
					t.Fatalf("%s/%s is stuck in %s after %v", c.dialect, c.name, mode, said)
				}
			}
		}
		if ended == 0 {
			t.Errorf("%s/%s never ended", c.dialect, c.name)
		}
	}
}

// An answer that cannot be written is kept, and Enter writes it.
func TestUnsavedAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", pair)
	s.start()
	inTheWay := filepath.Join(s.dir, s.bridge.ID, "answer.json") // a directory, which is no answer
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	s.enter("2", "1", "s")
	s.see("Not saved yet; what you do next tries again. ")
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	s.enter("")
	s.see("Sent.")
	s.over()
	if r := s.result(); r.Outcome != form.Answered || r.Answers[0].Choices[0] != 1 {
		t.Errorf("the answer is %+v", r)
	}
}

// What a terminal has cut off a line is lost, so the rest is no answer.
func TestCutLine(t *testing.T) {
	t.Parallel()
	s := newStage(t, "ask_user_question", `{"questions":[{"id":"t","type":"text","prompt":"Token?","secret":true}]}`)
	s.start()
	s.enter(strings.Repeat("a", 5000))
	s.see("The terminal has cut that line after 4095 bytes, so it was not taken.")
	s.pending()
	s.enter(strings.Repeat("b", 4000))
	s.over()
	if a := s.result(); len(*a.Answers[0].Text) != 4000 {
		t.Errorf("%d bytes were taken", len(*a.Answers[0].Text))
	}
}

// The end of input on the asker's own terminal leaves the question for later: its bridge would
// ask it there again at once.
func TestLeftOpen(t *testing.T) {
	t.Parallel()
	s := newStage(t, "question", pair)
	s.config.Borrowed = true
	s.start()
	if _, err := s.person.WriteString("\x04"); err != nil {
		t.Fatal(err)
	}
	s.over()
	s.see("Left open: the question still waits. askpane next opens it.")
	s.pending()
	s.entry.Close()
	if !s.bridge.Status().Aside {
		t.Error("it is not put aside")
	}
}

// A terminal that does not know of UTF-8, as one in a container, would take a part of a sign back.
func TestBackspaceTakesAWholeSign(t *testing.T) {
	t.Parallel()
	s := newStage(t, "ask_user_question", `{"questions":[{"id":"t","type":"text","prompt":"Token?","secret":true}]}`)
	s.start()
	s.enter("Jü\x7fürgen日\x7f")
	s.over()
	if r := s.result(); *r.Answers[0].Text != "Jürgen" {
		t.Errorf("the answer is %q", *r.Answers[0].Text)
	}
}
