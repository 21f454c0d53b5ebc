// Package page is askpane's forms in a browser: a page for each question, the inbox
// of all that wait, and the history.
//
// It speaks HTTP to whoever gate has let in, reads the spool, and writes drafts and
// answers into it. The rule that must hold here: what a question takes for an answer
// is decided by popup/machine alone; the browser is sent HTML and sends back what was
// pressed and typed.
package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Config configures the pages.
type Config struct {
	Spool *spool.Spool
	// Preview is the program that renders previews (cmd/askpane-preview). Nil, or an
	// error: they are plain text.
	Preview preview.Program
}

// Page serves the pages. Whoever may see them, and which headers every answer has
// besides Policy, is for the gate around it to say.
type Page struct {
	Config
	http.ServeMux
	digest string // of everything that a browser keeps of us
	board  *board
	ended  context.Context
	end    context.CancelFunc

	mu      sync.Mutex
	streams map[string]*stream // by the id that their pages know
	frames  map[string]frame   // by ticket
}

// Policy is the Content-Security-Policy of all that is served but frames.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
	"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// framePolicy has a preview, which an agent wrote, run nothing and load nothing, wherever it
// is opened.
const framePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

//go:embed web
var web embed.FS

// home names the file that a browser loads first, and static lists all that it may ask for.
const home = "page.html"

var static = map[string]string{
	home:      "text/html; charset=utf-8",
	"page.js": "text/javascript; charset=utf-8", "enter.js": "text/javascript; charset=utf-8", "attach.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8",
	"icon.svg": "image/svg+xml", "icon.png": "image/png", "manifest.webmanifest": "application/manifest+json",
}

// New makes the pages; Close must be called.
func New(c Config) *Page {
	ctx, end := context.WithCancel(context.Background())
	p := &Page{Config: c, ended: ctx, end: end, streams: map[string]*stream{}, frames: map[string]frame{}}
	sum := sha256.New()
	_ = fs.WalkDir(web, "web", func(path string, _ fs.DirEntry, _ error) error {
		data, _ := web.ReadFile(path)
		sum.Write(data)
		return nil
	})
	p.digest = hex.EncodeToString(sum.Sum(nil)[:8])
	p.board = newBoard(c.Spool)
	for name, kind := range static {
		data, _ := web.ReadFile("web/" + name) // what is embedded
		at := "/static/" + name
		if name == home {
			at, data = "/{$}", bytes.Replace(data, []byte("DIGEST"), []byte(p.digest), 1)
		}
		p.HandleFunc("GET "+at, func(w http.ResponseWriter, r *http.Request) { p.file(w, r, data, kind) })
	}
	p.HandleFunc("GET /api/events", p.events)
	p.HandleFunc("POST /api/do", p.receive)
	p.HandleFunc("POST /api/reply/{n}", p.reply)
	p.HandleFunc("GET /frame/{ticket}", p.frame)
	return p
}

// file serves what is the same for everybody.
func (p *Page) file(w http.ResponseWriter, r *http.Request, data []byte, kind string) {
	h := w.Header()
	h.Set("Content-Security-Policy", Policy)
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", `"`+p.digest+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// Close ends every page's stream.
func (p *Page) Close() {
	p.end()
	p.board.close()
}

// Streams counts the pages that are open.
func (p *Page) Streams() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.streams)
}

// Rights allow a request more than looking and answering. Without any word from the gate a
// request has the zero value.
type Rights struct {
	// Guarded allows it to answer forms with a dangerous or a secret question.
	Guarded bool
	// Reply allows it nothing but to answer the question with that id, as a push has offered.
	Reply string
}

type rightsKey struct{}

// WithRights gives a request's context rights.
func WithRights(ctx context.Context, r Rights) context.Context {
	return context.WithValue(ctx, rightsKey{}, r)
}

// RightsOf returns the rights of a request.
func RightsOf(r *http.Request) Rights {
	rights, _ := r.Context().Value(rightsKey{}).(Rights)
	return rights
}

// maxBody bounds what a browser may send at once, in bytes.
const maxBody = 1 << 20

// Refuse answers a request with a sentence for the person, as JSON.
func Refuse(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)})
}

// request carries what a page has done.
type request struct {
	Page   string  `json:"page"`
	Seq    int     `json:"seq"`  // counts up, so that one that is sent again counts once
	Seen   int     `json:"seen"` // the view on which it was done
	Events []event `json:"events"`

	rights Rights
	said   chan string // gets what is wrong with it; empty for nothing
}

type event struct {
	Do   string `json:"do"`
	N    int    `json:"n,omitempty"` // of what is typed: the Rev of the text that it was typed to
	Text string `json:"text,omitempty"`
}

// repeats reports whether the same was done, as by somebody who does not see yet that it was taken.
func (d request) repeats(last request) bool { return encode(d.Events...) == encode(last.Events...) }

// receive hands what a page has done to its stream, and waits until it counts.
func (p *Page) receive(w http.ResponseWriter, r *http.Request) {
	d := request{rights: RightsOf(r), said: make(chan string, 1)}
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&d)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		Refuse(w, http.StatusRequestEntityTooLarge, "That is too long: at most 1 MiB can be sent at once. It was not saved; it still stands here.")
		return
	}
	if err != nil {
		Refuse(w, http.StatusBadRequest, "The desk did not understand this page; reload it. (%v)", err)
		return
	}
	p.mu.Lock()
	s := p.streams[d.Page]
	p.mu.Unlock()
	if s != nil {
		select {
		case s.requests <- d:
		case <-s.ctx.Done():
		case <-r.Context().Done():
		}
		select {
		case problem := <-d.said:
			done(w, problem)
			return
		case <-s.ctx.Done():
		case <-r.Context().Done(): // nobody hears it
		}
	}
	Refuse(w, http.StatusGone, "The connection to the desk was lost; it is made again.")
}

// done says that something was done, or the problem for which it was not.
func done(w http.ResponseWriter, problem string) {
	if problem != "" {
		Refuse(w, http.StatusConflict, "%s", problem)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"ok":true}` + "\n"))
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{"class": styled.Span.Class, "blocks": blocks, "number": number,
	"events": encodeEvents, "keys": typeable, "style": func(s styled.Style) string { return styled.Classes[s] }}).ParseFS(web, "web/form.html", "web/lists.html", "web/attach.html"))

// blocks divides what an agent says of an option, which has been made visible, into lines.
func blocks(said string) []styled.Block {
	if said = strings.Trim(said, "\n"); said == "" {
		return nil
	}
	return styled.Markup(styled.Dim, said)
}

// render executes a template.
func render(name string, data any) string {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return "<p>" + template.HTMLEscapeString(err.Error()) + "</p>"
	}
	return b.String()
}
