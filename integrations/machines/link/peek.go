package link

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// A person sees what is on the pane that has asked on another machine, if that machine
// was told that they may: by a request and its reply, both sealed, and both for a number
// that is used once.

// The headers of a request.
const (
	peekNonce = "Askpane-Nonce"
	peekFrom  = "Askpane-From"
)

// peekTime bounds how long it takes to read a pane.
const peekTime = 5 * time.Second

// peeked holds the reply, which is sealed.
type peeked struct {
	Screen string `json:"screen"`
	Err    string `json:"err,omitempty"`
}

// peekKey returns the key of a request, and of its reply.
func peekKey(m *nats.Msg, machine string) string {
	return machine + "." + m.Header.Get(peekNonce) + "." + m.Header.Get(peekFrom)
}

// servePeeks answers requests.
func (s *session) servePeeks() error {
	if s.Pane == nil {
		return nil
	}
	used := map[string]bool{}
	_, err := s.nc.Subscribe(Peek+s.me(), func(m *nats.Msg) {
		s.post(func() {
			key := peekKey(m, s.me())
			from, id, err := s.ID.Open(s.members, "ask_peek/"+key, m.Data)
			inbox := strings.HasPrefix(m.Reply, "_INBOX") // elsewhere we may write what nobody else may
			if o := s.locals[string(id)]; err == nil && o != nil && o.entry != nil && !used[key] && inbox {
				if len(used) == 1000 { // as the next session, it would take one again
					clear(used)
				}
				used[key] = true
				s.rest.Go(func() { s.peeked(m, "ask_peeked/"+key, from, o.req) })
			}
			s.log(err)
		})
	})
	return err
}

func (s *session) peeked(m *nats.Msg, where string, to trust.Member, req spool.Request) {
	ctx, cancel := context.WithTimeout(s.ctx, peekTime)
	defer cancel()
	var p peeked
	var err error
	if p.Screen, err = s.Pane(ctx, req); err != nil {
		p.Err = err.Error()
	}
	sealed, err := s.ID.Seal([]trust.Member{to}, where, trust.Encode(p))
	if err == nil {
		err = m.Respond(sealed)
	}
	s.post(func() { s.log(err) })
}

// Screen asks a machine what is on the pane that has asked a question there.
func Screen(ctx context.Context, nc *nats.Conn, id *trust.Identity, machine, question string) (string, error) {
	members, err := Known(ctx, nc, id)
	if err != nil {
		return "", err
	}
	to, err := members.Get(machine)
	if err != nil {
		return "", err
	}
	m := &nats.Msg{Subject: through(id, Peek+machine), Header: nats.Header{peekNonce: {rand.Text()}, peekFrom: {id.Member.Name}}}
	if m.Data, err = id.Seal([]trust.Member{to}, "ask_peek/"+peekKey(m, machine), []byte(question)); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*peekTime)
	defer cancel()
	reply, err := nc.RequestMsgWithContext(ctx, m)
	if errors.Is(err, nats.ErrNoResponders) || errors.Is(err, context.DeadlineExceeded) {
		return "", hint.New("set hubPeek on "+machine+", if that is wanted", "%s shows nobody its panes, or is not there", machine)
	}
	var plain []byte
	if err == nil {
		_, plain, err = id.Open(members, "ask_peeked/"+peekKey(m, machine), reply.Data)
	}
	var p peeked
	if err == nil {
		err = json.Unmarshal(plain, &p)
	}
	if err == nil && p.Err != "" {
		err = fmt.Errorf("%s: %s", machine, p.Err)
	}
	return p.Screen, err
}
