package popup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

// askingPane is a pane that shows text, or cannot.
type askingPane struct {
	text string
	err  error
	gone []string // the viewers that went there
}

func (p *askingPane) Screen(context.Context) (string, error) { return p.text, p.err }

func (p *askingPane) GoTo(_ context.Context, viewer string) error {
	p.gone = append(p.gone, viewer)
	return p.err
}

var paneText = func() string {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, "line %d of the agent\n", i+1)
	}
	return b.String() + "❯ 1. Forged \x1b[2J[red]choice\u202e and a line that is longer than a small popup is wide, by far, it goes on\n日本語\n\n\n"
}()

func TestPeek(t *testing.T) {
	t.Parallel()
	for _, size := range []size{small, medium} {
		s := ofSize(t, oneQuestion, size)
		s.view.pane = &askingPane{text: paneText}
		s.resize(size.width, size.height)
		before := s.press("Down").text()
		s.press("Ctrl+P")
		s.golden(fmt.Sprintf("peek-%dx%d", size.width, size.height), false)
		s.harmless()
		if s.press("Home"); !strings.Contains(s.text(), "line 1 of the agent") {
			t.Errorf("Home does not show the first line:\n%s", s.text())
		}
		s.press("2", "Enter") // the first means nothing here, the second closes it
		if s.text() != before {
			t.Errorf("after it the form is\n%s\nand was\n%s", s.text(), before)
		}
		s.at("list", 0, 1)
	}
}

func TestPeekThatFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 16)
	s.view.pane = &askingPane{err: errors.New("the pane is gone")}
	if s.press("Ctrl+P"); !strings.Contains(s.text(), "Cannot look at the pane: the pane is gone") {
		t.Errorf("the screen is\n%s", s.text())
	}
	s.press("1").answered(form.Choose(0))
}

// The view asks for what it cannot do; nothing is answered by it.
func TestPaneWanted(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 62, 16)
	s.view.pane = &askingPane{}
	s.press("4", "half", "Ctrl+O").shows("Going to the pane…")
	if !slices.Contains(s.asked, "the pane") {
		t.Errorf("the view asked for %v", s.asked)
	}
	s.at(machine.Entry, 0, 3)
}

// Without a pane to look at the keys are neither shown nor bound.
func TestNoPane(t *testing.T) {
	t.Parallel()
	s := newStage(t, oneQuestion, nil, 120, 16)
	before := s.text()
	if s.press("Ctrl+P", "Ctrl+O"); s.text() != before || strings.Contains(before, "Ctrl+P") {
		t.Errorf("the screen is\n%s\nand was\n%s", s.text(), before)
	}
}
