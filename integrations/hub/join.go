package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/link"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// What the hub's services take and give, as JSON.
type (
	// Invited asks to let one machine in: its name, the invite's nonce, and its user, whose
	// seed the hub does not see. The root's word for it comes with who joins.
	Invited struct {
		Name  string `json:"name"`
		Nonce string `json:"nonce"`
		User  string `json:"user"`
	}
	// Ticket is what the line of an invite has from the hub.
	Ticket struct {
		link.Fault
		URL     string    `json:"url"`
		JWT     string    `json:"jwt"`
		Expires time.Time `json:"expires"`
	}
	// Joining is a machine with its record. Root is that of the owner's machine, which brings it.
	Joining struct {
		Member trust.Member `json:"member"`
		Root   trust.Public `json:"root"`
	}
	// Joined is what a machine is let in by.
	Joined struct {
		link.Fault
		JWT string `json:"jwt"`
	}
	// Done is that something was done.
	Done struct{ link.Fault }
)

const anotherInvite = "ask for another line of askpane hub invite"

// invite takes an invite of the owner's.
func (h *Hub) invite(_ string, q Invited) (t Ticket, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !literal.MatchString(q.Nonce) { // it becomes part of a subject
		return t, hint.New("update askpane on this machine, or at the hub", "the nonce of this invite, %.40q, is none", q.Nonce)
	}
	return h.expect(q.Name, q.Nonce, q.User)
}

// expect lets a user in who may ask to join once, under a name.
func (h *Hub) expect(name, nonce, user string) (t Ticket, err error) {
	now := h.config.Now()
	maps.DeleteFunc(h.state.Invites, func(_ string, i invite) bool { return now.After(i.Expires) })
	if h.state.Invites == nil {
		h.state.Invites = map[string]invite{}
	}
	t.URL, t.Expires = h.URL, now.Add(inviteTime)
	h.state.Invites[nonce] = invite{Name: name, Expires: t.Expires}
	if err := h.state.save(h.config.Dir); err != nil {
		return t, err
	}
	var p jwt.Permissions
	p.Pub.Allow.Add(link.Joins + nonce)
	p.Sub.Allow.Add(link.Inbox(nonce) + ".>")
	t.JWT, err = h.token(user, "invite", p, inviteTime)
	return t, err
}

// Owner makes the invite of the machine that brings the root key.
func (h *Hub) Owner(name string) (inv trust.Invite, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Root != "" {
		return inv, hint.New("run askpane hub invite there", "this hub has its owner: the machine %s", h.state.Owner)
	}
	if inv, err = trust.OwnerInvite(name); err != nil {
		return inv, err
	}
	return inv, Fill(&inv, h.Pin, func(user string) (Ticket, error) { return h.expect(name, inv.Delegation.Nonce, user) })
}

// Next is what is still to be done before machines can be invited; empty for nothing.
func (h *Hub) Next() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state.Root != "" {
		return ""
	}
	return "It waits for the machine of its owner, and the line for that."
}

// Fill puts into an invite what its machine reaches the hub by.
func Fill(inv *trust.Invite, pin string, ask func(user string) (Ticket, error)) error {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return err
	}
	user, err := pair.PublicKey()
	if err != nil {
		return err
	}
	t, err := ask(user)
	if err == nil {
		err = t.Refused()
	}
	if err != nil {
		return err
	}
	seed, err := pair.Seed()
	inv.URL, inv.Pin, inv.JWT, inv.Seed = t.URL, pin, t.JWT, string(seed)
	return err
}

// join lets a machine in that was invited.
func (h *Hub) join(subject string, q Joining) (Joined, error) {
	return h.Admit(strings.TrimPrefix(subject, link.Joins), q)
}

// Admit lets the machine in that an invite is for. It may ask again, where it did not get
// the answer; another may not.
func (h *Hub) Admit(nonce string, q Joining) (j Joined, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := q.Member
	i, err := h.invited(nonce, m)
	if err != nil {
		return j, err
	}
	root, members := h.state.Root, h.members
	if root == "" { // it is the owner's
		root, members = q.Root, trust.NewMembers(q.Root)
	}
	if err := m.Verify(root); err != nil {
		return j, err
	}
	if old, err := members.Get(m.Name); err == nil && old.User != m.User {
		return j, hint.New("have it invited under another name, or the other one revoked: askpane hub revoke "+m.Name, "there is a machine %s already", m.Name)
	}
	if err = take(members, m); err == nil {
		err = h.keep(m)
	}
	if err != nil {
		return j, err
	}
	if h.state.Root == "" {
		h.state.Root, h.state.Owner, h.members = root, m.Name, members
	}
	i.User = m.User
	h.state.Invites[nonce] = i
	if err := h.state.save(h.config.Dir); err != nil {
		return j, err
	}
	j.JWT, err = h.token(m.User, m.Name, permissions(m.Name, m.Name == h.state.Owner), 0)
	return j, err
}

// invited is the invite that a machine may join by.
func (h *Hub) invited(nonce string, m trust.Member) (i invite, err error) {
	i, known := h.state.Invites[nonce]
	switch now := h.config.Now(); {
	case !known:
		err = hint.New(anotherInvite, "this invite is not known here: it has expired, or is another hub's")
	case now.After(i.Expires):
		err = hint.New(anotherInvite, "this invite has expired, %s ago; it could be used for %.0f minutes", now.Sub(i.Expires).Round(time.Second), inviteTime.Minutes())
	case i.User != "" && i.User != m.User:
		err = hint.New(anotherInvite+"; if it was not you who has used it, have its machine revoked: askpane hub revoke "+i.Name, "this invite was used already")
	case m.Name != i.Name || m.Delegation.Nonce != nonce:
		err = hint.New(anotherInvite, "this invite is for the machine %s, and not for %.40q", i.Name, m.Name)
	}
	return i, err
}

// take is an error where a record is not to be believed.
func take(members *trust.Members, m trust.Member) error {
	record, err := json.Marshal(m)
	if err == nil {
		_, err = members.Take(m.Name, record)
	}
	return err
}

// keep writes a machine's record where all read it.
func (h *Hub) keep(m trust.Member) error {
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if _, err := h.machines.Put(ctx, m.Name, record); err != nil {
		return fmt.Errorf("keep the record of the machine %s: %w", m.Name, err)
	}
	return nil
}

// revoke takes the root's word that a machine is none any more. It is cut off before
// this returns.
func (h *Hub) revoke(_ string, m trust.Member) (d Done, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case m.Revoked == nil:
		return d, errors.New("the record says nothing of being revoked; update askpane on the owner's machine")
	case m.Name == h.state.Owner:
		return d, hint.New("revoke the others by it, or set up another hub", "%s is the owner's machine", m.Name)
	}
	if err := take(h.members, m); err != nil {
		return d, err
	}
	if h.state.Revoked == nil {
		h.state.Revoked = map[string]time.Time{}
	}
	h.state.Revoked[m.User] = h.config.Now()
	if err := h.state.save(h.config.Dir); err != nil {
		return d, err
	}
	account, err := h.server.LookupAccount(h.claims().Subject)
	if err != nil {
		return d, err
	}
	h.server.UpdateAccountClaims(account, h.claims()) // it ends the connections of that user
	return d, h.keep(m)                               // last: where that fails, the owner's machine can do it again
}

// known are the machines of this hub, nil while it has no owner.
func (h *Hub) known() *trust.Members {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.members
}

// member is a machine of this hub; without a record it has but its name.
func (h *Hub) member(name string) (member, error) {
	members := h.known()
	if members == nil {
		return member{}, errors.New("this hub has no owner yet")
	}
	m, err := members.Get(name)
	if errors.Is(err, trust.ErrUnknown) {
		return member{name: name}, nil
	}
	return member{name, m.Person}, err
}
