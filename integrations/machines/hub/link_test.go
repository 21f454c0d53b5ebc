package hub

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/must"
)

// linked is a machine with its spool and its link.
type linked struct {
	*world
	id *trust.Identity
	sp *spool.Spool
	// answered is closed once the question that is shown has its answer.
	answered chan struct{}
}

func (w *world) linked(id *trust.Identity) *linked {
	w.Helper()
	l := &linked{world: w, id: id, answered: make(chan struct{})}
	var err error
	l.sp, err = spool.Open(w.dir + "/spool-" + id.Member.Name)
	must.Do(w, err)
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	w.Cleanup(func() { cancel(); serving.Wait(); l.sp.Close() })
	serving.Go(func() {
		err := link.Serve(ctx, link.Config{ID: id, Spool: l.sp, Dir: w.dir + "/status-" + id.Member.Name, Beat: w.beat, Log: w.log,
			Show: func(ctx context.Context, e *spool.Entry) (form.Result, error) {
				select {
				case <-l.answered:
				case <-ctx.Done():
				}
				r, _, err := e.Answer()
				return r, err
			},
			Late: func(*spool.Entry, string) {},
			Pane: func(_ context.Context, req spool.Request) (string, error) { return "$ make " + req.Origin.Ref, nil },
		})
		if err != nil {
			w.Error(err)
		}
	})
	return l
}

// soon ends with the test, or when a busy machine has had its time.
func (w *world) soon() context.Context {
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	w.Cleanup(cancel)
	return ctx
}

func (w *world) until(what string, so func() bool) {
	w.Helper()
	late := time.After(patience)
	for tick := time.Tick(5 * time.Millisecond); !so(); {
		select {
		case <-tick:
		case <-late:
			w.Fatalf("in vain waited until %s", what)
		}
	}
}

// TestLinks has a question go its whole way over a hub: asked on a machine that only asks,
// peeked at and typed to where the person sits, answered there, and over on both. Nothing of
// it is refused by the gate.
func TestLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	laptop, build := w.linked(w.owner()), w.linked(w.machine("build1", false))
	f := form.Form{Dialect: "question", Echo: json.RawMessage(`{}`), Questions: []form.Question{{ID: "why", Label: "Why", Prompt: "Why?", Kind: form.Text, Open: true, Multiline: true, Options: []form.Option{}}}}
	asked, err := build.sp.Create(spool.Request{Form: f, Raw: json.RawMessage(`{}`), Origin: spool.Origin{Agent: "test", Ref: "%1", Start: time.Now()}})
	must.Do(w, err)
	defer asked.Close()
	var mirrored *spool.Entry
	w.until("the laptop has it", func() bool {
		mirrored, err = laptop.sp.Open(asked.ID)
		return err == nil
	})
	defer mirrored.Close()

	nc, _ := w.connected(laptop.id)
	if screen, err := link.Screen(t.Context(), nc, laptop.id, "build1", asked.ID); screen != "$ make %1" || err != nil {
		t.Errorf("peeked: %q, %v", screen, err)
	}
	typing := machine.New(&f, nil, true).As(form.ByPopup)
	typing.Handle(machine.Event{Action: machine.Type, Text: "because"})
	must.Do(w, mirrored.UpdateDraft(&machine.Draft{}, func(bool) (any, error) { return typing.Draft(), nil }))
	w.until("build1 has what was typed", func() bool {
		var d machine.Draft
		_, err := asked.Draft(&d)
		return err == nil && len(d.Entries) == 1 && d.Entries[0] == "because"
	})
	must.Do(w, mirrored.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Type("because")}, By: form.ByPopup, At: time.Now()}))
	close(laptop.answered)
	w.until("the agent has the answer", func() bool {
		r, answered, err := asked.Answer()
		must.Do(w, err)
		return answered && r.Machine == "laptop" && *r.Answers[0].Text == "because"
	})
	must.Do(w, asked.StopWaiting())
	must.Do(w, asked.Deliver())
	w.until("it is over on the laptop", func() bool { return mirrored.Status().Delivered })

	raw, err := link.JetStream(w.hub.nc, &trust.Identity{})
	must.Do(w, err)
	for _, bucket := range []string{link.Bids, link.Drafts} {
		w.until("nothing is left in "+bucket, func() bool {
			keys, err := w.bucket(raw, bucket).ListKeys(t.Context())
			must.Do(w, err)
			n := 0
			for range keys.Keys() {
				n++
			}
			return n == 0
		})
	}
	entries, err := raw.Stream(w.soon(), stream+link.Entries)
	must.Do(w, err)
	end, err := entries.GetLastMsgForSubject(w.soon(), kv+link.Entries+".build1."+asked.ID)
	must.Do(w, err)
	if ttl := end.Header.Get("Nats-TTL"); ttl != link.OverTime.String() {
		t.Errorf("the hub remembers its end for %q", ttl)
	}
}

// TestLinkAtItsQuota: a machine has more open questions than it may at the hub. The others are
// answered; what is left waits, doctor says why on both machines, and it goes on its way when
// one is over.
func TestLinkAtItsQuota(t *testing.T) {
	t.Parallel()
	w, id, _ := limited(t)
	w.beat = time.Second
	owner, err := link.Load(w.dir+"/laptop", settings.Settings{})
	must.Do(w, err)
	laptop, build := w.linked(owner), w.linked(id)
	f := form.Form{Dialect: "question", Echo: json.RawMessage(`{}`), Questions: []form.Question{{ID: "why", Label: "Why", Prompt: "Why?", Kind: form.Text, Open: true, Options: []form.Option{}}}}
	var all []*spool.Entry
	for range 21 {
		e, err := build.sp.Create(spool.Request{Form: f, Raw: json.RawMessage(`{}`), Origin: spool.Origin{Agent: "test", Start: time.Now()}})
		must.Do(w, err)
		defer e.Close()
		all = append(all, e)
	}
	here := func() int {
		waiting, _, err := laptop.sp.Scan()
		must.Do(w, err)
		return len(waiting)
	}
	says := func(machine string) func() bool {
		return func() bool {
			s, err := private.Read[address.LinkStatus](w.dir+"/status-"+machine, address.LinkStatusFile)
			return err == nil && s.Connected && strings.Contains(s.Hub, "the machine build1 has 20 open questions at the hub")
		}
	}
	w.until("the laptop has as many as it may", func() bool { return here() == 20 })
	w.until("build1 says why not all", says("build1"))
	w.hub.suspect()
	w.until("so does the laptop", says("laptop"))
	for _, e := range all[:2] {
		must.Do(w, e.Settle(form.Result{Outcome: form.Cancelled, By: form.ByAnswer, At: time.Now()}))
		must.Do(w, e.StopWaiting())
		must.Do(w, e.Deliver())
	}
	w.until("the rest is there", func() bool { return here() == 19 })
	w.until("nothing is said any more", func() bool { return !says("build1")() })
}
