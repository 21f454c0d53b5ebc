package discordtest

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// session is one of the bot's, over as many connections as it takes.
type session struct {
	id   string
	seq  int
	sent []frame // all of it, to be sent again
	link *link   // nil between two

	intents int
}

type frame struct {
	Op   int    `json:"op"`
	Data any    `json:"d"`
	Seq  *int   `json:"s"`
	Type string `json:"t,omitempty"`
}

// link is a connection.
type link struct {
	mu     sync.Mutex
	conn   *websocket.Conn
	silent bool
}

func (l *link) send(f frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.silent {
		l.conn.WriteJSON(f)
	}
}

func (l *link) hello(interval time.Duration) {
	l.send(frame{Op: 10, Data: map[string]any{"heartbeat_interval": interval.Milliseconds()}})
}

func (l *link) close(code int, reason string) {
	l.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
	l.conn.Close()
}

// gateway is wss://gateway.discord.gg, one connection of it.
func (s *Server) gateway(w http.ResponseWriter, r *http.Request) {
	if q := r.URL.Query(); r.URL.Path != "/" || q.Get("encoding") != "json" || q.Get("v") != "9" && q.Get("v") != "10" {
		s.t.Errorf("the gateway is not at %s", r.URL)
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	lame := s.lame && r.Host != "gateway.discord.gg"
	s.mu.Unlock()
	if lame {
		http.Error(w, "502: Bad Gateway", http.StatusBadGateway)
		return
	}
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	l := &link{conn: conn}
	s.mu.Lock()
	s.links[l] = true
	interval := s.Interval
	s.mu.Unlock()
	l.hello(interval)
	if s.Eager {
		l.send(frame{Op: 1})
	}
	mine, err := s.read(l, interval, r.Host)
	conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, l)
	if mine == nil {
		return
	}
	if mine.link == l {
		mine.link = nil
	}
	if websocket.IsCloseError(err, websocket.CloseNormalClosure, websocket.CloseGoingAway) {
		delete(s.sessions, mine.id) // whoever says goodbye does not come back
	}
}

// read does what comes on a connection, until it ends. The session is the one that was
// begun there or gone on with.
func (s *Server) read(l *link, interval time.Duration, host string) (mine *session, err error) {
	for {
		l.conn.SetReadDeadline(time.Now().Add(2*interval + 2*time.Second))
		var f struct {
			Op int
			D  json.RawMessage
		}
		if err := l.conn.ReadJSON(&f); err != nil {
			return mine, err
		}
		switch {
		case f.Op == 1:
			var seq int // null is none
			json.Unmarshal(f.D, &seq)
			s.mu.Lock()
			s.counts.Heartbeats++
			if mine != nil && (seq > mine.seq || seq == 0 && string(f.D) != "null") {
				s.t.Errorf("a heartbeat has the number %s in a session that is at %d", f.D, mine.seq)
			}
			s.mu.Unlock()
			l.send(frame{Op: 11})
		case f.Op == 2 && mine == nil:
			mine = s.identify(l, f.D, host)
		case f.Op == 6 && mine == nil:
			mine = s.takeUp(l, f.D, host)
		case mine == nil:
			l.close(4003, "Not authenticated.")
		default:
			l.close(4005, "Already authenticated.")
		}
	}
}

func (s *Server) identify(l *link, data []byte, host string) *session {
	var d struct {
		Token      string
		Intents    *int
		Properties struct{ OS, Browser, Device string }
	}
	json.Unmarshal(data, &d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Identified++
	if pause := time.Since(s.ended); pause < time.Second {
		s.t.Errorf("a session is begun %s after the last was over; one to five seconds are wanted", pause)
	}
	switch {
	case s.token == "" || d.Token != s.token:
		l.close(4004, "Authentication failed.")
		return nil
	case d.Intents == nil || d.Properties.OS == "" || d.Properties.Browser == "":
		l.close(4013, "Invalid intent(s).")
		return nil
	case *d.Intents&(1<<1|1<<8|1<<15) != 0:
		l.close(4014, "Disallowed intent(s).")
		return nil
	}
	if host != "gateway.discord.gg" {
		s.t.Errorf("a session begins at %s, not at the gateway's own address", host)
	}
	mine := &session{id: "session-" + s.id(), link: l, intents: *d.Intents}
	s.sessions[mine.id] = mine
	mine.dispatch("READY", map[string]any{"v": 10, "session_id": mine.id, "resume_gateway_url": "wss://gateway-eu.discord.gg",
		"user": map[string]any{"id": BotID, "username": "askpane-bot"}, "guilds": []any{map[string]any{"id": ServerID, "unavailable": true}},
		"application": map[string]any{"id": BotID, "flags": 0}})
	return mine
}

// takeUp goes on with a session.
func (s *Server) takeUp(l *link, data []byte, host string) *session {
	var d struct {
		Token   string
		Session string `json:"session_id"`
		Seq     int
	}
	json.Unmarshal(data, &d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Resumed++
	mine := s.sessions[d.Session]
	switch {
	case s.token == "" || d.Token != s.token:
		l.close(4004, "Authentication failed.")
		return nil
	case mine == nil:
		s.ended = time.Now()
		l.send(frame{Op: 9, Data: false})
		return nil
	case d.Seq > mine.seq:
		l.close(4007, "Invalid seq.")
		return nil
	}
	if host != "gateway-eu.discord.gg" && !s.lame {
		s.t.Errorf("a session is resumed at %s, not at its resume_gateway_url", host)
	}
	for _, f := range mine.sent[d.Seq:] {
		l.send(f)
	}
	mine.link = l
	mine.dispatch("RESUMED", map[string]any{})
	return mine
}

// dispatch sends an event, now or when the session goes on. The lock is held.
func (m *session) dispatch(kind string, data any) {
	m.seq++
	seq := m.seq
	f := frame{Data: data, Seq: &seq, Type: kind}
	m.sent = append(m.sent, f)
	if m.link != nil {
		m.link.send(f)
	}
}

// tell tells the sessions that have asked for it of messages (GUILD_MESSAGES). The lock is
// held.
func (s *Server) tell(kind string, data map[string]any) {
	data["channel_id"], data["guild_id"] = ChannelID, ServerID
	for _, m := range s.sessions {
		if m.intents&(1<<9) != 0 {
			m.dispatch(kind, data)
		}
	}
}

// Connected reports whether a session of the bot's is connected.
func (s *Server) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.sessions {
		if m.link != nil {
			return true
		}
	}
	return false
}

// Reconnect asks all connections to be made anew (operation 7).
func (s *Server) Reconnect() {
	s.each(func(l *link) { l.send(frame{Op: 7}) })
}

// Beat asks all connections for a heartbeat (operation 1).
func (s *Server) Beat() {
	s.each(func(l *link) { l.send(frame{Op: 1}) })
}

// Close closes all connections with a code.
func (s *Server) Close(code int) {
	s.each(func(l *link) { l.close(code, "as the test wants it") })
}

// Greet says hello once more.
func (s *Server) Greet() {
	s.each(func(l *link) { l.hello(time.Millisecond) })
}

// Lame has no session be gone on with where it was: another host has to take it.
func (s *Server) Lame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lame = true
}

// Forget ends all sessions, which cannot be resumed then, and the connections.
func (s *Server) Forget() {
	s.mu.Lock()
	clear(s.sessions)
	s.mu.Unlock()
	s.each(func(l *link) { l.conn.Close() })
}

// Invalidate ends all sessions, and says so.
func (s *Server) Invalidate() {
	s.mu.Lock()
	clear(s.sessions)
	s.ended = time.Now()
	s.mu.Unlock()
	s.each(func(l *link) { l.send(frame{Op: 9, Data: false}) })
}

// Silence has the connections stay and say nothing: the network on the way is gone.
func (s *Server) Silence() {
	s.each(func(l *link) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.silent = true
	})
}

func (s *Server) each(do func(*link)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		do(l)
	}
}
