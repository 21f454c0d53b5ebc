package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/askpane/askpane/popup/chat"
)

// gateway holds a session with Discord's gateway. It goes on over several connections: what
// people do between two of them comes with the next.
type gateway struct {
	*Channel
	handle func(chat.Event)
	state  func(error)

	session, resume string // the session and where it goes on; empty where one has to begin
	seq             *int64 // the last event that was handled
}

// What the gateway sends and is sent (Discord's documentation, Opcodes).
const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
)

const (
	greeting    = 30 * time.Second // how long a connection may take to begin
	longestWait = 2 * time.Minute  // between two that do not last: of new sessions Discord allows 1,000 a day
)

var errAnother = errors.New("discord wants another connection")

// Listen calls handle for each click and each text, until ctx ends.
func (c *Channel) Listen(ctx context.Context, handle func(chat.Event), state func(error)) error {
	g := &gateway{Channel: c, handle: handle, state: state}
	for wait := time.Second; ; wait = min(2*wait, longestWait) {
		began := time.Now()
		err, final := g.ended(g.connect(ctx))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if final {
			return err
		}
		if time.Since(began) > longestWait {
			wait = time.Second
		}
		if g.session == "" {
			wait = max(wait, 4*time.Second) // before another one Discord wants one to five seconds
		}
		if !errors.Is(err, errAnother) { // which is how Discord does it every few hours
			state(err)
		}
		if err := chat.Pause(ctx, wait/2+rand.N(wait/2)); err != nil {
			return err
		}
	}
}

// ended explains why a connection ended, and drops the session if that is over. The error is
// final if no other connection can do better.
func (g *gateway) ended(err error) (means error, final bool) {
	closed, is := errors.AsType[*websocket.CloseError](err)
	if !is {
		return err, errors.Is(err, chat.ErrRefused)
	}
	switch closed.Code {
	case 4004:
		return fmt.Errorf("%w (Discord: %s)", chat.ErrRefused, closed.Text), true
	case 4010, 4011, 4012, 4013, 4014: // what we ask for is refused
		final = true
	case 4003, 4007, 4009:
		g.session = ""
	}
	return fmt.Errorf("discord has ended the connection: %w", closed), final
}

// dial connects where the session goes on. If that fails, or a session has to begin, it
// connects at the address for all.
func (g *gateway) dial(ctx context.Context) (*websocket.Conn, error) {
	way := g.client.Transport.(*http.Transport)
	dialer := websocket.Dialer{Proxy: way.Proxy, TLSClientConfig: way.TLSClientConfig, HandshakeTimeout: greeting}
	at := func(address string) (*websocket.Conn, error) {
		conn, _, err := dialer.DialContext(ctx, strings.TrimSuffix(address, "/")+"/?v=9&encoding=json", nil)
		return conn, err
	}
	if g.session != "" {
		if conn, err := at(g.resume); err == nil {
			return conn, nil
		}
	}
	var all struct{ URL string }
	if err := g.get(ctx, "/gateway", &all); err != nil {
		return nil, err
	}
	return at(all.URL)
}

// connect serves one connection until it ends. This goroutine alone writes.
func (g *gateway) connect(ctx context.Context) error {
	conn, err := g.dial(ctx)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer end() // closes it
	context.AfterFunc(ctx, func() { conn.Close() })
	came, over := make(chan frame), make(chan error, 1)
	reading.Go(func() { over <- read(ctx, conn, came) })
	say := func(op int, data any) error {
		conn.SetWriteDeadline(time.Now().Add(greeting))
		return conn.WriteJSON(map[string]any{"op": op, "d": data})
	}
	var interval time.Duration // of heartbeats; 0 before Discord has said hello
	beat, heard := time.NewTimer(greeting), false
	defer beat.Stop()
	for err == nil {
		select {
		case err = <-over:
		case <-beat.C:
			if !heard { // not even that it has the last heartbeat
				return errors.New("discord says nothing any more")
			}
			heard = false
			beat.Reset(interval)
			err = say(opHeartbeat, g.seq)
		case f := <-came:
			heard = true
			switch {
			case f.Op == opHello && interval == 0:
				var hello struct {
					Interval time.Duration `json:"heartbeat_interval"` // milliseconds
				}
				if err := json.Unmarshal(f.Data, &hello); err != nil {
					return err
				}
				// The first heartbeat comes by chance, so that not all programs beat at once
				// after Discord was away.
				interval = max(1, hello.Interval) * time.Millisecond
				beat.Reset(rand.N(interval))
				err = say(g.opening())
			case f.Op == opHeartbeat:
				err = say(opHeartbeat, g.seq)
			default:
				err = g.dispatch(f)
			}
		}
	}
	return err
}

// read hands over what is received.
func read(ctx context.Context, conn *websocket.Conn, came chan<- frame) error {
	for {
		var f frame
		if err := conn.ReadJSON(&f); err != nil {
			return err
		}
		select {
		case came <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// opening resumes the session, or begins one. Clicks come without any intents.
func (g *gateway) opening() (op int, data map[string]any) {
	if g.session != "" {
		return opResume, map[string]any{"token": g.token, "session_id": g.session, "seq": g.seq}
	}
	g.seq = nil
	return opIdentify, map[string]any{"token": g.token, "intents": 1 << 9, // messages of servers: for those that are deleted
		"properties": map[string]string{"os": "linux", "browser": "askpane", "device": "askpane"}}
}

// dispatch handles what the gateway sends. Its error ends the connection.
func (g *gateway) dispatch(f frame) error {
	switch f.Op {
	case opReconnect:
		return errAnother
	case opInvalid:
		if string(f.Data) != "true" {
			g.session = ""
		}
		return errors.New("discord has ended the session")
	}
	switch f.Type {
	case "READY":
		var ready struct {
			Session string `json:"session_id"`
			Resume  string `json:"resume_gateway_url"`
		}
		if err := json.Unmarshal(f.Data, &ready); err != nil {
			return err
		}
		g.session, g.resume = ready.Session, ready.Resume
		g.state(nil)
	case "RESUMED":
		g.state(nil)
	case "MESSAGE_DELETE", "MESSAGE_DELETE_BULK":
		var deleted struct {
			ID      string
			IDs     []string
			Channel string `json:"channel_id"`
		}
		if err := json.Unmarshal(f.Data, &deleted); err != nil {
			return err
		}
		for _, id := range append(deleted.IDs, deleted.ID) {
			g.handle(chat.Event{Ref: deleted.Channel + "/" + id, Gone: true, Reply: func(chat.Reply) error { return nil }})
		}
	case "INTERACTION_CREATE":
		if e, ok := g.event(f.Data); ok {
			g.handle(e)
		}
	}
	if f.Op == opDispatch {
		g.seq = &f.Seq
	}
	return nil
}

// event reads what somebody has done on a message; it is not ok for anything else. What was
// done counts even where the reply to it comes too late.
func (c *Channel) event(data []byte) (e chat.Event, ok bool) {
	var i struct {
		ID, Token string
		Type      int
		Message   struct {
			ID      string
			Channel string `json:"channel_id"`
		}
		Member struct{ User person }
		User   person // in direct messages
		Data   struct {
			Control string `json:"custom_id"`
			Values  []string
			Rows    []struct {
				Components []struct {
					Control string `json:"custom_id"`
					Value   string
				}
			} `json:"components"`
		}
	}
	if err := json.Unmarshal(data, &i); err != nil || i.Type != pressed && i.Type != submitted {
		return e, false
	}
	who := i.Member.User
	if who.ID == "" {
		who = i.User
	}
	e = chat.Event{Ref: i.Message.Channel + "/" + i.Message.ID, ID: i.Data.Control, Values: i.Data.Values, User: chat.User{ID: who.ID, Name: who.Username}}
	for _, row := range i.Data.Rows { // those of a dialog
		for _, field := range row.Components {
			e.Text, e.Secret = field.Value, field.Control == secretField
		}
	}
	e.Reply = func(r chat.Reply) error {
		ctx, cancel := context.WithTimeout(context.Background(), c.Patience)
		defer cancel()
		_, err := c.ask(ctx, http.MethodPost, "/interactions/"+i.ID+"/"+i.Token+"/callback", reply(r), nil)
		return err
	}
	return e, true
}

// secretField names the field of a dialog in which a secret is typed.
const secretField = "secret"

// reply tells Discord that an interaction was accepted, the note for that person alone, or
// the dialog to open.
func reply(r chat.Reply) response {
	switch {
	case r.Notice != "":
		texts := []component{{Type: typeText, Content: cut(escaped(r.Notice), mostNotice)}}
		if r.Typed != "" {
			texts = append(texts, component{Type: typeText, Content: styled(r.Typed, chat.Fixed)})
		}
		return response{replyNote, &content{Components: texts, Flags: ephemeral | componentsV2, Mentions: nobody}}
	case r.Entry == nil:
		return response{Type: replyNothing}
	}
	field := component{Type: typeInput, CustomID: "text", Label: r.Entry.Label, Placeholder: r.Entry.Hint,
		Value: r.Entry.Value, MaxLength: mostValue, Style: shortInput, Required: new(false)}
	if field.Value != "" && field.Placeholder != "" { // of a field with a text it is not seen
		field.Label = cut(field.Label+" ("+field.Placeholder+")", 45)
	}
	if r.Entry.Secret {
		field.CustomID = secretField
	}
	if r.Entry.Lines {
		field.Style = longInput
	}
	return response{replyDialog, &content{CustomID: r.Entry.ID, Title: r.Entry.Title, Components: []component{{Type: typeRow, Components: []component{field}}}}}
}
