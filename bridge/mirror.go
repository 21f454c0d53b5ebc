package bridge

import (
	"context"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// Mirror has the question of another machine asked here, with popups and alerts, until
// its entry has an answer, whoever has written it. The caller holds the entry (spool.Mirror)
// and delivers it. Its own machine has the last word, and alone ends it for its deadline or
// because nobody came. The error wraps ErrKept where ctx has ended.
func (b *Bridge) Mirror(ctx context.Context, e *spool.Entry) (form.Result, error) {
	req, err := e.Request()
	if err != nil {
		return form.Result{}, err
	}
	h, err := b.Find(ctx)
	if err != nil {
		return form.Result{}, err
	}
	req.Deadline = nil
	c := &call{Bridge: b, question: Question{Keep: always}, req: req, entry: e}
	r, finish, err := c.wait(ctx, h)
	finish()
	return r, err
}
