package chat

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/askpane/askpane/integrations/desk/private"
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

// post is one message on its way.
type post struct {
	*service
	id string // of its question
	message
	shown   *Message // as it is there; nil where that is not known
	sending bool
	doubted bool // while that goes on
	plain   bool // the service refused it, and it only says that there is something
	left    bool // as it is
	pause   time.Duration
	next    time.Time // when it may be tried again

	final *Message // what it says in the end
	since time.Time
}

const (
	// Between two tries to reach the service.
	firstPause = time.Second
	mostPause  = time.Minute
	// ends is how long a desk that ends waits for the service.
	ends = 3 * time.Second
)

func (p *post) shows(m Message) bool { return p.shown != nil && reflect.DeepEqual(m, *p.shown) }

// doubt has the message sent anew, though it may be as it should.
func (p *post) doubt() { p.shown, p.doubted = nil, true }

// send posts the message, or edits it to what it is now, one at a time.
func (p *post) send(m Message) {
	switch wait := time.Until(p.next); {
	case p.sending, p.left, p.shows(m):
		return
	case wait > 0:
		p.in(wait)
		return
	}
	p.sending, p.doubted = true, false
	p.service.sending++
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
		p.happens <- func() { p.sent(ref, m, err) }
	})
}

// sent is what has come of it.
func (p *post) sent(ref string, m Message, err error) {
	p.sending = false
	p.service.sending--
	if err == nil {
		if p.shown = &m; p.doubted || p.Ref == "" && p.pause > 0 { // it may be that of an earlier try
			p.shown = nil
		}
		p.Ref, p.pause = ref, 0
		p.keep(p.id, p.message)
		return
	}
	p.shown = nil
	switch {
	case errors.Is(err, context.Canceled):
	case errors.Is(err, ErrGone) && p.final == nil && !p.Again: // by hand, perhaps by mistake
		p.message = message{Again: true}
	case errors.Is(err, ErrUnfit) && !p.plain:
		p.plain = true
		if p.final != nil {
			*p.final = ending(overWords)
		}
	case errors.Is(err, ErrGone), errors.Is(err, ErrUnfit):
		p.left = true
	default: // others may have more luck
		p.pause = min(max(firstPause, 2*p.pause), mostPause)
		p.next = time.Now().Add(p.pause)
	}
	if !errors.Is(err, ErrGone) && p.ctx.Err() == nil {
		p.warn(trouble(err), fmt.Errorf("%s: the message of question %s: %w", p.Channel.Name(), p.id, err))
	}
}

// close has a message say in the end what m says, which is tried until that is done.
func (s *service) close(p *post, m Message) {
	p.final, p.since = &m, time.Now()
	s.closing[p.id] = p
	s.keep(p.id, p.message)
	s.Owing.Add(1)
}

// bury closes a message that belongs to no question.
func (s *service) bury(id string, m message, words string) {
	s.close(&post{service: s, id: id, message: m, plain: true}, ending(words))
}

// finish brings messages to their ends, and says how many are owed one.
func (s *service) finish() {
	owing := 0
	for id, p := range s.closing {
		if p.Ref == "" && !p.sending || p.left || p.shows(*p.final) {
			delete(s.closing, id)
			s.keep(id, message{})
			s.stale = s.stale || p.Ref != "" // the question may have come back
			continue
		}
		if p.send(*p.final); time.Since(p.since) < owed {
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
