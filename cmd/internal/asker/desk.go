package asker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/settings"
)

// page starts the desk where the person has said that it should be up or has paired a phone,
// and opens the question's page where that opens by itself. doctor says what fails.
func (a Asker) page(id string, req spool.Request) {
	s, _ := a.live.Now()
	var said []byte
	var err error
	switch {
	case !s.BrowserEnabled:
	case opensByItself(s, req.Form):
		var done struct{ Why string }
		said, err = programs.Desk.Output("page", "--json", id)
		if err == nil && json.Unmarshal(said, &done) == nil && done.Why != "" {
			err = errors.New(done.Why)
		}
	case req.Origin.Away != nil: // this is the desk
	case s.ByPerson("browserEnabled"), (s.PageListen != "" || len(s.PageHosts) > 0) && address.Paired(): // or a phone is to find it
		if desk, up := address.Up(); !up || desk.Version != programs.Version() {
			_, err = programs.Desk.Output("start")
		}
	}
	if err != nil {
		a.alertFailed("browser", err)
	}
}

// opensByItself reports whether the page of f opens without being asked for.
func opensByItself(s *settings.Loaded, f form.Form) bool {
	return s.BrowserAutoOpen && len(f.Questions) >= s.BrowserMinQuestions && !s.Muted()
}

// told reports whether the desk has to tell other machines or a chat of the questions.
func (a Asker) told() bool {
	s := a.Now()
	return s.Linked() || s.InChat()
}

// keeper has a desk up as long as questions of this process need it: they wait for the
// page alone, or other machines or a chat are to know of them.
type keeper struct {
	mu      sync.Mutex
	waiting int
	end     context.CancelFunc
}

var alone keeper

// join counts one more question; leave counts it off. a says what goes wrong.
func (k *keeper) join(a Asker) (leave func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiting++; k.waiting == 1 {
		ctx, end := context.WithCancel(context.Background())
		k.end = end
		go a.keepDesk(ctx)
	}
	return sync.OnceFunc(func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.waiting--; k.waiting == 0 {
			k.end()
			a.tellEnd()
		}
	})
}

// tellEnd has the desk started where it was killed while the question waited: others still
// show that. Nobody waits for it.
func (a Asker) tellEnd() {
	if _, up := address.Up(); up || !a.told() {
		return
	}
	if cmd, err := programs.Desk.Cmd("start"); err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if cmd.Start() == nil {
			go func() { _ = cmd.Wait() }()
		}
	}
}

// A desk that has died is started again after a pause, longer each time unless it has lived
// for a while.
const (
	firstPause = time.Second
	lastPause  = time.Minute
)

// keepDesk starts the desk, and again where it has died, until ctx ends.
func (a Asker) keepDesk(ctx context.Context) {
	failed := 0 // in a row
	for first, pause := true, firstPause; ; first, pause = false, min(2*pause, lastPause) {
		began := time.Now()
		var err error
		if _, up := address.Up(); first || !up { // one of another version may have taken its place
			_, err = programs.Desk.Output("start")
		}
		if err == nil {
			<-address.Gone(ctx)
			if time.Since(began) > lastPause {
				pause = firstPause
			}
			failed = 0
		} else if failed++; failed == 2 { // not because it was killed just then
			a.Warn(fmt.Errorf("the question can be answered on no page, on no other machine and in no chat: %w", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
