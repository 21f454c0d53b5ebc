package notify

import (
	"context"

	"github.com/askpane/askpane/settings"
)

// count counts the question at the asking pane for status lines where its title
// is left alone; title counts it too. It draws no attention of its own, so
// doctor does not list it.
var count = alert{
	name: "count", late: true,
	on:    func(s settings.Settings) bool { return !s.TitleOnQuestion },
	when:  once,
	raise: func(ctx context.Context, j job) (undo, error) { return j.mark(ctx, "") },
}
