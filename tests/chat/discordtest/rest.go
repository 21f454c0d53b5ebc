package discordtest

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// rest is https://discord.com/api/v9 and its like.
func (s *Server) rest() http.Handler {
	mux := http.NewServeMux()
	give := func(pattern string, v func() any) {
		mux.HandleFunc("GET /api/{version}"+pattern, func(w http.ResponseWriter, r *http.Request) { answer(w, 200, v()) })
	}
	mux.HandleFunc("GET /api/{version}/gateway", func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, map[string]any{"url": "wss://gateway.discord.gg"})
	})
	me := map[string]any{"id": BotID, "username": "askpane-bot", "discriminator": "0000", "bot": true}
	give("/users/@me", func() any { return me })
	give("/users/@me/guilds", s.servers)
	channel := map[string]any{"id": ChannelID, "name": "questions", "type": 0, "guild_id": ServerID, "permission_overwrites": []any{}}
	give("/channels/"+ChannelID, func() any { return channel })
	give("/guilds/"+ServerID+"/channels", func() any { return s.channels(channel) })
	give("/guilds/"+ServerID, func() any {
		s.mu.Lock()
		defer s.mu.Unlock()
		return map[string]any{"id": ServerID, "name": "Workshop", "owner_id": "1", "roles": []any{map[string]any{"id": ServerID, "name": "@everyone", "permissions": fmt.Sprint(s.rights)}}}
	})
	give("/guilds/"+ServerID+"/members/"+BotID, func() any { return map[string]any{"user": me, "roles": []any{}} })
	mux.HandleFunc("POST /api/{version}/channels/{channel}/messages", func(w http.ResponseWriter, r *http.Request) { s.write(w, r, "") })
	mux.HandleFunc("PATCH /api/{version}/channels/{channel}/messages/{id}", func(w http.ResponseWriter, r *http.Request) { s.write(w, r, r.PathValue("id")) })
	mux.HandleFunc("POST /api/{version}/interactions/{id}/{token}/callback", s.callback)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		token := s.token
		s.mu.Unlock()
		switch {
		case r.URL.Scheme == "" && r.TLS == nil, !strings.HasPrefix(r.UserAgent(), "DiscordBot ("):
			s.refuse(w, 403, 40333, "internal network error", nil) // as Discord's front does it
		case !strings.HasSuffix(r.URL.Path, "/gateway") && !strings.HasSuffix(r.URL.Path, "/callback") && (token == "" || r.Header.Get("Authorization") != "Bot "+token):
			s.refuse(w, 401, 0, "401: Unauthorized", nil)
		case r.Method == http.MethodGet && s.limited(w, r.Method):
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// refuse answers with an error, which is the test's if it did not expect one.
func (s *Server) refuse(w http.ResponseWriter, status, code int, message string, wrong map[string]any) {
	body := map[string]any{"code": code, "message": message}
	if wrong != nil {
		body["errors"] = wrong
	}
	s.mu.Lock()
	expected := s.tolerated[fmt.Sprint(status)] || s.tolerated[fmt.Sprint(code)]
	s.mu.Unlock()
	if !expected {
		said, _ := json.Marshal(body)
		s.t.Errorf("the fake Discord refuses a request: %d %s", status, said)
	}
	answer(w, status, body)
}

// content is what a message is made of.
type content struct {
	Flags      int
	Content    string
	Components []component
	Mentions   *struct{ Parse *[]string } `json:"allowed_mentions"`
	Nonce      string
	Once       bool `json:"enforce_nonce"`
}

// write posts a message, or edits the one with that id.
func (s *Server) write(w http.ResponseWriter, r *http.Request, id string) {
	if s.limited(w, r.Method) {
		return
	}
	body, err := io.ReadAll(r.Body)
	var c content
	if err != nil || json.Unmarshal(body, &c) != nil {
		s.refuse(w, 400, 50109, "The request body contains invalid JSON.", nil)
		return
	}
	s.mu.Lock()
	f := form{refused: s.emojis}
	rights := s.rights
	s.mu.Unlock()
	code, what := c.wrong(&f)
	if r.PathValue("channel") != ChannelID {
		s.refuse(w, 404, 10003, "Unknown Channel", nil)
		return
	}
	switch {
	case rights&(1<<10) == 0:
		s.refuse(w, 403, 50001, "Missing Access", nil)
	case id == "" && rights&(1<<11) == 0:
		s.refuse(w, 403, 50013, "Missing Permissions", nil)
	case what == tooMuch:
		s.refuse(w, 500, code, what, nil)
	case what != "":
		s.refuse(w, 400, code, what, f.wrong)
	default:
		s.keep(w, r.Method, id, c, f.all, body)
	}
}

// tooMuch is said of a message of too many bytes. Others have found that out: it is not
// documented.
const tooMuch = "500: Internal Server Error"

// wrong is what is wrong with a message, and the code of it; f has its components then.
func (c content) wrong(f *form) (code int, what string) {
	f.message(c.Components)
	switch {
	case c.Flags != 1<<15 || c.Content != "":
		return 50006, "Cannot send an empty message"
	case c.mentions() || len(c.Nonce) > 25:
		return 50035, "a message that may mention somebody, or a long nonce"
	case f.wrong != nil:
		return 50035, "Invalid Form Body"
	case f.bytes > 10170:
		return 0, tooMuch
	}
	return 0, ""
}

// Refuses is what Discord would refuse a message for, and empty for one that it takes.
func Refuses(message any) string {
	var c content
	f := form{}
	if err := recode(message, &c); err != nil {
		return err.Error()
	}
	_, what := c.wrong(&f)
	return said(what, f.wrong)
}

// RefusesReply is so for a reply to a click.
func RefusesReply(to any) string {
	var c reply
	if err := recode(to, &c); err != nil {
		return err.Error()
	}
	_, what, wrong := (&Interaction{kind: 3}).wrong(c)
	return said(what, wrong)
}

func said(what string, wrong map[string]any) string {
	if wrong == nil {
		return what
	}
	return fmt.Sprint(what, ": ", wrong)
}

// recode reads as JSON what another type writes.
func recode(from, to any) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

// mentions reports whether what it mentions is told of it.
func (c content) mentions() bool {
	return c.Mentions == nil || c.Mentions.Parse == nil || len(*c.Mentions.Parse) > 0
}

// keep is a message that is in order.
func (s *Server) keep(w http.ResponseWriter, method, id string, c content, all []component, body []byte) {
	s.mu.Lock()
	m := s.nonces[c.Nonce]
	switch known := slices.IndexFunc(s.messages, func(m *Message) bool { return m.ID == id }); {
	case id != "" && known < 0:
		s.mu.Unlock()
		s.refuse(w, 404, 10008, "Unknown Message", nil)
		return
	case id != "":
		m = s.messages[known]
		m.Edits++
		m.Content, m.all = body, all
	case m == nil || !c.Once:
		m = &Message{ID: s.id(), Content: body, all: all}
		s.messages = append(s.messages, m)
		if c.Nonce != "" {
			s.nonces[c.Nonce] = m
		}
	}
	left, after := "4", time.Second
	if l := s.limits[method]; l != nil && l.spent {
		l.spent, l.until = false, time.Now().Add(l.wait)
		left, after = "0", l.wait
	}
	edited := any(nil)
	if m.Edits > 0 {
		edited = time.Now()
	}
	kind := "MESSAGE_CREATE"
	if id != "" {
		kind = "MESSAGE_UPDATE"
	}
	s.tell(kind, map[string]any{"id": m.ID, "content": "", "author": map[string]any{"id": BotID, "bot": true}})
	lost := s.lost > 0
	s.lost = max(0, s.lost-1)
	s.mu.Unlock()
	if lost {
		panic(http.ErrAbortHandler) // ends the connection without an answer
	}
	w.Header().Set("X-RateLimit-Limit", "5")
	w.Header().Set("X-RateLimit-Remaining", left)
	w.Header().Set("X-RateLimit-Reset-After", fmt.Sprint(after.Seconds()))
	answer(w, 200, map[string]any{"id": m.ID, "channel_id": ChannelID, "edited_timestamp": edited})
}

// limited tells a request to wait where it is to. One that does not wait is the test's
// error.
func (s *Server) limited(w http.ResponseWriter, method string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.limits[method]
	if l == nil {
		return false
	}
	if left := time.Until(l.until); left > 0 {
		s.t.Errorf("a %s came %s before it was to be tried again", method, left)
	}
	if l.left == 0 {
		return false
	}
	l.left--
	s.counts.Limited++
	l.until = time.Now().Add(l.wait)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(l.wait.Seconds()))))
	if s.Terse {
		http.Error(w, "error code: 1015", http.StatusTooManyRequests)
		return true
	}
	w.Header().Set("X-RateLimit-Remaining", "0")
	w.Header().Set("X-RateLimit-Scope", "user")
	answer(w, 429, map[string]any{"message": "You are being rate limited.", "retry_after": l.wait.Seconds(), "global": false})
	return true
}
