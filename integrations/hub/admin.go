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

// ask sends one request to the hub's services.
func ask[A interface{ Refused() error }](ctx context.Context, nc *nats.Conn, subject string, q any) (a A, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	data, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	msg, err := nc.RequestWithContext(ctx, subject, data)
	if err == nil {
		err = json.Unmarshal(msg.Data, &a)
	}
	if err != nil {
		return a, hint.New("see what it says where askpane hub runs", "the hub at %s does not answer: %w", nc.ConnectedUrl(), err)
	}
	return a, a.Refused()
}

// Join makes this machine, whose keys are in dir, one of the hub's that an invite is from.
func Join(ctx context.Context, dir string, inv trust.Invite) (*trust.Identity, error) {
	id, err := trust.Join(dir, inv)
	if err != nil {
		return nil, err
	}
	nonce := inv.Delegation.Nonce
	nc, err := link.Dial(inv.URL, inv.Pin, nonce, nats.UserJWTAndSeed(inv.JWT, inv.Seed))
	if errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) {
		err = hint.New(anotherInvite, "the hub at %s does not take this invite: it has expired, or the hub was set up anew", inv.URL)
	}
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	j, err := ask[Joined](ctx, nc, link.Joins+nonce, Joining{Member: id.Member, Root: id.Root})
	if err != nil {
		return nil, err
	}
	return id, id.Save(j.JWT)
}

// Admin is the owner's machine, connected to its hub.
type Admin struct {
	id      *trust.Identity
	dir     string
	nc      *nats.Conn
	buckets map[string]jetstream.KeyValue
	members *trust.Members
}

// Administer connects this machine, whose keys are in dir.
func Administer(ctx context.Context, dir string) (a *Admin, err error) {
	a = &Admin{dir: dir, buckets: map[string]jetstream.KeyValue{}}
	if a.id, err = trust.Load(dir); err != nil {
		return nil, err
	}
	if a.nc, err = link.Connect(a.id); err != nil {
		return nil, err
	}
	a.members = trust.NewMembers(a.id.Root)
	js, err := link.JetStream(a.nc, a.id)
	for _, b := range []string{link.Machines, link.Alive} {
		if err == nil {
			a.buckets[b], err = js.KeyValue(ctx, b)
		}
	}
	if err == nil {
		err = a.each(ctx, link.Machines, func(e jetstream.KeyValueEntry) { _, _ = a.members.Take(e.Key(), e.Value()) }) // what is not believed is none
	}
	if err != nil {
		a.Close()
		return nil, fmt.Errorf("read the machines of the hub at %s: %w", a.id.URL, err)
	}
	return a, nil
}

// Close ends the connection.
func (a *Admin) Close() { a.nc.Close() }

// each calls f with what a bucket holds.
func (a *Admin) each(ctx context.Context, bucket string, f func(jetstream.KeyValueEntry)) error {
	w, err := a.buckets[bucket].WatchAll(ctx, jetstream.IgnoreDeletes())
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
	if err != nil {
		return inv, err
	}
	if inv, err = root.Invite(a.members, name, person); err != nil {
		return inv, err
	}
	return inv, Fill(&inv, a.id.Pin, func(user string) (Ticket, error) {
		return ask[Ticket](ctx, a.nc, link.Owner+"invite", Invited{Name: name, Nonce: inv.Delegation.Nonce, User: user})
	})
}

// Revoke makes a machine none any more.
func (a *Admin) Revoke(ctx context.Context, name string) error {
	root, err := trust.LoadRoot(a.dir)
	if err != nil {
		return err
	}
	m, err := a.members.Get(name)
	if err == nil {
		m, err = root.Revoke(m)
	}
	if err == nil {
		_, err = ask[Done](ctx, a.nc, link.Owner+"revoke", m)
	}
	return err
}

// Machine is one of the hub's, for people.
type Machine struct {
	Name    string     `json:"name"`
	Person  bool       `json:"person"`
	This    bool       `json:"this"` // it is the one where this is asked
	There   bool       `json:"there"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Machines are all of them, by name.
func (a *Admin) Machines(ctx context.Context) (all []Machine, err error) {
	there := map[string]bool{}
	if a.id.Member.Person { // to others it is not told
		err = a.each(ctx, link.Alive, func(e jetstream.KeyValueEntry) { there[e.Key()] = true })
	}
	for _, m := range a.members.All() {
		one := Machine{Name: m.Name, Person: m.Person, This: m.Name == a.id.Member.Name, There: there[m.Name]}
		if m.Revoked != nil {
			one.Revoked = &m.Revoked.At
		}
		all = append(all, one)
	}
	return all, err
}
