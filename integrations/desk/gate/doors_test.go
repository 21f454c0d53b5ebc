package gate

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// asks asks at /api/enter as from a page on this machine.
func (s *stand) asks(what map[string]string, change func(*http.Request)) (status int, got map[string]string) {
	s.Helper()
	body, err := json.Marshal(what)
	must.Do(s, err)
	w := s.ask("POST", "/api/enter", string(body), change)
	must.Do(s, json.Unmarshal(w.Body.Bytes(), &got))
	return w.Code, got
}

// keyOf is what a page keeps in its memory, of what it has got.
func (s *stand) keyOf(bearer string, change ...string) string {
	s.Helper()
	w := s.ask("GET", "/api/events", "", with(bearer, change...))
	if w.Code != 200 {
		s.Fatalf("a page looks: %d %s", w.Code, w.Body)
	}
	return w.Header().Get("Askpane-Key")
}

const aNetwork = "192.168.1.9:5"

// TestTokensEndWithTheirDesk: whoever listens on the port after the desk gets what a page
// sends, and what the browser keeps. Neither opens the next desk's door, and to get the key
// of a page it would have to prove that it has it.
func TestTokensEndWithTheirDesk(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	page, phone := s.enter(false, nil), s.enter(true, nil)
	key := s.keyOf(page)
	if key == "" || strings.Contains(page, key) {
		t.Fatalf("the key of %s is %q", page, key)
	}
	s.restart()
	for _, token := range []string{page, phone} {
		for _, path := range []string{"/api/events", "/api/do"} {
			if w := s.ask("GET", path, "", with(token)); w.Code != http.StatusGone || s.reached > 1 {
				t.Errorf("an old token: %d %s", w.Code, w.Body)
			}
		}
	}
	was, nonce := page[:idSize], "of the page"
	for name, what := range map[string]map[string]string{
		"the token as a key":    {"was": was, "key": page},
		"its end as a key":      {"was": was, "key": page[idSize+1:]},
		"no key":                {"was": was},
		"the proof as a key":    {"was": was, "key": mac(key, nonce)},
		"the id as a link":      {"was": was, "token": was},
		"a key of another page": {"was": phone[:idSize], "key": key},
		"what is not there":     {"was": "t00000000000", "nonce": nonce},
		"out of the directory":  {"was": "../devices/" + was, "nonce": nonce},
	} {
		if status, got := s.asks(what, nil); status != 401 {
			t.Errorf("%s: %d %v", name, status, got)
		}
	}
	if status, got := s.asks(map[string]string{"was": was, "nonce": nonce}, nil); status != 200 || got["proof"] != mac(key, nonce) || got["bearer"] != "" {
		t.Errorf("the desk proves itself by %d %v", status, got)
	}
	if status, got := s.asks(map[string]string{"was": was, "key": key}, with("", "from", aNetwork)); status != 403 {
		t.Errorf("a page's key from the network: %d %v", status, got)
	}
	status, got := s.asks(map[string]string{"was": was, "key": key}, nil)
	if status != 200 || got["bearer"] == page || s.keyOf(got["bearer"]) != key {
		t.Errorf("the page comes back: %d %v", status, got)
	}
}

// TestPhoneIsConfirmed: a paired device that comes after the desk was away is let in by what
// the person types at the machine, and by nothing else.
func TestPhoneIsConfirmed(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	phone, page := s.enter(true, nil), s.enter(false, nil)
	was, code := phone[:idSize], "ABCDEFGH27"
	if key := s.keyOf(phone, "from", aNetwork); key != "" {
		t.Errorf("where others read along the key is sent: %s", key)
	}
	before, err := s.keys.Devices()
	must.Do(t, err)
	s.restart()
	comes := func(pair, was string) (int, map[string]string) {
		return s.asks(map[string]string{"pair": pair, "was": was, "name": "my phone"}, with("", "from", aNetwork))
	}
	if status, got := comes(code, was); status != 401 {
		t.Errorf("nobody has confirmed it: %d %v", status, got)
	}
	if w := s.ask("GET", "/api/events", "", with(phone)); w.Code != http.StatusGone {
		t.Errorf("its old token: %d", w.Code)
	}
	for _, wrong := range []string{"", "ABC", "ABCDEFGH2!", "ABCDEFGH277"} {
		if err := s.keys.Confirm(wrong); err == nil || !strings.Contains(err.Error(), "10 letters") {
			t.Errorf("%q is taken: %v", wrong, err)
		}
	}
	must.Do(t, s.keys.Confirm(strings.ToLower(code)))
	for _, other := range []string{"", page[:idSize], "p00000000000"} {
		if status, got := comes(code, other); status != 401 {
			t.Errorf("the code lets in %q: %d %v", other, status, got)
		}
	}
	if status, got := comes(s.link(true), was); status != 200 || got["bearer"][:idSize] == was {
		t.Errorf("a new link is for a new device: %d %v", status, got)
	}
	status, got := comes(code, was)
	if status != 200 || got["bearer"][:idSize] != was || got["bearer"] == phone {
		t.Fatalf("it is confirmed: %d %v", status, got)
	}
	if w := s.ask("GET", "/api/events", "", with(got["bearer"], "from", aNetwork)); w.Code != 200 {
		t.Errorf("it looks: %d %s", w.Code, w.Body)
	}
	if status, got := comes(code, was); status != 401 {
		t.Errorf("the code a second time: %d %v", status, got)
	}
	after, err := s.keys.Devices()
	must.Do(t, err)
	if after[0].ID != before[0].ID || !after[0].Since.Equal(before[0].Since) || after[0].From != "192.168.1.9" || after[0].Key != before[0].Key {
		t.Errorf("%+v, then %+v", before[0], after[0])
	}
}

// TestLinkIsTriedAgain: a page that has not heard whether its link was taken asks again, and
// gets in as the same page, also by a desk that was started meanwhile; no other page does.
func TestLinkIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	link := s.link(false)
	id, hash := hashed(link)
	proves := func() {
		t.Helper()
		if status, got := s.asks(map[string]string{"was": id, "nonce": "n"}, nil); status != 200 || got["proof"] != mac(hash, "n") {
			t.Errorf("the desk proves itself by %d %v", status, got)
		}
	}
	proves()
	_, first := s.asks(map[string]string{"token": link, "mine": "a page"}, nil)
	proves()
	if _, again := s.asks(map[string]string{"token": link, "mine": "a page"}, nil); again["bearer"] == "" || again["bearer"] != first["bearer"] {
		t.Errorf("%v, then %v", first, again)
	}
	s.restart()
	proves()
	if _, again := s.asks(map[string]string{"token": link, "mine": "a page"}, nil); again["bearer"] == "" || s.keyOf(again["bearer"]) == "" {
		t.Errorf("by the next desk: %v", again)
	}
	for _, mine := range []string{"", "another"} {
		if status, got := s.asks(map[string]string{"token": link, "mine": mine}, nil); status != 401 {
			t.Errorf("%q: %d %v", mine, status, got)
		}
	}
	if s.keys.Awaited() {
		t.Error("a link that was used is awaited")
	}
	if all, _ := s.keys.Devices(); len(all) != 1 {
		t.Errorf("it has let in %+v", all)
	}
}

// TestLinkThatCannotBeKept: where the disk takes no device, the link is as good as before.
func TestLinkThatCannotBeKept(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	link := s.link(false)
	must.Do(t, os.Remove(s.keys.devices()))
	must.Do(t, os.WriteFile(s.keys.devices(), nil, 0o600))
	if status, got := s.asks(map[string]string{"token": link}, nil); status != 500 {
		t.Errorf("%d %v", status, got)
	}
	must.Do(t, os.Remove(s.keys.devices()))
	must.Do(t, s.keys.Prepare())
	if status, got := s.asks(map[string]string{"token": link}, nil); status != 200 {
		t.Errorf("%d %v", status, got)
	}
}

// TestPagesAreListedAndRevoked as phones are.
func TestPagesAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	page, phone := s.enter(false, nil), s.enter(true, with("", "from", aNetwork, "Host", "192.168.1.5"+port, "Origin", "http://192.168.1.5"+port))
	all, err := s.keys.Devices()
	must.Do(t, err)
	said := ""
	for _, d := range all {
		said += fmt.Sprintf("%v %s %s; ", d.Paired(), d.Name, d.From)
	}
	if said != "false my phone 127.0.0.1; true my phone 192.168.1.9; " {
		t.Errorf("listed are %s", said)
	}
	key := s.keyOf(page)
	_, err = s.keys.Revoke(all[0].ID[:5])
	must.Do(t, err)
	if w := s.ask("GET", "/api/events", "", with(page)); w.Code != 401 {
		t.Errorf("a revoked page: %d", w.Code)
	}
	if status, got := s.asks(map[string]string{"was": page[:idSize], "key": key}, nil); status != 401 || !strings.Contains(got["error"], "not known") {
		t.Errorf("by its key: %d %v", status, got)
	}
	if w := s.ask("GET", "/api/events", "", with(phone)); w.Code != 200 {
		t.Errorf("the phone: %d", w.Code)
	}
	s.keys.Forget()
	if w := s.ask("GET", "/api/events", "", with(phone)); w.Code != 401 {
		t.Errorf("the phone when all are forgotten: %d", w.Code)
	}
}

// TestRevokedAsItComes, while its request is let in: it is put out all the same.
func TestRevokedAsItComes(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	phone := s.enter(true, nil)
	id, _, _ := strings.Cut(phone, ".")
	must.Do(t, syscall.Mkfifo(s.keys.last(id), 0o600)) // who reads where it came from last waits
	s.hold = make(chan struct{})
	go s.ask("GET", "/api/events", "", with(phone))
	var comes *os.File
	if !needs.Within(30*time.Second, func() bool {
		f, err := os.OpenFile(s.keys.last(id), os.O_WRONLY|syscall.O_NONBLOCK, 0)
		comes = f
		return err == nil
	}) {
		t.Fatal("the request is not looked up")
	}
	must.Do(t, os.Remove(filepath.Join(s.keys.devices(), id)))
	s.gate.revoked()
	must.Do(t, comes.Close())
	<-s.hold
	select {
	case <-s.hold:
	case <-time.After(30 * time.Second):
		t.Error("a device that was revoked while it came goes on")
	}
}

// TestDevicesOfBefore: those of an older version, whose tokens are no more, go; and so does a
// page that nobody has seen for long, but no phone and no file that is being written.
func TestDevicesOfBefore(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	old := time.Now().Add(-pageLife - time.Hour)
	for name, seen := range map[string]time.Time{"0123456789ab": time.Now(), "t0123456789a": time.Now(), "t0123456789b": old, "p0123456789a": old, ".t012345": time.Now(), ".t678": old} {
		path := filepath.Join(s.keys.devices(), name)
		must.Do(t, os.WriteFile(path, []byte(`{"hash":"x"}`), 0o600))
		must.Do(t, os.Chtimes(path, seen, seen))
	}
	must.Do(t, s.keys.Prepare())
	left, err := filepath.Glob(filepath.Join(s.keys.devices(), "*"))
	must.Do(t, err)
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if got := strings.Join(left, " "); got != ".t012345 p0123456789a t0123456789a" {
		t.Errorf("left are %s", got)
	}
}

// TestBodiesEnd: what does not end, or is large, costs the desk 4 KiB and 5 s, whether it has
// a token or not; a stream, which has none, goes on.
func TestBodiesEnd(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	server := httptest.NewServer(s.gate)
	t.Cleanup(server.Close)
	request := func(method, path, headers string) net.Conn {
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		must.Do(t, err)
		t.Cleanup(func() { c.Close() })
		must.Do(t, c.SetDeadline(time.Now().Add(40*time.Second)))
		_, err = fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nContent-Type: application/json\r\n%s\r\n", method, path, headers)
		must.Do(t, err)
		return c
	}
	ended := func(name string, c net.Conn) {
		t.Helper()
		all := make([]byte, 1<<16)
		n, err := c.Read(all)
		for err == nil {
			_, err = c.Read(all[n:])
		}
		if late, is := err.(net.Error); is && late.Timeout() {
			t.Errorf("%s goes on; it got %q", name, all[:n])
		}
	}
	t.Run("one that never ends", func(t *testing.T) {
		t.Parallel()
		c := request("POST", "/api/enter", "Transfer-Encoding: chunked\r\n")
		fmt.Fprintf(c, "400\r\n{\"token\":\"%s", strings.Repeat("x", 1000))
		ended("a link", c)
	})
	t.Run("one that was refused", func(t *testing.T) {
		t.Parallel()
		ended("a link of nobody", request("PUT", "/api/enter", "Content-Length: 100\r\n"))
	})
	t.Run("one above 4 KiB", func(t *testing.T) {
		t.Parallel()
		c := request("POST", "/api/enter", "Transfer-Encoding: chunked\r\n")
		fmt.Fprintf(c, "1388\r\n{\"token\":\"%s\r\n", strings.Repeat("x", 4990))
		answer := make([]byte, 12)
		if _, err := c.Read(answer); err != nil || string(answer) != "HTTP/1.1 413" {
			t.Errorf("%q, %v", answer, err)
		}
	})
}
