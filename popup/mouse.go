package popup

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/machine"
)

// MouseHandler is tview's.
func (v *view) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return v.WrapMouseHandler(func(action tview.MouseAction, e *tcell.EventMouse, set func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := e.Position()
		switch action {
		case tview.MouseScrollUp:
			v.scroll -= 2
			return true, nil
		case tview.MouseScrollDown:
			v.scroll += 2
			return true, nil
		}
		if v.peek != nil || v.cramped {
			return true, nil
		}
		if v.m.Typing() && v.entry.InRect(x, y) {
			consumed, capture := v.entry.MouseHandler()(action, e, func(tview.Primitive) {})
			return consumed, capture
		}
		// tview calls any two clicks in quick succession a double click. On the
		// same spot the second is a slip of the hand: what it would choose has
		// only just appeared there.
		spot := [2]int{x, y}
		if action == tview.MouseLeftDoubleClick && spot != v.clicked {
			action = tview.MouseLeftClick
		}
		if action != tview.MouseLeftClick {
			return false, nil
		}
		v.clicked = spot
		v.send(personDid{do: func() { v.click(x, y) }})
		return true, nil
	})
}

func (v *view) click(x, y int) {
	e, ok := v.hitAt(x, y)
	if !ok {
		return
	}
	if v.m.Mode() == machine.Entry { // a click beside the entry leaves it first
		v.handle(machine.Event{Action: machine.Back})
	}
	if v.m.Mode() == machine.Review && e.Action == machine.Choose {
		v.handle(machine.Event{Action: machine.Last})
	}
	v.handle(e)
}

// hitAt is what a click there does, if anything.
func (v *view) hitAt(x, y int) (e machine.Event, ok bool) {
	left, top, _, _ := v.GetInnerRect()
	row, hits := y-top, v.page.Tabs
	if y >= v.bodyTop {
		row, hits = y-v.bodyTop+v.scroll, v.page.Hits
	}
	for _, h := range hits {
		if h.Row == row && (h.To == 0 || x-left >= h.From && x-left < h.To) && y < v.bodyTop+v.bodyRows {
			return h.Event, true
		}
	}
	return e, false
}
