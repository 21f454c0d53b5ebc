package screen

import (
	"bytes"
	"strings"
)

// report begins OSC 7501, by which a program says how it stands: "?" asks whether anybody
// understands that, and pairs such as state=blocked:app=codex:kind=question are a report.
var report = []byte("\x1b]7501;")

// Understood answers the question whether anybody understands reports.
const Understood = "\x1b]7501;?\x1b\\"

// take appends output, and sees whether there is a report in it.
func (s *Screen) take(p []byte) {
	from := max(0, len(s.waiting)-len(report))
	s.waiting = append(s.waiting, p...)
	s.reports = s.reports || bytes.Contains(s.waiting[from:], report)
}

// Status returns the program's last report, and whether it has asked since the last call
// whether anybody understands reports.
func (s *Screen) Status() (status string, asked bool) {
	if s.reports {
		s.Flush()
		s.reports = len(s.waiting) > 0 // it may be that which has not ended yet
	}
	asked, s.asked = s.asked, false
	return s.status, asked
}

// reported notes what OSC 7501 says.
func (s *Screen) reported(said string) {
	if strings.HasPrefix(said, "?") {
		s.asked = true
		return
	}
	s.status = said
}
