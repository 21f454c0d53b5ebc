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

// message identifies a posted message on the disk.
type message struct {
	Ref   string `json:"ref"`
	Again bool   `json:"again,omitempty"` // it was deleted, and posted a second time
}

// posted holds the content of the file in which messages are kept.
type posted struct {
	Version  int                `json:"version"`
	Mark     string             `json:"mark,omitempty"` // tells what is posted from here from what others post of the same questions
	Messages map[string]message `json:"messages"`
}

// PostedFile names that file for a service.
func PostedFile(service string) string { return "posted-" + service + ".json" }

// keep keeps the message of a question, or, with an empty reference, forgets it.
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

// post brings one message to the service.
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
		p.wakeIn(wait)
		return
	case !send:
		return
	}
	p.sending++
	ref := p.Ref
	p.background.Go(func() {
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
		p.happens <- func() { p.sendEnded(ref, err) }
	})
}

// sendEnded notes what has come of a post or an edit.
func (p *post) sendEnded(ref string, err error) {
	p.sending--
	p.returned(time.Now(), ref, err)
	if err == nil {
		p.keep(p.id, p.message)
	} else if !errors.Is(err, ErrGone) && p.ctx.Err() == nil {
		p.warn(trouble(err), fmt.Errorf("%s: the message of question %s: %w", p.Channel.Name(), p.id, err))
	}
}

// close shows m as a message's end, and tries until the service has it.
func (s *service) close(p *post, m Message) {
	p.conclude(m)
	p.since = time.Now()
	s.closing[p.id] = p
	s.keep(p.id, p.message)
	s.Unclosed.Add(1)
}

// retire closes a message that belongs to no question.
func (s *service) retire(id string, m message, words string) {
	p := &post{service: s, id: id, delivery: newDelivery(m)}
	p.plain = true
	s.close(p, ending(words))
}

// finish sends the ends of messages that are being closed, and counts those that keep the
// desk up.
func (s *service) finish() {
	unclosed := 0
	for id, p := range s.closing {
		if p.stage == closed {
			delete(s.closing, id)
			s.keep(id, message{})
			s.stale = s.stale || p.Ref != "" // the question may have come back
			continue
		}
		if p.send(p.want); time.Since(p.since) < closingLimit {
			unclosed++
		}
	}
	s.Unclosed.Store(int64(unclosed))
}

func ending(words string) Message {
	return Message{State: Over, Blocks: []Block{{Text: words, Style: Dim}}}
}

const overWords = "This question is over."

// Withdraw closes all messages of a chat that is not served from here any more, until ctx
// ends. Those that it cannot close are kept for the next time; whoever posts then posts new
// ones. It needs the Channel, Dir, Log and Unclosed of c.
func Withdraw(ctx context.Context, c Config) error {
	s, err := open(ctx, c)
	if err != nil {
		return err
	}
	for id, m := range s.kept {
		s.retire(id, m, "askpane does not ask here any more.")
	}
	for s.finish(); len(s.closing) > 0 && ctx.Err() == nil; s.finish() {
		s.await(nil)
	}
	s.drain()
	if len(s.kept) > 0 {
		return fmt.Errorf("%s does not take the end of what is posted there", c.Channel.Name())
	}
	return os.Remove(filepath.Join(c.Dir, PostedFile(c.Channel.Name())))
}
