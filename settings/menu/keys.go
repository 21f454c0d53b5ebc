package menu

import (
	"strings"

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
	{Keys: []string{"Up", "k"}, Help: "move", Says: "↑↓", When: (*view).choosing, Do: func(v *view) { v.Move(-1) }},
	{Keys: []string{"Down", "j", "Tab"}, When: (*view).choosing, Do: func(v *view) { v.Move(1) }},
	{Keys: []string{"Enter", "Space", "Right"}, Help: "open", When: (*view).outside, Do: (*view).open},
	{Keys: []string{"Enter", "Space", "Right"}, Help: "change", When: (*view).within, Do: (*view).change},
	{Keys: []string{"d", "Delete"}, Help: "default", When: (*view).within, Do: (*view).unset},
	{Keys: []string{"Esc", "Left", "Backspace"}, Help: "back", When: (*view).within, Do: (*view).back},
	{Keys: []string{"g"}, Help: "global file", When: (*view).writesProject, Do: func(v *view) { v.write(true) }},
	{Keys: []string{"p"}, Help: "project's file", When: (*view).writesGlobal, Do: func(v *view) { v.write(false) }},
	{Keys: []string{"q", "Esc"}, Help: "quit", When: (*view).outside, Do: func(v *view) { v.quit() }},
	{Keys: []string{"q"}, Help: "quit", When: (*view).within, Do: func(v *view) { v.quit() }},
	{Keys: []string{"PgUp"}, When: (*view).choosing, Do: func(v *view) { v.Move(-v.Room) }},
	{Keys: []string{"PgDn"}, When: (*view).choosing, Do: func(v *view) { v.Move(v.Room) }},
	{Keys: []string{"Home"}, When: (*view).choosing, Do: func(v *view) { v.Move(-v.Len) }},
	{Keys: []string{"End"}, When: (*view).choosing, Do: func(v *view) { v.Move(v.Len) }},
}

func (v *view) typing() bool        { return v.entry != nil }
func (v *view) choosing() bool      { return v.entry == nil }
func (v *view) outside() bool       { return v.choosing() && !v.inside }
func (v *view) within() bool        { return v.choosing() && v.inside }
func (v *view) writesProject() bool { return v.choosing() && v.file.Rank != settings.Global }
func (v *view) writesGlobal() bool  { return v.choosing() && v.file.Rank == settings.Global }

// InputHandler is tview's.
func (v *view) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return v.WrapInputHandler(func(e *tcell.EventKey, _ func(tview.Primitive)) {
		v.choose()
		v.notice = ""
		name := display.KeyName(e)
		if !keys.Do(v, name) && v.typing() && name != "Tab" && name != "Shift+Tab" {
			v.entry.InputHandler()(e, func(tview.Primitive) {})
		}
	})
}

// PasteHandler is tview's. Line breaks would end an entry of one line.
func (v *view) PasteHandler() func(string, func(tview.Primitive)) {
	return v.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		if v.typing() {
			v.entry.PasteHandler()(strings.TrimRight(text, "\r\n"), func(tview.Primitive) {})
		}
	})
}

// MouseHandler is tview's. A click on the row in focus is Enter.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		if v.typing() {
			return v.entry.MouseHandler()(action, e, func(tview.Primitive) {})
		}
		if action == tview.MouseLeftClick {
			v.notice = ""
		}
		open := v.open
		if v.inside {
			open = v.change
		}
		return v.Mouse(action, e, open), nil
	})
}
