package inbox

import (
	"time"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/keymap"
)

// keys lists those of the inbox, most important first.
var keys = keymap.Table[*view]{
	{Keys: []string{"y"}, Help: takeIt, When: func(v *view) bool { return v.confirming() && v.confirm.verb == takeIt }, Do: (*view).confirmed},
	{Keys: []string{"y"}, Help: dismissIt, When: func(v *view) bool { return v.confirming() && v.confirm.verb == dismissIt }, Do: (*view).confirmed},
	{Keys: []string{"Esc", "n"}, Help: "no", When: (*view).confirming, Do: func(v *view) { v.Over = nil }},

	{Keys: []string{"Enter"}, Help: "answer", When: (*view).Filtering, Do: (*view).open},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).Filtering, Do: (*view).ShowAll},

	{Keys: []string{"↑↓", "k/j", "Tab"}, Help: "move", When: (*view).Choosing, Silent: always},
	{Keys: []string{"Enter"}, Help: "answer", When: (*view).Listed, Do: (*view).open},
	{Keys: []string{"Ctrl+O", "F4"}, Help: "go to its pane", When: (*view).Listed, Do: (*view).goThere},
	{Keys: []string{"d", "Delete"}, Help: "dismiss", When: (*view).Listed, Do: (*view).askDismiss},
	{Keys: []string{"/"}, Help: "filter", When: (*view).Choosing, Do: func(v *view) { v.Typing = true }},
	{Keys: []string{"m"}, Help: "mute for an hour", When: func(v *view) bool { return v.Choosing() && v.Muted() == "" }, Do: func(v *view) { v.mute(time.Now().Add(time.Hour)) }},
	{Keys: []string{"m"}, Help: "end the mute", When: func(v *view) bool { return v.Choosing() && v.Muted() != "" }, Do: func(v *view) { v.mute(time.Time{}) }},
	{Keys: []string{"Esc"}, Help: "show all", When: (*view).Filtered, Do: (*view).ShowAll},
	{Keys: []string{"q"}, Help: "quit", When: (*view).Filtered, Do: func(v *view) { v.leave(nil) }},
	{Keys: []string{"q", "Esc"}, Help: "quit", When: func(v *view) bool { return v.Choosing() && v.Filter == "" }, Do: func(v *view) { v.leave(nil) }},
	{Keys: []string{"?"}, Help: "help", When: (*view).Choosing, Do: func(v *view) { v.Help = true }},
	{Keys: []string{"PgUp", "PgDn"}, Help: "scroll", When: (*view).Choosing, Silent: always},
	{Keys: []string{"Home", "g"}, Help: "the oldest", When: (*view).Choosing, Silent: always},
	{Keys: []string{"End", "G"}, Help: "the newest", When: (*view).Choosing, Silent: always},
}

// What y does.
const takeIt, dismissIt = "take it over", "dismiss it"

func always(*view) bool { return true }

// confirmation asks for a yes before something is done.
type confirmation struct {
	text string
	verb string // what y does
	yes  func()
}

// ask shows a confirmation in place of the list's keys.
func (v *view) ask(c confirmation) { v.confirm, v.Over = c, tview.NewBox() }

func (v *view) confirming() bool { return v.Over != nil }

func (v *view) confirmed() {
	v.Over = nil
	v.confirm.yes()
}
