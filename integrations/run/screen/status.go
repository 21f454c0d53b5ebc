package screen

import (
	"bytes"
	"slices"
)

// report begins OSC 7501, by which a program says how it stands, as in state=blocked:app=codex:kind=question.
var report = []byte("\x1b]7501;")

// question begins a program's question whether anybody understands reports, and Understood is the answer.
var question = []byte("\x1b]7501;?")

const Understood = "\x1b]7501;?\x1b\\"

// take appends output, and sees whether there is a report in it.
func (s *Screen) take(p []byte) {
	from := max(0, len(s.waiting)-len(report))
	s.waiting = append(s.waiting, p...)
	s.reports = s.reports || bytes.Contains(s.waiting[from:], report)
}

// Asks reports whether the output that is fed next asks whether anybody understands reports.
func (s *Screen) Asks(next []byte) bool {
	last := s.waiting[max(0, len(s.waiting)-len(question)+1):]
	across := slices.Concat(last, next[:min(len(next), len(question)-1)])
	return bytes.Contains(across, question) || bytes.Contains(next, question)
}

// Status returns the program's last report.
func (s *Screen) Status() string {
	if s.reports {
		s.Flush()
		s.reports = len(s.waiting) > 0 // it may be that which has not ended yet
	}
	return s.status
}
