package popup

import (
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// peek shows something in the form's place: the asking pane's screen, or a link.
type peek struct {
	rows  []styled.Row // nil where the form is on view
	link  string       // that its rows of the style Link open
	title string
	from  int // where the form was scrolled to before
}

// showRows shows rows in the form's place, from that one on.
func (v *view) showRows(title, link string, rows []styled.Row, from int) {
	v.notice, v.peek = "", peek{rows: rows, link: link, title: title, from: v.top}
	v.top, v.follow = from, false
}

// showPeek shows the pane's screen from its end, where the agent is.
func (v *view) showPeek(shown string, err error) {
	if err != nil {
		v.say("Cannot look at the pane: " + err.Error())
		return
	}
	rows := []styled.Row{}
	for row := range strings.Lines(strings.TrimRight(shown, "\n ")) {
		rows = append(rows, styled.Row{{Text: text.Visible(strings.TrimRight(row, "\r\n"))}})
	}
	v.showRows("", "", rows, len(rows))
}

// showLink shows what a person needs to open the page by hand.
func (v *view) showLink(o Opened) {
	rows := []styled.Row{}
	wrapped := func(said string) []string { return cells.Wrap(text.Visible(said), max(20, v.page.Width-4)) }
	add := func(label string, style styled.Style, said ...string) {
		rows = append(rows, styled.Row{{Text: label}})
		for _, row := range said {
			rows = append(rows, styled.Row{{Text: row, Style: style}})
		}
		rows = append(rows, nil)
	}
	open := "Within ten minutes, open this link:"
	if o.Copy {
		open = "Within ten minutes, open this link (copied, if your terminal lets it):"
	}
	add(open, styled.Link, wrapped(o.Link)...)
	if o.Forward != "" {
		add("On the machine before you, this makes it reach here:", styled.Text, wrapped(o.Forward)...)
	}
	switch _, _, _, height := v.GetRect(); {
	case o.Phone == nil:
	case len(o.Phone) > height-6: // which are for what is around it; no camera reads half of it
		add("To pair a phone, there is not enough room for its code here:", styled.Text, wrapped("askpane phone, in a larger terminal, shows it")...)
	default:
		add("Or pair a phone:", styled.Text, o.Phone...)
	}
	v.showRows(text.OneLine(o.Why, 200), o.Link, rows, 0)
}

// peekKey handles a key while the form is not on view. It answers nothing.
func (v *view) peekKey(name string) {
	switch name {
	case "Up", "k":
		v.top--
	case "Down", "j":
		v.top++
	case "PgUp":
		v.pageBy(-1)
	case "PgDn", "Space":
		v.pageBy(1)
	case "Home", "g":
		v.top = 0
	case "End", "G":
		v.top = len(v.peek.rows)
	case "Ctrl+P", "F3", "Esc", "q", "Enter":
		v.top, v.peek.rows = v.peek.from, nil
	}
}
