package page

import (
	"context"
	"net/http"
	"sync"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
)

// shown is a preview on a page.
type shown struct {
	Caption string
	Rows    []styled.Row
	Frame   string // where its picture is; empty where it has none
}

// frame is a preview that a browser draws by itself.
type frame struct{ kind, content string }

// framed are the kinds of those.
var framed = map[string]string{"svg": "image/svg+xml", "html": "text/html; charset=utf-8"}

// preview is what stands beside the options.
func (s *session) preview(p form.Preview, caption string) *shown {
	view := &shown{Caption: caption}
	view.Rows, s.ready = s.previews.rows(s.Page.ended, p, s.columns)
	if kind := framed[p.Type]; kind != "" {
		view.Frame = "/frame/" + s.ticket(frame{kind, p.Content})
	}
	return view
}

// ticket is by which this page alone gets a frame: one cannot be asked for with the
// bearer token.
func (s *stream) ticket(f frame) string {
	if s.tickets[f] == "" {
		s.tickets[f] = random()
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
	if !known {
		http.NotFound(w, r)
		return
	}
	h.Set("Content-Type", f.kind)
	_, _ = w.Write([]byte(f.content))
}

// previews are those that have been rendered, for all pages together.
type previews struct {
	program preview.Program
	running sync.WaitGroup
	turn    sync.Mutex // one is rendered at a time

	mu   sync.Mutex
	kept map[sized]*rendered
}

type sized struct {
	preview form.Preview
	width   int
}

type rendered struct {
	rows  []styled.Row
	ready chan struct{} // closed when rows are what they will be
}

// mostKept is how many previews are kept; beyond that they are rendered again.
const mostKept = 200

// rows is a preview as it is now; ready is closed when there is more to it.
func (v *previews) rows(ctx context.Context, p form.Preview, width int) (rows []styled.Row, ready <-chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	key := sized{p, width}
	r := v.kept[key]
	if r == nil {
		if len(v.kept) == 0 || len(v.kept) >= mostKept {
			v.kept = map[sized]*rendered{}
		}
		r = &rendered{rows: preview.Plain(p, width), ready: make(chan struct{})}
		v.kept[key] = r
		v.running.Go(func() { v.render(ctx, key, r) })
	}
	select {
	case <-r.ready:
		return r.rows, nil
	default:
		return r.rows, r.ready
	}
}

func (v *previews) render(ctx context.Context, key sized, r *rendered) {
	v.turn.Lock()
	defer v.turn.Unlock()
	rows, err := preview.Render(ctx, v.program, key.preview, key.width)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err == nil {
		r.rows = rows
	}
	close(r.ready)
}
