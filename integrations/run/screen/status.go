package screen

import "bytes"

// report begins OSC 7501, by which a program says how it stands, as in state=blocked:app=codex:kind=question.
var report = []byte("\x1b]7501;")

// Question begins a program's question whether anybody understands reports, and Understood is the answer.
var Question = []byte("\x1b]7501;?")

const Understood = "\x1b]7501;?\x1b\\"

// Status returns the program's last report, also one that has not been drawn yet.
func (s *Screen) Status() string {
	if bytes.Contains(s.waiting, report) {
		s.Flush()
	}
	return s.status
}
