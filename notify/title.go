package notify

import (
	"context"

	"github.com/askpane/askpane/bridge/form"
)

// titleRunes is how much of a header fits a title that people still read.
const titleRunes = 60

// title marks the asking pane with a bell sign and the form's header.
func title(ctx context.Context, r Routes, f *form.Form) (func(context.Context) error, error) {
	if r.Mark == nil {
		return nil, nil
	}
	return r.Mark(ctx, form.Line(f.Header(), titleRunes))
}
