package push

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
)

// ntfy answers as a server of ntfy does, after each of the answers that were put in its
// way. Whoever has no token of its where one is wanted is refused.
type ntfy struct {
	*httptest.Server
	token string
	odd   []func(http.ResponseWriter, *http.Request)
	// config and variable are where whoever posts has a token.
	config, variable string
	// waited is how long was waited before each further try.
	waited []time.Duration

	mu    sync.Mutex
	asked int
	took  []map[string]any
}

func serve(t *testing.T, odd ...func(http.ResponseWriter, *http.Request)) *ntfy {
	n := &ntfy{odd: odd, config: t.TempDir()}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *ntfy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked++
	if n.asked <= len(n.odd) {
		n.odd[n.asked-1](w, r)
		return
	}
	if n.token != "" && r.Header.Get("Authorization") != "Bearer "+n.token {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"code":40301,"http":403,"error":"forbidden `+r.Header.Get("Authorization")+`"}`)
		return
	}
	var m map[string]any
	if r.Method != http.MethodPost || r.URL.Path != "/" || json.NewDecoder(r.Body).Decode(&m) != nil || m["topic"] == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	m["id"] = r.Header.Get("X-Sequence-ID")
	n.took = append(n.took, m)
	_, _ = io.WriteString(w, `{"id":"xE73Iyuabi","time":1673542291,"event":"message","topic":"mine","message":"x"}`)
}

// open is the server's topic, tried again without waiting.
func (n *ntfy) open(t *testing.T) *Topic {
	t.Helper()
	topic, err := open(n.URL+"/mine", n.config, n.variable)
	if err != nil {
		t.Fatal(err)
	}
	topic.first = time.Millisecond
	topic.after = func(wait time.Duration) <-chan time.Time {
		n.waited = append(n.waited, wait)
		return time.After(0)
	}
	return topic
}

var message = Message{ID: "01K-30", Title: "claude asks: Größe", Body: "A question waits.\nWhich?", Click: "https://me.example/#q=01K"}

func status(code int, header ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if len(header) > 0 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(code)
	}
}

func TestPublish(t *testing.T) {
	t.Parallel()
	n := serve(t)
	for _, urgent := range []bool{false, true} {
		m := message
		m.Urgent = urgent
		if err := n.open(t).Send(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{
		`{"click":"https://me.example/#q=01K","id":"01K-30","message":"A question waits.\nWhich?","priority":3,"tags":["speech_balloon"],"title":"claude asks: Größe","topic":"mine"}`,
		`{"click":"https://me.example/#q=01K","id":"01K-30","message":"A question waits.\nWhich?","priority":4,"tags":["warning"],"title":"claude asks: Größe","topic":"mine"}`,
	} { // and so no buttons
		if got, _ := json.Marshal(n.took[i]); string(got) != want {
			t.Errorf("it took %s, want %s", got, want)
		}
	}
}

func TestButtons(t *testing.T) {
	t.Parallel()
	n := serve(t)
	m := message
	m.Buttons = []Button{{`Yes, "now"`, "http://192.168.1.5:47/api/reply/1", `{"secret":"x"}`}}
	if err := n.open(t).Send(context.Background(), m); err != nil {
		t.Fatal(err)
	}
	const want = `[{"action":"http","body":"{\"secret\":\"x\"}","clear":true,"headers":{"Content-Type":"application/json"},"label":"Yes, \"now\"","method":"POST","url":"http://192.168.1.5:47/api/reply/1"}]`
	if got, _ := json.Marshal(n.took[0]["actions"]); string(got) != want {
		t.Errorf("it took %s, want %s", got, want)
	}
}

// What may help is tried again, and the rest is said at once. No error has a word of the
// server's, nor the topic.
func TestRefusals(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter, _ *http.Request) {
		c, _, _ := w.(http.Hijacker).Hijack()
		c.Close()
	}
	html := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<p>Log in to this network") }
	for name, test := range map[string]struct {
		odd   []func(http.ResponseWriter, *http.Request)
		want  string // empty: it is sent in the end
		asked int
	}{
		"too many":         {[]func(http.ResponseWriter, *http.Request){status(429), status(429)}, "", 3},
		"too many, 1 s":    {[]func(http.ResponseWriter, *http.Request){status(429, "Retry-After", "1")}, "", 2},
		"too many, a date": {[]func(http.ResponseWriter, *http.Request){status(503, "Retry-After", "Mon, 01 Jan 2001 00:00:00 GMT")}, "", 2},
		"too many, a day":  {[]func(http.ResponseWriter, *http.Request){status(429, "Retry-After", "86400")}, "refuses it with status 429", 1},
		"broken":           {[]func(http.ResponseWriter, *http.Request){status(500), hangUp, status(502)}, "", 4},
		"too large":        {[]func(http.ResponseWriter, *http.Request){status(413)}, "refuses it with status 413", 1},
		"something else":   {[]func(http.ResponseWriter, *http.Request){html}, "does not answer as ntfy does; see that pushUrl leads to an ntfy server", 1},
		"no token":         {[]func(http.ResponseWriter, *http.Request){status(401)}, "refuses it with status 401; write a token that may write to the topic to ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := serve(t, test.odd...)
			err := n.open(t).Send(context.Background(), message)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "mine") {
				t.Errorf("the topic is in %q", err)
			}
			if n.asked != test.asked || (test.want == "") != (len(n.took) == 1) {
				t.Errorf("asked %d times, took %d, want %d", n.asked, len(n.took), test.asked)
			}
			if strings.HasSuffix(name, "1 s") && !slices.Equal(n.waited, []time.Duration{time.Second}) {
				t.Errorf("it was left alone for %v", n.waited)
			}
		})
	}
}

// A server that sends the message on, to another host or to itself, has no say in where
// the message and the token go.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 307, 308} {
		thief := serve(t)
		n := serve(t, status(code, "Location", strings.Replace(thief.URL, "127.0.0.1", "localhost", 1)+"/"))
		n.variable = "tk_secret"
		err := n.open(t).Send(context.Background(), message)
		if err == nil || !strings.Contains(err.Error(), "sends it on to another address, which is not followed") || thief.asked+n.asked != 1 {
			t.Errorf("%d: %v; the other was asked %d times", code, err, thief.asked)
		}
	}
}

func TestServerThatIsDownOrSlow(t *testing.T) {
	t.Parallel()
	n := serve(t)
	n.Close()
	topic := n.open(t)
	topic.first, topic.patience = 25*time.Second, time.Minute // it tries again after 25 and 50 seconds, and then no more
	tries := 0
	topic.Failed = func(error) { tries++ }
	err := topic.Send(context.Background(), message)
	if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "Post ") || tries != 2 {
		t.Errorf("down: %v after %d tries", err, tries)
	}

	held := make(chan struct{})
	n = serve(t, func(_ http.ResponseWriter, r *http.Request) { <-held })
	defer close(held)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond) // of whoever sends
	defer cancel()
	topic = n.open(t)
	topic.patience = 0
	if err := topic.Send(ctx, message); err == nil || !strings.Contains(err.Error(), "it does not answer in time") {
		t.Errorf("slow: %v", err)
	}
}

// A token is the person's alone, and nobody is told it: not even where the server says it
// back.
func TestToken(t *testing.T) {
	t.Parallel()
	n := serve(t)
	n.token = "tk_right"
	path := filepath.Join(n.config, "askpane", "push-token")
	refused := func(why string) {
		t.Helper()
		if _, err := open(n.URL+"/mine", n.config, n.variable); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "tk_") {
			t.Errorf("it says %v, want %q", err, why)
		}
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(token string, mode os.FileMode) {
		if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("tk_right\n", 0o600)
	topic := n.open(t)
	if err := topic.Send(context.Background(), message); err != nil || len(n.took) != 1 {
		t.Errorf("by the file: %v", err)
	}
	if said := topic.String(); !strings.HasSuffix(said, ", with a token") || strings.Contains(said, "tk_") || strings.Contains(said, "mine") {
		t.Errorf("it is %q", said)
	}
	write("tk_wrong", 0o600)
	if err := n.open(t).Send(context.Background(), message); err == nil || strings.Contains(err.Error(), "tk_") {
		t.Errorf("a wrong one: %v", err)
	}
	n.variable = "tk_right"
	if err := n.open(t).Send(context.Background(), message); err != nil {
		t.Errorf("by the variable: %v", err)
	}
	n.variable = "tk_a\nX-Actions: b"
	refused("is not one word")
	n.variable = ""
	write("tk_right", 0o640) // so that others may read it
	refused("; run chmod go= " + path)
	write("tk_right", 0o600)
	if err := errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)); err != nil {
		t.Fatal(err)
	}
	if err := n.open(t).Send(context.Background(), message); err != nil {
		t.Errorf("by a link to the file: %v", err)
	}
	os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	refused(path)
}

// What the person's environment says of the token counts.
func TestTokenOfTheEnvironment(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv(tokenVariable, "tk_right")
	topic, err := Open("https://ntfy.sh/mine")
	if err != nil || topic.String() != "ntfy.sh, with a token" || !strings.HasPrefix(topic.tokenFile, config) {
		t.Errorf("it is %v, by %+v", err, topic)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://ntfy.sh/mine":      "ntfy.sh",
		"http://127.0.0.1:80/mine":  "127.0.0.1:80",
		"http://10.0.0.2/mine":      "10.0.0.2, without TLS, so that others on the way may read it",
		"ntfy.sh/mine":              "pushUrl is not the URL of a topic",
		"file:///etc/mine":          "pushUrl is not the URL of a topic",
		"https://ntfy.sh/mine?a=b":  "pushUrl is not the URL of a topic",
		"https://ntfy.sh/":          "pushUrl names no topic, which is one word of letters, digits, - and _ after the server",
		"https://ntfy.sh/a/b":       "pushUrl names no topic, which is one word of letters, digits, - and _ after the server",
		"https://me:pw@ntfy.sh/a":   "pushUrl has a password in it, which would be seen",
		"https://ntfy.sh/\x1b[31mx": "pushUrl is not the URL of a topic",
	} {
		topic, err := open(address, t.TempDir(), "")
		got := ""
		if err != nil {
			got, _ = hint.Of(err)
		} else {
			got = topic.String()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}
