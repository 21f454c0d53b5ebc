package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/tests/chat/desktest"
	"github.com/askpane/askpane/tests/chat/discordtest"
)

var (
	dom = discordtest.User{ID: "7", Name: "dom"}
	eve = discordtest.User{ID: "8", Name: "eve"}
)

// listener is who hears of clicks. It replies what the test wants, that it was taken
// unless it says otherwise.
type listener struct {
	mu     sync.Mutex
	events []chat.Event
	states []error
	errs   []error
	reply  chat.Reply
	ended  chan error
	stop   context.CancelFunc
}

func listen(t *testing.T, s *discordtest.Server, c *Channel) *listener {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &listener{ended: make(chan error, 1), stop: stop}
	done := make(chan struct{})
	t.Cleanup(func() { stop(); <-done })
	go func() {
		defer close(done)
		l.ended <- c.Listen(ctx, func(e chat.Event) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.errs = append(l.errs, e.Reply(l.reply))
			l.events = append(l.events, e)
		}, func(err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.states = append(l.states, err)
		})
	}()
	l.await(t, s, 1)
	return l
}

// await waits until the listener was told n times that it is connected.
func (l *listener) await(t *testing.T, s *discordtest.Server, n int) {
	t.Helper()
	s.Until(fmt.Sprintf("connection number %d", n), func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		up := 0
		for _, err := range l.states {
			if err == nil {
				up++
			}
		}
		return up >= n && s.Connected()
	})
}

func (l *listener) heard() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", e.User.Name, e.ID, strings.Join(e.Values, ","), e.Text)))
	}
	return all
}

func (l *listener) set(r chat.Reply) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reply = r
}

func TestClicksAndTexts(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	ref := post(t, c, regions)
	m := s.Messages()[0]
	l := listen(t, s, c)
	for _, step := range []struct {
		reply chat.Reply
		do    func() *discordtest.Interaction
		want  string
	}{
		{chat.Reply{}, func() *discordtest.Interaction { return s.Click(dom, m, "Next") }, "taken"},
		{chat.Reply{}, func() *discordtest.Interaction { return s.Click(dom, m, "eu-central-1", "eu-west-1") }, "taken"},
		{chat.Reply{Notice: "You may not answer here, @everyone"}, func() *discordtest.Interaction { return s.Click(eve, m, "Next") }, `notice: You may not answer here, \@everyone`},
		{chat.Reply{Entry: &chat.Entry{ID: "01JX.2.other", Title: "Regions", Label: "Another", Value: "eu-north-1", Hint: "a name"}},
			func() *discordtest.Interaction { return s.Click(dom, m, "Other…") }, "dialog: Regions"},
	} {
		l.set(step.reply)
		if got := step.do().String(); got != step.want {
			t.Errorf("they see %q, want %q", got, step.want)
		}
	}
	dialog := s.Click(dom, m, "Other…").Wait()
	if f := dialog.Modal.Field; f.Value != "eu-north-1" || f.Label != "Another (a name)" || f.Placeholder != "a name" || f.Style != 1 {
		t.Errorf("the dialog has %+v", f)
	}
	l.set(chat.Reply{})
	if got := dialog.Submit("eu-south-1").String(); got != "taken" {
		t.Errorf("what was typed: they see %q", got)
	}
	want := []string{"dom 01JX.2.commit", "dom 01JX.2.tick 0,1", "eve 01JX.2.commit", "dom 01JX.2.other", "dom 01JX.2.other", "dom 01JX.2.other  eu-south-1"}
	if got := l.heard(); !slices.Equal(got, want) {
		t.Errorf("heard %q, want %q", got, want)
	}
	for _, e := range l.events {
		if e.Ref != ref {
			t.Errorf("a click on %s is said to be on %s", ref, e.Ref)
		}
	}
	if err := errors.Join(l.errs...); err != nil {
		t.Errorf("replies failed: %v", err)
	}
}

// TestDeletions are told, of one message and of many, and wait for no reply.
func TestDeletions(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	refs := []string{post(t, c, prompt), post(t, c, regions), post(t, c, prompt)}
	l := listen(t, s, c)
	s.Delete(s.Messages()[1].ID)
	s.Delete(s.Messages()[0].ID, s.Messages()[1].ID)
	gone := map[string]bool{}
	s.Until("word of all", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, e := range l.events {
			gone[e.Ref] = e.Gone
		}
		return gone[refs[0]] && gone[refs[1]] && gone[refs[2]]
	})
	if err := errors.Join(l.errs...); err != nil {
		t.Error(err)
	}
}

// TestClicksWhileDown come with the next connection, in order and once each, however the
// last one has ended.
func TestClicksWhileDown(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*discordtest.Server){
		"network":         func(s *discordtest.Server) { s.Down(true) },
		"asked to":        func(s *discordtest.Server) { s.Reconnect() },
		"unknown error":   func(s *discordtest.Server) { s.Close(4000) },
		"host is gone":    func(s *discordtest.Server) { s.Lame(); s.Close(4000) }, // it goes on at another
		"nothing is said": func(s *discordtest.Server) { s.Silence() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t)
			s.Interval = 300 * time.Millisecond
			post(t, c, prompt)
			m := s.Messages()[0]
			l := listen(t, s, c)
			before := s.Click(dom, m, "Redis").String()
			cut(s)
			first, second := s.Click(dom, m, "Postgres"), s.Click(eve, m, "Redis")
			s.Down(false)
			l.await(t, s, 2)
			if before != "taken" || first.String() != "taken" || second.String() != "taken" {
				t.Errorf("they see %q, %q and %q", before, first, second)
			}
			if got, want := l.heard(), []string{"dom 01JX.1.choose.0", "dom 01JX.1.choose.1", "eve 01JX.1.choose.0"}; !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
			if n := s.Counts(); n.Identified != 1 || n.Resumed == 0 {
				t.Errorf("%d sessions were begun, %d gone on with", n.Identified, n.Resumed)
			}
		})
	}
}

// TestASecondHello begins nothing anew.
func TestASecondHello(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.Interval = time.Hour
	post(t, c, prompt)
	l := listen(t, s, c)
	s.Greet()
	s.Beat()
	s.Until("heartbeat that was asked for", func() bool { return s.Counts().Heartbeats > 0 })
	if got := s.Click(dom, s.Messages()[0], "Redis").String(); got != "taken" {
		t.Errorf("they see %q", got)
	}
	if n := s.Counts(); n.Heartbeats != 1 || n.Identified != 1 || n.Resumed != 0 || len(l.heard()) != 1 {
		t.Errorf("it came to %+v", n)
	}
}

// TestAReplyDoesNotWait, since who has clicked does not.
func TestAReplyDoesNotWait(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	post(t, c, prompt)
	l := listen(t, s, c)
	s.Limit(http.MethodPost, 1, time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	posted := make(chan error)
	go func() { _, err := c.Post(ctx, prompt); posted <- err }()
	s.Until("post that is told to wait", func() bool { return s.Counts().Limited == 1 })
	if got := s.Click(dom, s.Messages()[0], "Redis").String(); got != "taken" {
		t.Errorf("while a post waits they see %q", got)
	}
	stop()
	<-posted
	s.Limit("reply", 1, time.Hour)
	s.Click(dom, s.Messages()[0], "Redis")
	s.Until("end of a reply that would have to wait", func() bool { return len(l.heard()) == 2 })
	if l.errs[1] == nil {
		t.Error("the reply is said to have come")
	}
}

// TestASessionThatIsOver is followed by another one, when Discord wants it; the fake's
// errors are of one that comes too early or has old numbers.
func TestASessionThatIsOver(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*discordtest.Server){
		"forgotten": func(s *discordtest.Server) { s.Forget() },
		"ended":     func(s *discordtest.Server) { s.Invalidate() },
		"timed out": func(s *discordtest.Server) { s.Close(4009) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, c := start(t)
			s.Eager = true
			post(t, c, prompt)
			l := listen(t, s, c)
			s.Click(dom, s.Messages()[0], "Postgres").Wait() // the next session's numbers are lower
			end(s)
			l.await(t, s, 2)
			if got := s.Click(dom, s.Messages()[0], "Redis").String(); got != "taken" || s.Counts().Identified != 2 {
				t.Errorf("they see %q after %d sessions", got, s.Counts().Identified)
			}
		})
	}
}

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.Interval = 200 * time.Millisecond
	listen(t, s, c)
	s.Until("three heartbeats", func() bool { return s.Counts().Heartbeats >= 3 })
	if n := s.Counts().Identified; n != 1 {
		t.Errorf("they are of %d sessions", n)
	}
}

// TestAClickThatCannotBeRepliedTo in time counts all the same.
func TestAClickThatCannotBeRepliedTo(t *testing.T) {
	t.Parallel()
	s, c := start(t)
	s.Patience = 50 * time.Millisecond
	post(t, c, prompt)
	l := listen(t, s, c)
	s.Down(true)
	click := s.Click(dom, s.Messages()[0], "Redis").Wait()
	s.Down(false)
	s.Until("click", func() bool { return len(l.heard()) == 1 })
	if click.String() != "This interaction failed" || l.errs[0] == nil {
		t.Errorf("they see %q, and the reply says %v", click, l.errs[0])
	}
}

// The address of a reply has a token, by which anybody could reply.
func TestNoErrorNamesAnAddress(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	c, err := Open(discordtest.Token, "1", &http.Client{Transport: unreachable{away}})
	if err != nil {
		t.Fatal(err)
	}
	e, ok := c.event([]byte(`{"id":"1003","token":"of-a-click","type":3,"data":{"custom_id":"x"}}`))
	if !ok {
		t.Fatal("it is no event")
	}
	if err := e.Reply(chat.Reply{}); !errors.Is(err, away) || strings.Contains(err.Error(), "of-a-click") {
		t.Error(err)
	}
}

type unreachable struct{ error }

func (u unreachable) RoundTrip(*http.Request) (*http.Response, error) { return nil, u.error }

func TestListeningEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(*discordtest.Server, *listener)
		want error
	}{
		"with its token":   {func(s *discordtest.Server, _ *listener) { s.Revoke() }, chat.ErrRefused},
		"with its context": {func(_ *discordtest.Server, l *listener) { l.stop() }, context.Canceled},
	} {
		s, c := start(t)
		l := listen(t, s, c)
		test.end(s, l)
		select {
		case err := <-l.ended:
			if !errors.Is(err, test.want) || strings.Contains(err.Error(), discordtest.Token) {
				t.Errorf("%s: listening ends with %v", name, err)
			}
		case <-time.After(desktest.Patient):
			t.Errorf("%s: listening goes on", name)
		}
	}
}
