package display

import (
	"testing"

	"github.com/gdamore/tcell/v2"
)

func TestKeyNames(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*tcell.EventKey{
		"Enter": tcell.NewEventKey(tcell.KeyEnter, 0, 0), "Esc": tcell.NewEventKey(tcell.KeyEscape, 0, 0),
		"Up": tcell.NewEventKey(tcell.KeyUp, 0, 0), "PgDn": tcell.NewEventKey(tcell.KeyPgDn, 0, 0), "Home": tcell.NewEventKey(tcell.KeyHome, 0, 0),
		"Tab": tcell.NewEventKey(tcell.KeyTab, 0, 0), "Delete": tcell.NewEventKey(tcell.KeyDelete, 0, 0),
		"Shift+Enter": tcell.NewEventKey(tcell.KeyEnter, 0, tcell.ModShift),
		"Alt+Enter":   tcell.NewEventKey(tcell.KeyRune, 'm', tcell.ModAlt|tcell.ModCtrl),
		"Ctrl+X":      tcell.NewEventKey(tcell.KeyCtrlX, 0, tcell.ModCtrl), "Space": tcell.NewEventKey(tcell.KeyRune, ' ', 0),
		"Alt+2": tcell.NewEventKey(tcell.KeyRune, '2', tcell.ModAlt), "F2": tcell.NewEventKey(tcell.KeyF2, 0, 0),
		"Backspace": tcell.NewEventKey(tcell.KeyBackspace2, 0, 0),
		"a":         tcell.NewEventKey(tcell.KeyRune, 'a', 0), "A": tcell.NewEventKey(tcell.KeyRune, 'A', tcell.ModShift),
		"Alt+c": tcell.NewEventKey(tcell.KeyRune, 'c', tcell.ModAlt), "Ctrl+C": tcell.NewEventKey(tcell.KeyRune, 'c', tcell.ModCtrl),
		"Ctrl+Left": tcell.NewEventKey(tcell.KeyLeft, 0, tcell.ModCtrl), "Ctrl+J": tcell.NewEventKey(tcell.KeyLF, 0, 0),
		"Shift+Tab": tcell.NewEventKey(tcell.KeyTab, 0, tcell.ModShift),
	} {
		if got := KeyName(e); got != want {
			t.Errorf("keyName = %q, want %q", got, want)
		}
	}
}
