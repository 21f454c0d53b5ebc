package telegramtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// ServeHTTP answers https://api.telegram.org/botTOKEN/METHOD.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	p, err := parameters(r)
	var result any
	switch s.mu.Lock(); {
	case err != nil:
		err = refuse(http.StatusBadRequest, "Bad Request: "+err.Error())
	case !strings.Contains(token, ":"):
		err = refuse(http.StatusNotFound, "Not Found")
	case token != s.token || s.revoked:
		err = refuse(http.StatusUnauthorized, "Unauthorized")
	case len(s.refusals[method]) > 0:
		err = s.refusals[method][0]
		s.refusals[method] = s.refusals[method][1:]
	}
	s.calls = append(s.calls, method)
	s.mu.Unlock()
	if err == nil {
		result, err = s.do(r, method, p)
	}
	answer := map[string]any{"ok": err == nil, "result": result}
	if no, is := err.(refusal); is {
		answer = map[string]any{"ok": false, "error_code": no.code, "description": no.description}
		if no.parameters.RetryAfter > 0 {
			answer["parameters"] = map[string]any{"retry_after": no.parameters.RetryAfter}
		}
		if no.parameters.MigrateTo != 0 {
			answer["parameters"] = map[string]any{"migrate_to_chat_id": no.parameters.MigrateTo}
		}
		w.WriteHeader(no.code)
	}
	json.NewEncoder(w).Encode(answer)
}

func (s *Server) do(r *http.Request, method string, p params) (any, error) {
	if method == "getUpdates" {
		return s.getUpdates(r, p)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	does := map[string]func(params) (any, error){
		"getMe":               func(params) (any, error) { return s.Bot, nil },
		"sendChatAction":      func(params) (any, error) { return true, nil },
		"sendMessage":         s.sendMessage,
		"editMessageText":     s.editMessageText,
		"deleteMessage":       s.deleteMessage,
		"answerCallbackQuery": s.answerCallbackQuery,
	}[method]
	switch {
	case does == nil:
		return nil, refuse(http.StatusNotFound, "Not Found: method not found")
	case p.ChatID != 0 && s.kicked:
		return nil, refuse(http.StatusForbidden, "Forbidden: bot was kicked from the supergroup chat")
	case s.before != nil && p.ChatID == s.before.ID && method != "editMessageText" && method != "deleteMessage":
		r := refusal{code: http.StatusBadRequest, description: "Bad Request: group chat was upgraded to a supergroup chat"}
		r.parameters.MigrateTo = s.Chat.ID
		return nil, r
	case p.ChatID != 0 && p.ChatID != s.Chat.ID && (s.before == nil || p.ChatID != s.before.ID):
		return nil, refuse(http.StatusBadRequest, "Bad Request: chat not found")
	case p.Topic != 0 && !slices.Contains(s.Topics, p.Topic):
		return nil, refuse(http.StatusBadRequest, "Bad Request: message thread not found")
	}
	result, err := does(p)
	if err != nil {
		return nil, err
	}
	return encoded(result), nil // as it is now
}

func (s *Server) sendMessage(p params) (any, error) {
	m := &Message{From: s.Bot, Chat: s.Chat, Date: time.Now().Unix(), Topic: p.Topic, InTopic: p.Topic != 0}
	if err := p.fill(m); err != nil {
		return nil, err
	}
	if m.ReplyTo = s.message(p.ChatID, p.Reply.MessageID); m.ReplyTo == nil && p.Reply.MessageID != 0 && !p.Reply.AllowWithout {
		return nil, refuse(http.StatusBadRequest, "Bad Request: message to be replied not found")
	}
	s.last++
	m.ID = s.last
	s.messages = append(s.messages, m)
	return m, nil
}

func (s *Server) editMessageText(p params) (any, error) {
	m := s.message(p.ChatID, p.MessageID)
	if m == nil {
		return nil, refuse(http.StatusBadRequest, "Bad Request: message to edit not found")
	}
	next := *m
	if err := p.fill(&next); err != nil {
		return nil, err
	}
	if same(m, &next) {
		return nil, refuse(http.StatusBadRequest, "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	next.Edits++
	*m = next
	return m, nil
}

func (s *Server) deleteMessage(p params) (any, error) {
	switch m := s.message(p.ChatID, p.MessageID); {
	case m == nil:
		return nil, refuse(http.StatusBadRequest, "Bad Request: message to delete not found")
	case m.From.ID != s.Bot.ID && m.Chat.Type != "private" && !s.Admin, time.Since(time.Unix(m.Date, 0)) > 48*time.Hour:
		return nil, refuse(http.StatusBadRequest, "Bad Request: message can't be deleted")
	}
	s.messages = slices.DeleteFunc(s.messages, func(m *Message) bool { return m.ID == p.MessageID && m.Chat.ID == p.ChatID })
	return true, nil
}

func (s *Server) answerCallbackQuery(p params) (any, error) {
	q := s.presses[p.Query]
	switch {
	case q == nil:
		return nil, refuse(http.StatusBadRequest, "Bad Request: query is too old and response timeout expired or query ID is invalid")
	case len(utf16.Encode([]rune(p.Text))) > 200:
		return nil, refuse(http.StatusBadRequest, "Bad Request: MESSAGE_TOO_LONG")
	}
	*q = Press{Answered: true, Notice: p.Text, Alert: p.Alert}
	return true, nil
}

// getUpdates confirms all updates before the offset, and waits while there are none. One
// that waits is ended by the next that does.
func (s *Server) getUpdates(r *http.Request, p params) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.webhook {
		return nil, refuse(http.StatusConflict, "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first")
	}
	confirm := func() {
		if n := min(p.Offset-s.first, len(s.updates)); n > 0 {
			s.updates, s.first = s.updates[n:], s.first+n
		}
	}
	confirm()
	if p.Timeout > 0 && len(s.updates) == 0 {
		if s.poll != nil {
			close(s.poll)
		}
		mine := make(chan struct{})
		s.poll = mine
		defer func() {
			if s.poll == mine {
				s.poll = nil
			}
		}()
		late := time.After(time.Duration(p.Timeout) * time.Second)
		for over, week := false, s.weeks; len(s.updates) == 0 && !s.revoked && !s.webhook && !over && s.weeks == week; {
			changed := s.changed
			s.mu.Unlock()
			var err error
			select {
			case <-changed:
			case <-late:
				over = true
			case <-r.Context().Done():
				err = r.Context().Err()
			case <-mine:
				err = refuse(http.StatusConflict, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
			}
			if s.mu.Lock(); err != nil {
				return nil, err
			}
		}
	}
	confirm()
	if s.revoked {
		return nil, refuse(http.StatusUnauthorized, "Unauthorized")
	}
	return slices.Clone(s.updates[:min(len(s.updates), 100)]), nil
}
