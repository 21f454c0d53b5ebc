package notify

import (
	"context"

	"github.com/askpane/askpane/bridge/form"
)

// titleRunes is how much of a header fits a title that people still read.
const titleRunes = 60

// title marks the asking pane with a bell sign and the form's header. The title
// of AskUserQuestion names its tool (CONTRACTS.md 2).
func title(ctx context.Context, r Routes, f *form.Form) (func(context.Context) error, error) {
	if r.Mark == nil {
		return nil, nil
	}
	text := form.Line(f.Header(), titleRunes)
	if f.Dialect == "AskUserQuestion" {
		text = f.Dialect + " — " + text
	}
	return r.Mark(ctx, text)
}
