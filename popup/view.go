package popup

import (
	"cmp"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// view draws a machine and turns keys, clicks and pastes into its events.
type view struct {
	*tview.Box
	scroll
	entry *entry
	peek  peek

	m     *machine.Machine
	keys  keymap.Form
	theme display.Theme
	owner
	st   scene.Status // as last drawn
	pane host.Pane    // where the agent asks from; nil where it cannot be looked at
	kept []string     // keys that the terminal keeps for itself

	command  bool // a colon was typed where it is no key, and no Enter yet
	cramped  bool // the terminal is too small to show a form
	expanded bool // the preview
	previews func(p form.Preview, width int) []styled.Row
	clicked  [2]int // where the last click was
	notice   string // about a key that means nothing; until the next event
	toEnd    bool   // the end of the preview is on view
	opens    bool   // the question's page can be opened in a browser
	serves   bool   // and by o: a desk serves it already
	back     bool   // there is a list to go back to
	padding  int    // columns that stay free on each side, where there are enough
	boxed    bool   // the form draws a box of its own
	inside   inside // that box
}

// owner has what a view asks whoever it belongs to. A view has the first five by itself, and one that
// is only read asks for nothing else.
type owner struct {
	status    func() scene.Status
	take      func(machine.Event)                         // gives the machine an event, with what follows from it
	counts    func(key string, answers, pasted bool) bool // what the person does is meant for the form; answers: it may answer
	fit       func()                                      // another question is on view, or the terminal has another size
	roomAgain func()                                      // the terminal was too small to be read, and is not any more
	suspend   func(run func()) bool                       // runs a program in the form's place; false where that cannot be
	lookThere func()                                      // at the asking pane
	goThere   func()                                      // to the pane, to answer later
	openPage  func()                                      // in the browser
	putAside  func()                                      // the form is left for where it was opened from
	goToOther func(step int)                              // the next (1) or the previous (-1) form that waits
}

func newView(m *machine.Machine, th display.Theme) *view {
	v := &view{Box: tview.NewBox(), m: m, keys: keymap.Of(m.Form()).Keys(), scroll: scroll{fresh: true}}
	v.status, v.take = func() scene.Status { return scene.Status{} }, m.Handle
	v.counts, v.fit, v.roomAgain = func(string, bool, bool) bool { return true }, func() {}, func() {}
	v.SetBackgroundColor(tcell.ColorDefault)
	v.entry = newEntry(m, func(text string) { v.handle(machine.Event{Action: machine.Type, Text: text}) })
	v.setTheme(th)
	return v
}

func (v *view) setTheme(th display.Theme) {
	v.theme = th
	v.entry.SetTextStyle(th[styled.Text]).SetPlaceholderStyle(th[styled.Dim])
}

// handle gives an event to the machine and lets the screen follow.
func (v *view) handle(e machine.Event) {
	step, cursor, mode := v.m.Step(), v.m.Cursor(), v.m.Mode()
	v.notice, v.command = "", false
	v.take(e)
	v.follow = true
	if (v.m.Step() != step || v.m.Cursor() != cursor) && v.page.Pane.Lines == nil {
		v.paneFrom = 0
	}
	if v.m.Step() != step {
		v.fresh = true
		v.fit()
	} else if mode == machine.Note && v.m.Mode() != machine.Note { // a remark is typed at the bottom
		v.top = 0
		v.fit()
	}
	if e.Action == machine.Up && v.m.Mode() == machine.List && v.m.Cursor() == 0 { // what is asked stands above
		v.top, v.follow = 0, cursor != 0
	}
	v.entry.sync()
	if q := v.m.Question(); mode != machine.Entry && v.m.Mode() == machine.Entry && q != nil && q.Document != nil {
		v.openEditor() // a document is edited there alone
	}
}

// On fewer columns or rows nothing of a form can be read, and no key answers it.
// They are what a popup has inside on the smallest tmux client that gets one.
const leastWidth, leastHeight = 18, 3

func (v *view) Draw(screen tcell.Screen) {
	v.entry.sync()
	s, on := v.now()
	b := v.pad(s, on)
	v.DrawForSubclass(screen, v)
	x, y, width, height := v.GetInnerRect()
	if width < 1 || height < 1 {
		return
	}
	was := v.cramped
	if v.cramped = width < leastWidth || height < leastHeight; was && !v.cramped {
		v.roomAgain()
	}
	if size := [2]int{width, height}; size != v.size { // a resize must not lose the cursor
		if v.size != [2]int{} {
			v.follow = true
			v.fit()
		}
		v.size = size
	}
	if v.cramped { // the host may have made it so, and have heard of its size when the terminal was smaller
		display.Put(screen, x, y, width, v.theme[styled.Text], cells.Shorten("too small; make it larger", width))
		return
	}
	th := v.theme
	if ended := v.st.Ended; ended != nil && ended.Outcome == form.Timeout {
		th = th.Greyed()
	}
	if v.page = b.page; b.columns == 0 {
		v.page = layout.Form(s, on, width, height)
	} else {
		b.draw(screen, th[styled.Rule])
	}
	p := &v.page
	v.bodyTop = y + len(p.Head)
	v.keepInView(v.m.Typing(), max(1, height-len(p.Head)-len(p.Foot)))
	th[styled.Link] = th[styled.Link].Url(v.peek.link) // of an agent's none opens anything
	put := func(top int, rows []styled.Row) {
		for i, row := range rows {
			th.PutRow(screen, x, top+i, width, row)
		}
	}
	put(y, p.Head)
	right := max(0, p.Width-p.Right.Width())
	th.PutRow(screen, x+right, y, p.Width-right, p.Right)
	put(v.bodyTop, p.Body[v.top:min(len(p.Body), v.top+v.bodyRows)])
	if v.toEnd = false; p.Pane.Height > 0 {
		v.drawPane(screen, x, width)
	}
	v.footTop = y + height - len(p.Foot)
	put(v.footTop, p.Foot)
	if len(p.Body) > v.bodyRows {
		v.drawRest(screen, x, width, v.footTop)
	}
	v.drawEntry(screen, x)
}

// now returns what the page shows.
func (v *view) now() (scene.Scene, layout.Screen) {
	v.st = v.status()
	v.st.Notice = cmp.Or(v.st.Notice, v.notice)
	on := layout.Screen{Expanded: v.expanded && v.previewable(), Previews: v.previews, Peek: v.peek.rows, PeekTitle: v.peek.title}
	if v.m.Mode() == machine.Help {
		on.Helps = v.hintsBelow()
	} else {
		on.Hints = v.hints(false)
	}
	return scene.Of(v.m, v.st), on
}

// drawRest says how much of the body is above and below what is on view: in the blank
// rows there, else by a mark.
func (v *view) drawRest(screen tcell.Screen, x, width, foot int) {
	p := &v.page
	above, below := v.top, len(p.Body)-v.top-v.bodyRows
	say := func(y, rows int, sign, key string) {
		words := sign + " " + scene.Counted(rows, "more row")
		if p.Pane.Height == 0 { // else the key scrolls that
			words += ", " + key
		}
		display.Put(screen, x+max(0, p.Width-cells.Width(words)), y, p.Width, v.theme[styled.Accent], words)
	}
	if above > 0 && len(p.Head[len(p.Head)-1]) == 0 {
		say(v.bodyTop-1, above, "↑", "PgUp")
		above = 0
	}
	if below > 0 && len(p.Foot[0]) == 0 {
		say(foot, below, "↓", "PgDn")
		below = 0
	}
	display.PutMore(screen, x+width-1, v.bodyTop, v.bodyRows, v.theme, above > 0, below > 0)
}

// drawPane draws as much of the preview as is on view, marked in its own rule.
func (v *view) drawPane(screen tcell.Screen, x, width int) {
	p := v.page.Pane
	top, rows := v.paneOnView()
	if rows == 0 {
		return
	}
	v.paneFrom = max(0, min(v.paneFrom, len(p.Rows)-rows))
	v.toEnd = v.paneFrom+rows == len(p.Rows)
	for i, row := range p.Rows[v.paneFrom:min(len(p.Rows), v.paneFrom+rows)] {
		v.theme.PutRow(screen, x+p.Col, top+i, width-p.Col, row)
	}
	display.PutMore(screen, x+p.Col-2, top, rows, v.theme, v.paneFrom > 0, v.paneFrom+rows < len(p.Rows))
}

func (v *view) drawEntry(screen tcell.Screen, x int) {
	screen.HideCursor()
	v.entry.SetRect(0, 0, 0, 0) // no click is on what was there
	e := v.page.Entry
	row := max(0, e.Row-v.top) // of one that is taller than what is on view, the end is
	rows := min(e.Row-v.top+e.Rows, v.bodyRows) - row
	if rows < 1 || v.peek.rows != nil {
		return
	}
	if v.m.TypingSecret() {
		v.drawSecret(screen, x+e.Col, v.bodyTop+row, e.Cols)
		return
	}
	v.entry.SetRect(x+e.Col, v.bodyTop+row, e.Cols, rows)
	v.entry.Draw(screen)
	// The text area scrolled while it had the height from before the last key. By itself it scrolls
	// neither back nor to the cursor, and behind a full last row it hides that.
	first, _ := v.entry.GetOffset()
	_, _, line, col := v.entry.GetCursor()
	first = max(0, min(first, line, e.Text-rows), line-rows+min(1, col))
	v.entry.SetOffset(first, 0).Draw(screen)
	if line-first+min(1, col/e.Cols) == rows {
		screen.ShowCursor(x+e.Col+e.Cols, v.bodyTop+row+rows-1)
	}
}

func (v *view) say(notice string) { v.notice = notice }

func (v *view) toEntry(e *tcell.EventKey) {
	if v.m.TypingSecret() {
		v.typeSecret(e)
	} else {
		v.entry.editLine(display.KeyName(e), e)
	}
	v.follow = true
}

// Focus has the text area show its cursor.
func (v *view) Focus(func(tview.Primitive)) {
	v.Box.Focus(nil)
	v.entry.Focus(nil)
}

// paste takes a paste for text and never for a choice.
func (v *view) paste(text string) {
	switch {
	case v.m.ReadOnly() || v.peek.rows != nil:
	case v.m.Leaving():
		v.handle(machine.Event{Action: machine.Back})
	case v.m.TypingSecret():
		v.handle(machine.Event{Action: machine.Type, Text: v.m.Buffer() + v.entry.clean(strings.TrimRight(text, "\r\n"))})
	case v.m.Typing():
		v.entry.PasteHandler()(v.entry.clean(text), func(tview.Primitive) {})
		v.follow = true
	case v.m.Takes(machine.Write):
		v.handle(machine.Event{Action: machine.Write})
		v.paste(text)
	case v.m.Question() != nil && v.m.Question().Other != "":
		v.say("To answer with the pasted text, choose “" + v.m.Question().Other + "” first and paste again.")
	}
}
