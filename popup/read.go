package popup

import (
	"context"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/display"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
)

// Read shows a record on this process's terminal until the person closes it or
// ctx ends. Nothing can be answered there. The others are as in Config.
func Read(ctx context.Context, r spool.Record, now settings.Settings, program preview.Program, boxed bool) error {
	screen, err := display.Open()
	if err != nil {
		return err
	}
	var app *display.App
	v := newReadView(r, now, func() { app.Stop() })
	app = display.NewApp(screen, v)
	previews := preview.New(program, app.Post)
	defer previews.Close()
	v.previews, v.padding, v.boxed = previews.Rows, layout.Padding, boxed
	return app.Run(ctx, nil)
}

// newReadView calls closed when the person closes it.
func newReadView(r spool.Record, now settings.Settings, closed func()) *view {
	m, _ := record.Reading(r)
	v := newView(m, display.ThemeOf(now.Theme, now.Colours).Accented(m.Form().Accent))
	v.keys = v.keys.Reading()
	v.take = func(e machine.Event) {
		if m.Handle(e); m.Mode() == machine.Over {
			closed()
		}
	}
	st := scene.StatusOf(r.Request.Origin, r.Status)
	st.How, st.Notes = record.How(r), record.Notes(r)
	v.status = func() scene.Status { return st }
	return v
}
