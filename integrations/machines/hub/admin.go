package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// answerTime bounds how long a hub takes to answer one request.
const answerTime = 10 * time.Second

// ask sends one request to the hub's services, and returns by what URL the hub is reached.
func ask(ctx context.Context, nc *nats.Conn, subject string, q any) (url string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var a answer
	msg, err := nc.RequestWithContext(ctx, subject, trust.Encode(q))
	if err == nil {
		err = json.Unmarshal(msg.Data, &a)
	}
	if err != nil {
		return "", hint.New("see what it says where askpane hub runs", "the hub at %s does not answer: %w", nc.ConnectedUrlRedacted(), err)
	}
	if a.Error != "" {
		err = fmt.Errorf("the hub says: %s", a.Error)
	}
	return a.URL, err
}

// Join makes this machine, whose keys are in dir, a member of the hub that an invite is from.
// At a NATS of the person's own, the machine's link brings its record there later.
func Join(ctx context.Context, dir string, inv trust.Invite) (*trust.Identity, error) {
	id, err := trust.Join(dir, inv)
	if err != nil {
		return nil, err
	}
	if inv.Pin != "" {
		err = register(ctx, id, inv)
	}
	if err != nil {
		nc, unknown := link.Connect(id)
		if unknown != nil {
			return nil, err // the same line goes on from here, with these keys
		}
		nc.Close() // its record has got there, and the answer has not
	}
	return id, id.Save()
}

// register sends a machine's record to the hub.
func register(ctx context.Context, id *trust.Identity, inv trust.Invite) error {
	nonce := inv.Delegation.Nonce
	nc, err := link.Dial(inv.URL, inv.Pin, nonce, nats.UserInfo(nonce, nonce))
	if errors.Is(err, nats.ErrAuthorization) {
		err = hint.New(anotherInvite, "the hub at %s does not take this invite: it has expired, or the hub was set up anew", inv.URL)
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	_, err = ask(ctx, nc, link.Joins+nonce, joining{id.Member, id.Root})
	return err
}

// Admin connects a machine to its hub to see the others; the owner's also invites and revokes.
type Admin struct {
	id      *trust.Identity
	dir     string
	nc      *nats.Conn
	members *trust.Members
}

// Administer connects this machine, whose keys are in dir.
func Administer(ctx context.Context, dir string, s settings.Settings) (*Admin, error) {
	id, err := link.Load(dir, s)
	if err != nil {
		return nil, err
	}
	a := &Admin{id: id, dir: dir}
	if a.nc, err = link.Connect(id); err != nil {
		return nil, err
	}
	if a.members, err = link.Known(ctx, a.nc, id); err != nil {
		a.Close()
		return nil, fmt.Errorf("read the machines of the hub: %w", err)
	}
	return a, nil
}

// Close ends the connection.
func (a *Admin) Close() { a.nc.Close() }

// Invite makes the line for one machine. A NATS of the person's own is not in it: the way
// there may have a password, and nothing there knows of invites.
func (a *Admin) Invite(ctx context.Context, name string, person bool) (inv trust.Invite, err error) {
	root, err := trust.LoadRoot(a.dir)
	if err == nil {
		inv, err = root.Invite(a.members, name, person)
	}
	if err == nil && a.id.Pin != "" {
		inv.Pin = a.id.Pin
		inv.URL, err = ask(ctx, a.nc, link.Invites+inv.Delegation.Nonce, nil)
	}
	return inv, err
}

// Revoke ends a machine's membership.
func (a *Admin) Revoke(ctx context.Context, name string) error {
	root, err := trust.LoadRoot(a.dir)
	if err != nil {
		return err
	}
	m, err := a.members.Get(name)
	switch {
	case errors.Is(err, trust.ErrUnknown):
		return hint.New("see askpane hub machines", "the hub has no machine %.40q", name)
	case name == a.id.Member.Name:
		return hint.New("revoke the others by it, or set up another hub", "%s is the owner's machine", name)
	case err == nil:
		m, err = root.Revoke(m)
	}
	if err != nil {
		return err
	}
	if a.id.Pin != "" {
		_, err = ask(ctx, a.nc, link.Joins+m.Nonce, joining{Member: m})
		return err
	}
	kv, err := link.Bucket(ctx, a.nc, a.id, link.Machines)
	if err == nil {
		_, err = kv.Put(ctx, name, trust.Encode(m))
	}
	return err
}

// Machine describes one of the hub's machines for people.
type Machine struct {
	trust.Member
	This  bool   // this one
	There bool   // its heartbeat is at the hub
	Told  bool   // There is known here
	Full  string // says why the hub refuses more of it; persons' machines alone know
}

// Machines lists all of them, by name.
func (a *Admin) Machines(ctx context.Context) (all []Machine, err error) {
	me, there := a.id.Member, map[string]bool{}
	of := me.Name
	if me.Person {
		of = ">"
	}
	var said link.Said
	err = link.Each(ctx, a.nc, a.id, link.Alive, of, func(name string, value []byte) {
		if there[name] = true; name == link.Hub {
			_ = json.Unmarshal(value, &said)
		}
	})
	for _, m := range a.members.All() {
		this := m.Name == me.Name
		all = append(all, Machine{m, this, there[m.Name], this || me.Person, said.Full[m.Name]})
	}
	return all, err
}
