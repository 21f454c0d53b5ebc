// Package telegramtest is a Telegram for tests: its Bot API, written from
// core.telegram.org/bots/api, with the limits and the refusals that bots meet, and hands
// for the people in its chats.
package telegramtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
)

// Host is the name that the API has, for chattest.
const Host = "api.telegram.org"

// User is a person, or the bot.
type User struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name,omitempty"`
	Username  string `json:"username,omitempty"`
}

// Chat is where messages are.
type Chat struct {
	ID    int64  `json:"id"`
	Type  string `json:"type"` // private, group
	Title string `json:"title,omitempty"`
}

// Entity is a part of a text that is marked, in units of UTF-16.
type Entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	URL    string `json:"url,omitempty"`
	User   *User  `json:"user,omitempty"`
}

// Button is one of an inline keyboard.
type Button struct {
	Text  string `json:"text"`
	Data  string `json:"callback_data,omitempty"`
	URL   string `json:"url,omitempty"`
	Style string `json:"style,omitempty"`

	does []string // the fields that say what it does
}

// UnmarshalJSON reads one, also what it has that bots here do not use.
func (b *Button) UnmarshalJSON(data []byte) error {
	type plain Button
	fields := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(data, (*plain)(b)), json.Unmarshal(data, &fields)); err != nil {
		return err
	}
	for _, looks := range []string{"text", "icon_custom_emoji_id", "style"} {
		delete(fields, looks)
	}
	b.does = slices.Sorted(maps.Keys(fields))
	return nil
}

// Markup is what goes below a message.
type Markup struct {
	Keyboard    [][]Button `json:"inline_keyboard,omitempty"`
	ForceReply  bool       `json:"force_reply,omitempty"`
	Selective   bool       `json:"selective,omitempty"`
	Placeholder string     `json:"input_field_placeholder,omitempty"`
}

// Message is one as people see it.
type Message struct {
	ID       int      `json:"message_id"`
	From     User     `json:"from"`
	Chat     Chat     `json:"chat"`
	Date     int64    `json:"date"`
	Text     string   `json:"text"`
	Entities []Entity `json:"entities,omitempty"`
	Markup   *Markup  `json:"reply_markup,omitempty"`
	ReplyTo  *Message `json:"reply_to_message,omitempty"`
	Topic    int      `json:"message_thread_id,omitempty"`
	InTopic  bool     `json:"is_topic_message,omitempty"`
	MovedTo  int64    `json:"migrate_to_chat_id,omitempty"`
	Voice    any      `json:"voice,omitempty"`

	Edits   int  `json:"-"`
	Preview bool `json:"-"` // of links in it
}

// Sizes are how much of Telegram's limits it takes.
func (m Message) Sizes() map[string]string {
	buttons, row, data := 0, 0, 0
	if m.Markup != nil {
		for _, few := range m.Markup.Keyboard {
			buttons, row = buttons+len(few), max(row, len(few))
			for _, b := range few {
				data = max(data, len(b.Data))
			}
		}
	}
	of := func(n, most int) string { return fmt.Sprintf("%d of %d", n, most) }
	return map[string]string{"characters of text": of(len(utf16.Encode([]rune(m.Text))), 4096), "entities": of(len(m.Entities), 100),
		"buttons": of(buttons, 100), "buttons in a row": of(row, 8), "bytes of callback_data": of(data, 64)}
}

// Press is somebody's touch of a button.
type Press struct {
	Answered bool
	Notice   string
	Alert    bool
}

// Server is Telegram for one bot. It is an http.Handler.
type Server struct {
	Bot  User
	Chat Chat

	// Admin is that the bot is an administrator of its group: it hears all that is said
	// there, and may delete it. Others hear what is for them (privacy mode).
	Admin  bool
	Topics []int // of a forum

	mu       sync.Mutex
	token    string
	revoked  bool
	webhook  bool
	kicked   bool
	before   *Chat                // what the chat was until it became a supergroup
	refusals map[string][]refusal // by method, used up in order
	messages []*Message
	last     int
	updates  []any // not yet confirmed
	first    int   // the number of updates[0]
	weeks    int   // without any
	changed  chan struct{}
	poll     chan struct{} // closed when another takes its place
	presses  map[string]*Press
	calls    []string
}

// New is a Telegram with one chat.
func New(token string, chat Chat) *Server {
	return &Server{Bot: User{ID: 42, IsBot: true, FirstName: "askpane", Username: "askpane_bot"}, Chat: chat,
		token: token, refusals: map[string][]refusal{}, last: first, first: 1000, changed: make(chan struct{}), presses: map[string]*Press{}}
}

// Refuse has the next call of a method answered by an error, as 429 with its seconds.
func (s *Server) Refuse(method string, code int, description string, retryAfter int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := refusal{code: code, description: description}
	r.parameters.RetryAfter = retryAfter
	s.refusals[method] = append(s.refusals[method], r)
}

// Revoke makes the token invalid.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = true
	s.wake()
}

// Webhook has somebody set one for the bot, or delete it.
func (s *Server) Webhook(set bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.webhook = set
	s.wake()
}

// Kick has somebody remove the bot from its group, or let it in again.
func (s *Server) Kick(out bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kicked = out
}

// Upgrade makes the group a supergroup: another chat, with messages of its own. Those from
// before can be edited, and no new ones can be sent there.
func (s *Server) Upgrade(to Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.Chat
	s.before, s.Chat, s.last = &was, to, first
	s.update("message", Message{ID: 1, From: s.Bot, Chat: was, MovedTo: to.ID})
}

// Quiet is a week without updates: who waits for them has got none, and they begin at
// another number.
func (s *Server) Quiet(first int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.weeks++
	s.first = first
	s.wake()
}

// Messages are those that are there, oldest first.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Message, len(s.messages))
	for i, m := range s.messages {
		all[i] = *m
	}
	return all
}

// Calls are the methods that were called.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// first is the number of the first message of a chat, less 1.
const first = 100

// Delete removes a message, as a person does it.
func (s *Server) Delete(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = slices.DeleteFunc(s.messages, func(m *Message) bool { return m.ID == id })
}

// Press has somebody touch the button of a message whose text contains label.
func (s *Server) Press(who User, id int, label string) (string, error) {
	s.mu.Lock()
	m := s.message(s.Chat.ID, id)
	if m == nil || m.Markup == nil {
		s.mu.Unlock()
		return "", fmt.Errorf("message %d is not there, or has no buttons", id)
	}
	for _, b := range slices.Concat(m.Markup.Keyboard...) {
		if strings.Contains(b.Text, label) && b.Data != "" {
			s.mu.Unlock()
			return s.PressData(who, id, b.Data), nil
		}
	}
	s.mu.Unlock()
	return "", fmt.Errorf("message %d has no button %q", id, label)
}

// PressData has somebody send what a button of a message has or had behind it. What
// comes of it is Pressed.
func (s *Server) PressData(who User, id int, data string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := fmt.Sprintf("q%d", len(s.presses)+1)
	s.presses[query] = &Press{}
	var on any = map[string]any{"message_id": id, "chat": s.Chat, "date": 0}
	for _, chat := range []*Chat{&s.Chat, s.before} { // what was posted before is still there
		if chat != nil && s.message(chat.ID, id) != nil {
			on = s.message(chat.ID, id)
			break
		}
	}
	s.update("callback_query", map[string]any{"id": query, "from": who, "message": on, "chat_instance": "1", "data": data})
	return query
}

// Pressed is what came of a press.
func (s *Server) Pressed(query string) Press {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.presses[query]
}

// Forget makes a press too old to be answered.
func (s *Server) Forget(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.presses, query)
}

// Waiting is how many updates are not confirmed.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.updates)
}

// Write has somebody write, as a reply unless to is 0, in the chat or in another. Without
// a text it is a voice message.
func (s *Server) Write(who User, chat Chat, to int, text string, marked ...Entity) {
	s.WriteIn(0, who, chat, to, text, marked...)
}

// WriteIn is Write in a topic.
func (s *Server) WriteIn(topic int, who User, chat Chat, to int, text string, marked ...Entity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	m := &Message{ID: s.last, From: who, Chat: chat, Date: time.Now().Unix(), Text: text, Entities: marked, Topic: topic, InTopic: topic != 0}
	if text == "" {
		m.Voice = map[string]any{"file_id": "v", "file_unique_id": "v", "duration": 3}
	}
	if first := s.message(chat.ID, to); first != nil {
		quoted := *first
		quoted.ReplyTo, quoted.Markup = nil, nil
		m.ReplyTo = &quoted
	}
	s.messages = append(s.messages, m)
	if chat.Type == "private" || s.Admin || strings.HasPrefix(text, "/") || m.ReplyTo != nil && m.ReplyTo.From.ID == s.Bot.ID {
		s.update("message", m)
	}
}

func (s *Server) message(chat int64, id int) *Message {
	for _, m := range s.messages {
		if m.ID == id && m.Chat.ID == chat {
			return m
		}
	}
	return nil
}

// Update sends the bot an update of any kind.
func (s *Server) Update(kind string, what any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.update(kind, what)
}

func (s *Server) update(kind string, what any) {
	s.updates = append(s.updates, encoded(map[string]any{"update_id": s.first + len(s.updates), kind: what}))
	s.wake()
}

func encoded(what any) json.RawMessage {
	b, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	return b
}

func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
