package popup

import (
	"context"
	"time"
)

// watch posts what happens outside the terminal to a form, until ctx ends.
//
// While a bridge waits, the end of its waiting is the sign that the form has ended
// elsewhere: every end passes through the bridge. Besides that there is a look every
// second, with the clock: nobody may wait, and a bridge that is stopped (Ctrl+Z) does
// not end.
func (s *session) watch(ctx context.Context, c *current) {
	agentGone := c.entry.AgentGone()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-agentGone:
			agentGone = nil
		case <-second.C:
			if agentGone == nil && !c.entry.Status().AgentGone { // it has asked again
				agentGone = c.entry.AgentGone()
			}
		}
		gone := agentGone == nil
		r, over, _ := c.entry.Answer() // ours, perhaps, on its way out
		s.post(c, func() {
			if over {
				s.endedElsewhere(r)
			} else if s.agentGone = gone; gone && s.Borrowed {
				s.app.Stop()
			}
		})
	}
}

// watchQueue keeps count of who waits, until ctx ends.
func (s *session) watchQueue(ctx context.Context) {
	w := s.queue.Watch()
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Changed:
		}
		waiting := s.queue.Waiting()
		s.post(nil, func() { s.waiting = waiting })
	}
}
