package menu

import (
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/settings"
)

// keys lists those of the menu, most important first.
var keys = keymap.Table[*view]{
	{Keys: []string{"Enter"}, Help: "keep", When: (*view).entering, Do: (*view).keep},
	{Keys: []string{"Esc"}, Help: "leave as it was", When: (*view).entering, Do: func(v *view) { v.Over = nil }},

	{Keys: []string{"Enter"}, Help: "keep the search", When: (*view).Filtering, Do: func(v *view) { v.Typing = false }},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).Filtering, Do: (*view).ShowAll},

	{Keys: []string{"↑↓", "k/j"}, Help: "move", When: (*view).Choosing},
	{Keys: []string{"Enter", "Space", "Right"}, Help: "change", When: (*view).Listed, Do: (*view).change},
	{Keys: []string{"?"}, Help: "help", When: (*view).Listed, Do: func(v *view) { v.Help = true }},
	{Keys: []string{"/"}, Help: "search", When: (*view).Choosing, Do: func(v *view) { v.Typing = true }},
	{Keys: []string{"q"}, Help: "quit", When: (*view).Choosing, Do: func(v *view) { v.quit() }},
	{Keys: []string{"d", "Delete"}, Help: "default", When: (*view).Listed, Do: (*view).unset},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).Filtered, Do: (*view).ShowAll},
	{Keys: []string{"Esc"}, When: (*view).Choosing, Do: func(v *view) { v.quit() }},
	{Keys: []string{"p"}, Help: "your own file", When: func(v *view) bool { return v.Choosing() && v.file.Rank != settings.Global }, Do: func(v *view) { v.write(true) }},
	{Keys: []string{"p"}, Help: "project's file", When: func(v *view) bool { return v.Choosing() && v.file.Rank == settings.Global }, Do: func(v *view) { v.write(false) }},
}

// entering reports whether a value is being typed.
func (v *view) entering() bool { return v.Over != nil }
