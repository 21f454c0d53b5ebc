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
		if m, can := j.Host.(host.Marker); can {
			return m.Mark(ctx, text)
		}
		return nil, nil
	},
	describe: func(_ context.Context, j job) hint.Check {
		_, can := j.Host.(host.Marker)
		return given(can, "marks the asking pane's title with 🔔", "the asking pane has no title that could be set")
	},
}
