package inbox

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
)

// binding is a row of the table of keys. Handling, footer and help come from it.
type binding struct {
	keys []string // as display.KeyName gives them
	help string   // what footer and help say
	foot bool     // the footer says it too
	when func(*view) bool
	do   func(*view)
}

// bindings are the keys, most important first: a narrow footer drops from the end.
var bindings = []binding{
	{[]string{"y"}, "yes", true, (*view).asking, func(v *view) { v.answerAsked(true) }},
	{[]string{"Esc", "n"}, "no", true, (*view).asking, func(v *view) { v.answerAsked(false) }},
	{[]string{"Enter"}, "keep the filter", true, (*view).typing, func(v *view) { v.filtering = false }},
	{[]string{"Esc"}, "show all", true, (*view).typing, (*view).showAll},
	{[]string{"Backspace"}, "", false, (*view).typing, (*view).shorter},
	{[]string{"Ctrl+U"}, "", false, (*view).typing, func(v *view) { v.filter = "" }},
	{[]string{"Up"}, "", false, (*view).typing, func(v *view) { v.move(-1) }},
	{[]string{"Down"}, "", false, (*view).typing, func(v *view) { v.move(1) }},
	{[]string{"Up", "k"}, "up", false, (*view).choosing, func(v *view) { v.move(-1) }},
	{[]string{"Down", "j", "Tab"}, "down", false, (*view).choosing, func(v *view) { v.move(1) }},
	{[]string{"Enter"}, "answer", true, (*view).choosing, (*view).open},
	{[]string{"g", "Ctrl+O"}, "go to its pane", true, (*view).choosing, (*view).jump},
	{[]string{"d", "Delete"}, "dismiss", true, (*view).choosing, (*view).askDismiss},
	{[]string{"/"}, "filter", true, (*view).choosing, func(v *view) { v.filtering = true }},
	{[]string{"Esc"}, "show all", true, (*view).filtered, (*view).showAll},
	{[]string{"q"}, "quit", true, (*view).filtered, func(v *view) { v.leave(nil) }},
	{[]string{"q", "Esc"}, "quit", true, (*view).unfiltered, func(v *view) { v.leave(nil) }},
	{[]string{"?"}, "help", true, (*view).choosing, func(v *view) { v.help = true }},
	{[]string{"PgUp"}, "a page up", false, (*view).choosing, func(v *view) { v.move(-v.rows) }},
	{[]string{"PgDn"}, "a page down", false, (*view).choosing, func(v *view) { v.move(v.rows) }},
	{[]string{"Home"}, "the oldest", false, (*view).choosing, func(v *view) { v.move(-len(v.shown)) }},
	{[]string{"End"}, "the newest", false, (*view).choosing, func(v *view) { v.move(len(v.shown)) }},
}

// What the conditions of rows say about the view. While the help is shown they
// are those of the list under it.
func (v *view) asking() bool     { return v.asks != nil }
func (v *view) typing() bool     { return v.filtering && v.asks == nil }
func (v *view) choosing() bool   { return !v.filtering && v.asks == nil }
func (v *view) filtered() bool   { return v.choosing() && v.filter != "" }
func (v *view) unfiltered() bool { return v.choosing() && v.filter == "" }

func (v *view) showAll() { v.filter, v.filtering = "", false }

func (v *view) shorter() {
	if r := []rune(v.filter); len(r) > 0 {
		v.filter = string(r[:len(r)-1])
	}
}

// InputHandler is tview's.
func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, _ func(tview.Primitive)) {
		v.catchUp()
		v.notice = ""
		if v.help { // any key
			v.help = false
			return
		}
		name := display.KeyName(e)
		if name == "Backspace2" {
			name = "Backspace"
		}
		for _, b := range bindings {
			if b.when(v) && slices.Contains(b.keys, name) {
				b.do(v)
				return
			}
		}
		if v.typing() && e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) == 0 {
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

// MouseHandler is tview's. A click on the row in focus is Enter.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if !v.choosing() || v.help {
			return false, nil
		}
		if action == tview.MouseLeftDoubleClick { // any two in quick succession; opening a form answers nothing
			action = tview.MouseLeftClick
		}
		_, y := e.Position()
		row := y - v.top + v.scroll
		switch {
		case action == tview.MouseScrollUp:
			v.move(-1)
		case action == tview.MouseScrollDown:
			v.move(1)
		case action != tview.MouseLeftClick || y < v.top || y >= v.top+v.rows || row >= len(v.shown):
			return false, nil
		case row != v.row:
			v.notice = ""
			v.move(row - v.row)
		default:
			v.notice = ""
			v.open()
		}
		return true, nil
	})
}

// hints are the rows of the table that work now, as footer and help say them.
func (v *view) hints(foot bool) [][2]string {
	var all [][2]string
	for _, b := range bindings {
		if b.help == "" || foot && !b.foot || !b.when(v) {
			continue
		}
		keys, help := keymap.Text(keymap.Handed(b.keys, v.Kept)), b.help
		if foot {
			keys = keymap.Text(keymap.Handed(b.keys[:1], v.Kept))
		}
		if v.asks != nil && b.keys[0] == "y" {
			help = v.asks.verb
		}
		all = append(all, [2]string{keys, help})
	}
	return all
}
