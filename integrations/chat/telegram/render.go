package telegram

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-telegram/bot/models"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/chat"
)

// What Telegram takes (core.telegram.org/bots/api); of things marked in a text it
// ignores, and does not refuse, what is beyond the most.
const (
	mostText     = 4096 // units of UTF-16 in a message
	mostEntities = 100
	mostNotice   = 200
	mostHint     = 64
	mostInRow    = 8
	rowWidth     = 30 // characters that buttons side by side have on a telephone
)

// length returns what a block takes of the text, with the lines before it.
func length(b chat.Block) int { return units(b.Text) + 2 }

// keyboard stands in for the library's inline one. The library's own type sends an empty copy_text with each
// button, and Telegram wants one field alone that says what a button does.
type keyboard struct {
	Rows [][]key `json:"inline_keyboard"`
}

type key struct {
	Text  string `json:"text"`
	Sends string `json:"callback_data"`
	Style string `json:"style,omitempty"`
}

// render writes a message: all its text, then its controls, nil without any. Its state
// is said by its text, since Telegram has no colours for it.
func render(m chat.Message) (*writer, models.ReplyMarkup) {
	var w writer
	var rows [][]key
	for _, b := range m.Blocks {
		w.gap = w.gap || b.Separator
		w.say(b.Text, b.Style)
		var row []key
		width := 0
		for _, one := range b.Buttons {
			button := key{Text: before(one.Emoji, one.Label), Sends: one.ID, Style: text.If(one.Primary, "primary", "")}
			takes := utf8.RuneCountInString(button.Text) + 2
			if len(row) == mostInRow || len(row) > 0 && width+takes > rowWidth {
				rows, row, width = append(rows, row), nil, 0
			}
			row, width = append(row, button), width+takes
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
		if b.Select != nil {
			rows = append(rows, choices(b.Select)...)
		}
	}
	if len(rows) == 0 {
		return &w, nil
	}
	return &w, keyboard{rows}
}

// Between a select's ID and a choice's value in what a button sends.
const (
	chosen = "="
	turned = "~"
)

// choices lists a select's buttons, one below the other.
func choices(s *chat.Select) (rows [][]key) {
	marks, sign := [2]string{}, chosen // the label says which one is chosen
	if s.Many {
		marks, sign = [2]string{"☐", "☑"}, turned
	}
	for _, one := range s.Choices {
		mark := marks[0]
		if one.Chosen {
			mark = marks[1]
		}
		rows = append(rows, []key{{Text: before(mark, before(one.Emoji, one.Label)), Sends: s.ID + sign + one.Value}})
	}
	return rows
}

func before(mark, s string) string { return strings.TrimPrefix(mark+" "+s, " ") }

var styles = map[chat.Style]models.MessageEntityType{chat.Heading: models.MessageEntityTypeBold, chat.Dim: models.MessageEntityTypeItalic, chat.Fixed: models.MessageEntityTypePre}

// writer writes a text and what is marked in it, both counted in UTF-16 as Telegram does.
type writer struct {
	strings.Builder
	at       int
	gap      bool // a blank line comes before the next
	entities []models.MessageEntity
}

// touchable matches words in which Telegram finds by itself what does something at a touch:
// a link, an address, a mention, a hashtag, a cashtag, a command, a telephone's number, a
// bank card's.
var touchable = regexp.MustCompile(`\S*(?:[@#]\S|\$[\pL1]|://|\B/\w|[^\s.]\.\pL[\pL\pM\pN-]|\d\.\d+\.\d+\.\d|\+\d[\d-]{5}|(?:\d[ -]*){12}\d)\S*`)

// say writes lines of what may come from an agent. In code Telegram looks for nothing, so
// touchable words are that: they stay what they are, and a touch copies them.
func (w *writer) say(s string, style chat.Style) {
	if s == "" {
		return
	}
	w.line()
	for style != chat.Fixed && style != chat.Address {
		at := touchable.FindStringIndex(s)
		if at == nil {
			break
		}
		word := strings.TrimLeft(s[at[0]:at[1]], `([{"'<«“`)
		start := at[1] - len(word)
		word = strings.TrimRight(word, `)]}"'>».,;:!?”…`)
		w.write(s[:start], styles[style])
		w.write(word, models.MessageEntityTypeCode)
		s = s[start+len(word):]
	}
	w.write(s, styles[style])
}

// line begins one, unless the text has just begun.
func (w *writer) line() {
	if w.at > 0 {
		w.write(text.If(w.gap, "\n\n", "\n"), "")
	}
	w.gap = false
}

// write writes as much of s as there is room for. Where no more can be marked, all the
// rest is marked as one.
func (w *writer) write(s string, as models.MessageEntityType) {
	s = cut(strings.ToValidUTF8(s, "\ufffd"), mostText-w.at)
	from := w.at
	w.at += units(s)
	w.WriteString(s)
	switch n := len(w.entities); {
	case n == mostEntities:
		w.entities[n-1].Length = w.at - w.entities[n-1].Offset
	case n == mostEntities-1:
		as = models.MessageEntityTypePre
		fallthrough
	case as != "" && w.at > from:
		w.entities = append(w.entities, models.MessageEntity{Type: as, Offset: from, Length: w.at - from})
	}
}

// cut returns as much of s as most units of UTF-16 hold, with an ellipsis for the rest.
func cut(s string, most int) string {
	if units(s) <= most {
		return s
	}
	left := most - 1 // the ellipsis is one
	for i, r := range s {
		if left -= utf16.RuneLen(r); left < 0 {
			return s[:i] + "…"[:3*min(most, 1)]
		}
	}
	return s
}

func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
