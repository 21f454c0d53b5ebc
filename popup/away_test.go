package popup

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// A question of another machine says which, and how it stands with that; the end of the
// desk is not the end of its agent.
func TestPopupOfAnotherMachine(t *testing.T) {
	t.Parallel()
	r := newPopupOf(t, func(s *spool.Spool, req spool.Request) (*spool.Entry, error) {
		req.ID, req.Origin.Away = "01M7YX0STBP1474D78SPT0A4J6", &spool.Away{Machine: "build1", Cwd: "/srv/shop", Pane: "main:1.2", Host: "tmux"}
		e, err := s.Mirror(req)
		if err == nil {
			err = e.SetAway(spool.AwayState{AgentGone: true})
		}
		return e, err
	})
	r.begin()
	r.until("it says where", func() bool { return strings.Contains(r.text(), "a on build1 asks · /srv/shop · main:1.2") })
	r.until("it says that the agent is gone there", func() bool { return strings.Contains(r.text(), "agent gone") })
	since := time.Now()
	if err := r.entry.SetAway(spool.AwayState{Unreachable: since}); err != nil {
		t.Fatal(err)
	}
	r.until("it says since when", func() bool { return strings.Contains(r.text(), "unreachable since "+since.Format("15:04")) })
	if err := r.entry.SetAway(spool.AwayState{}); err != nil {
		t.Fatal(err)
	}
	if err := r.entry.LetGo(); err != nil {
		t.Fatal(err)
	}
	r.until("it is as before", func() bool { return !strings.Contains(r.text(), "unreachable") && !strings.Contains(r.text(), "gone") })
	theirs := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now(), Machine: "laptop"}
	if err := r.entry.Settle(theirs); err != nil {
		t.Fatal(err)
	}
	r.until("it says who was first", func() bool { return strings.Contains(r.text(), "Already answered in the popup on laptop, ") })
	r.press(tcell.KeyEnter)
	r.end()
}

// The desk waits for the answer to a question whose agent is gone on its machine: it
// stands in line as any other.
func TestChainToAnotherMachine(t *testing.T) {
	t.Parallel()
	r := runPopup(t)
	_, f, err := dialect.Decode("question", []byte(oneQuestion))
	if err != nil {
		t.Fatal(err)
	}
	f.Questions[0].Prompt = "Which one there?"
	e, err := r.spool.Mirror(spool.Request{ID: "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", Form: f, Raw: []byte(oneQuestion),
		Origin: spool.Origin{Agent: "b", Start: time.Now(), Away: &spool.Away{Machine: "build1"}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if err := e.SetAway(spool.AwayState{AgentGone: true}); err != nil {
		t.Fatal(err)
	}
	queue := r.spool.Queue("", "v")
	if _, _, _, err := queue.Join(e.ID); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = queue.Leave(e.ID) })
	r.sees("Which database", "1 more waiting")
	r.press("2")
	r.sees("b on build1 asks", "Which one there?", "agent gone")
	r.press("1")
	r.end()
	r.choice(e, 0)
}
