// Package layout lays a scene out, as styled rows for one width and height, and says what a
// click on them does.
//
// It knows no terminal and no colours. The rule that must hold here: a text of an
// agent's begins no row and stands beside no sign of ours without showing that it is
// the agent's.
package layout

import (
	"cmp"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// Page holds a form laid out for one width and height.
type Page struct {
	Head []styled.Row // above the body: who asks, and the tabs
	// Right stands at the right end of the head's first row, which it is no part
	// of: how long the form has waited, or how it stands with it.
	Right styled.Row
	Width int          // columns, at whose right end that stands
	Body  []styled.Row // scrolls
	Foot  []styled.Row // below the body: a notice, and the keys
	Hangs int          // how many rows of a notice take room of the body's
	// Focus has the rows of the body that belong to the cursor: from, to (past the end).
	Focus [2]int
	// Asked has the rows of the body with what the agent asks in the end: from, to.
	Asked [2]int
	// Entry says where in the body the text entry goes.
	Entry Entry
	// Pane says where in the body a preview goes.
	Pane Pane
	// Hits says what a click in the body does, Tabs what one in the head does.
	Hits, Tabs []Hit
}

// Entry places the open text entry: its first row and column, and how many
// of each it has; none where no entry is open. Text counts the rows that its text takes,
// shown or not.
type Entry struct{ Row, Col, Rows, Cols, Text int }

// Hit makes an area do something when clicked: in a row, columns from, to (past the end; 0 is all of them).
type Hit struct {
	Row, From, To int
	Event         machine.Event
}

// Start returns the first row to show of the body where it has so many on view: then what is
// asked in the end can be read, of a long one the end, and as many choices as possible.
func (p *Page) Start(rows int) int {
	end, asked := p.Focus[1], max(p.Asked[0], p.Asked[1]-rows/2)
	if n := len(p.Hits); n > 0 {
		end = max(end, p.Hits[n-1].Row+1)
	}
	return max(0, min(end-rows, asked))
}

// Screen holds what a page shows of its screen, beside the scene.
type Screen struct {
	Hints    []keymap.Hint // the keys that work now
	Helps    []keymap.Hint // those that the help lists
	Expanded bool          // the preview stands in the place of the question
	// Previews gives previews in rows of at most so many cells, at once: those there are so
	// far, which may not be changed.
	Previews  func(p form.Preview, width int) []styled.Row
	Peek      []styled.Row // the rows of the asking pane, in the place of the form; nil where it is not looked at
	PeekTitle string       // what they are instead
}

// key returns the key that footer or help have for something; empty for none.
func (on Screen) key(help string) string {
	for _, h := range slices.Concat(on.Hints, on.Helps) {
		if h.Help == help {
			return h.Keys
		}
	}
	return ""
}

// Rows counts the rows that all of the page takes.
func (p *Page) Rows() int { return len(p.Head) + len(p.Body) + len(p.Foot) }

type layouter struct {
	Page
	s      *scene.Scene
	on     Screen
	width  int
	height int
	roomy  bool // there is room for blank rows
	spare  int  // and where there is not, for so many,
	kept   int  // of which this one parts the answer from the question
	alone  bool // a remark stands in the place of the answer
	brief  int  // where descriptions begin that stand behind the labels; below 0: they stand below; 0: nobody has asked
}

// Form lays a scene out. On a page that is short of rows a remark that is typed stands in
// the place of the answer; a short popup has no blank rows then, and one where all fits
// without them has those that there is room for.
func Form(s scene.Scene, on Screen, width, height int) Page {
	l := layouter{s: &s, on: on, width: width, height: height, roomy: true}
	page := l.page()
	if s.Mode == machine.Note && page.settled() > height {
		l.alone = true
		page = l.page()
	}
	if page.settled() > height {
		l.roomy = false
		if dense := l.page(); height < cells.Roomy || dense.settled() <= height {
			l.spare = height - dense.settled() + dense.gives()
			if s.Question != nil {
				l.kept = 1
			}
			page = l.page()
		}
	}
	return page
}

// gives counts the rows that a preview, which scrolls, can do without. Beside the choices it is as
// high as they are.
func (p *Page) gives() int {
	least := leastPreview
	if n := len(p.Hits); n > 0 && p.Pane.Row <= p.Hits[n-1].Row {
		least = max(least, n)
	}
	return max(0, p.Pane.Height-least)
}

// settled counts the rows that a page takes without a notice, for which nothing that can
// be pressed moves.
func (p *Page) settled() int { return p.Rows() - p.Hangs }

// page lays the form out once.
func (l layouter) page() Page {
	if !slices.ContainsFunc(l.s.Form.Questions, func(q form.Question) bool {
		return slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Preview != nil })
	}) {
		l.width = min(l.width, mostColumns-2*Padding)
	}
	l.Width = l.width
	l.header()
	if l.on.Peek != nil {
		l.peek()
		return l.Page
	}
	declining := l.s.Mode == machine.Decline || l.s.Mode == machine.Reason
	if l.s.Tabs != nil && l.height > 3 && (!declining || l.roomy) { // three rows show what has the focus instead, a short popup all the reasons
		l.tabBar()
	}
	l.blank(&l.Head)
	l.footer() // says how much room there is
	switch {
	case l.s.Mode == machine.Help:
		l.help()
	case declining:
		l.refusal()
	case l.s.Question != nil:
		l.question()
	default:
		l.review()
	}
	if l.s.Mode == machine.Note || l.s.Mode == machine.Search {
		l.remark()
	}
	return l.Page
}

// blank adds an empty row, or one with a mark alone, where there is room for one.
func (l *layouter) blank(to *[]styled.Row, mark ...styled.Span) {
	if l.roomy || l.spare > l.kept {
		*to = append(*to, mark)
		l.spare--
	}
}

// put adds a text to the body, wrapped, all its rows indented alike.
func (l *layouter) put(indent string, said string, style styled.Style) {
	head := styled.Row{in(style, indent)}
	l.flow(l.width, head, head, in(style, said))
}

// flow adds a text to the body in rows of at most so many cells: first before the
// first of them, and rest, which is as wide, before the others.
func (l *layouter) flow(width int, first, rest styled.Row, said ...styled.Span) {
	for n, row := range styled.Wrap(said, width-rest.Width()) {
		head := rest
		if n == 0 {
			head = first
		}
		l.Body = append(l.Body, slices.Concat(head, row))
	}
}

// peek lays the pane's screen out in the place of the form.
func (l *layouter) peek() {
	l.Head = append(l.Head, styled.Row{in(styled.Accent, cmp.Or(l.on.PeekTitle, "What the asking pane shows"))})
	for _, row := range l.on.Peek {
		l.Body = append(l.Body, append(styled.Row{in(styled.Rule, bar)}, row...))
	}
	if len(l.Body) == 0 {
		l.Body = append(l.Body, styled.Row{in(styled.Dim, "It shows nothing.")})
	}
	l.Foot = append(l.Foot, styled.Row{in(styled.Dim, shorten("Esc back to the question · ↑↓ PgUp PgDn scroll", l.width))})
}

// footer adds the notice, if any, and the keys that work now.
func (l *layouter) footer() {
	switch notice := cmp.Or(l.s.Trouble, l.s.Notice); {
	case notice != "":
		rows := styled.Wrap(styled.Row{in(styled.Warn, notice)}, l.width)
		l.Foot = append(l.Foot, rows[:min(3, len(rows), max(1, l.height-3))]...)
		l.Hangs = len(l.Foot) - 1
		if !l.roomy && l.spare <= l.kept && l.s.Over == "" { // the notice takes the keys' row
			return
		}
		l.spare--
	default:
		l.blank(&l.Foot)
	}
	room := min(l.width, proseColumns) // what does not matter now is in the help
	if l.s.Typing {
		room = l.width
	}
	keys := keymap.Footer(l.on.Hints, room)
	if l.s.Mode == machine.Help || l.s.Over != "" {
		keys = "any key closes this"
	}
	l.Foot = append(l.Foot, styled.Row{{Text: keys, Style: styled.Rule}})
}

// help lists every key of the question or the review under it, in as many rows as there are
// without the blank ones.
func (l *layouter) help() {
	room := l.height - 2
	if l.s.Tabs != nil {
		room--
	}
	l.Body = keymap.HelpRows(l.on.Helps, l.width, room)
	if l.left() > 1 {
		l.blank(&l.Body)
		l.Body = append(l.Body, styled.Row{in(styled.Accent, bar), in(styled.Dim, "stands beside the agent's own words")})
	}
}

// in gives a text, whoever wrote it, a style. All that a page shows is made by it, but
// for previews.
func in(style styled.Style, said string) styled.Span {
	return styled.Span{Text: text.Bare(text.Visible(said)), Style: style}
}

// width and shorten are those of cells for what is drawn cell by cell.
func width(s string) int { return cells.Width(text.Bare(s)) }

func shorten(s string, width int) string { return cells.Shorten(text.Bare(s), width) }
