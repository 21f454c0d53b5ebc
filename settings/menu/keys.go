package menu

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/settings"
)

// keys are those of the menu, most important first.
var keys = keymap.Table[*view]{
	{Keys: []string{"Enter"}, Help: "keep", When: (*view).typing, Do: (*view).keep},
	{Keys: []string{"Esc"}, Help: "leave as it was", When: (*view).typing, Do: func(v *view) { v.entry = nil }},

	{Keys: []string{"Enter"}, Help: "keep the search", When: (*view).finding, Do: func(v *view) { v.searching = false }},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).finding, Do: (*view).showAll},
	{Keys: []string{"Backspace"}, When: (*view).finding, Do: (*view).shorter},
	{Keys: []string{"Ctrl+U"}, When: (*view).finding, Do: func(v *view) { v.look("") }},
	{Keys: []string{"Up", "Ctrl+P"}, When: (*view).finding, Do: func(v *view) { v.Move(-1) }},
	{Keys: []string{"Down", "Ctrl+N"}, When: (*view).finding, Do: func(v *view) { v.Move(1) }},

	{Keys: []string{"Ctrl+P"}, When: (*view).choosing, Do: func(v *view) { v.Move(-1) }}, // a reflex from shells; the help has no room for it
	{Keys: []string{"Ctrl+N"}, When: (*view).choosing, Do: func(v *view) { v.Move(1) }},
	{Keys: []string{"Up", "k"}, Help: "move", Says: "↑↓", When: (*view).choosing, Do: func(v *view) { v.Move(-1) }},
	{Keys: []string{"Down", "j", "Tab"}, When: (*view).choosing, Do: func(v *view) { v.Move(1) }},
	{Keys: []string{"Enter", "Space", "Right"}, Help: "change", When: (*view).listed, Do: (*view).change},
	{Keys: []string{"?"}, Help: "help", When: (*view).listed, Do: func(v *view) { v.help = true }},
	{Keys: []string{"/"}, Help: "search", When: (*view).choosing, Do: func(v *view) { v.searching = true }},
	{Keys: []string{"q"}, Help: "quit", When: (*view).choosing, Do: func(v *view) { v.quit() }},
	{Keys: []string{"d", "Delete"}, Help: "default", When: (*view).listed, Do: (*view).unset},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).found, Do: (*view).showAll},
	{Keys: []string{"Esc"}, When: (*view).choosing, Do: func(v *view) { v.quit() }},
	{Keys: []string{"p"}, Help: "your own file", When: (*view).writesProject, Do: func(v *view) { v.write(true) }},
	{Keys: []string{"p"}, Help: "project's file", When: (*view).writesGlobal, Do: func(v *view) { v.write(false) }},
	{Keys: []string{"PgUp"}, When: (*view).choosing, Do: func(v *view) { v.Move(-v.Room) }},
	{Keys: []string{"PgDn"}, When: (*view).choosing, Do: func(v *view) { v.Move(v.Room) }},
	{Keys: []string{"Home", "g"}, When: (*view).choosing, Do: func(v *view) { v.Move(-v.Len) }},
	{Keys: []string{"End", "G"}, When: (*view).choosing, Do: func(v *view) { v.Move(v.Len) }},
}

func (v *view) typing() bool        { return v.entry != nil }
func (v *view) finding() bool       { return v.searching }
func (v *view) choosing() bool      { return v.entry == nil && !v.searching }
func (v *view) listed() bool        { return v.choosing() && v.Len > 0 }
func (v *view) found() bool         { return v.choosing() && v.search != "" }
func (v *view) writesProject() bool { return v.choosing() && v.file.Rank != settings.Global }
func (v *view) writesGlobal() bool  { return v.choosing() && v.file.Rank == settings.Global }

// look searches for a text, and has the first that is found in focus.
func (v *view) look(search string) { v.search, v.Row = search, 0 }

func (v *view) shorter() {
	_, n := utf8.DecodeLastRuneInString(v.search)
	v.look(v.search[:len(v.search)-n])
}

// showAll ends the search; what was found stays in focus.
func (v *view) showAll() {
	focus := ""
	if v.Len > 0 {
		focus = v.field().Name
	}
	v.searching = false
	v.look("")
	v.choose()
	v.Row = max(0, slices.IndexFunc(v.fields, func(f settings.Field) bool { return f.Name == focus }))
}

// InputHandler is tview's.
func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, _ func(tview.Primitive)) {
		v.choose()
		v.notice = ""
		name := display.KeyName(e)
		switch {
		case v.help: // any key
			v.help = false
		case keys.Do(v, name) || name == "Tab" || name == "Shift+Tab":
		case v.typing():
			v.entry.InputHandler()(e, func(tview.Primitive) {})
		case v.searching && e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) == 0:
			v.look(v.search + string(e.Rune()))
		}
	})
}

// PasteHandler is tview's. Line breaks would end an entry of one line.
func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return v.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		if text = strings.TrimRight(text, "\r\n"); v.typing() {
			v.entry.PasteHandler()(text, func(tview.Primitive) {})
		} else if v.searching {
			v.look(v.search + text)
		}
	})
}

// MouseHandler is tview's. A click on the row in focus is Enter, and one
// on what the footer says of a key is that key.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		left, top, width, height := v.GetInnerRect()
		x, y := e.Position()
		switch click := action == tview.MouseLeftClick; {
		case click && v.help:
			v.help = false
			return true, nil
		case click && y == top+height-1:
			v.notice = ""
			hints := keys.Footer(v, nil)
			return keys.Do(v, keymap.Clicked(keymap.Footer(hints, width), x-left, hints)), nil
		case v.typing():
			return v.entry.MouseHandler()(action, e, func(tview.Primitive) {})
		case click:
			v.notice = ""
		}
		return v.Mouse(action, e, v.change), nil
	})
}
