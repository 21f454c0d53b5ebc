package popup

import (
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
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

// aroundPeek is how many rows of a screen are at most not for what is shown in the form's
// place.
const aroundPeek = 6

// showLink shows what a person needs to open the page by hand, in the place of the form.
func (v *view) showLink(o Opened) {
	rows := []string{}
	add := func(label, said string) {
		rows = append(rows, label)
		rows = append(rows, cells.Wrap(text.Visible(said), max(20, v.page.Width-4))...)
		rows = append(rows, "")
	}
	open := "Within ten minutes, open this link:"
	if o.Copy {
		open = "Within ten minutes, open this link (copied, if your terminal lets it):"
	}
	add(open, o.Link)
	if o.Forward != "" {
		add("On the machine before you, this makes it reach here:", o.Forward)
	}
	switch _, _, _, height := v.GetRect(); {
	case o.Phone == nil:
	case len(o.Phone) > height-aroundPeek: // no camera reads half of it
		add("To pair a phone, there is not enough room for its code here:", "askpane phone, in a larger terminal, shows it")
	default:
		rows = append(append(rows, "Or pair a phone:"), o.Phone...)
	}
	v.notice, v.peekTitle = "", text.OneLine(o.Why, 200)
	v.peek, v.peekFrom = rows, v.scroll
	v.scroll, v.follow = 0, false
}

// openable reports whether the question's page can be opened.
func (v *view) openable() bool { return v.opens && v.taking() }

func (v *view) wantPage() {
	v.say("Opening the page…")
	v.send(pageWanted{})
}
