// Package inbox lists all questions that wait, of every agent, host and session, on a
// terminal: they are answered, gone to and dismissed from there.
//
// It touches that terminal, the spool, the file HEAD of the repositories that
// agents work in, and the process of a popup that is taken over. The rule that must
// hold here: what happens to a question is said by name before it happens, and only
// what is on view is read, unless a filter looks for more.
package inbox

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/list"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/settings"
)

// Config tells the inbox what it needs to know.
type Config struct {
	Spool *spool.Spool
	Now   settings.Settings
	// Answer shows the question's form on this terminal until it is closed. The
	// error wraps popup.ErrShown where another popup has it.
	Answer func(id string) error
	// Pane returns the pane that a host calls ref, nil where it cannot be gone to.
	Pane func(host, ref string) host.Pane
	// Shows reports whether the system says that a process runs one of askpane's programs that
	// show forms.
	Shows       func(pid int) bool
	host.Quirks                             // of this terminal
	Mute        func(until time.Time) error // the zero time ends it
	Muted       func() string               // until when, in words; empty is not
}

// view shows the inbox on a screen, and belongs to its loop. Questions are read when
// they come on view; for the filter, all of them.
type view struct {
	list.Screen[*view] // of the questions that the filter leaves, by their ids
	Config
	app *display.App
	// leave ends the list, to do something else with the terminal; nil is for good.
	leave func(with func() string)

	ids     []string               // the questions that wait, oldest first
	broken  error                  // why there may be more
	rows    map[string]*record.Row // those that were read
	confirm confirmation           // wants a yes, where something is over the list
	// sent was answered here, and its other machine has not said yet what it makes of that.
	sent *record.Row
}

func newView(c Config) *view {
	v := &view{Config: c, rows: map[string]*record.Row{}}
	v.Screen = list.New(v, keys, v.find, v.open)
	v.Styles, v.Kept = display.ThemeOf(c.Now.Theme, c.Now.Colours), c.Keeps
	return v
}

// Run shows the inbox until the person leaves it or ctx ends.
func Run(ctx context.Context, c Config) error {
	v := newView(c)
	for ctx.Err() == nil {
		screen, err := display.Open()
		if err != nil {
			return err
		}
		next, err := v.run(ctx, display.NewApp(screen, v))
		if err != nil || next == nil {
			return err
		}
		v.Notice = next()
	}
	return nil
}

// run shows the list once. next is what to do with the terminal before it is
// shown again, and returns what to say then; nil is to leave.
func (v *view) run(ctx context.Context, app *display.App) (next func() string, err error) {
	v.app = app
	v.leave = func(with func() string) {
		next = with
		app.Stop()
	}
	v.takeIn(v.Spool.Scan())
	err = app.Run(ctx, v.follow)
	return next, err
}

// follow has the view drawn with what has come and gone in the spool, and once a
// second: of a bridge or a popup that has died nobody tells, and ages grow.
func (v *view) follow(ctx context.Context) {
	watch := v.Spool.Watch()
	defer watch.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.Changed:
		case <-tick.C:
		}
		ids, history, err := v.Spool.Scan()
		v.app.Post(func() { v.takeIn(ids, history, err) })
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond): // there may be more news
		}
	}
}

// takeIn takes over what Scan has found, and forgets what is on view, which is read
// again.
func (v *view) takeIn(ids, _ []string, err error) {
	from, to := v.Visible()
	for _, id := range v.Items[from:to] {
		delete(v.rows, id)
	}
	v.ids, v.broken = ids, err
	if !v.Typing && len(v.find(strings.ToLower(v.Filter))) == 0 { // its last match is answered
		v.ShowAll()
	}
	if v.sent != nil {
		v.hear()
	}
}

// find returns the questions that the filter leaves.
func (v *view) find(filter string) []string {
	if filter == "" {
		return v.ids
	}
	return slices.DeleteFunc(slices.Clone(v.ids), func(id string) bool { return !strings.Contains(v.get(id).Text, filter) })
}

// get returns a question as it was read last, and reads it where it was not.
func (v *view) get(id string) *record.Row {
	if v.rows[id] == nil {
		v.rows[id] = record.ReadRow(v.Spool, id)
	}
	return v.rows[id]
}

// focused returns the question in focus, where something can be done with it.
func (v *view) focused() *record.Row {
	if v.Focused() == "" {
		return nil
	}
	r := v.get(v.Focused())
	if r.Err != nil {
		v.Notice = r.Err.Error()
		return nil
	}
	return r
}
