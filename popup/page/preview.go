package page

import (
	"crypto/rand"
	"net/http"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/preview/styled"
)

type shown struct {
	Caption string
	Rows    []styled.Row
	Frame   string // where its picture is; empty where it has none
}

// frame holds a preview that a browser draws by itself, or names a picture that goes with an answer.
type frame struct{ kind, content, entry, file string }

// framed lists the kinds of those.
var framed = map[string]string{"svg": "image/svg+xml", "html": "text/html; charset=utf-8"}

// preview renders what stands beside the options.
func (s *session) preview(p form.Preview, caption string) *shown {
	view := &shown{Caption: caption, Rows: s.previews.Rows(p, s.columns)}
	if kind := framed[p.Type]; kind != "" {
		view.Frame = "/frame/" + s.ticket(frame{kind: kind, content: p.Content})
	}
	return view
}

// ticket names a frame so that this page alone can ask for it, which it cannot do with the
// bearer token.
func (s *stream) ticket(f frame) string {
	if s.tickets[f] == "" {
		s.tickets[f] = rand.Text()
		s.mu.Lock()
		s.frames[s.tickets[f]] = f
		s.mu.Unlock()
	}
	return s.tickets[f]
}

func (p *Page) frame(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	f, known := p.frames[r.PathValue("ticket")]
	p.mu.Unlock()
	h := w.Header()
	h.Set("Content-Security-Policy", framePolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	data := []byte(f.content)
	if f.file != "" {
		data, known = p.picture(f)
	}
	if !known {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", f.kind)
	_, _ = w.Write(data)
}

// picture reads a picture that goes with an answer.
func (p *Page) picture(f frame) (data []byte, ok bool) {
	e, err := p.Spool.Find(f.entry)
	if err != nil {
		return nil, false
	}
	defer e.Close()
	data, err = e.Attachment(f.file)
	return data, err == nil
}
