package page

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// stream connects to one open page. All that happens to the page happens in the goroutine of
// its request, one thing at a time.
type stream struct {
	*Page
	id       string
	me       string // of its first stream, by which its drafts know it
	ctx      context.Context
	cancel   context.CancelFunc
	over     chan struct{} // closed when nothing more is written by it
	w        http.ResponseWriter
	rights   Rights
	columns  int // that a row of text may have there
	requests chan request
	tickets  map[frame]string
	sent     view    // what the page shows
	did      request // what it has done last
	focused  string  // what had the focus put on it last
}

// view tells a page what to show.
type view struct {
	N     int    `json:"n"`
	Seq   int    `json:"seq"` // of what the page had done last
	HTML  string `json:"html"`
	Title string `json:"title"`
	// Focus names by its id what gets the focus, where that is to move.
	Focus string `json:"focus,omitempty"`
	// Key names what can be answered here; when another comes on view, what is pressed
	// counts after a pause of Guard milliseconds.
	Key   string `json:"key,omitempty"`
	Guard int    `json:"guard,omitempty"`
	// Field fills the text entry; what was typed into it on this page is left alone.
	Field *field `json:"field,omitempty"`
}

// field holds the content of a text entry. Rev grows when that is not what was typed on this
// page.
type field struct {
	ID    string `json:"id"`
	Rev   int    `json:"rev"`
	Value string `json:"value"`
}

// patience bounds how long a write waits for a page that reads nothing.
const patience = 20 * time.Second

// These bound the width that a page may claim.
const leastColumns, mostColumns = 30, 120

// events serves the stream of one page, as long as that is open.
func (p *Page) events(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if was := q.Get("was"); was != "" {
		p.replace(was) // what it has not saved yet is on the disk before it is read again
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ended, cancel)()
	s := &stream{Page: p, id: rand.Text(), ctx: ctx, cancel: cancel, over: make(chan struct{}), w: w, rights: RightsOf(r), requests: make(chan request), tickets: map[frame]string{}}
	if s.me = s.id; len(q.Get("me")) == len(s.id) {
		s.me = q.Get("me")
	}
	s.columns, _ = strconv.Atoi(q.Get("columns"))
	s.columns = max(leastColumns, min(s.columns, mostColumns))
	p.mu.Lock()
	p.streams[s.id] = s
	p.mu.Unlock()
	defer s.leave()
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if s.send("hello", map[string]any{"page": s.id, "digest": p.digest, "now": time.Now().UnixMilli()}) != nil {
		return
	}
	at := q.Get("at")
	if at == "question" {
		s.question(q.Get("id"))
		return
	}
	list := wanted{search: q.Get("search"), past: at == "history"}
	list.rows, _ = strconv.Atoi(q.Get("rows"))
	list.rows = max(someRows, min(list.rows, mostRows))
	s.list(list)
}

// serve has the page show what draw makes, anew after each event, as long as it is open: there is
// news, something else happens, or the page has done something, which apply carries out.
func (s *stream) serve(draw func(), apply func(request) (problem string), news <-chan struct{}, happens <-chan func()) {
	for {
		draw()
		select {
		case <-s.ctx.Done():
			return
		case r := <-s.requests:
			s.answer(r, apply)
		case do := <-happens:
			do()
		case <-news:
		}
	}
}

// still has it show what stays so; all that can be done there is done to a list.
func (s *stream) still(v view) { s.serve(func() { s.show(v) }, s.onList, nil, nil) }

// replace ends the stream of a page that has lost it, and waits for what it saves.
func (p *Page) replace(id string) {
	p.mu.Lock()
	s := p.streams[id]
	p.mu.Unlock()
	if s == nil {
		return
	}
	s.cancel()
	<-s.over
}

// leave ends a page.
func (s *stream) leave() {
	s.cancel()
	s.mu.Lock()
	delete(s.streams, s.id)
	for _, ticket := range s.tickets {
		delete(s.frames, ticket)
	}
	s.mu.Unlock()
	close(s.over)
}

// send writes one event. It gives up a page that does not read it.
func (s *stream) send(event string, data any) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event: %s\ndata: ", event)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil { // on one line, since JSON escapes breaks
		return err
	}
	b.WriteByte('\n')
	out := http.NewResponseController(s.w)
	if err := out.SetWriteDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	_, err := s.w.Write(b.Bytes())
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		_ = out.SetWriteDeadline(time.Time{}) // a page may be quiet for days
	} else {
		s.cancel()
	}
	return err
}

// show sends a view, unless the page shows it already.
func (s *stream) show(v view) {
	v.N = s.sent.N
	same := v.Field == s.sent.Field || v.Field != nil && s.sent.Field != nil && v.Field.ID == s.sent.Field.ID && v.Field.Rev == s.sent.Field.Rev
	if same && v.HTML == s.sent.HTML && v.Title == s.sent.Title && v.Focus == s.focused {
		return
	}
	v.N++
	s.sent = v
	if v.Focus == s.focused {
		v.Focus = ""
	} else {
		s.focused = v.Focus
	}
	_ = s.send("view", v)
}

// answer has what the page has done carried out. A page that has done nothing asks whether
// its stream still reaches it, and is told so there.
func (s *stream) answer(r request, apply func(request) (problem string)) {
	problem := ""
	if len(r.Events) > 0 {
		if problem = apply(r); problem == "" {
			s.did = r
		}
	} else if err := s.send("here", struct{}{}); err != nil {
		problem = err.Error()
	}
	r.said <- problem
}

// barred says why a form cannot be answered with such rights; it is empty where it can.
func (s *stream) barred(f *form.Form, r Rights) string {
	if !f.Guarded() || r.Guarded && s.rights.Guarded {
		return ""
	}
	return "This form has a dangerous or a secret question, or asks for a permission, and what is typed here can be read on its way: answer it in the popup, or open this page by https or on the machine itself."
}
