package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/settings/private"
)

// message is what is kept of one.
type message struct {
	Ref   string `json:"ref"`
	Again bool   `json:"again,omitempty"` // it was deleted, and posted a second time
}

// posted is the file in which messages are kept.
type posted struct {
	Version  int                `json:"version"`
	Mark     string             `json:"mark,omitempty"` // tells what is posted from here from what others post of the same questions
	Messages map[string]message `json:"messages"`
}

// PostedFile is its name for a service.
func PostedFile(service string) string { return "posted-" + service + ".json" }

// keep has the message of a question kept, or, with an empty reference, forgotten.
func (s *service) keep(id string, m message) {
	if s.kept[id] == m {
		return
	}
	if s.kept[id] = m; m.Ref == "" {
		delete(s.kept, id)
	}
	s.save()
}

func (s *service) save() {
	if err := private.Write(s.Dir, PostedFile(s.Channel.Name()), posted{1, s.mark, s.kept}); err != nil {
		s.warn("keep", fmt.Errorf("keep which messages were posted: %w", err))
	}
}

// post is one message and its way to the service.
type post struct {
	*service
	id string // of its question
	delivery
	since time.Time // its question is over
}

// ends limits how long a desk that ends waits for the service.
const ends = 3 * time.Second

// send posts the message, or edits it to show m, as soon as that can be.
func (p *post) send(m Message) {
	p.want = m
	switch send, wait := p.try(time.Now()); {
	case wait > 0:
		p.in(wait)
		return
	case !send:
		return
	}
	p.sending++
	ref := p.Ref
	p.rest.Go(func() {
		// A desk that ends waits for it: nobody knows a message that was posted meanwhile.
		ctx, cancel := context.WithCancel(context.WithoutCancel(p.ctx))
		defer cancel()
		defer context.AfterFunc(p.ctx, func() { time.AfterFunc(ends, cancel) })()
		var err error
		if ref == "" {
			ref, err = p.Channel.Post(ctx, m)
		} else {
			err = p.Channel.Edit(ctx, ref, m)
		}
		p.happens <- func() { p.done(ref, err) }
	})
}

// done takes what has come of a post or an edit.
func (p *post) done(ref string, err error) {
	p.sending--
	p.returned(time.Now(), ref, err)
	if err == nil {
		p.keep(p.id, p.message)
	} else if !errors.Is(err, ErrGone) && p.ctx.Err() == nil {
		p.warn(trouble(err), fmt.Errorf("%s: the message of question %s: %w", p.Channel.Name(), p.id, err))
	}
}

// close has a message say in the end what m says, which is tried until that is done.
func (s *service) close(p *post, m Message) {
	p.conclude(m)
	p.since = time.Now()
	s.closing[p.id] = p
	s.keep(p.id, p.message)
	s.Owing.Add(1)
}

// bury closes a message that belongs to no question.
func (s *service) bury(id string, m message, words string) {
	p := &post{service: s, id: id, delivery: newDelivery(m)}
	p.plain = true
	s.close(p, ending(words))
}

// finish brings messages to their ends, and says how many are owed one.
func (s *service) finish() {
	owing := 0
	for id, p := range s.closing {
		if p.stage == closed {
			delete(s.closing, id)
			s.keep(id, message{})
			s.stale = s.stale || p.Ref != "" // the question may have come back
			continue
		}
		if p.send(p.want); time.Since(p.since) < owed {
			owing++
		}
	}
	s.Owing.Store(int64(owing))
}

func ending(words string) Message {
	return Message{State: Over, Blocks: []Block{{Text: words, Style: Dim}}}
}

const overWords = "This question is over."

// Withdraw closes all messages of a chat that is not served from here any more, until ctx
// ends. Those that it cannot close are kept for the next time; whoever posts then posts new
// ones. Of c it needs Channel, Dir,
// Log and Owing.
func Withdraw(ctx context.Context, c Config) error {
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	for id, m := range s.kept {
		s.bury(id, m, "askpane does not ask here any more.")
	}
	for s.finish(); len(s.closing) > 0 && ctx.Err() == nil; s.finish() {
		s.await(nil)
	}
	s.end()
	if len(s.kept) > 0 {
		return fmt.Errorf("%s does not take the end of what is posted there", c.Channel.Name())
	}
	return os.Remove(filepath.Join(c.Dir, PostedFile(c.Channel.Name())))
}
