package asker

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
)

// Anywhere returns integrations.Anywhere for a process that mirrors questions into sp.
func Anywhere(sp *spool.Spool) func(context.Context) (host.Host, error) {
	return integrations.Anywhere((&panes{spool: sp}).refs)
}

// panes lists those from which the questions that wait in a spool were asked. Hosts ask for
// them once a second for as long as nobody is attached, so the spool is listed only when it
// has changed, and a request, which never changes, is read once.
type panes struct {
	spool *spool.Spool

	mu      sync.Mutex
	by      map[string]pane // of each question that waits
	changed time.Time       // when the spool had been changed last, as of the last listing
	listed  time.Time       // when that was
}

// pane names a pane as its host does.
type pane struct{ host, ref string }

// coarse bounds how far a directory's time may lag behind: a change soon after another may
// not show in it.
const coarse = 2 * time.Second

// refs returns what a host, by its name, calls its own of them.
func (p *panes) refs(host string) (refs []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list()
	for _, pane := range p.by {
		if pane.host == host && pane.ref != "" {
			refs = append(refs, pane.ref)
		}
	}
	return refs
}

func (p *panes) list() {
	var changed time.Time
	info, err := os.Stat(p.spool.Path())
	if err == nil {
		changed = info.ModTime()
	}
	if err == nil && changed.Equal(p.changed) && p.listed.Sub(changed) > coarse {
		return
	}
	p.changed, p.listed = changed, time.Now()
	waiting, _, _ := p.spool.Scan() // those that can be found; for doctor the rest is
	before := p.by
	p.by = make(map[string]pane, len(waiting))
	for _, id := range waiting {
		one, known := before[id]
		if !known {
			one = p.read(id)
		}
		p.by[id] = one
	}
}

// read returns the pane of a question; empty for one of another machine, or whose request
// cannot be read.
func (p *panes) read(id string) pane {
	e, err := p.spool.Open(id)
	if err != nil {
		return pane{}
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil || req.Origin.Away != nil {
		return pane{}
	}
	return pane{req.Origin.Host, req.Origin.Ref}
}
