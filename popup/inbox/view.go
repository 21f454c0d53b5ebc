package inbox

import (
	"slices"
	"strings"
	"time"

	"github.com/rivo/tview"

	"github.com/askpane/askpane/popup/display"
)

// view is the inbox on a screen, and belongs to its loop. Questions are read when they come on view; for the filter, all of them.
type view struct {
	display.List
	Config
	theme display.Theme
	app   *display.App
	// leave ends the list, to do something else with the terminal; nil is for good.
	leave func(with func() string)

	waits    waiting
	rows     map[string]*row   // those that were read
	branches map[string]string // by directory
	shown    []string          // the questions in the list
	unread   bool              // the filter has not seen all of them
	on       string            // the question in focus, by its id

	filter    string
	filtering bool // it is being typed
	confirm   *confirmation
	help      bool
	notice    string // about the last key
}

// waiting is what the spool holds, oldest first, and why there may be more.
type waiting struct {
	ids []string
	err error
}

// confirmation is something that wants a yes first.
type confirmation struct {
	text string
	verb string // what y does
	yes  func()
}

func newView(c Config) *view {
	v := &view{List: display.NewList(), Config: c, theme: display.ThemeOf(c.Theme), rows: map[string]*row{}, branches: map[string]string{}}
	v.leave = func(func() string) {}
	return v
}

// scan finds out which questions wait.
func (v *view) scan() waiting {
	ids, _, err := v.Spool.Scan()
	return waiting{ids, err}
}

// takeIn forgets what is over, and what is on view, which is read again.
func (v *view) takeIn(now waiting) {
	from, to := v.Visible()
	for _, id := range v.shown[from:to] {
		delete(v.rows, id)
	}
	for id := range v.rows {
		if _, there := slices.BinarySearch(now.ids, id); !there {
			delete(v.rows, id)
		}
	}
	v.waits = now
}

// readLimit is how long the filter may read before the screen is drawn and keys
// have their turn.
const readLimit = 30 * time.Millisecond

// choose makes the list of what is shown. The focus stays on its question; another
// takes its place when it goes.
func (v *view) choose() {
	v.shown, v.unread = v.waits.ids, false
	if v.filter != "" {
		v.shown = v.matching(strings.ToLower(v.filter))
	}
	v.Len = len(v.shown)
	if i, there := slices.BinarySearch(v.shown, v.on); there {
		v.Row = i
	}
	v.move(0)
}

// matching are the questions that have filter in them, of those read in time.
func (v *view) matching(filter string) (ids []string) {
	late := time.Now().Add(readLimit)
	for _, id := range v.waits.ids {
		if v.rows[id] == nil {
			if v.unread = v.unread || time.Now().After(late); v.unread {
				continue
			}
			v.rows[id] = v.read(id)
		}
		if strings.Contains(v.rows[id].text, filter) {
			ids = append(ids, id)
		}
	}
	if v.unread {
		v.app.Redraw()
	}
	return ids
}

// get is a question as it was read last.
func (v *view) get(id string) *row {
	if v.rows[id] == nil {
		v.rows[id] = v.read(id)
	}
	return v.rows[id]
}

func (v *view) move(by int) {
	v.Move(by)
	if v.on = ""; v.Len > 0 {
		v.on = v.shown[v.Row]
	}
}

// focused is the question in focus, where something can be done with it.
func (v *view) focused() *row {
	if v.on == "" {
		return nil
	}
	r := v.get(v.on)
	if r.err != nil {
		v.notice = r.err.Error()
		return nil
	}
	return r
}

var _ tview.Primitive = (*view)(nil)
