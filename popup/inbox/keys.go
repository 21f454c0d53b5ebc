package inbox

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
)

// keys are those of the inbox, most important first.
var keys = keymap.Table[*view]{
	{Keys: []string{"y"}, Help: "yes", When: (*view).confirming, Do: (*view).confirmed},
	{Keys: []string{"Esc", "n"}, Help: "no", When: (*view).confirming, Do: func(v *view) { v.confirm = nil }},

	{Keys: []string{"Enter"}, Help: "keep the filter", When: (*view).typing, Do: func(v *view) { v.filtering = false }},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).typing, Do: (*view).showAll},
	{Keys: []string{"Backspace"}, When: (*view).typing, Do: (*view).shorter},
	{Keys: []string{"Ctrl+U"}, When: (*view).typing, Do: func(v *view) { v.filter = "" }},
	{Keys: []string{"Up", "Ctrl+P"}, When: (*view).typing, Do: func(v *view) { v.Move(-1) }},
	{Keys: []string{"Down", "Ctrl+N"}, When: (*view).typing, Do: func(v *view) { v.Move(1) }},

	{Keys: []string{"Ctrl+P"}, When: (*view).choosing, Do: func(v *view) { v.Move(-1) }}, // a reflex from shells; the help has no room for it
	{Keys: []string{"Ctrl+N"}, When: (*view).choosing, Do: func(v *view) { v.Move(1) }},
	{Keys: []string{"Up", "k"}, Help: "up", When: (*view).choosing, Do: func(v *view) { v.Move(-1) }, Silent: always},
	{Keys: []string{"Down", "j", "Tab"}, Help: "down", When: (*view).choosing, Do: func(v *view) { v.Move(1) }, Silent: always},
	{Keys: []string{"Enter"}, Help: "answer", When: (*view).choosing, Do: (*view).open},
	{Keys: []string{"Ctrl+O", "F4"}, Help: "go to its pane", When: (*view).choosing, Do: (*view).goThere},
	{Keys: []string{"o"}, Help: "browser", When: func(v *view) bool { return v.choosing() && v.Page != nil }, Do: (*view).openPage},
	{Keys: []string{"d", "Delete"}, Help: "dismiss", When: (*view).choosing, Do: (*view).askDismiss},
	{Keys: []string{"/"}, Help: "filter", When: (*view).choosing, Do: func(v *view) { v.filtering = true }},
	{Keys: []string{"m"}, Help: "mute for an hour", When: func(v *view) bool { return v.choosing() && v.Muted() == "" }, Do: func(v *view) { v.mute(time.Now().Add(time.Hour)) }},
	{Keys: []string{"m"}, Help: "end the mute", When: func(v *view) bool { return v.choosing() && v.Muted() != "" }, Do: func(v *view) { v.mute(time.Time{}) }},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).filtered, Do: (*view).showAll},
	{Keys: []string{"q"}, Help: "quit", When: (*view).filtered, Do: (*view).quit},
	{Keys: []string{"q", "Esc"}, Help: "quit", When: (*view).unfiltered, Do: (*view).quit},
	{Keys: []string{"?"}, Help: "help", When: (*view).choosing, Do: func(v *view) { v.help = true }},
	{Keys: []string{"PgUp"}, Help: "a page up", When: (*view).choosing, Do: func(v *view) { v.Move(-v.Room) }, Silent: always},
	{Keys: []string{"PgDn"}, Help: "a page down", When: (*view).choosing, Do: func(v *view) { v.Move(v.Room) }, Silent: always},
	{Keys: []string{"Home", "g"}, Help: "the oldest", When: (*view).choosing, Do: func(v *view) { v.Move(-v.Len) }, Silent: always},
	{Keys: []string{"End", "G"}, Help: "the newest", When: (*view).choosing, Do: func(v *view) { v.Move(v.Len) }, Silent: always},
}

// What the conditions of rows say. While the help is shown they are those of the
// list under it.
func always(*view) bool          { return true }
func (v *view) confirming() bool { return v.confirm != nil }
func (v *view) typing() bool     { return v.filtering && v.confirm == nil }
func (v *view) choosing() bool   { return !v.filtering && v.confirm == nil }
func (v *view) filtered() bool   { return v.choosing() && v.filter != "" }
func (v *view) unfiltered() bool { return v.choosing() && v.filter == "" }

func (v *view) quit()    { v.leave(nil) }
func (v *view) showAll() { v.filter, v.filtering = "", false }

func (v *view) shorter() {
	_, n := utf8.DecodeLastRuneInString(v.filter)
	v.filter = v.filter[:len(v.filter)-n]
}

func (v *view) confirmed() {
	yes := v.confirm.yes
	v.confirm = nil
	yes()
}

// InputHandler is tview's.
func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, _ func(tview.Primitive)) {
		v.choose()
		v.notice = ""
		switch {
		case v.help: // any key
			v.help = false
		case keys.Do(v, display.KeyName(e)):
		case v.typing() && e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) == 0:
			v.filter += string(e.Rune())
		}
	})
}

// PasteHandler is tview's. A paste is text and never a command.
func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return v.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		if v.typing() {
			v.filter += strings.Join(strings.Fields(text), " ")
		}
	})
}

// MouseHandler is tview's. A click on the row in focus is Enter, and one
// on what the footer says of a key is that key.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if action == tview.MouseLeftClick {
			v.notice = ""
			left, top, width, height := v.GetInnerRect()
			x, y := e.Position()
			if v.help {
				v.help = false
				return true, nil
			} else if y == top+height-1 {
				return keys.Do(v, keymap.Clicked(v.footer(width), x-left, v.hints())), nil
			}
		}
		if !v.choosing() || v.help {
			return false, nil
		}
		return v.Mouse(action, e, v.open), nil
	})
}
