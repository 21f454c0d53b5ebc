package machine

import "time"

// Hold keeps a permission's form back while the person looks at the asking pane, where the agent's
// own prompt stands or would stand.
type Hold struct {
	Away bool // the form opens only where the person is elsewhere; false: at once
	// Serial: the agent shows no prompt of its own meanwhile, so that there is nothing to hold.
	Serial bool
	// Looked is when the person last looked at the pane, or, before that is known, the question came.
	Looked time.Time
}

// ElsewhereFor passes before somebody who looks at another pane is taken to be elsewhere.
const ElsewhereFor = 5 * time.Second

// At returns for how long the form is held at now, where the person looks at the asking pane or not, if the
// host can tell. HandBack: it is the agent's own prompt that they want.
func (h *Hold) At(now time.Time, looks, known bool) (wait time.Duration, handBack bool) {
	switch {
	case !h.Away || !known:
		return 0, false
	case looks && h.Serial:
		return 0, true
	case looks:
		h.Looked = now
		return Retry, false
	}
	return max(0, min(Retry, h.Looked.Add(ElsewhereFor).Sub(now))), false
}
