package notify

import "context"

// count counts the question at the asking pane for status lines where its title
// is left alone; title counts it too. It draws no attention of its own, so
// doctor does not list it.
var count = alert{
	name: "count", late: true, unlisted: true,
	on:   func(c Config) bool { return !c.Title },
	when: atOnce,
	raise: func(ctx context.Context, j job) (raised, error) {
		if j.Count == nil {
			return raised{}, nil
		}
		restore, err := j.Count(ctx)
		return raised{clear: back(restore)}, err
	},
}
