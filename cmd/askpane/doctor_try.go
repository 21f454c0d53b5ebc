package main

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/settings"
)

// tryRequest is the test question; whatever it gets for an answer does nothing.
const tryRequest = `{"prompt":"This is a test question from askpane doctor. Can you read it?","options":[` +
	`{"label":"Yes"},{"label":"Yes, but something is wrong with it"}]}`

// tryLimit is how long the test question waits.
const tryLimit = 60 * time.Second

// tryAsking asks a real question in the way every agent does, and says how that
// went, and how each alert did.
func tryAsking() []doctorLine {
	const section = "try"
	failures := struct {
		sync.Mutex
		of map[string]error
	}{of: map[string]error{}}
	limit := tryLimit
	var got *bridge.Envelope
	err := question{
		dialect: "buttons", agent: "askpane doctor", timeout: &limit,
		told: told{failed: func(alert string, err error) {
			failures.Lock()
			defer failures.Unlock()
			failures.of[alert] = err
		}},
		deliver: func(e bridge.Envelope) error {
			got = &e
			return nil
		},
	}.ask(func() ([]byte, error) { return []byte(tryRequest), nil })
	lines := []doctorLine{triedQuestion(section, got, err)}
	s, _ := settings.Load()
	failures.Lock()
	defer failures.Unlock()
	for _, l := range alertLines(s, nil) {
		line := doctorLine{section, l.Name, isOK, "raised", ""}
		if l.State == isOff {
			line.State, line.Detail = isOff, l.Detail
		} else if err := failures.of[l.Name]; err != nil {
			line.State, line.Detail = isWarn, err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

func triedQuestion(section string, got *bridge.Envelope, err error) doctorLine {
	line := doctorLine{Section: section, Name: "question", State: isFail}
	var e exit
	switch {
	case err != nil && (!errors.As(err, &e) || e.err != nil):
		line.Detail = err.Error()
	case got == nil:
		line.Detail = "it ended without a result"
	case got.Outcome == form.Answered || got.Outcome == form.Cancelled:
		line.State, line.Detail = isOK, fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	case got.Outcome == form.Timeout:
		line.State, line.Detail = isWarn, "nobody answered it within "+short(tryLimit)
		line.Fix = "askpane doctor --try, while you look at the viewer named above"
	case got.Outcome == form.Aborted:
		line.State, line.Detail = isWarn, "interrupted"
	default:
		line.Detail = fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	}
	return line
}
