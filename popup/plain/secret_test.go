package plain

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// A secret is typed unseen and told to nobody but the asker; the terminal shows
// what is typed again afterwards.
func TestSecretIsTypedUnseen(t *testing.T) {
	t.Parallel()
	s := newStage(t, "ask_user_question", `{"questions":[{"id":"t","label":"Token","type":"text","prompt":"The deploy token?","secret":true},
		{"id":"w","label":"Why","type":"text","prompt":"What for?"}]}`)
	s.start()
	s.see("Type the secret, which is not shown here.")
	s.enter("hunter2")
	s.see("What for?")
	s.enter("/b")
	s.see("An empty line takes:\n  •••")
	s.enter("")
	s.see("Taken:\n  •••")
	s.enter("to deploy", ".")
	s.see("1. Token: •••")
	s.enter("s")
	s.over()
	if r := s.result(); r.Outcome != form.Answered || *r.Answers[0].Text != "hunter2" {
		t.Errorf("answered %+v", r)
	}
	out := s.output()
	if strings.Contains(out, "hunter2") || !strings.Contains(out, "to deploy") {
		t.Errorf("the terminal shows\n%s", out)
	}
	var draft map[string]any
	if _, err := s.bridge.Draft(&draft); err != nil || strings.Contains(strings.Join(keysAndValues(draft), " "), "hunter2") {
		t.Errorf("the draft is %v (%v)", draft, err)
	}
}

// After Ctrl+Z and fg a shell sets the terminal's mode, by which what is typed would show.
func TestSecretAfterAStop(t *testing.T) {
	s := newStage(t, "ask_user_question", `{"questions":[{"id":"t","type":"text","prompt":"Token?","secret":true}]}`)
	s.start()
	shell := terminal{File: s.tty}
	shell.hush(false)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !strings.Contains(s.output(), "> > "); { // it may not listen yet
		if err := syscall.Kill(os.Getpid(), syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("there is no other prompt: %s", s.output())
		}
	}
	s.enter("hunter2")
	s.over()
	if r := s.result(); *r.Answers[0].Text != "hunter2" || strings.Contains(s.output(), "hunter2") {
		t.Errorf("answered %+v; the terminal shows\n%s", r, s.output())
	}
}

// keysAndValues are all texts in a draft.
func keysAndValues(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			texts = append(texts, keysAndValues(one)...)
		}
	case map[string]any:
		for key, one := range v {
			texts = append(append(texts, key), keysAndValues(one)...)
		}
	}
	return texts
}
