package gate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/page"
)

// stand is a gate with something behind it that says when it was reached.
type stand struct {
	*testing.T
	gate    *Gate
	keys    Keys
	reached int
	rights  page.Rights   // of what was reached last
	hold    chan struct{} // what is behind waits for the end of a request, and closes it
}

const port = ":4711"

func newStand(t *testing.T) *stand {
	s := &stand{T: t, keys: Keys(t.TempDir())}
	if err := s.keys.Prepare(); err != nil {
		t.Fatal(err)
	}
	s.restart()
	t.Cleanup(func() { s.gate.Close() })
	return s
}

// restart is a desk that has ended and begun again.
func (s *stand) restart() {
	if s.gate != nil {
		s.gate.Close()
	}
	s.gate = New(s.keys, []string{"Desk.tail1234.ts.net", "192.168.1.5"}, false, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.reached++
		s.rights = page.RightsOf(r)
		if s.hold != nil {
			s.hold <- struct{}{}
			<-r.Context().Done()
			close(s.hold)
		}
	}))
}

// ask makes a request of a page on this machine, as change has changed it.
func (s *stand) ask(method, path, body string, change func(*http.Request)) *httptest.ResponseRecorder {
	s.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = "127.0.0.1"+port, "127.0.0.1:50000"
	if method == http.MethodPost {
		r.Header.Set("Origin", "http://127.0.0.1"+port)
		r.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	s.gate.ServeHTTP(w, r)
	return w
}

// enter opens a page, or pairs a device, and is the token that it has then.
func (s *stand) enter(pair bool, change func(*http.Request)) (bearer string) {
	s.Helper()
	secret, kind := s.link(pair), "token"
	if pair {
		kind = "pair"
	}
	w := s.ask("POST", "/api/enter", fmt.Sprintf(`{%q:%q,"name":"my phone"}`, kind, secret), change)
	var got struct{ Bearer string }
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 || got.Bearer == "" {
		s.Fatalf("a good link: %d %s", w.Code, w.Body)
	}
	return got.Bearer
}

func (s *stand) link(pair bool) (secret string) {
	s.Helper()
	link, err := s.keys.Link("http://127.0.0.1"+port+"/", pair, "01KA7Q9TAAAAAAAAAAAAAAAAAA")
	if err != nil {
		s.Fatal(err)
	}
	_, secret, _ = strings.Cut(link, "=")
	secret, _, _ = strings.Cut(secret, "&")
	return secret
}

func with(bearer string, headers ...string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+bearer)
		for i := 0; i < len(headers); i += 2 {
			if headers[i] == "Host" {
				r.Host = headers[i+1]
				continue
			}
			if headers[i] == "from" {
				r.RemoteAddr = headers[i+1]
				continue
			}
			if r.Header.Del(headers[i]); headers[i+1] != "" {
				r.Header.Set(headers[i], headers[i+1])
			}
		}
	}
}

// TestAttacks makes each request in a way that must not get through, and once in the
// way that must.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	page, phone := s.enter(false, nil), s.enter(true, nil)
	for _, test := range []struct {
		name         string
		method, path string
		change       func(*http.Request)
		status       int
	}{
		{"a page looks", "GET", "/api/events", with(page), 200},
		{"a page does something", "POST", "/api/do", with(page), 200},
		{"by another port of ssh -L", "POST", "/api/do", with(page, "Host", "localhost:9", "Origin", "http://localhost:9"), 200},
		{"by IPv6", "POST", "/api/do", with(page, "Host", "[::1]:9", "Origin", "http://[::1]:9"), 200},
		{"a browser says that it is its own page", "POST", "/api/do", with(page, "Sec-Fetch-Site", "same-origin"), 200},
		{"without a token", "GET", "/api/events", with(""), 401},
		{"with a wrong token", "GET", "/api/events", with(page + "x"), 410},
		{"with the id of a page alone", "GET", "/api/events", with(page[:idSize]), 410},
		{"with the token as another kind", "GET", "/api/events", with(page, "Authorization", "Basic "+page), 401},
		{"the token in the address", "GET", "/api/events?token=" + page, with(""), 401},
		{"the token as a cookie", "GET", "/api/events", with("", "Cookie", "askpane="+page), 401},
		{"out of the directory of tokens", "GET", "/api/events", with("../devices"), 401},

		{"DNS rebinding: Origin equals Host", "POST", "/api/do", with(page, "Host", "evil.example"+port, "Origin", "http://evil.example"+port), 421},
		{"DNS rebinding, looking", "GET", "/", with("", "Host", "evil.example"), 421},
		{"a name that begins as ours", "GET", "/", with("", "Host", "localhost.evil.example"), 421},
		{"a name that ends as ours", "GET", "/", with("", "Host", "evil-localhost"), 421},
		{"no host", "GET", "/", with("", "Host", ""), 421},
		{"an address that is not ours", "GET", "/", with("", "Host", "10.1.1.1"), 421},

		{"without an origin", "POST", "/api/do", with(page, "Origin", ""), 403},
		{"from another site", "POST", "/api/do", with(page, "Origin", "https://evil.example"), 403},
		{"from a sandboxed frame", "POST", "/api/do", with(page, "Origin", "null"), 403},
		{"from a file", "POST", "/api/do", with(page, "Origin", "file://"), 403},
		{"from a name with ours in front", "POST", "/api/do", with(page, "Origin", "http://localhost@evil.example"), 403},
		{"from another program's page on this machine", "POST", "/api/do", with(page, "Origin", "http://127.0.0.1:3000", "Sec-Fetch-Site", "same-site"), 403},
		{"another site reads", "GET", "/api/events", with(page, "Origin", "https://evil.example"), 403},

		{"a form's POST", "POST", "/api/do", with(page, "Content-Type", "text/plain"), 415},
		{"a POST without a type", "POST", "/api/do", with(page, "Content-Type", ""), 415},
		{"JSON as a form would send it", "POST", "/api/enter", with("", "Content-Type", "application/x-www-form-urlencoded"), 415},
		{"another method", "DELETE", "/api/do", with(page, "Origin", "http://127.0.0.1"+port), 405},
		{"what a cross-origin request asks first", "OPTIONS", "/api/do", with("", "Origin", "http://127.0.0.1"+port), 405},

		{"a proxy hands a page's token on", "POST", "/api/do", with(page, "X-Forwarded-For", "100.64.0.1"), 403},
		{"another proxy's header", "POST", "/api/do", with(page, "Forwarded", "for=100.64.0.1"), 403},
		{"tailscale serve", "POST", "/api/do", with(page, "Tailscale-User-Login", "me@example.com"), 403},
		{"a page's token from the network", "POST", "/api/do", with(page, "from", "192.168.1.9:5"), 403},
		{"a page's link by a proxy", "POST", "/api/enter", with("", "X-Forwarded-For", "100.64.0.1"), 403},
		{"a paired device by tailscale serve", "POST", "/api/do",
			with(phone, "Host", "desk.tail1234.ts.net", "Origin", "https://desk.tail1234.ts.net", "X-Forwarded-For", "100.64.0.1", "X-Forwarded-Proto", "https"), 200},
		{"a paired device on the network", "POST", "/api/do", with(phone, "Host", "192.168.1.5"+port, "Origin", "http://192.168.1.5"+port, "from", "192.168.1.9:5"), 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := s.reached
			w := s.ask(test.method, test.path, "{}", test.change)
			if w.Code != test.status {
				t.Errorf("got %d, want %d: %s", w.Code, test.status, w.Body)
			}
			if reached := s.reached > before; reached != (test.status == 200) {
				t.Errorf("what is behind the gate was reached: %v", reached)
			}
			if test.status == 200 {
				return
			}
			var said struct{ Error string }
			if json.Unmarshal(w.Body.Bytes(), &said); !strings.HasSuffix(said.Error, ".") {
				t.Errorf("the person is told %q", w.Body)
			}
		})
	}
}

// TestSecure: dangerous and secret questions are answered only where nobody reads what is
// typed.
func TestSecure(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	phone := s.enter(true, nil)
	for _, test := range []struct {
		name    string
		headers []string
		secure  bool
	}{
		{"this machine", nil, true},
		{"the network", []string{"from", "192.168.1.9:5"}, false},
		{"the network, which says that it is TLS", []string{"from", "192.168.1.9:5", "X-Forwarded-Proto", "https"}, false},
		{"a proxy with TLS", []string{"X-Forwarded-For", "100.64.0.1", "X-Forwarded-Proto", "https"}, true},
		{"a proxy without", []string{"X-Forwarded-For", "100.64.0.1", "X-Forwarded-Proto", "http"}, false},
		{"a proxy that does not say", []string{"Forwarded", "for=100.64.0.1"}, false},
	} {
		r := httptest.NewRequest("POST", "/api/do", nil)
		r.RemoteAddr = "127.0.0.1:50000"
		with("", test.headers...)(r)
		if got := wayOf(r); got.secure != test.secure {
			t.Errorf("%s: %+v", test.name, got)
		}
		s.gate.trust = false
		if s.ask("POST", "/api/do", "{}", with(phone, test.headers...)).Code != 200 || s.rights.Guarded != test.secure {
			t.Errorf("%s: %+v", test.name, s.rights)
		}
		s.gate.trust = true // as the person has set
		if s.ask("POST", "/api/do", "{}", with(phone, test.headers...)); !s.rights.Guarded {
			t.Errorf("%s, without TLS: %+v", test.name, s.rights)
		}
	}
}

func TestLinkOpensOnePageOnce(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	once, pair := s.link(false), s.link(true)
	for _, body := range []string{`{"pair":"` + once + `"}`, `{"token":"` + pair + `"}`, `{"token":""}`, `{}`} {
		if w := s.ask("POST", "/api/enter", body, nil); w.Code != 401 {
			t.Errorf("%s: %d %s", strings.ReplaceAll(body, once, "…"), w.Code, w.Body)
		}
	}
	results := make(chan int, 8)
	for range cap(results) { // at the same moment
		go func() { results <- s.ask("POST", "/api/enter", `{"token":"`+once+`"}`, nil).Code }()
	}
	good := 0
	for range cap(results) {
		if <-results == 200 {
			good++
		}
	}
	if good != 1 {
		t.Errorf("one link opened %d pages", good)
	}
	old := s.link(true)
	if err := s.keys.offer(s.keys.links(), unused, old, -time.Second, link{Pair: true}); err != nil {
		t.Fatal(err)
	}
	if w := s.ask("POST", "/api/enter", `{"pair":"`+old+`"}`, nil); w.Code != 401 || !strings.Contains(w.Body.String(), "askpane phone") {
		t.Errorf("a link that is too old: %d %s", w.Code, w.Body)
	}
}

// TestNobodyLocksTheOthersOut: what is tried in vain, also by a foreign site's pictures,
// is refused each time, and nothing else is.
func TestNobodyLocksTheOthersOut(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	page, link, pair := s.enter(false, nil), s.link(false), s.link(true)
	for i := range 200 {
		w, picture := s.ask("POST", "/api/enter", `{"token":"guess"}`, nil), s.ask("GET", "/api/events", "", nil)
		if w.Code != 401 || picture.Code != 401 {
			t.Fatalf("attempt %d: %d, %d", i, w.Code, picture.Code)
		}
	}
	for name, w := range map[string]*httptest.ResponseRecorder{
		"a link":           s.ask("POST", "/api/enter", `{"token":"`+link+`"}`, nil),
		"one for a phone":  s.ask("POST", "/api/enter", `{"pair":"`+pair+`"}`, nil),
		"a page before it": s.ask("GET", "/api/events", "", with(page)),
	} {
		if w.Code != 200 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
}

func TestRevokedDeviceIsPutOut(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	phone := s.enter(true, nil)
	devices, err := s.keys.Devices()
	if err != nil || len(devices) != 1 || devices[0].Name != "my phone" {
		t.Fatalf("%+v, %v", devices, err)
	}
	s.hold = make(chan struct{})
	go s.ask("GET", "/api/events", "", with(phone))
	<-s.hold // it is open
	if _, err := s.keys.Revoke("zz"); err == nil {
		t.Error("a device that is not there was revoked")
	}
	if _, err := s.keys.Revoke(devices[0].ID[:4]); err != nil {
		t.Fatal(err)
	}
	select {
	case <-s.hold:
	case <-time.After(30 * time.Second):
		t.Error("what a revoked device had open goes on")
	}
	if w := s.ask("GET", "/api/events", "", with(phone)); w.Code != 401 {
		t.Errorf("a revoked device: %d", w.Code)
	}
}

// TestTokensAreNowhere looks for them in all that the desk keeps, and at who may read it.
func TestTokensAreNowhere(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	tokens := []string{s.enter(false, nil), s.enter(true, nil), s.link(true)}
	err := filepath.WalkDir(string(s.keys), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if mode := info.Mode().Perm(); err != nil || mode&0o077 != 0 && path != string(s.keys) {
			t.Errorf("%s has mode %04o (%v)", path, mode, err)
		}
		data, _ := os.ReadFile(path)
		for _, token := range tokens {
			if bytes.Contains(data, []byte(token)) {
				t.Errorf("%s has a token in it", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	link, err := s.keys.Link("http://127.0.0.1/", false, "")
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.keys.Open(link)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.TrimPrefix(link, "http://127.0.0.1/#t=")
	if strings.Contains(path, secret) {
		t.Errorf("what opens the browser shows the token: %s", path)
	}
	if w := s.ask("POST", "/api/enter", `{"token":"`+secret+`"}`, nil); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file that leads to a link is there after its use")
	}
}

func TestHeadersAndSize(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	for _, w := range []*httptest.ResponseRecorder{s.ask("GET", "/", "", nil), s.ask("GET", "/api/events", "", nil), s.ask("GET", "/", "", with("", "Host", "evil.example"))} {
		h := w.Header()
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%d: the policy has no %s: %s", w.Code, want, csp)
			}
		}
		if strings.Contains(csp, "unsafe") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%d: %v", w.Code, h)
		}
		if h.Get("Access-Control-Allow-Origin") != "" || h.Get("Set-Cookie") != "" {
			t.Errorf("%d: %v", w.Code, h)
		}
	}
	page, large := s.enter(false, nil), strings.Repeat("x", maxBody+1)
	if w := s.ask("POST", "/api/do", large, with(page)); w.Code != 413 || !strings.Contains(w.Body.String(), "1 MiB") {
		t.Errorf("a body over 1 MiB: %d %s", w.Code, w.Body)
	}
	unsaid := func(r *http.Request) {
		r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(`{"token":"`+large+`"}`))
	}
	if w := s.ask("POST", "/api/enter", "", unsaid); w.Code != 413 {
		t.Errorf("one that does not say how long it is: %d %s", w.Code, w.Body)
	}
}
