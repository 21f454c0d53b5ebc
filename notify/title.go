package notify

import (
	"context"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// title marks the asking pane with a bell sign and the form's header. It stays
// in quiet hours: it makes no sound and takes no place.
var title = alert{
	name: "title", setting: "titleOnQuestion", late: true,
	isOn: func(s settings.Settings) bool { return s.TitleOnQuestion },
	when: once,
	raise: func(ctx context.Context, j job) (undo, error) {
		text := j.header()
		if j.Form.NamesTool {
			text = j.Form.Dialect + " — " + text
		}
		return j.mark(ctx, text)
	},
	describe: func(_ context.Context, j job) hint.Check {
		_, can := j.Host.(host.Marker)
		return given(can, "marks the asking pane's title with 🔔", "the asking pane has no title that could be set")
	},
}

// count counts the question at the asking pane for status lines where its title is left
// alone; title counts it too. It draws no attention of its own, so doctor does not list it.
var count = alert{
	name: "count", late: true,
	isOn:  func(s settings.Settings) bool { return !s.TitleOnQuestion },
	when:  once,
	raise: func(ctx context.Context, j job) (undo, error) { return j.mark(ctx, "") },
}

// mark counts the question at the asking pane, and sets the pane's title if it has any.
func (j job) mark(ctx context.Context, title string) (undo, error) {
	m, can := j.Host.(host.Marker)
	if !can || title == "" && !j.Host.Kind().Counts {
		return nil, nil
	}
	return m.Mark(ctx, title)
}
