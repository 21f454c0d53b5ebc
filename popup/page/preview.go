package page

import (
	"crypto/rand"
	"html/template"
	"net/http"
	"slices"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/scene"
)

type shown struct {
	Caption string
	HTML    template.HTML // empty where it could not be made
	Text    string        // is shown then
	Frame   string        // where its picture is, of which the rest is the source; empty where it has none
}

// frame holds a preview that a browser draws by itself, or names a picture that goes with an answer.
type frame struct{ kind, content, entry, file string }

// framed lists the kinds of those.
var framed = map[string]string{"svg": "image/svg+xml", "html": "text/html; charset=utf-8"}

// preview renders what stands beside the options.
func (s *session) preview(p form.Preview, caption string) *shown {
	view := &shown{Caption: caption, Text: text.Visible(p.Content), HTML: s.documents(preview.Text{Kind: p.Type, Content: p.Content})[0]}
	if kind := framed[p.Type]; kind != "" {
		view.Frame = "/frame/" + s.ticket(frame{kind: kind, content: p.Content})
	}
	return view
}

// asked holds a part of what an agent says.
type asked struct {
	scene.Paragraph
	HTML template.HTML // empty where it could not be made
}

// asked returns what the question on view says as parts of a document.
func (s *session) asked(said []scene.Paragraph) (all []asked) {
	var texts []preview.Text
	for _, p := range said {
		texts = append(texts, preview.Text{Kind: preview.Said, Content: p.Text})
	}
	documents := s.documents(texts...)
	for i, p := range said {
		all = append(all, asked{p, documents[i]})
	}
	return all
}

// documents returns the HTML of texts, and keeps it.
func (s *session) documents(texts ...preview.Text) []template.HTML {
	all, missing := make([]template.HTML, len(texts)), []preview.Text{}
	for _, t := range texts {
		if _, kept := s.kept[t]; !kept {
			missing = append(missing, t)
		}
	}
	if len(missing) > 0 {
		made, err := preview.Render(s.ctx, s.Preview, s.columns, slices.Clone(missing)...)
		for i, t := range missing {
			if s.kept[t] = ""; err == nil { // else it is not tried at each view
				s.kept[t] = template.HTML(made[i])
			}
		}
	}
	for i, t := range texts {
		all[i] = s.kept[t]
	}
	return all
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
