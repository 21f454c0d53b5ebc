package menu

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// binding is a row of the table of keys. Handling and footer come from it.
type binding struct {
	keys []string // as keyName gives them
	help string   // what the footer says; empty keeps the row out of it
	when func(*view) bool
	do   func(*view)
}

// bindings are the keys, most important first: a narrow footer drops from the end.
var bindings = []binding{
	{[]string{"Enter"}, "keep", (*view).typing, (*view).commit},
	{[]string{"Esc"}, "leave as it was", (*view).typing, (*view).abandon},
	{[]string{"↑", "↓"}, "move", (*view).choosing, nil},
	{[]string{"Up", "k"}, "", (*view).choosing, func(v *view) { v.move(-1) }},
	{[]string{"Down", "j", "Tab"}, "", (*view).choosing, func(v *view) { v.move(1) }},
	{[]string{"Enter", "Space", "Right"}, "open", (*view).outside, (*view).open},
	{[]string{"Enter", "Space", "Right"}, "change", (*view).within, (*view).change},
	{[]string{"d", "Delete"}, "default", (*view).within, (*view).unset},
	{[]string{"Esc", "Left", "Backspace"}, "back", (*view).within, (*view).back},
	{[]string{"g"}, "global file", (*view).writesProject, func(v *view) { v.write(true) }},
	{[]string{"p"}, "project's file", (*view).writesGlobal, func(v *view) { v.write(false) }},
	{[]string{"q", "Esc"}, "quit", (*view).outside, func(v *view) { v.quit() }},
	{[]string{"q"}, "quit", (*view).within, func(v *view) { v.quit() }},
	{[]string{"PgUp"}, "", (*view).choosing, func(v *view) { v.move(-v.rows) }},
	{[]string{"PgDn"}, "", (*view).choosing, func(v *view) { v.move(v.rows) }},
	{[]string{"Home"}, "", (*view).choosing, func(v *view) { v.move(-1000) }},
	{[]string{"End"}, "", (*view).choosing, func(v *view) { v.move(1000) }},
}

func (v *view) typing() bool        { return v.entry != nil }
func (v *view) choosing() bool      { return v.entry == nil }
func (v *view) outside() bool       { return v.entry == nil && !v.inside }
func (v *view) within() bool        { return v.entry == nil && v.inside }
func (v *view) writesProject() bool { return v.entry == nil && !v.global }
func (v *view) writesGlobal() bool  { return v.entry == nil && v.global }

// InputHandler is tview's.
func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, focus func(tview.Primitive)) {
		v.catchUp()
		name := keyName(e)
		for _, b := range bindings {
			if b.do != nil && b.when(v) && slices.Contains(b.keys, name) {
				v.notice = ""
				b.do(v)
				return
			}
		}
		if v.entry != nil && name != "Tab" && name != "Shift+Tab" {
			v.entry.InputHandler()(e, func(tview.Primitive) {})
		}
	})
}

// PasteHandler is tview's. Line breaks would end an entry of one line.
func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return v.WrapPasteHandler(func(text string, focus func(tview.Primitive)) {
		if v.entry != nil {
			v.entry.PasteHandler()(strings.TrimRight(text, "\r\n"), func(tview.Primitive) {})
		}
	})
}

// MouseHandler is tview's. A click on the row in focus is Enter.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, focus func(tview.Primitive)) (bool, tview.Primitive) {
		if v.entry != nil {
			return v.entry.MouseHandler()(action, e, func(tview.Primitive) {})
		}
		_, y := e.Position()
		row := y - v.top + v.scroll
		switch {
		case action == tview.MouseScrollUp:
			v.move(-1)
		case action == tview.MouseScrollDown:
			v.move(1)
		case action != tview.MouseLeftClick || y < v.top || y >= v.top+v.rows || row >= v.count():
			return false, nil
		case row != v.row:
			v.notice = ""
			v.move(row - v.row)
		case v.inside:
			v.notice = ""
			v.change()
		default:
			v.notice = ""
			v.open()
		}
		return true, nil
	})
}

var keyNames = map[tcell.Key]string{
	tcell.KeyEnter: "Enter", tcell.KeyEscape: "Esc", tcell.KeyUp: "Up", tcell.KeyDown: "Down", tcell.KeyLeft: "Left", tcell.KeyRight: "Right",
	tcell.KeyTab: "Tab", tcell.KeyBacktab: "Shift+Tab", tcell.KeyDelete: "Delete", tcell.KeyBackspace: "Backspace", tcell.KeyBackspace2: "Backspace",
	tcell.KeyPgUp: "PgUp", tcell.KeyPgDn: "PgDn", tcell.KeyHome: "Home", tcell.KeyEnd: "End",
}

func keyName(e *tcell.EventKey) string {
	if e.Key() == tcell.KeyRune {
		if e.Rune() == ' ' {
			return "Space"
		}
		if e.Modifiers()&^tcell.ModShift != 0 {
			return "" // Alt+q is not q
		}
		return string(e.Rune())
	}
	return keyNames[e.Key()]
}

// hints are what the footer says.
func (v *view) hints() []string {
	var all []string
	for _, b := range bindings {
		if b.help != "" && b.when(v) {
			keys := b.keys[0]
			if b.do == nil {
				keys = strings.Join(b.keys, "")
			}
			all = append(all, keys+" "+b.help)
		}
	}
	return all
}
