package popup

import "github.com/askpane/askpane/popup/machine"

// followLine scrolls a document to the place under the cursor, in the rows that are on view.
func (s *scroll) followLine() {
	_, rows := s.paneOnView()
	from, to := s.page.Pane.Focus[0], s.page.Pane.Focus[1]
	switch {
	case from < s.paneFrom:
		s.paneFrom = from
	case to > s.paneFrom+rows:
		s.paneFrom = min(from, to-rows)
	}
}

// turnPage scrolls by a page, and takes the cursor of a document along.
func (v *view) turnPage(by int) {
	v.turn(by)
	p := v.page.Pane
	from, to := p.Focus[0], p.Focus[1]
	if from == to || to > v.paneFrom && from < v.paneFrom+p.Height {
		return
	}
	for i := v.paneFrom; i < min(len(p.Lines), v.paneFrom+p.Height); i++ {
		if i == 0 || p.Lines[i] != p.Lines[i-1] { // the first place that begins on view
			v.handle(machine.Event{Action: machine.ToLine, N: p.Lines[i]})
			return
		}
	}
}

// lineAt returns the place of a document that is shown in a row of the screen; 0 for none.
func (v *view) lineAt(y int) int {
	top, rows := v.paneOnView()
	if row := v.paneFrom + y - top; y >= top && y < top+rows && row < len(v.page.Pane.Lines) {
		return v.page.Pane.Lines[row]
	}
	return 0
}
