// Package alone is the host page: nothing opens here, and the question waits to be
// answered on the page in a browser, on another machine of the person's, or in a chat.
//
// It is for those who have no multiplexer and no terminal about, or only a phone; and for
// machines that nobody sits at. The rule that must hold here: it counts only where the
// person, and no project, has set so.
package alone

import (
	"context"
	"errors"
	"os"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/settings"
)

// page is no host.Marker: what this process runs in is no terminal that is ours to write to.
type page struct{ orElse string }

// Kind is the host page.
var Kind = host.Kind{Name: "page", Find: find, NoPopup: true}

func find(context.Context) (host.Host, error) {
	here, _ := os.Getwd() // a project may keep its questions out of the chat
	in := settings.Load(here)
	switch s := settings.Load(""); {
	case s.Linked() || settings.Forwarded():
		return page{", or answers on another machine"}, nil
	case in.InChat():
		return page{", or answers in the chat"}, nil
	case !s.PageAlone:
		return nil, errors.New("no question waits for the page alone (pageAlone is false), and this machine has joined no hub, has no chat in which somebody can answer (askpane chat), and askpane forward does not run for it")
	case !s.BrowserEnabled:
		return nil, errors.New("there is to be no page (browserEnabled is false)")
	}
	return page{}, nil
}

func (page) Kind() *host.Kind { return &Kind }

// Asker has no pane.
func (page) Asker() (words, ref string) { return "", "" }

// Viewer is whoever has the page open: nobody here knows.
func (p page) Viewer(context.Context) (host.Viewer, error) {
	return host.Viewer{ID: "whoever opens the page" + p.orElse}, nil
}

// Open is not called (host.Kind.NoPopup).
func (page) Open(context.Context, host.Viewer, host.Command) (host.Opening, error) {
	return nil, errors.New("no form opens here; askpane page opens the page")
}

// Ring rings the bell of the terminal that the agent runs on, if there is one.
func (page) Ring(context.Context, func(string) int) error {
	path, err := tty.Own()
	if err != nil {
		return nil // the other alerts are there
	}
	return tty.Ring(path)
}

// Terminal is none: who answers may be anywhere.
func (page) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("the question waits for whoever answers, and not on a terminal")
}
