package notify

import (
	"context"
	"errors"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/settings"
)

// Tell tells the person at once what calls for no answer, by bell and notification where
// those are on.
func Tell(ctx context.Context, s *settings.Settings, r Routes, said string) error {
	var bad, worse error
	if s.Quiet() {
		return nil
	}
	if s.BellOnQuestion {
		_, bad = bell.raise(ctx, job{Routes: r})
	}
	if s.NotificationOnQuestion {
		n := notification{summary: text.OneLine("askpane: "+said, summaryRunes)}
		_, _, worse = firstWay(ctx, r, func(ctx context.Context, way desktopWay) (undo, error) { return way.show(ctx, n) })
	}
	return errors.Join(bad, worse)
}
