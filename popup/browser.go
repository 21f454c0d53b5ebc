package popup

import (
	"context"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
)

// Opened says what came of opening a question's page in the browser (askpane page).
type Opened struct {
	Opened  bool
	Link    string   // to open it by hand: it has a token in it, for one page
	Why     string   // nothing was opened
	Forward string   // the command that makes the link reach this machine from another
	Phone   []string // rows of a QR code that pairs a phone
	Copy    bool     // the link is to go to the clipboard
}

// GoTo takes a viewer to a pane, and says what kept it from that; empty for nothing.
func GoTo(ctx context.Context, pane host.Pane, viewer string) (problem string) {
	ctx, cancel := context.WithTimeout(ctx, paneLimit)
	defer cancel()
	if err := pane.GoTo(ctx, viewer); err != nil {
		return "Cannot go to the pane: " + err.Error()
	}
	return ""
}

// openPage has the question's page opened, beside the event loop.
func (s *session) openPage() {
	about := s.current
	go func() {
		o, err := s.Page(s.ctx, about.Entry.ID)
		s.post(about, func() {
			if o.Copy {
				s.app.Copy(o.Link)
			}
			switch {
			case err != nil:
				s.view.say("The page cannot be opened: " + text.OneLine(err.Error(), 300))
			case o.Opened:
				s.view.say("The page opens in your browser.")
			default:
				s.view.showLink(o)
			}
		})
	}()
}

// openable reports whether the question's page can be opened.
func (v *view) openable() bool { return v.opens && v.taking() }

func (v *view) wantPage() {
	v.say("Opening the page…")
	v.openPage()
}
