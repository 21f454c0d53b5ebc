package page

import (
	"encoding/json"
	"html/template"
	"math"
	"slices"

	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/popup/scene"
)

// part is a piece of a document that can be commented on.
type part struct {
	preview.Part
	HTML    template.HTML // empty where it could not be made
	Text    string        // is shown then
	Do      string        // opens the remark on it
	Changed bool
	Remarks []scene.LineRemark
	Open    bool // the entry of its remark is open
}

// document returns the parts of the document that the question on view is about.
func (s *session) document(p *formPage) []part {
	d := p.Scene.Document
	if d == nil {
		return nil
	}
	parts := s.parts(d)
	all, below := make([]part, len(parts)), math.MaxInt // where the next part begins
	for i, made := range slices.Backward(parts) {
		all[i] = part{Part: made, HTML: template.HTML(made.HTML), Changed: d.Changed[made.Line]}
		if made.HTML == "" {
			all[i].Text = d.Places.Quote(made.Line)
		}
		if made.Line == 0 {
			continue
		}
		all[i].Do = encode(append(p.back(), event{Do: "toLine", N: made.Line}, action("noteLine"))...)
		within := func(line int) bool { return line < below && (line >= made.Line || i == 0) }
		for _, r := range d.Remarks {
			if within(r.Line) {
				all[i].Remarks = append(all[i].Remarks, r)
			}
		}
		for line := range d.Changed {
			all[i].Changed = all[i].Changed || within(line)
		}
		all[i].Open = s.M.NotesLine() && within(d.Line)
		below = made.Line
	}
	return all
}

// parts returns what the program for previews makes of a document; without it, its places.
func (s *session) parts(d *scene.Document) (parts []preview.Part) {
	_ = json.Unmarshal([]byte(s.documents(preview.Text{Kind: styled.Document, Content: d.Text})[0]), &parts)
	if len(parts) > 0 {
		return parts
	}
	for line := d.Places.Place(1); ; line = d.Places.Step(line, 1) {
		parts = append(parts, preview.Part{Line: line})
		if line == d.Places.Last() {
			return parts
		}
	}
}
