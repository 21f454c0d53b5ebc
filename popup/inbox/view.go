package inbox

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/display"
)

// view is the inbox on a screen. It belongs to tview's event loop, but for list.
type view struct {
	*tview.Box
	Config
	list   *list
	styles display.Theme
	// leave ends the list, to do something else with the terminal; nil is for good.
	leave func(with func() string)
	// quitSoon is to leave for good, from where the application is busy drawing.
	quitSoon func()
	caughtUp func()

	on     string // the question in focus, by its id
	row    int    // and where it stood: another takes its place when it goes
	scroll int    // the first row on view
	top    int    // screen row of the first row on view, as last drawn
	rows   int    // how many rows there are room for
	shown  []string
	drawn  struct { // what shown was made of
		turn   int
		filter string
	}

	filter    string
	filtering bool // it is being typed
	asks      *asks
	help      bool
	notice    string // about the last key
}

// asks is something that wants a yes first.
type asks struct {
	text string
	verb string // what y does
	yes  func()
}

func newView(c Config) *view {
	v := &view{Box: tview.NewBox(), Config: c, list: newList(c.Spool), styles: display.ThemeOf(c.Theme)}
	v.leave, v.quitSoon, v.caughtUp = func(func() string) {}, func() {}, func() {}
	v.SetBackgroundColor(tcell.ColorDefault)
	return v
}

// catchUp takes in what the list has become.
func (v *view) catchUp() {
	v.caughtUp()
	v.list.mu.Lock()
	told := v.list.told
	v.list.told = nil
	v.list.mu.Unlock()
	for _, f := range told {
		f()
	}
	v.list.mu.Lock()
	defer v.list.mu.Unlock()
	if v.drawn.turn == v.list.turn && v.drawn.filter == v.filter {
		return
	}
	v.drawn.turn, v.drawn.filter = v.list.turn, v.filter
	v.shown = v.shown[:0]
	filter := strings.ToLower(v.filter)
	for _, id := range v.list.ids {
		if r := v.list.rows[id]; filter == "" || r != nil && strings.Contains(r.text, filter) {
			v.shown = append(v.shown, id)
		}
	}
	if i, there := slices.BinarySearch(v.shown, v.on); there {
		v.row = i
	}
	v.row = max(0, min(v.row, len(v.shown)-1))
	v.on = ""
	if len(v.shown) > 0 {
		v.on = v.shown[v.row]
	}
}

// get is a question as it was read last; nil where it has not been yet.
func (v *view) get(id string) *row {
	v.list.mu.Lock()
	defer v.list.mu.Unlock()
	return v.list.rows[id]
}

// counts says how many wait, how many of them are not read yet, and what is wrong.
func (v *view) counts() (all, unread int, err error) {
	v.list.mu.Lock()
	defer v.list.mu.Unlock()
	return len(v.list.ids), len(v.list.ids) - len(v.list.rows), v.list.err
}

func (v *view) move(by int) {
	v.row = max(0, min(v.row+by, len(v.shown)-1))
	if len(v.shown) > 0 {
		v.on = v.shown[v.row]
	}
}

// focused is the question in focus, where something can be done with it.
func (v *view) focused() *row {
	r := v.get(v.on)
	if r != nil && r.err != nil {
		v.notice = r.err.Error()
		return nil
	}
	return r
}

func (v *view) open() {
	r := v.focused()
	switch {
	case r == nil:
	case !r.Status.Shown:
		v.answer(r)
	case r.Status.PID == 0:
		v.notice = "It is just being opened elsewhere."
	default:
		v.asks = &asks{verb: "take it over", yes: func() { v.takeOver(r) }, text: fmt.Sprintf(
			"%s is open%s. Taking it over closes it there; what was typed comes along.", r.name(), on(r.Status.Viewer))}
	}
}

func (v *view) askDismiss() {
	if r := v.focused(); r != nil {
		v.asks = &asks{verb: "dismiss it", yes: func() { v.notice = v.dismiss(r) }, text: fmt.Sprintf(
			"Dismiss %s of %s? The agent is told that you cancelled it.", r.name(), text.Quoted(r.Origin.Agent, 24))}
	}
}

func (v *view) jump() {
	if r := v.focused(); r != nil {
		v.goTo(r)
	}
}

func (v *view) answerAsked(yes bool) {
	asked := v.asks
	v.asks = nil
	if yes {
		asked.yes()
	}
}

var _ tview.Primitive = (*view)(nil)
