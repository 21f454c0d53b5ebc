package popup

import (
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
)

// paneLimit is how long a host may take for either.
const paneLimit = 5 * time.Second

// peek is the asking pane's last screen, in the place of the form.
type peek struct {
	rows   []string
	scroll int // of the form, to go back to
}

// showPeek shows the pane's screen from its end, where the agent is.
func (v *view) showPeek(shown string, err error) {
	if err != nil {
		v.say("The pane cannot be looked at: " + err.Error())
		return
	}
	v.notice = ""
	shown = strings.TrimRight(shown, "\n ")
	var rows []string
	for row := range strings.Lines(shown) {
		rows = append(rows, text.Visible(strings.TrimRight(row, "\r\n")))
	}
	v.peek = &peek{rows: rows, scroll: v.scroll}
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
		v.scroll = len(v.peek.rows)
	case "Ctrl+P", "F3", "Esc", "q", "Enter":
		v.scroll, v.peek = v.peek.scroll, nil
	}
}

// peekPage lays the pane's screen out in the place of the form.
func (l *layouter) peekPage() {
	l.head = append(l.head, line{{"What the asking pane shows", l.theme.Accent}})
	for _, row := range l.st.peek.rows {
		l.body = append(l.body, line{{gutter, l.theme.Dim}, {row, l.theme.Text}})
	}
	if len(l.body) == 0 {
		l.body = append(l.body, line{{"It shows nothing.", l.theme.Dim}})
	}
	l.foot = append(l.foot, line{{Shorten("Esc back to the question · ↑↓ PgUp PgDn scroll", l.width), l.theme.Dim}})
}
