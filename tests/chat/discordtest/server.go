// Package discordtest is a Discord for tests, written from Discord's documentation: its
// REST interface, its gateway, and people who read and click. What it documents as a
// limit it holds to: what is too long or not allowed is refused as there, and it is an
// error of the test unless the test asked for it.
package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/askpane/askpane/tests/chat/chattest"
)

// What there is: one bot on one server with one channel.
const (
	Token     = "MTAw.fake.token"
	BotID     = "100"
	ServerID  = "200"
	ChannelID = "300"
)

// Server is a Discord.
type Server struct {
	*chattest.Net
	t testing.TB

	// Interval is that of heartbeats, Patience how long a click waits for its reply: longer
	// than there, where the machine of the test may be busy. Eager
	// is to want a heartbeat with each hello, and Terse to say to wait by the header alone,
	// as Cloudflare does. They are set before anything connects.
	Interval, Patience time.Duration
	Eager, Terse       bool

	mu        sync.Mutex
	changed   *sync.Cond
	token     string
	last      int // number that an id was made of
	messages  []*Message
	nonces    map[string]*Message
	emojis    map[string]bool // refused
	rights    int64
	left      bool              // the bot is in no server
	besides   []string          // other text channels
	limits    map[string]*limit // by method
	lost      int               // answers that get lost
	sessions  map[string]*session
	ended     time.Time // when the bot was told last that a session is over
	lame      bool      // no session can be gone on with where it was
	stalled   map[User]chan struct{}
	links     map[*link]bool
	asked     map[string]*Interaction // by token
	counts    Counts
	tolerated map[string]bool
}

// Counts is what has come in so far.
type Counts struct {
	Identified, Resumed, Heartbeats int
	Limited                         int // requests that were told to wait
}

// limit is on one method's requests on messages.
type limit struct {
	left  int
	wait  time.Duration
	spent bool // with the next one that is done
	until time.Time
}

// Start is a Discord until the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, Interval: 41 * time.Second, Patience: 30 * time.Second, token: Token, last: 1000, rights: 1<<10 | 1<<11,
		nonces: map[string]*Message{}, emojis: map[string]bool{}, limits: map[string]*limit{}, sessions: map[string]*session{},
		links: map[*link]bool{}, asked: map[string]*Interaction{}, stalled: map[User]chan struct{}{}, tolerated: map[string]bool{}}
	s.changed = sync.NewCond(&s.mu)
	s.Net = chattest.Start(t, map[string]http.Handler{
		"discord.com": s.rest(), "gateway.discord.gg": http.HandlerFunc(s.gateway), "gateway-eu.discord.gg": http.HandlerFunc(s.gateway),
	})
	return s
}

// Tolerate has refusals of this kind be no errors of the test: an error code of
// Discord's, as “50035”, or a status, as “401”.
func (s *Server) Tolerate(kinds ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range kinds {
		s.tolerated[kind] = true
	}
}

// Revoke makes the token worth nothing, and ends what goes by it.
func (s *Server) Revoke() {
	s.Tolerate("401")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = ""
	for l := range s.links {
		l.close(4004, "Authentication failed.")
	}
}

// RefuseEmoji has Discord not know an emoji.
func (s *Server) RefuseEmoji(name string) {
	s.Tolerate("50035")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emojis[name] = true
}

// Limit has the next requests of that method on messages be told to wait; of GET, all.
// Replies are of their own method, “reply”.
func (s *Server) Limit(method string, requests int, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits[method] = &limit{left: requests, wait: wait}
}

// Spend has the next request of that method on messages be the last for a while.
func (s *Server) Spend(method string, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits[method] = &limit{wait: wait, spent: true}
}

// Stall has replies to what somebody does take until goOn is called.
func (s *Server) Stall(who User) (goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := make(chan struct{})
	s.stalled[who] = until
	return func() { close(until) }
}

// Lose has the next answers to messages get lost on their way, after what they answer has
// been done.
func (s *Server) Lose(answers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost = answers
}

// Permit sets the bot's rights in the channel.
func (s *Server) Permit(rights int64) {
	s.Tolerate("50001", "50013")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rights = rights
}

// Delete deletes a message by hand, or several at once, as moderators do.
func (s *Server) Delete(ids ...string) {
	s.Tolerate("10008")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = slices.DeleteFunc(s.messages, func(m *Message) bool { return slices.Contains(ids, m.ID) })
	if len(ids) > 1 {
		s.tell("MESSAGE_DELETE_BULK", map[string]any{"ids": ids})
	} else {
		s.tell("MESSAGE_DELETE", map[string]any{"id": ids[0]})
	}
}

// Counts are those up to now.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Messages are those in the channel, oldest first.
func (s *Server) Messages() (all []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		all = append(all, *m)
	}
	return all
}

// Await is the oldest message that fits, as soon as there is one.
func (s *Server) Await(what string, fits func(Message) bool) (found Message) {
	s.t.Helper()
	s.Until(what, func() bool {
		for _, m := range s.Messages() {
			if fits(m) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// Until waits for something, and fails the test after a while.
func (s *Server) Until(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			var shown strings.Builder
			for _, m := range s.Messages() {
				fmt.Fprintf(&shown, "\n--- %s, edited %d times\n%s", m.ID, m.Edits, m.Content)
			}
			s.t.Fatalf("no %s; on the fake Discord are:%s", what, shown.String())
		}
	}
}

// id makes a new one, with the lock held.
func (s *Server) id() string {
	s.last++
	return fmt.Sprint(s.last)
}

// Message is one in the channel.
type Message struct {
	ID      string
	Edits   int
	Content json.RawMessage // as it was sent last
	all     []component
}

// Text is all that stands in it, each text in a line of its own.
func (m Message) Text() string {
	var all []string
	for _, c := range m.all {
		if c.Type == typeText {
			all = append(all, c.Content)
		}
	}
	return strings.Join(all, "\n")
}

// Controls are the labels of its buttons and of its selects' choices, each with what
// it is clicked by: ID, or ID=VALUE.
func (m Message) Controls() map[string]string {
	all := map[string]string{}
	for _, c := range m.all {
		switch {
		case c.Disabled:
		case c.Type == typeButton:
			all[c.Label] = c.CustomID
		case c.Type == typeSelect:
			for _, o := range c.Options {
				all[o.Label] = c.CustomID + "=" + o.Value
			}
		}
	}
	return all
}

// Colour is that of the bar beside it, and -1 where there is none.
func (m Message) Colour() int {
	for _, c := range m.all {
		if c.Type == typeContainer && c.Colour != nil {
			return *c.Colour
		}
	}
	return -1
}

// Sizes are how much of Discord's limits it takes.
func (m Message) Sizes() map[string]string {
	text, label, id := 0, 0, 0
	for _, c := range m.all {
		text += utf8.RuneCountInString(c.Content)
		id = max(id, len(c.CustomID))
		if c.Type == typeButton {
			label = max(label, utf8.RuneCountInString(c.Label))
		}
	}
	of := func(n, most int) string { return fmt.Sprintf("%d of %d", n, most) }
	return map[string]string{"components": of(len(m.all), 40), "characters of text": of(text, 4000),
		"characters of a custom id": of(id, 100), "characters of a button's label": of(label, 80)}
}
