package discordtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// User is somebody on the server.
type User struct{ ID, Name string }

// Interaction is what somebody has done, and what came of it.
type Interaction struct {
	s       *Server
	id      string
	token   string
	kind    int // 3 is a component, 5 a modal
	message string
	user    User
	asked   time.Time
	over    chan struct{} // closed with the reply, or when it is too late for one

	// What came, when over is closed.
	Type   int    // 4 a notice, 6 nothing to see, 9 a dialog; 0 is that nothing came in time
	Notice string // only that person sees it
	Modal  Modal
}

// Modal is a dialog.
type Modal struct {
	CustomID, Title string
	Field           component
}

// Click is somebody's click on the button, or choice in the select, with that label in a
// message. It fails the test where there is none.
func (s *Server) Click(who User, m Message, labels ...string) *Interaction {
	s.t.Helper()
	var id string
	var values []string
	for _, label := range labels {
		control, ok := m.Controls()[label]
		if !ok {
			s.t.Fatalf("%s has no %q, only %v", m.Content, label, m.Controls())
		}
		var value string
		if id, value, ok = strings.Cut(control, "="); ok {
			values = append(values, value)
		}
	}
	return s.Press(who, m.ID, id, values...)
}

// Take is a click as Click makes it, by somebody who clicks again where the app says that it
// failed: the bot was just connecting, or the machine is busy.
func (s *Server) Take(who User, m Message, labels ...string) {
	s.t.Helper()
	s.Until("click that is taken", func() bool { return s.Click(who, m, labels...).String() != failed })
}

// Press is a click as somebody's app sends it, whether or not there is such a control now:
// it may show what the message was a moment ago.
func (s *Server) Press(who User, message, id string, values ...string) *Interaction {
	data := map[string]any{"custom_id": id, "component_type": typeButton}
	if values != nil {
		data["component_type"], data["values"] = typeSelect, values
	}
	return s.act(&Interaction{s: s, kind: 3, message: message, user: who}, data)
}

// Submit is what the person types into the dialog that has opened.
func (i *Interaction) Submit(text string) *Interaction {
	i.s.t.Helper()
	<-i.over
	most := 4000
	if i.Modal.Field.MaxLength != nil {
		most = *i.Modal.Field.MaxLength
	}
	if n := utf8.RuneCountInString(text); i.Type != 9 || n > most || n == 0 && (i.Modal.Field.Required == nil || *i.Modal.Field.Required) {
		i.s.t.Fatalf("%q cannot be typed into %+v", text, i.Modal)
	}
	return i.s.act(&Interaction{s: i.s, kind: 5, message: i.message, user: i.user}, map[string]any{"custom_id": i.Modal.CustomID,
		"components": []any{map[string]any{"type": typeRow, "components": []any{map[string]any{"type": typeInput, "custom_id": i.Modal.Field.CustomID, "value": text}}}}})
}

// act sends an interaction to the bot's sessions. Where there is none it fails at once,
// and else when no reply has come in time.
func (s *Server) act(i *Interaction, data map[string]any) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	i.id, i.token, i.asked, i.over = s.id(), "token-"+s.id(), time.Now(), make(chan struct{})
	message := map[string]any{"id": i.message, "channel_id": ChannelID, "type": 0, "flags": 1 << 15, "author": map[string]any{"id": BotID, "username": "askpane-bot", "bot": true},
		"timestamp": "2026-11-23T12:00:00.000000+00:00", "edited_timestamp": nil, "content": "", "pinned": false, "tts": false, "mentions": []any{}, "mention_roles": []any{},
		"mention_everyone": false, "attachments": []any{}, "embeds": []any{}}
	if known := slices.IndexFunc(s.messages, func(m *Message) bool { return m.ID == i.message }); known >= 0 {
		var c struct{ Components any }
		json.Unmarshal(s.messages[known].Content, &c)
		message["components"] = c.Components
	}
	s.asked[i.token] = i
	if len(s.sessions) == 0 {
		close(i.over)
		return i
	}
	for _, m := range s.sessions {
		m.dispatch("INTERACTION_CREATE", map[string]any{"id": i.id, "application_id": BotID, "type": i.kind, "token": i.token, "version": 1,
			"guild_id": ServerID, "channel_id": ChannelID, "message": message, "data": data, "app_permissions": "3072", "locale": "en-US",
			"channel": map[string]any{"id": ChannelID, "type": 0}, "guild": map[string]any{"id": ServerID, "features": []any{}, "locale": "en-US"}, "guild_locale": "en-US", "context": 0,
			"entitlements": []any{}, "authorizing_integration_owners": map[string]any{"0": ServerID}, "attachment_size_limit": 10485760,
			"member": map[string]any{"user": map[string]any{"id": i.user.ID, "username": i.user.Name}, "roles": []any{}, "permissions": "0"}})
	}
	time.AfterFunc(s.Patience, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i.end()
	})
	return i
}

// end has no reply come any more. The lock is held.
func (i *Interaction) end() {
	select {
	case <-i.over:
	default:
		close(i.over)
	}
}

// Wait waits for the reply.
func (i *Interaction) Wait() *Interaction {
	<-i.over
	return i
}

// failed stands in the app beside a click that the bot has not replied to in time.
const failed = "This interaction failed"

func (i *Interaction) String() string {
	<-i.over
	switch i.Type {
	case 0:
		return failed
	case 4:
		return "notice: " + i.Notice
	case 9:
		return "dialog: " + i.Modal.Title
	}
	return "taken"
}

// reply is one to an interaction.
type reply struct {
	Type int
	Data struct {
		content
		CustomID string `json:"custom_id"`
		Title    string
	}
}

// wrong is what is wrong with a reply, and the code of it: 0 where it is in order.
func (i *Interaction) wrong(c reply) (code int, what string, fields map[string]any) {
	f := form{}
	switch c.Type {
	case 4:
		f.message(c.Data.Components)
	case 9:
		f.modal(c.Data.CustomID, c.Data.Title, c.Data.Components)
	}
	switch {
	case i.Type != 0:
		return 40060, "Interaction has already been acknowledged.", nil
	case f.wrong != nil:
		return 50035, "Invalid Form Body", f.wrong
	case c.Type == 4 && (c.Data.Flags != 1<<6|1<<15 || c.Data.mentions()):
		return 50035, "a notice that everybody sees, or whose links have previews, or that mentions somebody", nil
	case c.Type == 9 && i.kind == 5, c.Type != 4 && c.Type != 6 && c.Type != 9:
		return 50035, fmt.Sprintf("a reply of type %d to an interaction of type %d", c.Type, i.kind), nil
	}
	return 0, "", nil
}

// callback is a reply to an interaction.
func (s *Server) callback(w http.ResponseWriter, r *http.Request) {
	var c reply
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		s.refuse(w, 400, 50109, "The request body contains invalid JSON.", nil)
		return
	}
	if s.limited(w, "reply") {
		return
	}
	s.mu.Lock()
	i := s.asked[r.PathValue("token")]
	if i != nil && s.stalled[i.user] != nil {
		until := s.stalled[i.user]
		s.mu.Unlock()
		select {
		case <-until:
		case <-r.Context().Done():
		}
		s.mu.Lock()
	}
	if i == nil || i.id != r.PathValue("id") || time.Since(i.asked) > s.Patience {
		s.mu.Unlock()
		s.Tolerate("10062")
		s.refuse(w, 404, 10062, "Unknown interaction", nil)
		return
	}
	code, what, wrong := i.wrong(c)
	if code == 0 {
		i.Type, i.Notice = c.Type, ""
		for _, text := range c.Data.Components {
			i.Notice += text.Content + "\n"
		}
		i.Notice = strings.TrimSuffix(i.Notice, "\n")
		if c.Type == 9 {
			i.Modal = Modal{CustomID: c.Data.CustomID, Title: c.Data.Title, Field: c.Data.Components[0].Components[0]}
		}
		i.end()
	}
	s.mu.Unlock()
	if code != 0 {
		s.refuse(w, 400, code, what, wrong)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
