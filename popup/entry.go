package popup

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// entry shows in a text area the entry of the machine's that is open. The machine
// has the text; what is typed goes there first.
type entry struct {
	*tview.TextArea
	m       *machine.Machine
	of      string // the entry that it shows, as opened names it
	killed  string // was taken out of it, for Ctrl+Y
	killing bool   // the last key took text out
}

// newEntry calls typed with the whole text when it has changed.
func newEntry(m *machine.Machine, typed func(text string)) *entry {
	t := &entry{TextArea: tview.NewTextArea().SetPlaceholder("Type your answer"), m: m}
	t.SetBackgroundColor(tcell.ColorDefault)
	t.SetChangedFunc(func() {
		if text := t.GetText(); t.of == t.opened() && text != m.Buffer() {
			typed(text)
		}
	})
	return t
}

// opened names the entry that is open in the text area; it is empty where none is. A
// secret never is.
func (t *entry) opened() string {
	if !t.m.Typing() || t.m.TypingSecret() {
		return ""
	}
	return fmt.Sprintf("%s %d", t.m.Mode(), t.m.Step())
}

// sync makes the text area hold the entry that is open. The machine may change its text
// too, as by a nudge.
func (t *entry) sync() {
	if t.m.Mode() == machine.Help { // below it the entry stays as it is
		return
	}
	before := t.of
	t.of = t.opened()
	if t.of != "" && (t.of != before || t.GetText() != t.m.Buffer()) {
		t.SetText(t.m.Buffer(), true)
		t.SetPlaceholder(t.placeholder())
	}
}

func (t *entry) placeholder() string {
	switch q := t.m.Question(); {
	case t.m.Mode() == machine.Filter:
		return "filter"
	case t.m.Mode() == machine.Note, t.m.Mode() == machine.Search:
		return "" // above it stands what goes there
	case q != nil && q.Placeholder != "" && t.m.Mode() != machine.Reason:
		return text.OneLine(q.Placeholder, 200)
	default:
		return "Type your answer"
	}
}

// clean keeps of a text from outside what belongs into the open entry.
func (t *entry) clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && !t.m.SeveralLines():
			return ' '
		case r < 0x20 && r != '\n' && r != '\t' || r == 0x7f:
			return -1
		}
		return r
	}, text)
}
