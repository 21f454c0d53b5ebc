package gate

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/page"
	"github.com/askpane/askpane/tests/must"
)

// The buttons of a push answer their question once, from wherever they are pressed, and open
// nothing else.
func TestReply(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	const id = "01KA7Q9TAAAAAAAAAAAAAAAAAA"
	secret, err := s.keys.Reply(id)
	must.Do(t, err)
	press := func(secret, path string, headers ...string) (int, string) {
		w := s.ask("POST", path, fmt.Sprintf(`{"secret":%q}`, secret), with("", append([]string{"Origin", "", "Host", "192.168.1.5" + port, "from", aNetwork}, headers...)...))
		return w.Code, w.Body.String()
	}
	for name, test := range map[string]struct {
		secret, path string
		headers      []string
		status       int
	}{
		"none":                     {"", ReplyPath + "1", nil, 401},
		"a wrong one":              {secret + "x", ReplyPath + "1", nil, 401},
		"out of the directory":     {"../devices/x", ReplyPath + "1", nil, 401},
		"a link of a page":         {s.link(false), ReplyPath + "1", nil, 401},
		"another site's page":      {secret, ReplyPath + "1", []string{"Origin", "https://evil.example"}, 403},
		"a name that is not ours":  {secret, ReplyPath + "1", []string{"Host", "evil.example"}, 421},
		"what is no JSON":          {secret, ReplyPath + "1", []string{"Content-Type", "text/plain"}, 415},
		"it opens a page":          {secret, "/api/enter", nil, 403},
		"it does what a page does": {secret, "/api/do", []string{"Origin", "http://192.168.1.5" + port}, 401},
	} {
		if status, said := press(test.secret, test.path, test.headers...); status != test.status || !strings.Contains(said, `."`) {
			t.Errorf("%s: %d %s, want %d", name, status, said, test.status)
		}
	}
	if w := s.ask("POST", enterPath, fmt.Sprintf(`{"token":%q}`, secret), nil); w.Code != 401 || s.reached > 0 {
		t.Errorf("it is a link: %d %s", w.Code, w.Body)
	}
	s.gate.trust = true
	results := make(chan int, 8)
	for range cap(results) { // at the same moment
		go func() { code, _ := press(secret, ReplyPath+"2"); results <- code }()
	}
	good := 0
	for range cap(results) {
		if <-results == http.StatusOK {
			good++
		}
	}
	if good != 1 || s.rights != (page.Rights{Reply: id}) {
		t.Errorf("it counted %d times, with %+v", good, s.rights)
	}

	late, err := s.keys.Reply(id)
	must.Do(t, err)
	name, _ := hashed(late)
	path := filepath.Join(s.keys.replies(), name)
	must.Do(t, s.keys.offer(s.keys.replies(), "", late, -time.Second, link{Question: id}))
	if status, said := press(late, ReplyPath+"1"); status != 401 || !strings.Contains(said, "too old") {
		t.Errorf("too late: %d %s", status, said)
	}
	must.Do(t, os.Chtimes(path, time.Time{}, time.Now().Add(-replyLife-time.Minute)))
	must.Do(t, s.keys.Prepare())
	if _, err := os.Stat(path); err == nil {
		t.Error("what is too old is kept")
	}
}
