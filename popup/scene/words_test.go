package scene

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// What is strong of a prompt is the paragraph that asks.
func TestHeart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("It copies each row, and checks it. ", 8) // of this one sentence is strong
	for prompt, want := range map[string]string{
		"Deploy?":                                 "Deploy?",
		"Some words.\n\nAnd then: deploy?":        "And then: deploy?",
		"Deploy now? It is late.\n\nDetails":      "Deploy now? It is late.",
		"One.\n\nTwo.":                            "Two.",
		"消しますか？\n\n詳細":                            "消しますか？",
		"Run this?\n\n```\nwhat?\n\nreally?\n```": "Run this?",
		"See a?b=c.\n\nThen choose.":              "Then choose.",
		long + "How shall it run? Take care.":     "How shall it run?",
		"One.\n\n" + long + "\nNow?\n\nDetails":   "Now?",
		"Choose. " + long:                         "Choose.",
		long + "It is **big. Really?**":           long + "It is **big. Really?**",
		"":                                        "",
	} {
		if from, to := Heart(prompt); strings.TrimSpace(prompt[from:to]) != want {
			t.Errorf("of %q %q asks, want %q", prompt, prompt[from:to], want)
		}
	}
}

// When somebody else was first is said in the person's own time.
func TestOverInLocalTime(t *testing.T) {
	t.Parallel()
	at := time.Now()
	there := form.Result{Outcome: form.Answered, By: form.ByPopup, At: at.In(time.FixedZone("", 20700))}
	for _, blank := range []string{"", " \n"} {
		if got, want := Over("claude", there, false, blank), "Already answered in the popup, "+at.Format("15:04")+"."; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What was answered elsewhere is said in a few words, and no secret.
// Of a full disk nobody is told the name of a file.
func TestWhy(t *testing.T) {
	for errno, want := range map[syscall.Errno]string{syscall.ENOSPC: "the disk is full.", syscall.EACCES: "write the draft: open .draft.json-1: permission denied"} {
		if got := Why(fmt.Errorf("write the draft: %w", &fs.PathError{Op: "open", Path: ".draft.json-1", Err: errno})); got != want {
			t.Errorf("%v: %q", errno, got)
		}
	}
}

func TestGist(t *testing.T) {
	t.Parallel()
	one := form.Question{Label: "Database", Kind: form.One, Options: []form.Option{{Label: "Postgres"}, {Label: "SQLite"}}}
	secret := form.Question{Label: "Token", Kind: form.Text, Secret: true}
	for want, f := range map[string]form.Form{
		"Postgres": {Questions: []form.Question{one}},
		"Database: Postgres · Token: ✎ •••": {Questions: []form.Question{one, secret}},
	} {
		r := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0), form.Type("abc")}}
		if got := Gist(&f, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Gist(&form.Form{Questions: []form.Question{one}}, form.Result{Outcome: form.Cancelled}); got != "" {
		t.Errorf("of a cancelled one it says %q", got)
	}
}

// Of a question that an agent asks with its own tool it is said what became of it there.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	at := time.Now()
	own, back := form.Result{Outcome: form.Elsewhere, By: form.ByBridge, At: at}, form.Result{Outcome: form.Elsewhere, By: form.ByPopup, At: at}
	clock := at.Format("15:04")
	for want, got := range map[string]string{
		"Answered in Claude Code.":                                        Over("claude", own, false, ""),
		"Handed back to Claude Code in the popup, " + clock + ".":         Over("claude", back, true, ""),
		"Already handed back to Claude Code in the popup, " + clock + ".": Over("claude", back, false, ""),
		"answered in Codex itself":                                        Ended("codex", own),
		"handed back to opencode in the popup, " + clock:                  EndedAt("opencode", back),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What nobody has ended says so without a surface, and in no word of ours.
func TestEndedByItself(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[form.Outcome]string{form.Aborted: "withdrawn", form.Timeout: "ended at its deadline", form.Unavailable: "shown nowhere"} {
		r := form.Result{Outcome: outcome, By: form.ByBridge}
		if got := Ended("claude", r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if through := r.Surface(); through != "by askpane itself" {
			t.Errorf("where a surface is needed, it is %q", through)
		}
	}
	if got := Ended("claude", form.Result{Outcome: form.NeedsDiscussion, By: form.ByPage}); got != "sent with questions left open in the browser" {
		t.Errorf("of an open form it says %q", got)
	}
}

// A question can be handed back where the agent shows no dialog meanwhile, and nowhere else.
func TestHandsBack(t *testing.T) {
	t.Parallel()
	f := form.Form{Dialect: "question", Questions: []form.Question{{ID: "a", Label: "A", Prompt: "?", Kind: form.One, Options: []form.Option{{Label: "Yes"}}}}}
	m := machine.New(&f, nil, true)
	has := func() bool {
		s := Of(m, Status{Agent: "claude", Buttons: true})
		return slices.ContainsFunc(s.Actions, func(a Action) bool { return a.Label == "Hand back to Claude Code" && a.Effect() == machine.HandBack })
	}
	if m.Handle(machine.Event{Action: machine.HandBack}); has() || m.Mode() == machine.Over {
		t.Error("any question can be handed back")
	}
	if m.HandsBack = true; !has() {
		t.Error("it cannot be handed back")
	}
	m.Handle(machine.Event{Action: machine.HandBack})
	if r, over := m.Result(); !over || r.Outcome != form.Elsewhere || len(r.Answers) > 0 {
		t.Errorf("it ends as %+v, %v", r, over)
	}
}
