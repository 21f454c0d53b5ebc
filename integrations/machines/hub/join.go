package hub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings/private"
)

// joining holds a machine's record. The owner's machine brings Root.
type joining struct {
	Member trust.Member `json:"member"`
	Root   string       `json:"root"`
}

// answer holds what the hub's services reply: by what URL the hub is reached, or an error.
type answer struct {
	URL   string `json:"url"`
	Error string `json:"error,omitempty"`
}

const anotherInvite = "ask for another line of askpane hub invite"

// serving returns the handler of a service for an invite, which the subject names.
func (h *Hub) serving(work func(nonce string, data []byte) error) nats.MsgHandler {
	return func(msg *nats.Msg) {
		h.mu.Lock()
		err := work(msg.Subject[strings.LastIndex(msg.Subject, ".")+1:], msg.Data)
		h.mu.Unlock()
		a := answer{URL: h.Reached()}
		if err != nil {
			a.Error = err.Error()
		}
		if strings.HasPrefix(msg.Reply, link.Inbox("")) { // else it would be written there
			_ = msg.Respond(trust.Encode(a)) // where that fails, who asked asks again
		}
	}
}

// expect admits an invite's guest, who may ask to join.
func (h *Hub) expect(nonce string, _ []byte) error {
	h.expire()
	h.state.Invites[nonce] = time.Now().Add(inviteTime)
	return h.save()
}

// expire forgets invites that nobody can use any more, and reports whether there were any.
func (h *Hub) expire() bool {
	now, before := time.Now(), len(h.state.Invites)
	maps.DeleteFunc(h.state.Invites, func(_ string, expires time.Time) bool { return now.After(expires) })
	return len(h.state.Invites) < before
}

// save keeps the state, and has the server let in whom it names; NATS ends the connections of
// all others.
func (h *Hub) save() error {
	h.state.Machines = h.members.All()
	if err := private.Write(h.config.Dir, stateFile, h.state); err != nil {
		return fmt.Errorf("keep the hub's keys: %w", err)
	}
	return h.server.ReloadOptions(h.users())
}

// Owner invites the machine that brings the root key.
func (h *Hub) Owner(name string) (inv trust.Invite, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Root != "" {
		return inv, hint.New("run askpane hub invite there", "this hub has its owner: the machine %s", h.state.Owner)
	}
	if inv, err = trust.OwnerInvite(name); err != nil {
		return inv, err
	}
	inv.URL, inv.Pin = h.URL, h.Pin
	return inv, h.expect(inv.Delegation.Nonce, nil)
}

// admissible returns an error unless the record is of a machine that was invited, or of one
// that was revoked. A machine that did not get the answer may ask again; another may not.
func (h *Hub) admissible(m trust.Member, nonce string, members *trust.Members) error {
	old, err := members.Get(m.Name)
	switch {
	case m.Revoked != nil:
	case m.Nonce != nonce || !time.Now().Before(h.state.Invites[nonce]):
		return hint.New(anotherInvite, "this invite is for another machine than %.40q, or has expired", m.Name)
	case old.Nonce == nonce && old.User != m.User:
		return hint.New(anotherInvite+"; if it was not you who has used it, have its machine revoked: askpane hub revoke "+m.Name, "this invite was used already")
	case err == nil && old.User != m.User, slices.ContainsFunc(members.All(), func(o trust.Member) bool { return o.User == m.User && o.Name != m.Name }):
		return hint.New("have it invited under another name, or the other one revoked: askpane hub revoke "+m.Name, "there is a machine %s already, or one with its key", m.Name)
	}
	return nil
}

// register stores the record of a machine that joins, or that the root has revoked.
func (h *Hub) register(nonce string, data []byte) error {
	var q joining
	if err := json.Unmarshal(data, &q); err != nil {
		return err
	}
	m, members := q.Member, h.members
	if h.state.Root == "" { // it is the owner's
		members = trust.NewMembers(q.Root)
	}
	if err := h.admissible(m, nonce, members); err != nil {
		return err
	}
	if err := members.Add(m); err != nil {
		return err
	}
	if h.state.Root == "" {
		h.state.Root, h.state.Owner, h.members = q.Root, m.Name, members
	}
	if err := h.save(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if m.Revoked == nil {
		return cmp.Or(h.admit(m.Name), h.show(ctx, m)) // who asked asks again
	}
	if err := h.show(ctx, m); err != nil {
		return err
	}
	h.writing.Lock() // what it was writing is there, and nothing more comes
	defer h.writing.Unlock()
	h.ledger.forget(m.Name)
	return h.clear(ctx, m.Name)
}

// clear removes what a machine has at the hub but for its record.
func (h *Hub) clear(ctx context.Context, name string) error {
	js, err := jetstream.New(h.nc)
	if err != nil {
		return err
	}
	for _, keys := range []string{link.Entries + "." + name + ".>", link.Bids + "." + name + ".>", link.Bids + ".*.*." + name,
		link.Drafts + "." + name + ".>", link.Drafts + ".*.*." + name, link.Alive + "." + name} {
		bucket, _, _ := strings.Cut(keys, ".")
		s, err := js.Stream(ctx, stream+bucket)
		if err == nil {
			err = s.Purge(ctx, jetstream.WithPurgeSubject(kv+keys))
		}
		if err != nil {
			return fmt.Errorf("remove what %s has at the hub: %w", name, err)
		}
	}
	return nil
}

// show writes a machine's record where all read it, unless it is there.
func (h *Hub) show(ctx context.Context, m trust.Member) error {
	record := trust.Encode(m)
	if e, err := h.kv[link.Machines].Get(ctx, m.Name); err == nil && bytes.Equal(e.Value(), record) {
		return nil
	}
	if _, err := h.kv[link.Machines].Put(ctx, m.Name, record); err != nil {
		return fmt.Errorf("keep the record of the machine %s: %w", m.Name, err)
	}
	return nil
}
