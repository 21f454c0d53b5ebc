// Package visitor is a page that a program has open instead of a browser: it comes by a link,
// reads what it is to show, and sends what was done.
package visitor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
)

// Tab is one open page.
type Tab struct {
	base, bearer string
	stream       io.Closer
	lines        *bufio.Scanner
	page         string
	view         atomic.Int64
	seq          int
}

// Open opens a link of askpane page, with the files that a browser loads first, and has
// a question on view, or without an ID the inbox, or the history, h. The view is the HTML
// that it gets.
func Open(link, question string) (t *Tab, view string, err error) {
	base, token, _ := strings.Cut(link, "#t=")
	token, _, _ = strings.Cut(token, "&")
	t = &Tab{base: strings.TrimSuffix(base, "/")}
	for _, path := range []string{"/", "/static/page.css", "/static/page.js", "/static/enter.js"} {
		if err = t.call("GET", path, nil, nil); err != nil {
			return nil, "", err
		}
	}
	var entered struct{ Bearer string }
	if err = t.call("POST", "/api/enter", map[string]string{"token": token}, &entered); err != nil {
		return nil, "", err
	}
	t.bearer = entered.Bearer
	at := url.Values{"at": {"question"}, "id": {question}, "columns": {"80"}}
	if question == "" || question == "h" {
		at = url.Values{"at": {map[string]string{"": "inbox", "h": "history"}[question]}}
	}
	r, err := t.send("GET", "/api/events?"+at.Encode(), nil)
	if err != nil {
		return nil, "", err
	}
	t.stream, t.lines = r.Body, bufio.NewScanner(r.Body)
	t.lines.Buffer(nil, 1<<20)
	var hello struct{ Page string }
	if err = t.event(&hello); err == nil {
		t.page = hello.Page
		view, err = t.See()
	}
	if err != nil {
		t.Close()
	}
	return t, view, err
}

// See waits for the next view. What its entry holds is its last line.
func (t *Tab) See() (html string, err error) {
	var v struct {
		N     int
		HTML  string
		Field struct{ Value string }
	}
	err = t.event(&v)
	t.view.Store(int64(v.N))
	return v.HTML + "\n" + v.Field.Value, err
}

// Do does something on the view, and returns when that has been taken.
func (t *Tab) Do(action string, n int) error {
	return t.did(map[string]any{"do": action, "n": n})
}

// Type has the entry hold a text.
func (t *Tab) Type(text string) error {
	return t.did(map[string]any{"do": "open"}, map[string]any{"do": "type", "text": text, "n": 1 << 30})
}

func (t *Tab) did(events ...any) error {
	t.seq++
	return t.call("POST", "/api/do", map[string]any{"page": t.page, "seq": t.seq, "seen": t.view.Load(), "events": events}, nil)
}

// Close closes the page.
func (t *Tab) Close() { t.stream.Close() }

func (t *Tab) event(v any) error {
	for t.lines.Scan() {
		if data, ok := strings.CutPrefix(t.lines.Text(), "data: "); ok {
			return json.Unmarshal([]byte(data), v)
		}
	}
	return fmt.Errorf("the page's stream has ended: %v", t.lines.Err())
}

func (t *Tab) call(method, path string, body, reply any) error {
	r, err := t.send(method, path, body)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if reply == nil {
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}
	return json.NewDecoder(r.Body).Decode(reply)
}

func (t *Tab) send(method, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	q, err := http.NewRequest(method, t.base+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Origin", t.base)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Authorization", "Bearer "+t.bearer)
	r, err := http.DefaultClient.Do(q)
	if err == nil && r.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(r.Body)
		r.Body.Close()
		err = fmt.Errorf("%s %s: %s: %s", method, path, r.Status, said)
	}
	return r, err
}
