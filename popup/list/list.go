// Package list shows a list on a screen: the rows on view, the one in focus, the filter, and
// the keys, pastes and clicks for all of these, as the inbox and the settings menu share them.
//
// It knows nothing of what is listed. The rule that must hold here: the focus stays on its
// item, whatever comes and goes around it.
package list

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Screen shows a list. A view V, whose keys it handles, embeds it.
type Screen[V any] struct {
	*tview.Box
	Keys   keymap.Table[V] // what moves the focus and edits the filter works besides
	Kept   []string        // keys that the terminal keeps for itself
	Find   func(filter string) []string
	Open   func()          // does with the item in focus what a click on it means
	Over   tview.Primitive // gets keys, pastes and clicks in place of the list; nil for none
	Styles display.Theme

	Items  []string // their names, as Find has returned them
	Row    int      // the one in focus
	Height int      // how many rows there is room for
	Filter string
	Typing bool   // the filter is being typed
	Help   bool   // the help stands in place of the list, until the next key
	Notice string // about the last key

	of    V
	first int  // the first row on view
	top   int  // where that is on the screen
	into  bool // the last click moved the focus
}

// New returns an empty list on the terminal's own background.
func New[V any](of V, keys keymap.Table[V], find func(filter string) []string, open func()) Screen[V] {
	return Screen[V]{Box: tview.NewBox().SetBackgroundColor(tcell.ColorDefault), of: of, Keys: keys, Find: find, Open: open}
}

// Choosing reports whether keys are for the list, and Listed whether they are for an item in focus.
func (s *Screen[V]) Choosing() bool { return !s.Typing && s.Over == nil }
func (s *Screen[V]) Listed() bool   { return s.Choosing() && len(s.Items) > 0 }

// Filtering reports whether keys are typed to the filter.
func (s *Screen[V]) Filtering() bool { return s.Typing && s.Over == nil }

// Filtered reports whether keys are for a list of which a filter hides a part.
func (s *Screen[V]) Filtered() bool { return s.Choosing() && s.Filter != "" }

// ShowAll drops the filter.
func (s *Screen[V]) ShowAll() {
	s.Typing = false
	s.filter("")
}

// Focused returns the name of the item in focus; it is empty where nothing is listed.
func (s *Screen[V]) Focused() string {
	if s.Row < len(s.Items) {
		return s.Items[s.Row]
	}
	return ""
}

// Refresh lists what there is now. Where the item in focus is gone, the one in its place
// gets the focus.
func (s *Screen[V]) Refresh() {
	focus := s.Focused()
	s.Items = s.Find(strings.ToLower(s.Filter))
	if i := slices.Index(s.Items, focus); i >= 0 {
		s.Row = i
	}
	s.Move(0)
}

// filter filters by another text. Where that hides the item in focus, the first that it
// leaves gets the focus.
func (s *Screen[V]) filter(text string) {
	focus := s.Focused()
	s.Filter = text
	if s.Refresh(); s.Focused() != focus {
		s.Row = 0
	}
}

// Move moves the focus, not beyond the ends.
func (s *Screen[V]) Move(by int) { s.Row = max(0, min(s.Row+by, len(s.Items)-1)) }

// moves returns by how many rows a key moves the focus.
func (s *Screen[V]) moves(key string) int {
	all := len(s.Items)
	return map[string]int{"Up": -1, "k": -1, "Ctrl+P": -1, "Down": 1, "j": 1, "Tab": 1, "Ctrl+N": 1, // the last of each by a reflex from shells
		"PgUp": -s.Height, "PgDn": s.Height, "Home": -all, "g": -all, "End": all, "G": all}[key]
}

func (s *Screen[V]) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return s.WrapInputHandler(func(e *tcell.EventKey, focus func(tview.Primitive)) {
		s.Refresh()
		s.Notice = ""
		name := display.KeyName(e)
		switch typed := e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) == 0; {
		case s.Help:
			s.Help = false
		case s.Keys.Do(s.of, name):
		case s.Over != nil && (name == "Tab" || name == "Shift+Tab"): // would end what is typed
		case s.Over != nil:
			s.Over.InputHandler()(e, func(tview.Primitive) {})
		case s.Typing && typed:
			s.filter(s.Filter + string(e.Rune()))
		case s.Typing && name == "Backspace":
			_, last := utf8.DecodeLastRuneInString(s.Filter)
			s.filter(s.Filter[:len(s.Filter)-last])
		case s.Typing && name == "Ctrl+U":
			s.filter("")
		default:
			s.Move(s.moves(name))
		}
	})
}

func (s *Screen[V]) PasteHandler() func(string, func(tview.Primitive)) {
	return s.WrapPasteHandler(func(text string, _ func(tview.Primitive)) {
		switch {
		case s.Over != nil:
			s.Over.PasteHandler()(strings.TrimRight(text, "\r\n"), func(tview.Primitive) {})
		case s.Typing:
			s.filter(s.Filter + strings.Join(strings.Fields(text), " "))
		}
	})
}

func (s *Screen[V]) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return s.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		left, top, width, height := s.GetInnerRect()
		x, y := e.Position()
		click := action == tview.MouseLeftClick
		if click {
			s.Notice = ""
		}
		switch {
		case s.Help:
			s.Help = !click
			return click, nil
		case click && y == top+height-1:
			return s.Keys.Do(s.of, keymap.Clicked(s.Footer(width), x-left, s.Keys.Footer(s.of, s.Kept, false))), nil
		case s.Over != nil:
			return s.Over.MouseHandler()(action, e, func(tview.Primitive) {})
		}
		return s.mouse(action, y), nil
	})
}

// mouse moves the focus by the wheel or a click. A click on the row in focus opens it, as a
// double click does any row.
func (s *Screen[V]) mouse(action tview.MouseAction, y int) bool {
	row := s.first + y - s.top
	switch {
	case action == tview.MouseScrollUp:
		s.Move(-1)
	case action == tview.MouseScrollDown:
		s.Move(1)
	case action != tview.MouseLeftClick && action != tview.MouseLeftDoubleClick || y < s.top || y >= s.top+s.Height || row >= len(s.Items):
		return false
	case row != s.Row:
		s.Move(row - s.Row)
		s.into = true
	case action == tview.MouseLeftDoubleClick && !s.into: // a slip of the hand: the first click has opened it
	default:
		s.into = false
		s.Open()
	}
	return true
}

// Gap returns how many blank rows part the list from what is around it.
func Gap(height int) int {
	if height >= cells.Roomy {
		return 1
	}
	return 0
}

// Layout gives the list the room between a title and the last below rows of the
// screen, and scrolls to the row in focus.
func (s *Screen[V]) Layout(below int) {
	_, y, _, height := s.GetInnerRect()
	gap := Gap(height)
	s.top, s.Height = y+1+gap, max(1, height-1-below-2*gap)
	s.Move(0)
	s.first = min(max(s.first, s.Row-s.Height+1), s.Row)
	s.first = max(0, min(s.first, len(s.Items)-s.Height))
}

// Visible returns the rows that Layout has put on view: from the first to before the second.
func (s *Screen[V]) Visible() (from, to int) {
	return min(s.first, len(s.Items)), min(len(s.Items), s.first+s.Height)
}

// Y returns where on the screen row i is.
func (s *Screen[V]) Y(i int) int { return s.top + i - s.first }

// DrawTitle draws the first row: a title, the filter, more, and a warning.
func (s *Screen[V]) DrawTitle(screen tcell.Screen, title, more, warning string) {
	x, y, width, _ := s.GetInnerRect()
	at := display.Put(screen, x, y, width, s.Styles[styled.Strong], title) + 2
	if s.Typing || s.Filter != "" {
		at += display.Put(screen, x+at, y, width-at, s.Styles[styled.Accent], "/"+text.OneLine(s.Filter, 40))
		if s.Typing {
			screen.ShowCursor(x+min(at, width-1), y)
		}
		at += 2
	}
	at += display.Put(screen, x+at, y, width-at, s.Styles[styled.Dim], more) + 2
	display.Put(screen, x+at, y, width-at, s.Styles[styled.Warn], warning)
}

// Footer returns the last row: the keys that work now.
func (s *Screen[V]) Footer(width int) string {
	if s.Help {
		return "Any key closes this."
	}
	return keymap.Footer(s.Keys.Footer(s.of, s.Kept, false), width)
}
