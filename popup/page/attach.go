package page

import (
	"encoding/base64"
	"path/filepath"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
)

// What a page does with pictures: attach sends a part of one, of which N bytes are still to come,
// and detach takes one away.
const doAttach, doDetach = "attach", "detach"

// attached shows one picture.
type attached struct{ Source, Remove string }

// attachments lists the pictures that go with the answer. None are taken where the question was asked
// on another machine, and of permissions and plans, whose agents get a decision alone.
func (s *session) attachments(p *formPage) {
	decides := s.Req.Form.Subject() != nil || s.Req.Form.Document() != nil
	if p.Attaches = s.Req.Origin.Away == nil && !p.Frozen && !decides; !p.Attaches {
		return
	}
	all, err := s.Entry.Attachments()
	if err != nil {
		p.Trouble = text.Visible(err.Error())
	}
	for _, a := range all {
		name := filepath.Base(a.Path)
		p.Attached = append(p.Attached, attached{"/frame/" + s.ticket(frame{kind: a.Type, entry: s.Entry.ID, file: name}), encode(event{Do: doDetach, Text: name})})
	}
}

// attach carries out what is done with pictures, and reports whether an event is of that kind.
func (s *session) attach(e event) (problem string, is bool) {
	switch e.Do {
	case doDetach:
		if err := s.Entry.Detach(e.Text); err != nil {
			problem = "The picture stays: " + err.Error() + "."
		}
	case doAttach:
		part, err := base64.StdEncoding.DecodeString(e.Text)
		if s.picture = append(s.picture, part...); err == nil && e.N > 0 && len(s.picture) <= spool.MaxAttachment {
			return "", true
		}
		if err != nil {
			problem = "The desk did not understand this page; reload it."
		} else if _, err = s.Entry.Attach(s.picture); err != nil {
			problem = "The picture " + text.Visible(err.Error()) + "."
		}
		s.picture = nil
	default:
		return "", false
	}
	return problem, true
}
