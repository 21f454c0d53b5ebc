package notify

import "context"

// title marks the asking pane with a bell sign and the form's header. It stays
// in quiet hours: it makes no sound and takes no place.
var title = alert{
	name: "title", setting: "titleOnQuestion", late: true,
	on:   func(c Config) bool { return c.Title },
	when: atOnce,
	raise: func(ctx context.Context, j job) (raised, error) {
		if j.Mark == nil {
			return raised{}, nil
		}
		text := j.header()
		if j.Form.Dialect == "AskUserQuestion" { // its title names the tool (docs/contracts.md)
			text = j.Form.Dialect + " — " + text
		}
		restore, err := j.Mark(ctx, text)
		return raised{clear: back(restore)}, err
	},
	describe: func(_ context.Context, _ Config, r Routes) Line {
		return given(r.Mark != nil, "marks the asking pane's title with 🔔", "the asking pane has no title that could be set")
	},
}
