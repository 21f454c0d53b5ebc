package tmux

import "github.com/askpane/askpane/integrations/host"

// adopted is a popup that another asker has opened and that shows a form of
// ours now. It is painted like our own; it ends by itself.
type adopted struct{ *opening }

// Adopt is the popup that is open on a viewer.
func (s *server) Adopt(viewer string) host.Opening {
	return adopted{&opening{server: s, viewer: host.Viewer{ID: viewer}, ended: make(chan struct{})}}
}

func (a adopted) Abandon() { a.kill.Do(func() { close(a.ended) }) }
