package display

import (
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
)

// quiet hands a frame to its screen when it is whole. tview clears the screen and
// every box before it draws, and for tcell (2.13) a cell that held something else in
// between has changed: every tick of a clock would send all of it to the terminal.
//
// It shows styles as they can be read on its terminal.
type quiet struct {
	tcell.Screen
	tty  *batchTty
	next tcell.CellBuffer // the frame being drawn
	// coloured: it has a colour somewhere. A theme that has none gets none.
	coloured bool
	pasting  bool   // the end of a paste is to come
	rest     string // what may still come of one that came in parts
}

// Init ends the loop where the terminal cannot be had. tview drops the error, and would go on with
// nothing drawn and no key read: a popup would stay blank until somebody kills it.
func (q *quiet) Init() error {
	err := q.Screen.Init()
	if err != nil {
		_ = q.PostEvent(tcell.NewEventError(err)) // there is room: nothing was read
	}
	return err
}

// Clear begins a frame.
func (q *quiet) Clear() {
	q.coloured = false
	q.next.Resize(q.Size())
	q.next.Fill(' ', tcell.StyleDefault)
}

func (q *quiet) SetContent(x, y int, sign rune, more []rune, style tcell.Style) {
	if len(more) > 0 && (more[0] == 0xfe0e || more[0] == 0xfe0f) { // of what is typed: the text area keeps them (text.Bare)
		more = more[1:]
	}
	if joined := slices.Index(more, 0x200d); joined >= 0 && sign >= 0x2000 { // an emoji of several, for which hosts count other cells
		more = more[:joined]
	}
	if was, now, _ := q.next.Get(x, y); sign != ' ' || was != " " || now != style { // a blank mostly is one
		q.next.Put(x, y, string(sign)+string(more), style)
		fg, _, _ := style.Decompose()
		q.coloured = q.coloured || fg != tcell.ColorDefault
	}
}

func (q *quiet) Get(x, y int) (string, tcell.Style, int) { return q.next.Get(x, y) }

// GetContent returns a cell as tview asks for it.
func (q *quiet) GetContent(x, y int) (rune, []rune, tcell.Style, int) {
	sign, style, width := q.next.Get(x, y)
	if runes := []rune(sign); len(runes) > 0 {
		return runes[0], runes[1:], style, width
	}
	return ' ', nil, style, width
}

func (q *quiet) Show() {
	width, height := q.next.Size()
	most := q.Colors()
	var before, as tcell.Style // most cells have the style of the one before
	for y := range height {
		for x := 0; x < width; {
			sign, style, cells := q.next.Get(x, y)
			if style != before || x+y == 0 {
				if before, as = style, style; q.coloured {
					as = q.tty.had(style, most)
				}
			}
			q.Screen.Put(x, y, sign, as)
			x += max(1, cells)
		}
	}
	q.Screen.Show()
}

// PollEvent ends a paste at an Esc that stands by itself, which no terminal has in one. A person presses it where
// the end never came, since tview takes every key for the paste until then. And tcell (2.13) makes it of an end
// that comes in two parts, as over a slow line: what comes of that behind it is no key.
func (q *quiet) PollEvent() tcell.Event {
	e := q.Screen.PollEvent()
	if paste, is := e.(*tcell.EventPaste); is {
		q.pasting = paste.Start()
	}
	switch key, is := e.(*tcell.EventKey); {
	case !is || !q.pasting && q.rest == "":
	case q.pasting && key.Key() == tcell.KeyEscape:
		q.pasting, q.rest = false, "[201~"
		return tcell.NewEventPaste(false)
	case key.Key() == tcell.KeyRune && strings.HasPrefix(q.rest, string(key.Rune())):
		q.rest = q.rest[1:]
		return q.PollEvent()
	default:
		q.rest = ""
	}
	return e
}

// Fini gives the terminal back. tcell (2.13) waits there for its loops, which wait for whoever reads
// the events, and tview reads none meanwhile: a long paste into a form that closes would keep it open
// for ever. What is typed from now on goes nowhere; the events are read until the program ends.
func (q *quiet) Fini() {
	go func() {
		for range q.Screen.(interface{ EventQ() chan tcell.Event }).EventQ() {
		}
	}()
	select {
	case q.tty.line <- struct{}{}: // from here on nothing is read
	case <-time.After(answerLimit): // nobody reads any more
	}
	q.Screen.Fini()
}
