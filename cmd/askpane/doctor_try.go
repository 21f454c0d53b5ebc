package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

const (
	// tryRequest asks the test question; no answer to it does anything.
	tryRequest = `{"prompt":"This is a test question from askpane doctor. Can you read it?","options":[` +
		`{"label":"Yes"},{"label":"Yes, but something is wrong with it"}]}`
	tryAgent = "askpane doctor"
	tryLimit = 60 * time.Second // the test question waits so long
	tryHold  = 3 * time.Second  // an alert that stays is on view so long
)

// tryAsking asks a real question in the way every agent does, and raises each
// alert in used meanwhile, whatever its delay and the quiet hours. It says how
// each went.
func tryAsking(used host.Host) []hint.Check {
	tried := make(chan []hint.Check, 1)
	go func() {
		_, f, err := dialect.Decode("buttons", []byte(tryRequest))
		if err != nil {
			panic(fmt.Sprintf("doctor: its own question: %v", err))
		}
		q := notify.Question{Form: &f, Agent: tryAgent, Payload: json.RawMessage(tryRequest)}
		tried <- notify.Try(context.Background(), q, settings.Load(here()).Settings, tryRoutes(used), tryHold)
	}()
	got, err := question{dialect: "buttons", agent: tryAgent, timeout: new(tryLimit), Asker: asker.Asker{NoAlerts: true}}.envelope([]byte(tryRequest))
	return append([]hint.Check{triedQuestion(got, err)}, <-tried...)
}

// tryRoutes returns the routes of used, which may be nil; the heartbeat goes to us.
func tryRoutes(used host.Host) notify.Routes {
	if used == nil {
		return notify.Routes{Push: asker.Push}
	}
	return asker.Asker{Beat: asker.BeatAside, Log: func() *slog.Logger { return slog.New(slog.DiscardHandler) }}.Routes(used)
}

func triedQuestion(got *bridge.Envelope, err error) hint.Check {
	check := hint.Check{Section: "try", Name: "question", State: hint.Fail}
	var e exit
	switch {
	case err != nil && (!errors.As(err, &e) || e.Err != nil):
		check.Detail = err.Error()
	case got == nil:
		check.Detail = "it ended without a result"
	case got.Outcome == form.Answered || got.Outcome == form.Cancelled:
		check.State, check.Detail = hint.OK, fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	case got.Outcome == form.Timeout:
		check.State, check.Detail = hint.Warn, "nobody answered it within "+text.Age(tryLimit)
		check.Fix = "askpane doctor --try, while you look at the viewer named above"
	case got.Outcome == form.Aborted:
		check.State, check.Detail = hint.Warn, "interrupted"
	default:
		check.Detail = fmt.Sprintf("%s: %s", got.Outcome, got.Text)
	}
	return check
}
