package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// TestMain runs the tests for a person who has set nothing.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "askpane-page-")
	if err = errors.Join(err, os.Setenv("HOME", home), os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(status int) {
		os.RemoveAll(home)
		os.Exit(status)
	}))
}

// patient is how long a test waits for what has to come: a machine may be busy.
const patient = 30 * time.Second

// desk is pages that are served, and the spool behind them.
type desk struct {
	*testing.T
	*Page
	spool  *spool.Spool
	server *httptest.Server
	rights Rights
	rows   string // that pages want
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	sp, err := spool.Open(t.TempDir() + "/spool")
	must.Do(t, err)
	d := &desk{T: t, spool: sp, Page: New(Config{Spool: sp}), rights: Rights{Guarded: true}}
	d.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.ServeHTTP(w, r.WithContext(WithRights(r.Context(), d.rights)))
	}))
	t.Cleanup(func() {
		d.Page.Close()
		d.server.Close()
		must.Do(t, sp.Close())
	})
	return d
}

// ask puts a question into the spool, whose bridge waits as long as the test.
func (d *desk) ask(request string) *spool.Entry {
	d.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	must.Do(d.T, err)
	e, err := d.spool.Create(spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/shop", Pane: "main:1.0", Start: time.Now()}})
	must.Do(d.T, err)
	d.Cleanup(func() { e.Close() })
	return e
}

// tab is a page in a browser without its JavaScript: it is told what the desk sends,
// and sends what buttons stand for.
type tab struct {
	*desk
	lines *bufio.Scanner
	body  io.Closer
	views chan view
	heard chan struct{} // that its stream reaches it
	page  string
	seq   int
	view  view
	seen  []view
}

func (d *desk) open(at, id, search string) *tab {
	d.Helper()
	r, err := d.server.Client().Get(d.server.URL + "/api/events?" + url.Values{"at": {at}, "id": {id}, "search": {search}, "columns": {"80"}, "rows": {d.rows}}.Encode())
	must.Do(d.T, err)
	t := &tab{desk: d, body: r.Body, views: make(chan view, 1000), heard: make(chan struct{}, 10)}
	t.lines = bufio.NewScanner(r.Body)
	t.lines.Buffer(nil, 8<<20)
	d.Cleanup(t.close)
	name, data := t.event()
	var hello struct{ Page, Digest string }
	must.Do(d.T, json.Unmarshal(data, &hello))
	if name != "hello" || hello.Page == "" || hello.Digest == "" {
		d.Fatalf("the stream begins with %s %s", name, data)
	}
	t.page = hello.Page
	go func() {
		defer close(t.views)
		for {
			name, data := t.event()
			if name == "here" {
				t.heard <- struct{}{}
				continue
			}
			var v view
			if name != "view" || json.Unmarshal(data, &v) != nil {
				return
			}
			t.views <- v
		}
	}()
	t.sees("")
	return t
}

func (t *tab) close() {
	t.body.Close()
	for range t.views { // until the stream is read to its end
	}
}

func (t *tab) event() (name string, data []byte) {
	for t.lines.Scan() {
		line := t.lines.Text()
		if n, ok := strings.CutPrefix(line, "event: "); ok {
			name = n
		} else if d, ok := strings.CutPrefix(line, "data: "); ok {
			return name, []byte(d)
		}
	}
	return "", nil
}

// sees waits for a view with these in it.
func (t *tab) sees(all ...string) *tab {
	t.Helper()
	for limit := time.After(patient); ; {
		missing := ""
		for _, want := range all {
			if !strings.Contains(t.view.HTML, want) {
				missing = want
			}
		}
		if missing == "" && t.view.N > 0 {
			return t
		}
		select {
		case v, more := <-t.views:
			if !more {
				t.Fatalf("the stream has ended; last\n%s", t.view.HTML)
			}
			t.view, t.seen = v, append(t.seen, v)
		case <-limit:
			t.Fatalf("no %q in\n%s", missing, t.view.HTML)
		}
	}
}

// lacks waits for a view without that in it.
func (t *tab) lacks(text string) *tab {
	t.Helper()
	for limit := time.After(patient); strings.Contains(t.view.HTML, text); {
		select {
		case v := <-t.views:
			t.view, t.seen = v, append(t.seen, v)
		case <-limit:
			t.Fatalf("still %q in\n%s", text, t.view.HTML)
		}
	}
	return t
}

// does sends events, and returns what is wrong with them.
func (t *tab) does(events ...event) string {
	t.Helper()
	t.seq++
	return t.sends(map[string]any{"page": t.page, "seq": t.seq, "seen": t.view.N, "events": events})
}

func (t *tab) sends(body any) string {
	t.Helper()
	data, err := json.Marshal(body)
	must.Do(t.T, err)
	r, err := t.server.Client().Post(t.server.URL+"/api/do", "application/json", bytes.NewReader(data))
	must.Do(t.T, err)
	defer r.Body.Close()
	var said struct {
		OK    bool
		Error string
	}
	must.Do(t.T, json.NewDecoder(r.Body).Decode(&said))
	if said.OK != (r.StatusCode == http.StatusOK) || said.OK != (said.Error == "") {
		t.Errorf("%d says %+v", r.StatusCode, said)
	}
	return said.Error
}

// presses does what the button with some text stands for, or, with an action's name after
// a colon, the button that does that in the end: the words are the dialects' own.
func (t *tab) presses(label string) *tab {
	t.Helper()
	name, byAction := strings.CutPrefix(label, ":")
	for _, part := range slices.Backward(strings.Split(t.view.HTML, "<button ")[1:]) {
		part, _, _ = strings.Cut(part, "</button>")
		tag, inside, _ := strings.Cut(part, ">")
		ends := strings.Contains(tag, `&#34;`+name+`&#34;}]"`)
		if byAction && !ends || !byAction && !strings.Contains(inside, label) {
			continue
		}
		_, attr, _ := strings.Cut(tag, `data-do="`)
		attr, _, _ = strings.Cut(attr, `"`)
		var events []event
		must.Do(t.T, json.Unmarshal([]byte(strings.ReplaceAll(attr, "&#34;", `"`)), &events))
		if problem := t.does(events...); problem != "" {
			t.Fatalf("%s: %s", label, problem)
		}
		return t
	}
	t.Fatalf("no button %q in\n%s", label, t.view.HTML)
	return t
}

// types is a text in the entry that is open, or is being opened.
func (t *tab) types(text string) *tab {
	t.Helper()
	t.sees(`data-type="`)
	events := []event{{Do: "type", Text: text}}
	if t.view.Field != nil {
		events[0].N = t.view.Field.Rev
	}
	if strings.Contains(t.view.HTML, `data-type="[{&#34;do&#34;:&#34;open`) {
		events = append([]event{{Do: "open"}}, events...)
	}
	if problem := t.does(events...); problem != "" {
		t.Fatal(problem)
	}
	return t
}

// answered waits for the answer on the disk.
func (d *desk) answered(e *spool.Entry) form.Result {
	d.Helper()
	w := e.Watch()
	defer w.Stop()
	for limit := time.After(patient); ; {
		r, ok, err := e.Answer()
		must.Do(d.T, err)
		if ok {
			return r
		}
		select {
		case <-w.Changed:
		case <-limit:
			d.Fatal("no answer")
		}
	}
}

const colours = `{"questions":[{"id":"c","label":"Colour","prompt":"Which colour?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green","description":"calm"}]}]}`

func TestChoice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "").sees("claude asks", "/srv/shop · main:1.0", "Which colour?", `role="radio"`, "calm", "Something else…")
	tab.presses("Green").sees("Answered in the browser, ", `<strong class="done">Green</strong>`)
	if r := d.answered(e); r.By != form.ByPage || fmt.Sprint(r.Answers[0].Choices) != "[1]" {
		t.Errorf("the answer is %+v", r)
	}
	if p := tab.does(event{Do: "pick", N: 1}); !strings.HasPrefix(p, "This question is over: answered in the browser, ") {
		t.Errorf("once more: %q", p)
	}
}
