// Package desktest is a desk that serves a spool in a chat, and somebody who goes through
// forms there: what the tests of all chat services have in common.
package desktest

import (
	"context"
	"encoding/json"
	"flag"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/person"
)

// Patient is how long a test waits for what has to come: a machine may be busy.
const Patient = 30 * time.Second

// Main runs the tests of a package, for all of which the person has set nothing. More of them
// run at once than there are cores: most wait for a pause that a service wants.
func Main(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err) // there is such a flag in every test
	}
	person.Main(m, "{}")
}

// Desk serves a spool in a chat.
type Desk struct {
	testing.TB
	Dir string
	May func(user string) bool // answer; everybody, unless it is set before Serve
	Log func(error)            // is the test's failure, unless it is set before Serve

	Stop  func() // ends what Serve has begun
	spool *spool.Spool
}

// New is a desk that serves nothing yet.
func New(t testing.TB) *Desk {
	t.Helper()
	d := &Desk{TB: t, Dir: t.TempDir(), May: func(string) bool { return true }, Log: func(err error) { t.Error(err) }}
	var err error
	if d.spool, err = spool.Open(filepath.Join(d.Dir, "spool")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.spool.Close() })
	return d
}

// Serve serves a channel until Stop, or the end of the test. All questions are posted, and all
// can be answered.
func (d *Desk) Serve(c chat.Channel) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- chat.Serve(ctx, chat.Config{Spool: d.spool, Channel: c, Dir: d.Dir, May: d.May, Most: func() int { return 5 }, Page: func(string) string { return "" },
			Rules: func(spool.Origin, settings.Settings) chat.Rules {
				return chat.Rules{When: settings.Always, Sensitive: true}
			}, State: func(error) {}, Log: d.Log, Patience: Patient})
	}()
	d.Stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			d.Error(err)
		}
	})
	d.Cleanup(d.Stop)
}

// Ask puts a question into the spool, whose bridge waits as long as the test.
func (d *Desk) Ask(request string) *spool.Entry {
	d.Helper()
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		d.Fatal(err)
	}
	e, err := d.spool.Create(spool.Request{Form: f, Raw: json.RawMessage(request), Origin: spool.Origin{Agent: "claude", Cwd: "/srv/shop", Start: time.Now()}})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { e.Close() })
	return e
}

// Answered is the answer, as soon as it is there, and what of it the agent is told.
func (d *Desk) Answered(e *spool.Entry) (r form.Result, told string) {
	d.Helper()
	w := e.Watch()
	defer w.Stop()
	for limit, over := time.After(Patient), false; !over; {
		var err error
		if r, over, err = e.Answer(); err != nil {
			d.Fatal(err)
		}
		if over {
			break
		}
		select {
		case <-w.Changed:
		case <-limit:
			d.Fatal("no answer")
		}
	}
	req, err := e.Request()
	if err != nil {
		d.Fatal(err)
	}
	how, _, err := dialect.Decode(req.Form.Dialect, req.Raw)
	if err != nil {
		d.Fatal(err)
	}
	return r, string(how.EncodeIn(dialect.Context{}, &req.Form, r).Details)
}

// Until waits until something is so that nothing tells of.
func Until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(Patient); !is(); {
		if time.Now().After(end) {
			t.Fatalf("not seen: %s", what)
		}
		<-time.After(time.Millisecond)
	}
}
