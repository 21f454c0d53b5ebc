package asker

import (
	"fmt"
	"log/slog"
)

// Told is what of a question's course the person is told of on standard error,
// besides the log.
type Told struct {
	Log     func() *slog.Logger
	say     func(error) // tells the person
	Verbose bool        // the failures of alerts too
}

// Warn is for what concerns the question itself.
func (t Told) Warn(err error) {
	t.Log().Warn("warning", "error", err.Error())
	t.say(err)
}

// alertFailed is for an alert, whose failure is no reason to disturb anybody:
// it goes to the log, from where doctor has it.
func (t Told) alertFailed(alert string, err error) {
	t.Log().Warn("alert failed", "alert", alert, "error", err.Error())
	if t.Verbose {
		t.say(fmt.Errorf("alert %s: %w", alert, err))
	}
}
