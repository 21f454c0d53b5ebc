package popup

import (
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

// paneLimit is how long a host may take to show a pane or to go there.
const paneLimit = 5 * time.Second

// showPeek shows the pane's screen from its end, where the agent is.
func (v *view) showPeek(shown string, err error) {
	if err != nil {
		v.say("The pane cannot be looked at: " + err.Error())
		return
	}
	v.notice = ""
	shown = strings.TrimRight(shown, "\n ")
	rows := []string{}
	for row := range strings.Lines(shown) {
		rows = append(rows, text.Visible(strings.TrimRight(row, "\r\n")))
	}
	v.peek, v.peekFrom = rows, v.scroll
	v.scroll, v.follow = len(rows), false
}

// peekKey is a key while the pane is shown. It reads, and answers nothing.
func (v *view) peekKey(name string) {
	switch name {
	case "Up", "k":
		v.scroll--
	case "Down", "j":
		v.scroll++
	case "PgUp":
		v.pageBy(-1)
	case "PgDn", "Space":
		v.pageBy(1)
	case "Home", "g":
		v.scroll = 0
	case "End", "G":
		v.scroll = len(v.peek)
	case "Ctrl+P", "F3", "Esc", "q", "Enter":
		v.scroll, v.peek = v.peekFrom, nil
	}
}
