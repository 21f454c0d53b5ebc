package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// tryRequest is the test question; whatever it gets for an answer does nothing.
const tryRequest = `{"prompt":"This is a test question from askpane doctor. Can you read it?","options":[` +
	`{"label":"Yes"},{"label":"Yes, but something is wrong with it"}]}`

// tryLimit is how long the test question waits.
const tryLimit = 60 * time.Second

// tryHold is how long an alert that stays is left on view.
const tryHold = 3 * time.Second

// tryAsking asks a real question in the way every agent does, and raises each
// alert in used meanwhile, whatever its delay and the quiet hours. It says how
// each went.
func tryAsking(used host.Host) []doctorLine {
	const section = "try"
	limit := tryLimit
	var got *bridge.Envelope
	tried := make(chan []notify.Tried, 1)
	s := settings.Load(here())
	go func() {
		_, f, err := dialect.Decode("buttons", []byte(tryRequest))
		if err != nil {
			panic(fmt.Sprintf("doctor: its own question: %v", err))
		}
		q := notify.Question{Form: &f, Agent: tryAgent, Payload: json.RawMessage(tryRequest)}
		tried <- notify.Try(context.Background(), q, asker.AlertConfig(s.Settings), tryRoutes(used), tryHold)
	}()
	err := question{
		dialect: "buttons", agent: tryAgent, timeout: &limit, noAlerts: true,
		deliver: func(e bridge.Envelope) error {
			got = &e
			return nil
		},
	}.ask(func() ([]byte, error) { return []byte(tryRequest), nil })
	lines := []doctorLine{triedQuestion(section, got, err)}
	for _, t := range <-tried {
		line := doctorLine{section, t.Name, isOK, "raised", ""}
		switch {
		case t.Off:
			line.State, line.Detail = isOff, "not set"
		case t.Err != nil:
			line.State, line.Detail = isWarn, t.Err.Error()
		}
		lines = append(lines, line)
	}
	return lines
}

const tryAgent = "askpane doctor"

func triedQuestion(section string, got *bridge.Envelope, err error) doctorLine {
	line := doctorLine{Section: section, Name: "question", State: isFail}
	var e exit
	switch {
	case err != nil && (!errors.As(err, &e) || e.Err != nil):
		line.Detail = err.Error()
	case got == nil:
		line.Detail = "it ended without a result"
	case got.Outcome == form.Answered || got.Outcome == form.Cancelled:
		line.State, line.Detail = isOK, fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	case got.Outcome == form.Timeout:
		line.State, line.Detail = isWarn, "nobody answered it within "+text.Age(tryLimit)
		line.Fix = "askpane doctor --try, while you look at the viewer named above"
	case got.Outcome == form.Aborted:
		line.State, line.Detail = isWarn, "interrupted"
	default:
		line.Detail = fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	}
	return line
}
