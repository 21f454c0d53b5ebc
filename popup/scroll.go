package popup

import (
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
)

// scroll decides which rows of a page are on the screen: of its body, and of the preview
// within that.
type scroll struct {
	page     layout.Page // as last drawn
	size     [2]int      // columns and rows at the last drawing
	bodyTop  int         // screen row of the body
	bodyRows int         // how many of its rows are on view
	footTop  int         // screen row of what is below it
	top      int         // first row of the body on view
	paneFrom int         // first row of the preview on view
	follow   bool        // scroll to the focus at the next drawing
	fresh    bool        // nothing was done since the question came on view
}

// keepInView keeps the top within the body, of which so many rows are on view, and the focus on
// view after an event. What is typed in stays there when those become fewer, as by a notice; if
// it is taller, its end.
func (s *scroll) keepInView(typing bool, rows int) {
	s.follow = s.follow || typing && rows < s.bodyRows
	s.bodyRows = rows
	if s.fresh {
		rows += text.If(!typing, s.page.Hangs, 0) // as a notice comes and goes, nothing moves that can be pressed
		s.top, s.follow = s.page.Start(rows), true
	}
	if s.follow {
		from, to := s.page.Focus[0], s.page.Focus[1]
		if tall := to-from >= rows; tall && !typing || from < s.top && !tall {
			s.top = from
		} else if tall || to > s.top+rows {
			s.top = to - rows
		}
		if p := s.page.Pane; p.Focus[0] < p.Focus[1] {
			s.followLine()
		}
		s.follow = false
	}
	s.top = max(0, min(s.top, len(s.page.Body)-s.bodyRows))
}

// paneOnView returns where on the screen the preview's rows are, and how many.
func (s *scroll) paneOnView() (top, rows int) {
	p := s.page.Pane
	from, to := max(0, p.Row-s.top), min(s.bodyRows, p.Row+p.Height-s.top)
	return s.bodyTop + from, max(0, to-from)
}

// scrollPane scrolls the preview by so many rows, and reports whether there were any.
func (s *scroll) scrollPane(by int) bool {
	_, rows := s.paneOnView()
	was := s.paneFrom
	s.paneFrom = max(0, min(was+by, len(s.page.Pane.Rows)-rows))
	return rows > 0 && s.paneFrom != was
}

// turn scrolls by a page: the preview, as far as that goes on, else the form.
func (s *scroll) turn(by int) {
	if _, rows := s.paneOnView(); !s.scrollPane(by * max(1, rows-1)) {
		s.pageBy(by)
	}
}

// pageBy scrolls by so many pages.
func (s *scroll) pageBy(n int) { s.top += n * max(1, s.bodyRows-1) }

// toFocus scrolls to what has the cursor where that is not on view, by a page where a moves
// the cursor on that way, and reports whether it did.
func (s *scroll) toFocus(a machine.Action) bool {
	from, to := s.page.Focus[0], s.page.Focus[1]
	above, below := to <= s.top, from >= s.top+s.bodyRows
	switch {
	case from == to || !above && !below: // nothing has it, or it is on view
		return false
	case a == machine.Down && below:
		s.pageBy(1)
	case a == machine.Up && above:
		s.pageBy(-1)
	default:
		s.follow = true
	}
	return true
}

// scrollTo brings what e picks on view, and reports whether it did: as long as no choice at all
// has been on view, its number is pressed blindly. With itself that choice has to be, whole.
func (s *scroll) scrollTo(e machine.Event, itself bool) bool {
	first, last, seen := -1, -1, false
	onView := func(row int) bool { return row >= s.top && row < s.top+s.bodyRows }
	for _, h := range s.page.Hits {
		if seen = seen || onView(h.Row); h.Event == e {
			if last = h.Row; first < 0 {
				first = h.Row
			}
		}
	}
	if itself {
		seen = onView(last) && (onView(first) || last-first >= s.bodyRows)
	}
	if seen || first < 0 { // below 0 there is no such choice; the machine says so
		return false
	}
	s.top = max(first, last-s.bodyRows+1)
	return true
}
