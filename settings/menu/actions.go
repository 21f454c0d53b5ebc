package menu

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/askpane/askpane/settings"
)

// choices lists the words that a setting may be in the file that is written.
func (v *view) choices(f settings.Field) []string {
	switch {
	case f.Name == "host":
		return v.Hosts
	case f.IsList(): // of which one is no value
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Choices), func(word string) bool { return !v.allows(f, word) })
}

// allows reports whether the file that is written may set a setting to that.
func (v *view) allows(f settings.Field, text string) bool {
	_, _, err := v.file.Check(f.Name, text)
	return err == nil
}

// write chooses the file that is written.
func (v *view) write(global bool) {
	file, err := settings.Writable(v.Dir, global)
	if err != nil {
		v.Notice = err.Error()
		return
	}
	v.file = file
}

// change handles Enter on a setting: a switch turns, a choice goes on to the next,
// and anything else is typed.
func (v *view) change() {
	f := v.field()
	text, choices := f.Text(v.loaded.Settings), v.choices(f)
	switch {
	case !v.allows(f, text):
		v.Notice = forbidden(f)
	case f.IsSwitch():
		v.set(f, fmt.Sprint(text != "true"))
	case len(choices) > 0:
		v.set(f, choices[(slices.Index(choices, text)+1)%len(choices)])
	default:
		v.entry = tview.NewInputField().SetText(text)
		v.entry.SetFieldStyle(tcell.StyleDefault.Underline(true)).SetBackgroundColor(tcell.ColorDefault)
		v.entry.Focus(func(area tview.Primitive) { area.Focus(nil) })
		v.Over = v.entry
	}
}

func forbidden(f settings.Field) string {
	why, trust := map[string]string{"runs": "it runs a command", "guards": "it protects you"}[f.Only]
	if !trust {
		return "Press p: only your own file sets this."
	}
	return "Press p: your own file sets it. A project's file may only if trustedProjects has the project, as " + why + "."
}

// wrong says why what has been typed so far cannot be accepted.
func (v *view) wrong() error {
	if !v.entering() {
		return nil
	}
	_, err := v.field().Parse(v.entry.GetText())
	return err
}

// keep keeps what was typed, if it can be taken.
func (v *view) keep() {
	if v.wrong() != nil {
		return
	}
	text := v.entry.GetText()
	v.Over = nil
	if f := v.field(); text != f.Text(v.loaded.Settings) {
		v.set(f, text)
	}
}

func (v *view) set(f settings.Field, text string) { v.written(f, v.file.Set(f.Name, text)) }

func (v *view) unset() {
	f := v.field()
	had, err := v.file.Unset(f.Name)
	v.written(f, err)
	if err == nil && !had {
		v.Notice = "This file does not set it."
	}
}

// written reads the files again, and says what kept f from being written, or what
// ranks higher and decides.
func (v *view) written(f settings.Field, err error) {
	v.loaded = settings.Load(v.Dir)
	from := v.loaded.Sources[f.Name]
	switch {
	case err != nil:
		v.Notice = err.Error()
	case from.Rank > v.file.Rank:
		v.Notice = fmt.Sprintf("Written, but it stays %s here: %s says so.", v.value(f, 40), origin(from))
	}
}
