package chat

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/sitting"
	"github.com/askpane/askpane/tests/must"
)

const colours = `{"questions":[{"id":"c","label":"Colour","prompt":"Which colour?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}]}]}`

const two = `{"questions":[{"id":"a","prompt":"First?","options":[{"value":"x","label":"X"},{"value":"z","label":"Z"}]},{"id":"b","prompt":"Second?","options":[{"value":"y","label":"Y"}]}]}`

func popup() form.Result {
	return form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()}
}

// The second click of two, and that of another person, come after the end.
func TestTwice(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	red, green := r.control("m1", "Red"), r.control("m1", "Green")
	r.quietly(r.does(Event{Ref: "m1", ID: green}))
	for id, user := range map[string]User{green: {"u1", "Dom"}, red: {"u2", "Ann"}} {
		r.says(r.does(Event{Ref: "m1", ID: id, User: user}), "Answered in Discord by Dom, ")
	}
	r.answered(e, "user selected: 2. Green")
	r.sees("m1", "answered\n")
	r.says(r.does(Event{Ref: "m1", ID: red}), "Answered in Discord by Dom, ") // when it is no longer followed
}

func TestTwoPeopleAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	ids := []string{r.control("m1", "Red"), r.control("m1", "Green")}
	r.until("listener", func() bool { return r.do != nil })
	var all sync.WaitGroup
	told := make(chan Reply, 2)
	for i, id := range ids {
		all.Go(func() {
			r.do(Event{Ref: "m1", ID: id, User: User{fmt.Sprint("u", i), "Somebody"}, Reply: func(reply Reply) error { told <- reply; return nil }})
		})
	}
	all.Wait()
	if a, b := <-told, <-told; (a.Notice == "") == (b.Notice == "") {
		t.Errorf("they are told %q and %q", a.Notice, b.Notice)
	}
	r.answer(e)
}

func TestNotAllowed(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	r.says(r.does(Event{Ref: "m1", ID: r.control("m1", "Red"), User: User{"stranger", "Eve\x1b[31m"}}), "You may not answer here.")
	r.until("line in the log", func() bool {
		return strings.Contains(strings.Join(r.logged, "\n"), "“Eve␛[31m” (stranger), who is not on the list of allowed users")
	})
	r.does(Event{Ref: "m1", ID: "anything", User: User{"stranger", "Mallory"}})
	r.stop()
	if len(r.logged) != 1 {
		t.Errorf("of one stranger is logged %q", r.logged)
	}
	if _, over, _ := e.Answer(); over {
		t.Error("it was answered")
	}
}

// What was pressed on what the message does not show any more does nothing, and neither
// does a button of another message.
func TestStale(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	r.asks(strings.ReplaceAll(two, `"Y"`, `"X"`)) // which the second question has, too
	first := r.control("m1", "X")
	r.asks(colours)
	r.sees("m2", "Which colour?") // by now it is known which message is the first's
	r.says(r.does(Event{Ref: "m7", ID: first}), "does not show any more")
	r.quietly(r.does(Event{Ref: "m1", ID: first}))
	r.says(r.does(Event{Ref: "m1", ID: first}), "does not show any more")
	r.says(r.does(Event{Ref: "m1", ID: "01M7YX0STBP1474D78SPT0A4J6.1.pick.1"}), "This question is over.")
	r.says(r.does(Event{Ref: "m1", ID: "rubbish"}), "This question is over.")
}

// What sends what was said before does so only for who has seen that.
func TestSendsWhatIsSeen(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(two)
	r.presses("m1", "X")
	r.presses("m1", "Y")
	r.sees("m1", "Q1: X\nQ2: Y")
	old := r.control("m1", "Submit")
	r.quietly(r.chooses("m1", "Change an answer", "1"))
	r.presses("m1", "Z")
	r.sees("m1", "Q1: Z\nQ2: Y")
	r.says(r.does(Event{Ref: "m1", ID: old}), "does not show any more")
	r.presses("m1", "Submit")
	r.answered(e, "Q1: user selected: 2. Z")
}

const places = `{"questions":[{"header":"Where","question":"Where?","type":"select_many","options":[{"label":"stage"},{"label":"prod"}]},
	{"header":"When","question":"When?","type":"select_many","options":[{"label":"now"},{"label":"then"}]}]}`

var ann = User{"u2", "Ann"}

// Who presses “Select” before the message shows what they ticked means that; whoever else
// presses it there does not.
func TestSendsWhatWasLedTo(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(places)
	list, send := r.control("m1", "Choose any"), r.control("m1", "Select")
	dom := func(id string, values ...string) Reply {
		return r.does(Event{Ref: "m1", ID: id, Values: values, Toggled: len(values) == 1})
	}
	other := r.presses("m1", "Other…").Entry.ID
	dom(list, "1")
	r.says(r.does(Event{Ref: "m1", ID: send, User: ann}), "does not show any more")
	dom(list, "1", "2")
	r.quietly(r.does(Event{Ref: "m1", ID: other, Text: "here"}))
	r.quietly(dom(send))
	r.says(dom(send), "does not show any more") // and is not the next question's
	r.sees("m1", "# When (2 of 2)", "☐ now ☐ then")

	list, send = r.control("m1", "Choose any"), r.control("m1", "Select")
	dom(list, "1")
	r.does(Event{Ref: "m1", ID: list, Values: []string{"2"}, User: ann})
	r.says(dom(send), "does not show any more")
	r.sees("m1", "☐ now ☑ then")
	led := r.control("m1", "Select")
	dom(list, "1")
	r.says(dom(send), "does not show any more") // what Ann has done lies between
	r.quietly(dom(led))
	r.sees("m1", "Where: stage, prod, ✎ here\nWhen: now, then")
	r.presses("m1", "Submit")
	r.answered(e, "When: now, then")
}

// So does who is faster than the service, which has shown the message and not said so yet.
func TestFasterThanThePost(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	posted := make(chan struct{})
	r.lose = func(context.Context) error { <-posted; return nil }
	r.serve()
	r.asks(places)
	list, send := r.control("m1", "Choose any"), r.control("m1", "Select")
	r.quietly(r.does(Event{Ref: "m1", ID: list, Values: []string{"1"}}))
	r.quietly(r.does(Event{Ref: "m1", ID: send}))
	close(posted)
	r.sees("m1", "# When (2 of 2)")
}

// What is changed in a popup meanwhile nobody here has seen.
func TestSendsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(places)
	list, send := r.control("m1", "Choose any"), r.control("m1", "Select")
	r.does(Event{Ref: "m1", ID: list, Values: []string{"1"}})
	req, err := e.Request()
	must.Do(r, err)
	happens := make(chan func())
	other := sitting.New(t.Context(), e, req, sitting.Surface{By: form.ByPopup, Name: form.ByPopup, Post: sitting.Into(happens)})
	other.Follow()
	for !other.M.Ticked(0, 0) {
		(<-happens)()
	}
	other.Handle(machine.Event{Action: machine.Pick, N: 2})
	other.Close()
	r.sees("m1", "☑ stage ☑ prod")
	r.says(r.does(Event{Ref: "m1", ID: send}), "does not show any more")
	list = r.control("m1", "Choose any")
	r.does(Event{Ref: "m1", ID: list, Values: []string{"2"}})
	r.says(r.does(Event{Ref: "m1", ID: send}), "does not show any more")
	r.quietly(r.presses("m1", "Select"))
	r.sees("m1", "# When (2 of 2)")
}

// What somebody has typed in a popup meanwhile, accepted or not, is offered, and is taken
// as it was read.
func TestOffered(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		r := newRoom(t).serve()
		e := r.asks(places)
		entry := r.presses("m1", "Other…").Entry
		req, err := e.Request()
		must.Do(r, err)
		other := sitting.New(t.Context(), e, req, sitting.Surface{By: form.ByPopup, Name: form.ByPopup, Post: sitting.Into(nil)})
		other.Handle(machine.Event{Action: machine.Pick, N: 3})
		other.Handle(machine.Event{Action: machine.Type, Text: "theirs"})
		shown := "✎ not your answer yet: theirs"
		if accepted {
			other.Handle(machine.Event{Action: machine.Accept})
			shown = "✎ theirs"
		}
		other.Close()
		r.sees("m1", shown)
		r.quietly(r.does(Event{Ref: "m1", ID: entry.ID, Text: "mine"}))
		r.sees("m1", "✎ mine\n~ Another text was typed here: “theirs”.\n")
		take := r.control("m1", "Take the other text")
		r.quietly(r.does(Event{Ref: "m1", ID: take}))
		r.sees("m1", "✎ theirs\n~ Another text was typed here: “mine”.\n[Take the other text][Other…][Select]\n")
		r.says(r.does(Event{Ref: "m1", ID: take}), "does not show any more")
		r.stop()
	}
}

// A message that nobody knows, of a question that has another, is closed when something is
// pressed there; that of another question is not.
func TestStray(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	r.asks(two)
	x := r.control("m1", "X")
	r.asks(colours)
	r.sees("m2", "Which colour?")
	r.mu.Lock()
	r.messages["m7"] = r.messages["m1"]
	r.mu.Unlock()
	for _, ref := range []string{"m2", "m7"} {
		r.says(r.does(Event{Ref: ref, ID: x}), "does not show any more")
	}
	r.sees("m7", "over\n~ This question is in another message.")
	r.sees("m1", "waiting\n", "First?")
	r.stop()
	r.sees("m2", "waiting\n")
}

// What is typed belongs to its question, whatever the message shows meanwhile; and comes
// back to who has typed it where it is too late.
func TestTypedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(two)
	entry := r.presses("m1", "Something else…").Entry
	r.presses("m1", "X")
	r.sees("m1", "Second?")
	r.quietly(r.does(Event{Ref: "m1", ID: entry.ID, Text: "W"}))
	r.sees("m1", "Second?")
	late := r.presses("m1", "Something else…").Entry
	r.presses("m1", "Y")
	r.sees("m1", "Q1: ✎ W\nQ2: Y")
	r.presses("m1", "Submit")
	r.answered(e, "Q1: user wrote: W")
	r.says(r.does(Event{Ref: "m1", ID: late.ID, Text: "my words"}), "Answered in Discord by Dom, ")
	r.says(r.does(Event{Ref: "m1", ID: late.ID, Text: "my words"}), "What you typed was not sent.\nmy words")
}

// An entry that was opened before the desk started again still takes what is typed.
func TestTypedAfterRestart(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	entry := r.presses("m1", "Something else…").Entry
	r.stop()
	r.serve()
	r.quietly(r.does(Event{Ref: "m1", ID: entry.ID, Text: "mauve"}))
	r.answered(e, "Colour: user wrote: mauve")
}

// Whoever pressed something is told in time, whatever keeps the desk from doing it.
func TestSlow(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.patience = 100 * time.Millisecond
	r.serve()
	r.asks(two)
	x := r.control("m1", "X")
	hold := make(chan struct{})
	r.until("listener", func() bool { return r.do != nil })
	release := sync.OnceFunc(func() { close(hold) })
	defer release()
	r.mu.Lock()
	r.hold = hold
	r.mu.Unlock()
	told := make(chan Reply, 2)
	var both sync.WaitGroup
	for range 2 { // the desk hangs before the first of them, or after it
		both.Go(func() {
			r.do(Event{Ref: "m1", ID: x, User: User{"u1", "Dom"}, Reply: func(reply Reply) error { told <- reply; return nil }})
		})
	}
	if patience >= 3*time.Second {
		t.Errorf("they wait for %s, and the service for three seconds", patience)
	}
	said := ""
	for limit := time.After(patient); !strings.Contains(said, "This takes longer than it should."); {
		select {
		case reply := <-told:
			said += reply.Notice
		case <-limit:
			t.Fatal("nothing is said though the desk hangs")
		}
	}
	release()
	both.Wait()
	r.sees("m1", "Second?")
}

// A desk that starts again edits the messages that are there, and closes those of
// questions that ended meanwhile.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	stays, ends, vanishes := r.asks(two), r.asks(colours), r.asks(colours)
	old := r.control("m1", "X")
	r.does(Event{Ref: "m1", ID: old})
	r.sees("m1", "Second?")
	second := r.control("m1", "Y")
	r.sees("m3", "Which colour?")
	r.stop()
	must.Do(r, ends.Settle(popup()))
	must.Do(r, ends.Deliver())
	must.Do(r, vanishes.Settle(form.Result{Outcome: form.Aborted, By: form.ByBridge, At: time.Now()}))
	must.Do(r, os.RemoveAll(r.dir+"/spool/"+vanishes.ID))
	r.serve()
	r.sees("m2", "answered\n", "✓ Red")
	r.sees("m3", "over\n~ This question is over.")
	r.says(r.does(Event{Ref: "m1", ID: old}), "does not show any more")
	r.quietly(r.does(Event{Ref: "m1", ID: second})) // which was pressed before
	r.sees("m1", "Q1: X\nQ2: Y")
	r.presses("m1", "Submit")
	r.answered(stays, "Q1: user selected: 1. X")
	r.sees("m1", "answered\n")
	kept := ""
	for limit := time.Now().Add(patient); !strings.HasSuffix(kept, `,"messages":{}}`); {
		data, err := os.ReadFile(r.dir + "/posted-discord.json")
		if kept = string(data); err != nil || time.Now().After(limit) {
			t.Fatalf("there is kept %s, %v", data, err)
		}
	}
	r.stop()
	if len(r.refs) != 3 {
		t.Errorf("%d messages were posted", len(r.refs))
	}
}

// What was clicked while nobody listened, and was answered elsewhere before it comes.
func TestClickWhileDown(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	green := r.control("m1", "Green")
	r.stop()
	must.Do(r, e.Settle(popup()))
	r.serve()
	r.says(r.does(Event{Ref: "m1", ID: green}), "Answered in tmux, ")
}

// An answer that cannot be written is not gone: whatever is pressed then tries again.
func TestUnsavedAnswer(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(colours)
	green := r.control("m1", "Green")
	inTheWay := r.dir + "/spool/" + e.ID + "/answer.json" // a directory, which is no answer
	must.Do(r, os.Mkdir(inTheWay, 0o700))
	r.says(r.does(Event{Ref: "m1", ID: green, User: ann}), "Not saved yet; what you do next tries again.")
	again := r.control("m1", "Try again")
	must.Do(r, os.Remove(inTheWay))
	r.quietly(r.does(Event{Ref: "m1", ID: again}))
	if a := r.answer(e); a.Outcome != form.Answered || a.Via == nil || a.Via.ID != ann.ID {
		t.Errorf("it was answered by %+v", a)
	}
}
