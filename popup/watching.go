package popup

import (
	"context"
	"time"

	"github.com/askpane/askpane/bridge/spool"
)

// watch posts what happens outside the terminal to a form, until ctx ends.
//
// While a bridge waits, the end of its waiting is the sign that the form has
// ended elsewhere: every end passes through the bridge. Only without one does
// the popup watch the entry itself (a watch costs up to 15 ms at its end); one
// that is stopped (Ctrl+Z) does not end, so that there is a look every second.
func (s *session) watch(ctx context.Context, c *current, agentGone <-chan struct{}) {
	var changed <-chan struct{}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-agentGone:
			agentGone = nil
			if r, ok, _ := c.entry.Answer(); ok { // ours, perhaps, on its way out
				s.post(c, answeredBy{r})
				continue
			}
			if changed == nil {
				watch := c.entry.Watch() // looks once at once
				defer watch.Stop()
				changed = watch.Changed
			}
			s.post(c, agentLeft{})
		case <-changed:
			if r, ok, _ := c.entry.Answer(); ok {
				s.post(c, answeredBy{r})
			} else if agentGone == nil && !c.entry.Status().AgentGone { // it asked again
				agentGone = c.entry.AgentGone()
				s.post(c, agentBack{})
			}
		case <-second.C:
			if r, over, _ := c.entry.Answer(); over {
				s.post(c, answeredBy{r})
			} else {
				s.post(c, ticked{})
			}
		}
	}
}

// agentLeaves is the entry's AgentGone, once for each form however often it is shown.
func (s *session) agentLeaves(e *spool.Entry) <-chan struct{} {
	select {
	case <-s.agents[e.ID]: // an agent may ask again
		delete(s.agents, e.ID)
	default:
	}
	if s.agents[e.ID] == nil {
		s.agents[e.ID] = e.AgentGone()
	}
	return s.agents[e.ID]
}

// queueRest is how long the queue is left alone after a look at it: a thousand who
// join at once are counted a few times, and not a thousand times.
const queueRest = 100 * time.Millisecond

// watchQueue keeps count of who waits, until ctx ends.
func (s *session) watchQueue(ctx context.Context) {
	w, err := s.queue.Watch()
	if err != nil {
		s.post(nil, failed{err.Error()})
		return
	}
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Changed:
		}
		s.post(nil, queueChanged{s.queue.Waiting()})
		select {
		case <-ctx.Done():
			return
		case <-time.After(queueRest):
		}
	}
}
