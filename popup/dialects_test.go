package popup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// Keys, as each contract publishes them, from the first to the answer.
func TestDialectsByKeys(t *testing.T) {
	t.Parallel()
	why := "because"
	for _, c := range []struct {
		name, request string
		keys          []string
		want          []form.Answer
	}{
		{"AskUserQuestion", typedForm, []string{"Down", "Enter", "Space", "End", "Enter", "Enter", "Up", "Enter", "Enter", "Enter"},
			[]form.Answer{form.Choose(1), form.Choose(0), form.Choose(0), form.Count(5)}},
		{"Alt and a digit, brackets, 0", typedForm, []string{"Alt+2", "1", "End", "Enter", "1", "[", "[", "[", "1", "0", "Up", "Enter", "Enter", "Enter", "Enter"},
			[]form.Answer{form.Choose(0), form.Choose(0), form.Choose(0), form.Count(4)}},
		{"a note with a Tab", typedText, []string{"Tab", "see n", "Tab", "Enter", "shop", "Enter"},
			[]form.Answer{{Text: form.Type("shop").Text, Note: "see n"}}},
		{"danger", typedDanger, []string{"Up", "Down", "Enter", "shop", "Enter", "2", "Enter"},
			[]form.Answer{form.Type("shop"), form.Choose(1)}},
		{"ask_user_question", setupForm, []string{"Down", "Enter", "Space", "Down", "Down", "Enter", "CLI", "Enter", "Enter", "shop", "Shift+Enter", "x", "Enter", "Enter"},
			[]form.Answer{form.Choose(1), {Choices: []int{0}, Text: form.Type("CLI").Text}, form.Type("shop\nx")}},
		{"ask_user", decisionForm, []string{"n", "who?", "Enter", "Enter", "Space", "Tab", why, "Enter", "Enter"},
			[]form.Answer{{Choices: []int{1}, OptionNotes: map[int]string{1: "who?"}}, form.Choose(0), form.Type(why)}},
		{"ask_user: letters in a text are text", decisionForm, []string{"Tab", "Down", "Space", "Tab", "cu", "Alt+c", "q", "Enter", "n", "Enter", "Enter"},
			[]form.Answer{form.Choose(1), form.Choose(1), {Text: form.Type("cun").Text, Note: "q"}}},
		{"buttons", buttonsRow, []string{"Right", "Left", "Right", "Enter"}, []form.Answer{form.Choose(1)}},
		{"buttons, several", buttonsMany, []string{"Space", "3", "Enter"}, []form.Answer{form.Choose(0, 2)}},
		{"more than three buttons", buttonsDropdown, []string{"Down", "Down", "Enter"}, []form.Answer{form.Choose(2)}},
		{"and by digit at once", buttonsDropdown, []string{"4"}, []form.Answer{form.Choose(3)}},
		{"a filter", twelveOptions, []string{"/", "12", "Enter", "Enter", "Enter"}, []form.Answer{form.Choose(11)}},
		{"all recommended", typedTwo, []string{"Ctrl+R", "[", "7", "Enter", "7", "Enter", "Enter"}, []form.Answer{form.Type("shop"), form.Count(7)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, c.request, nil, 62, 16).press(c.keys...)
			if s.answered(c.want...); t.Failed() {
				t.Log("\n" + s.text())
			}
		})
	}
}

func TestDialectsByMouse(t *testing.T) {
	t.Parallel()
	t.Run("a button beside another", func(t *testing.T) {
		newStage(t, buttonsRow, nil, 62, 16).mouse(tview.MouseLeftClick, "Wait").answered(form.Choose(1))
	})
	t.Run("the gap between buttons", func(t *testing.T) {
		newStage(t, buttonsRow, nil, 62, 16).mouse(tview.MouseLeftClick, " [ Wait").at(machine.List, 0, 0)
	})
	t.Run("more than three buttons", func(t *testing.T) {
		newStage(t, buttonsDropdown, nil, 62, 16).mouse(tview.MouseLeftClick, "us-east").answered(form.Choose(2))
	})
	t.Run("the select row", func(t *testing.T) {
		newStage(t, plainForm, nil, 62, 16).mouse(tview.MouseLeftClick, "Web").mouse(tview.MouseLeftClick, "[Select]").answered(form.Choose(1))
	})
	t.Run("a reason for declining", func(t *testing.T) {
		s := newStage(t, buttonsRow, nil, 62, 16).press("Ctrl+X").mouse(tview.MouseLeftClick, "none of these")
		if r, over := s.m.Result(); !over || r.Outcome != form.Cancelled || r.Reason != "none of these fits" {
			t.Errorf("ended %v as %+v", over, r)
		}
	})
	t.Run("no tab to the review while a danger waits", func(t *testing.T) {
		newStage(t, typedDanger, nil, 62, 16).hides("Submit")
	})
}

// A button that is wider than the form is read whole, in a list. What is typed beside a row of
// buttons stands below it.
func TestButtonsAreRead(t *testing.T) {
	t.Parallel()
	long := "Deploy " + strings.Repeat("x", 60) + " to staging"
	s := newStage(t, `{"prompt":"Where?","options":[{"label":"Wait","description":"till noon"},{"label":"`+long+`"},{"label":"`+strings.Replace(long, "staging", "production", 1)+`"}]}`, nil, 62, 16)
	for _, row := range []string{"> 1. Wait", "till noon", "to staging", "to production"} {
		s.shows(row)
	}
	s.press("Right", "Down").mouse(tview.MouseLeftClick, "to production").answered(form.Choose(2))
	s = newStage(t, strings.Replace(buttonsMany, `"multi"`, `"allowOther":true,"multi"`, 1), nil, 62, 16).press("4", "on the moon", "Enter")
	s.shows("✎ on the moon")
	s.press("4").shows("✎ not your answer yet: on the moon")
}

// Over the reasons for declining, letters are no keys: they begin one's own, in a form of
// every dialect, as a paste does.
func TestLettersBeginAReason(t *testing.T) {
	t.Parallel()
	for _, f := range everyForm(t) {
		for _, reason := range []string{"explain more", "just no", "keep it", "on Monday"} {
			s := stageOf(t, f)
			s.view.opens = true // o opens the page elsewhere
			s.press("Ctrl+X", reason)
			if s.m.Mode() != machine.Reason || s.m.Buffer() != reason || slices.Contains(s.asked, "the page") {
				t.Errorf("%s: %q leads to %s with %q:\n%s", f.Dialect, reason, s.m.Mode(), s.m.Buffer(), s.text())
			}
		}
	}
	if s := newStage(t, buttonsRow, nil, 62, 16).press("Ctrl+X").paste("on Monday"); s.m.Buffer() != "on Monday" {
		t.Errorf("what was pasted leads to %s with %q", s.m.Mode(), s.m.Buffer())
	}
	// A number still picks a reason, and a :q out of habit declines nothing.
	newStage(t, buttonsRow, nil, 62, 16).press("Ctrl+X", ":q", "Enter").at(machine.Decline, 0, 0)
}

// Ctrl+G: the editor gets the text and its text comes back; one that fails
// leaves the entry as it was. What it did is undone by one key.
func TestEditor(t *testing.T) {
	script := filepath.Join(t.TempDir(), "edit")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf ' and\\nmore\\n' >>\"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", script)
	s := newStage(t, setupText, nil, 62, 16).press("some", "Ctrl+G")
	if got := s.m.Buffer(); got != "some and\nmore" {
		t.Errorf("the entry holds %q", got)
	}
	s.shows("│ more")
	if got := s.press("Ctrl+_").m.Buffer(); got != "some" {
		t.Errorf("undone, the entry holds %q", got)
	}
	s = newStage(t, typedDanger, nil, 62, 16).press("shop", "Ctrl+G")
	if got := s.m.Buffer(); strings.Contains(got, "\n") {
		t.Errorf("an entry of one line holds %q", got)
	}
	t.Setenv("VISUAL", "false")
	s = newStage(t, setupText, nil, 62, 16).press("some", "Ctrl+G")
	s.shows("The editor gave no text back")
	if got := s.m.Buffer(); got != "some" {
		t.Errorf("the entry holds %q", got)
	}
}

// Enter and Space first scroll to the choices, in every dialect that has its
// own word for them.
func TestNobodyCommitsBlindly(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("The migration touches every table. ", 20)
	for _, request := range []string{
		strings.Replace(decisionForm, "How shall we cache?", long, 1),
		strings.Replace(setupForm, "Which language?", long, 1),
		strings.Replace(buttonsMany, "Deploy where?", long, 1),
	} {
		for _, key := range []string{"Enter", "Space"} {
			s := newStage(t, request, nil, 34, 7).press(slices.Repeat([]string{"PgUp"}, 9)...)
			before := s.m.Draft()
			s.press(key)
			if after := s.m.Draft(); after.Step != before.Step || len(after.Checked[0]) > 0 || s.m.Mode() == machine.Over {
				t.Errorf("%s chooses what is not on view:\n%s", key, s.text())
			}
		}
	}
}
