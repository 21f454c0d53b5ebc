// Package page is the host of that name: nothing opens here, and the question waits to be
// answered on the page in a browser, on another machine of the person's, or in a chat.
//
// It is for those who have no multiplexer and no terminal about, or only a phone; and for
// machines that nobody sits at. The rule that must hold here: it counts only where the
// person, and no project, has set so.
package page

import (
	"context"
	"errors"
	"os"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

type page struct {
	adapter.Paneless
	orElse string // where else somebody may answer
}

var Kind = host.Kind{Name: "page", Find: find, NoPopup: true}

func find(context.Context) (host.Host, error) {
	here, _ := os.Getwd() // a project may keep its questions out of the chat
	in := settings.Load(here)
	on := page{Paneless: adapter.Paneless{NoTerminal: "the question waits for whoever answers, and not on a terminal"}}
	switch s := settings.Load(""); {
	case s.Linked() || settings.Forwarded():
		on.orElse = ", or answers on another machine"
	case in.InChat():
		on.orElse = ", or answers in the chat"
	case !s.PageAlone:
		return nil, errors.New("no question waits for the page alone (pageAlone is false), and this machine has joined no hub, has no chat in which somebody can answer (askpane chat), and askpane forward does not run for it")
	case !s.BrowserEnabled:
		return nil, errors.New("there is to be no page (browserEnabled is false)")
	}
	return on, nil
}

func (page) Kind() *host.Kind { return &Kind }

// Viewer names whoever has the page open: nobody here knows.
func (p page) Viewer(context.Context) (host.Viewer, error) {
	return host.Viewer{ID: "whoever opens the page" + p.orElse}, nil
}

// Open is not called (host.Kind.NoPopup).
func (page) Open(context.Context, host.Viewer, host.Command) (host.Opening, error) {
	return nil, errors.New("no form opens here; askpane page opens the page")
}
