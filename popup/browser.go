package popup

import (
	"github.com/askpane/askpane/bridge/text"
)

// Opened is what has come of opening a question's page in the browser (askpane page).
type Opened struct {
	Opened  bool
	Link    string   // to open it by hand: it has a token in it, for one page
	Why     string   // nothing was opened
	Forward string   // the command that makes the link reach this machine from another
	Phone   []string // rows of a QR code that pairs a phone
	Copy    bool     // the link is to go to the clipboard
}

// openPage has the question's page opened, beside the event loop.
func (s *session) openPage() {
	about := s.current
	go func() {
		opened, err := s.Page(s.ctx, about.Entry.ID)
		s.post(about, func() { s.pageOpened(opened, err) })
	}()
}

func (s *session) pageOpened(o Opened, err error) {
	if err != nil {
		s.view.say("The page cannot be opened: " + text.OneLine(err.Error(), 300))
		return
	}
	if o.Copy {
		s.app.Copy(o.Link)
	}
	if o.Opened {
		s.view.say("The page opens in your browser.")
		return
	}
	s.view.showLink(o)
}

// openable reports whether the question's page can be opened.
func (v *view) openable() bool { return v.opens && v.taking() }

func (v *view) wantPage() {
	v.say("Opening the page…")
	v.send(pageWanted{})
}
