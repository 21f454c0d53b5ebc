package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/link"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// answerTime is how long a hub may take to answer one request.
const answerTime = 10 * time.Second

// ask sends one request to the hub's services. The answer is by what it is reached.
func ask(ctx context.Context, nc *nats.Conn, subject string, q any) (url string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	data, err := json.Marshal(q)
	if err != nil {
		return "", err
	}
	var a answer
	msg, err := nc.RequestWithContext(ctx, subject, data)
	if err == nil {
		err = json.Unmarshal(msg.Data, &a)
	}
	if err != nil {
		return "", hint.New("see what it says where askpane hub runs", "the hub at %s does not answer: %w", nc.ConnectedUrl(), err)
	}
	if a.Error != "" {
		err = fmt.Errorf("the hub says: %s", a.Error)
	}
	return a.URL, err
}

// Join makes this machine, whose keys are in dir, one of the hub's that an invite is from.
func Join(ctx context.Context, dir string, inv trust.Invite) (*trust.Identity, error) {
	id, err := trust.Join(dir, inv)
	if err != nil {
		return nil, err
	}
	if err = bring(ctx, id, inv); err == nil {
		return id, id.Save()
	}
	nc, unknown := link.Connect(id)
	if unknown == nil { // its record has got there, but not the answer, or not to the end
		nc.Close()
	} else if errors.Is(unknown, nats.ErrAuthorization) {
		err = errors.Join(err, id.Discard())
	}
	return nil, err
}

// bring brings a machine's record to the hub.
func bring(ctx context.Context, id *trust.Identity, inv trust.Invite) error {
	nonce := inv.Delegation.Nonce
	nc, err := link.Dial(inv.URL, inv.Pin, nonce, nats.Token(nonce))
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

// Admin is a machine, connected to its hub to see who else is there; the owner's also says
// who is.
type Admin struct {
	id      *trust.Identity
	dir     string
	nc      *nats.Conn
	js      jetstream.JetStream
	members *trust.Members
}

// Administer connects this machine, whose keys are in dir.
func Administer(ctx context.Context, dir string) (*Admin, error) {
	id, err := trust.Load(dir)
	if err != nil {
		return nil, err
	}
	a := &Admin{id: id, dir: dir, members: trust.NewMembers(id.Root)}
	if a.nc, err = link.Connect(id); err != nil {
		return nil, err
	}
	if a.js, err = link.JetStream(a.nc, id); err == nil {
		err = a.each(ctx, link.Machines, func(e jetstream.KeyValueEntry) { _, _ = a.members.Take(e.Key(), e.Value()) }) // what is not believed is none
	}
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("read the machines of the hub at %s: %w", id.URL, err)
	}
	return a, nil
}

// Close ends the connection.
func (a *Admin) Close() { a.nc.Close() }

// each calls f with what a bucket holds.
func (a *Admin) each(ctx context.Context, bucket string, f func(jetstream.KeyValueEntry)) error {
	kv, err := a.js.KeyValue(ctx, bucket)
	if err != nil {
		return err
	}
	w, err := kv.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer w.Stop()
	for {
		select {
		case e := <-w.Updates():
			if e == nil {
				return nil
			}
			f(e)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Invite makes the line for one machine.
func (a *Admin) Invite(ctx context.Context, name string, person bool) (inv trust.Invite, err error) {
	root, err := trust.LoadRoot(a.dir)
	if err == nil {
		inv, err = root.Invite(a.members, name, person)
	}
	if err == nil {
		inv.Pin = a.id.Pin
		inv.URL, err = ask(ctx, a.nc, link.Invites+inv.Delegation.Nonce, nil)
	}
	return inv, err
}

// Revoke makes a machine none any more.
func (a *Admin) Revoke(ctx context.Context, name string) error {
	root, err := trust.LoadRoot(a.dir)
	if err != nil {
		return err
	}
	m, err := a.members.Get(name)
	if errors.Is(err, trust.ErrUnknown) {
		err = hint.New("see askpane hub machines", "the hub has no machine %.40q", name)
	}
	if err == nil {
		m, err = root.Revoke(m)
	}
	if err == nil {
		_, err = ask(ctx, a.nc, link.Joins+m.Nonce, joining{Member: m})
	}
	return err
}

// Machine is one of the hub's, for people.
type Machine struct {
	trust.Member
	This, There bool // it is the one where this is asked; its heart beats
}

// Machines are all of them, by name.
func (a *Admin) Machines(ctx context.Context) (all []Machine, err error) {
	there := map[string]bool{}
	if a.id.Member.Person { // to others it is not told
		err = a.each(ctx, link.Alive, func(e jetstream.KeyValueEntry) { there[e.Key()] = true })
	}
	for _, m := range a.members.All() {
		all = append(all, Machine{m, m.Name == a.id.Member.Name, there[m.Name]})
	}
	return all, err
}
