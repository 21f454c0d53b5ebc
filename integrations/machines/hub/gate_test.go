package hub

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/tests/must"
)

// yard is a hub with three machines, each with something in it.
type yard struct {
	*world
	raw               jetstream.JetStream // the hub's own
	build, box, phone *trust.Identity
}

const (
	ulid  = "01KA7Q9TAAAAAAAAAAAAAAAAAA"
	other = "01KA7Q9TBBBBBBBBBBBBBBBBBB"
)

// all is what is in the yard's buckets.
var all = map[string]string{
	"ask_entries/build1." + ulid: "a", "ask_entries/box." + ulid: "b", "ask_entries/phone." + ulid: "c",
	"ask_bids/build1." + ulid + ".phone": "d", "ask_bids/box." + ulid + ".phone": "e", "ask_bids/box." + ulid + ".laptop": "f",
	"ask_drafts/build1." + ulid + ".phone": "g", "ask_drafts/box." + ulid + ".box": "h",
	"ask_alive/build1": "i", "ask_alive/box": "j",
}

func newYard(t *testing.T) *yard {
	w := newWorld(t)
	w.owner()
	y := &yard{world: w, build: w.machine("build1", false), box: w.machine("box", false), phone: w.machine("phone", true)}
	var err error
	y.raw, err = jetstream.New(w.hub.nc)
	must.Do(w, err)
	for where, value := range all {
		bucket, key, _ := strings.Cut(where, "/")
		_, err := y.bucket(y.raw, bucket).Put(t.Context(), key, []byte(value))
		must.Do(w, err)
	}
	return y
}

// unharmed is that everything is as it was.
func (y *yard) unharmed() {
	y.Helper()
	for _, b := range link.Buckets() {
		kv := y.bucket(y.raw, b.Bucket)
		keys, err := kv.ListKeys(y.Context())
		must.Do(y, err)
		found := 0
		for key := range keys.Keys() {
			if key == link.Hub+".health" { // the hub's own
				continue
			}
			e, err := kv.Get(y.Context(), key)
			must.Do(y, err)
			want, known := all[b.Bucket+"/"+key]
			if b.Bucket == link.Machines && trust.ValidName(key) == nil {
				continue
			}
			if found++; !known || string(e.Value()) != want {
				y.Errorf("%s/%s is %.60q now", b.Bucket, key, e.Value())
			}
		}
		for where := range all {
			if strings.HasPrefix(where, b.Bucket+"/") {
				found--
			}
		}
		if found != 0 {
			y.Errorf("%s has lost %d keys", b.Bucket, -found)
		}
		s, err := y.raw.Stream(y.Context(), "KV_"+b.Bucket)
		must.Do(y, err)
		for c := range s.ListConsumers(y.Context()).Info() {
			if !strings.HasPrefix(c.Config.DeliverSubject, "_INBOX_") && !strings.HasPrefix(c.Config.DeliverSubject, "_HUB") {
				y.Errorf("%s delivers to %s", b.Bucket, c.Config.DeliverSubject)
			}
		}
	}
}

// TestWhatMachinesDo is what the link of each machine writes; what it watches, TestLinks has.
func TestWhatMachinesDo(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	for _, id := range []*trust.Identity{y.build, y.phone} {
		me := id.Member.Name
		_, js := y.connected(id)
		entries, bids, drafts, alive := y.bucket(js, link.Entries), y.bucket(js, link.Bids), y.bucket(js, link.Drafts), y.bucket(js, link.Alive)
		_, err := entries.Put(t.Context(), me+"."+ulid, []byte("new"))
		must.Do(y, err)
		_, err = alive.Put(t.Context(), me, []byte("new"))
		must.Do(y, err)
		_, err = drafts.Put(t.Context(), me+"."+ulid+"."+me, []byte("new"))
		must.Do(y, err)
		must.Do(y, bids.Purge(t.Context(), me+"."+ulid+".phone", jetstream.PurgeTTL(time.Minute)))
		must.Do(y, drafts.Purge(t.Context(), me+"."+ulid+".phone", jetstream.PurgeTTL(time.Minute)))
		must.Do(y, entries.Purge(t.Context(), me+"."+ulid, jetstream.PurgeTTL(time.Minute)))
		if id == y.phone {
			_, err = bids.Update(t.Context(), "box."+other+".phone", []byte("yes"), 0)
			must.Do(y, err)
			if _, err = bids.Update(t.Context(), "box."+other+".phone", []byte("no"), 0); !errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
				t.Errorf("a second bid: %v", err)
			}
			_, err = drafts.Put(t.Context(), "box."+other+".phone", []byte("y"))
			must.Do(y, err)
		}
	}
}

// TestWhatMachinesMayNot has a machine that asks, and one where a person sits, try
// everything else, at the gate and past it. Nothing changes, and nothing is told.
func TestWhatMachinesMayNot(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	bid, entry := "build1."+ulid+".phone", "box."+ulid
	create := func(bucket, filter, deliver string, more ...any) string {
		config := map[string]any{"deliver_subject": deliver, "filter_subject": filter, "deliver_policy": "last_per_subject", "ack_policy": "none", "name": "C"}
		for i := 0; i+1 < len(more); i += 2 {
			config[more[i].(string)] = more[i+1]
		}
		data, _ := json.Marshal(map[string]any{"stream_name": "KV_" + bucket, "config": config})
		return string(data)
	}
	type try struct {
		subject, body string
		header        nats.Header
		reply         string
	}
	rollup, purge, trace := nats.Header{"Nats-Rollup": {"all"}}, nats.Header{"KV-Operation": {"PURGE"}, "Nats-Rollup": {"sub"}}, nats.Header{"Nats-Trace-Dest": {"$KV.ask_entries." + entry}}
	mine := func(me, s string) string { return "_INBOX_" + me + "." + s }
	tries := func(me string) map[string]try {
		return map[string]try{
			"another's entry":                 {subject: "$KV.ask_entries." + entry, body: "x"},
			"another's entry deleted":         {subject: "$KV.ask_entries." + entry, header: purge},
			"an entry by a wildcard":          {subject: "$KV.ask_entries.*." + ulid, header: purge},
			"all entries":                     {subject: "$KV.ask_entries.>", header: purge},
			"an entry with a dot too many":    {subject: "$KV.ask_entries." + me + ".A.B", body: "x"},
			"an entry without an id":          {subject: "$KV.ask_entries." + me, body: "x"},
			"an entry that is no question's":  {subject: "$KV.ask_entries." + me + ".G1", body: "x"},
			"one in small letters":            {subject: "$KV.ask_entries." + me + "." + strings.ToLower(ulid), body: "x"},
			"a draft of what is no question":  {subject: "$KV.ask_drafts." + me + ".G1." + me, body: "x"},
			"no question deleted":             {subject: "$KV.ask_entries." + me + ".G1", header: purge},
			"another's heartbeat":             {subject: "$KV.ask_alive.box", body: "x"},
			"a bid as another":                {subject: "$KV.ask_bids.box.B.laptop", body: "x", header: nats.Header{nats.ExpectedLastSubjSeqHdr: {"0"}}},
			"a bid written over":              {subject: "$KV.ask_bids." + bid, body: "x"},
			"a bid for its own written over":  {subject: "$KV.ask_bids." + me + "." + ulid + ".laptop", body: "x"},
			"a bid that deletes with content": {subject: "$KV.ask_bids." + me + "." + ulid + ".laptop", body: "x", header: purge},
			"another's bids deleted":          {subject: "$KV.ask_bids.box." + ulid + ".laptop", header: purge},
			"a draft as another":              {subject: "$KV.ask_drafts.box." + ulid + ".box", body: "x"},
			"a record as another":             {subject: "$KV.ask_machines.box", body: "{}"},
			"its own record":                  {subject: "$KV.ask_machines." + me, body: "{}"},
			"its own record deleted":          {subject: "$KV.ask_machines." + me, header: purge},
			"a bucket emptied by a rollup":    {subject: "$KV.ask_entries." + me + "." + ulid, body: "c", header: rollup},
			"an acknowledgement on a key":     {subject: "$KV.ask_alive." + me, body: "i", reply: "$KV.ask_entries." + entry},
			"an answer of the API on a key":   {subject: "STREAM.INFO.KV_ask_bids", reply: "$KV.ask_entries." + entry},
			"an answer in another's inbox":    {subject: "STREAM.INFO.KV_ask_bids", reply: "_INBOX_box.x"},
			"a trace on a key":                {subject: "STREAM.INFO.KV_ask_bids", header: trace},
			"a message by its number":         {subject: "STREAM.MSG.GET.KV_ask_entries", body: `{"seq":1}`},
			"a message by its subject":        {subject: "STREAM.MSG.GET.KV_ask_entries", body: `{"last_by_subj":"$KV.ask_entries.` + entry + `"}`},
			"a direct get of a number":        {subject: "DIRECT.GET.KV_ask_entries", body: `{"seq":1}`},
			"a direct get of many":            {subject: "DIRECT.GET.KV_ask_bids", body: `{"multi_last":[">"]}`},
			"a direct get by a wildcard":      {subject: "DIRECT.GET.KV_ask_bids.$KV.ask_bids.>"},
			"another's bid":                   {subject: "DIRECT.GET.KV_ask_bids.$KV.ask_bids.box." + ulid + ".laptop"},
			"a key of another bucket":         {subject: "DIRECT.GET.KV_ask_bids.$KV.ask_entries." + entry},
			"all keys":                        {subject: "STREAM.INFO.KV_ask_entries", body: `{"subjects_filter":">"}`},
			"the streams":                     {subject: "STREAM.LIST"}, "their names": {subject: "STREAM.NAMES"}, "the account": {subject: "INFO"},
			"a stream purged":               {subject: "STREAM.PURGE.KV_ask_entries"},
			"a stream deleted":              {subject: "STREAM.DELETE.KV_ask_entries"},
			"a stream made":                 {subject: "STREAM.CREATE.KV_x", body: `{"name":"KV_x","subjects":["x"]}`},
			"a stream changed":              {subject: "STREAM.UPDATE.KV_ask_entries", body: `{"name":"KV_ask_entries","subjects":["x"]}`},
			"a snapshot":                    {subject: "STREAM.SNAPSHOT.KV_ask_entries", body: `{"deliver_subject":"` + mine(me, "s") + `"}`},
			"a message deleted":             {subject: "STREAM.MSG.DELETE.KV_ask_entries", body: `{"seq":1}`},
			"the consumers":                 {subject: "CONSUMER.LIST.KV_ask_entries"},
			"a consumer's messages":         {subject: "CONSUMER.MSG.NEXT.KV_ask_entries.C"},
			"a durable consumer":            {subject: "CONSUMER.DURABLE.CREATE.KV_ask_bids.C", body: create(link.Bids, "$KV.ask_bids."+me+".>", mine(me, "c"))},
			"a consumer without a filter":   {subject: "CONSUMER.CREATE.KV_ask_bids.C", body: create(link.Bids, "", mine(me, "c"))},
			"a consumer of all bids":        {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids.>", body: create(link.Bids, "$KV.ask_bids.>", mine(me, "c"))},
			"a consumer of all ends":        {subject: "CONSUMER.CREATE.KV_ask_bids.C.>", body: create(link.Bids, ">", mine(me, "c"))},
			"a consumer of another's bids":  {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids.box.>", body: create(link.Bids, "$KV.ask_bids.box.>", mine(me, "c"))},
			"one whose body differs":        {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids." + me + ".>", body: create(link.Bids, "$KV.ask_bids.box.>", mine(me, "c"))},
			"one whose stream differs":      {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids." + me + ".>", body: create(link.Entries, "$KV.ask_entries.box.>", mine(me, "c"))},
			"one with a second filter":      {subject: "CONSUMER.CREATE.KV_ask_bids.C", body: create(link.Bids, "", mine(me, "c"), "filter_subjects", []string{"$KV.ask_bids." + me + ".>", "$KV.ask_bids.box.>"})},
			"one to another's inbox":        {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids." + me + ".>", body: create(link.Bids, "$KV.ask_bids."+me+".>", "_INBOX_box.c")},
			"one to a key":                  {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids." + me + ".>", body: create(link.Bids, "$KV.ask_bids."+me+".>", "$KV.ask_entries."+entry)},
			"one that is pulled":            {subject: "CONSUMER.CREATE.KV_ask_bids.C.$KV.ask_bids." + me + ".>", body: create(link.Bids, "$KV.ask_bids."+me+".>", "")},
			"a consumer's end by wildcards": {subject: "CONSUMER.DELETE.KV_ask_bids.*"},
			"an empty name":                 {subject: "."}, "nothing": {subject: ""}, "another prefix": {subject: "ask.join.x"},
		}
	}
	for _, id := range []*trust.Identity{y.build, y.phone} {
		me := id.Member.Name
		nc, _ := y.connected(id, silent)
		for what, try := range tries(me) {
			t.Run(me+"/"+what, func(t *testing.T) {
				direct := "$JS.API." + try.subject
				if strings.HasPrefix(try.subject, "$KV.") {
					direct = try.subject
				}
				for _, subject := range []string{link.Prefix + me + "." + try.subject, direct, link.Prefix + "box." + try.subject} {
					reply := try.reply
					if reply == "" {
						reply = mine(me, "answer")
					}
					sub, err := nc.SubscribeSync(mine(me, ">"))
					must.Do(y, err)
					err = nc.PublishMsg(&nats.Msg{Subject: subject, Data: []byte(try.body), Header: try.header, Reply: reply})
					if err == nil {
						err = nc.Flush()
					}
					if err == nil { // and once the gate has been through: it takes one after the other
						y.beyond(nc, id)
						for n, _, _ := sub.Pending(); n > 0; n, _, _ = sub.Pending() {
							msg, err := sub.NextMsg(time.Second)
							must.Do(y, err)
							if !harmless(msg) {
								t.Errorf("%s answers: %v %.200q", subject, msg.Header, msg.Data)
							}
						}
					}
					must.Do(y, sub.Unsubscribe())
				}
			})
		}
		y.unharmed()
	}
}

// beyond returns when the gate has answered a request that it lets through.
func (y *yard) beyond(nc *nats.Conn, id *trust.Identity) {
	_, err := nc.Request(link.Prefix+id.Member.Name+".STREAM.INFO.KV_ask_alive", nil, patience)
	must.Do(y, err)
}

// harmless reports whether a machine is told no more than that it may not, or what a
// bucket is.
func harmless(msg *nats.Msg) bool {
	var a struct {
		Error  *struct{ Description string } `json:"error"`
		Type   string                        `json:"type"`
		Config jetstream.StreamConfig        `json:"config"`
		State  jetstream.StreamState         `json:"state"`
	}
	if json.Unmarshal(msg.Data, &a) != nil {
		return false
	}
	return a.Error != nil || a.Type == "io.nats.jetstream.api.v1.stream_info_response" && a.State.Subjects == nil
}

// silent has the server's errors said to nobody.
var silent = nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})

// refusals are the server's, of one connection.
type refusals chan error

func (r refusals) kept() nats.Option {
	return nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { r <- err })
}

// next holds that the server refuses what was done last.
func (r refusals) next(t *testing.T, what string) {
	t.Helper()
	select {
	case err := <-r:
		if !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(patience):
		t.Errorf("%s is not refused", what)
	}
}

// TestWhereMachinesListen: nobody hears what is another's, or the server's.
func TestWhereMachinesListen(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	for _, id := range []*trust.Identity{y.build, y.phone} {
		refused := make(refusals, 1)
		nc, _ := y.connected(id, refused.kept())
		for _, subject := range []string{">", "_INBOX_box.>", "_INBOX.>", "*.x", "$KV.>", "$KV.ask_bids.>", "$JS.>", "$SYS.>", "ask.js.>", "ask.peek.box", "ask.peek.*", "ask.join.*", "ask.invite.*", "_HUB.>"} {
			_, err := nc.Subscribe(subject, func(*nats.Msg) {})
			must.Do(y, err)
			refused.next(t, id.Member.Name+" listens at "+subject)
		}
	}
}

// TestServices: what is for the owner is for no other, and a line is good for one thing.
func TestServices(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	refused := make(refusals, 1)
	phone, _ := y.connected(y.phone, refused.kept())
	for _, subject := range []string{"ask.invite.X", "ask.join.X", "ask.peek.box", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO", "$JS.API.INFO", "_INBOX_box.x"} {
		must.Do(y, phone.Publish(subject, []byte("{}")))
		refused.next(t, "phone writes to "+subject)
	}
	box, _ := y.connected(y.box)
	msg, err := box.Request(link.Prefix+"box."+link.Peek+"build1", []byte("look"), patience)
	must.Do(y, err)
	if !strings.Contains(string(msg.Data), "may not do") {
		t.Errorf("a machine that only asks peeks: %q", msg.Data)
	}
	line := y.line("new", false)
	guest, err := link.Dial(line.URL, line.Pin, line.Delegation.Nonce, nats.UserInfo(line.Delegation.Nonce, line.Delegation.Nonce), refused.kept())
	must.Do(y, err)
	defer guest.Close()
	for _, subject := range []string{"ask.join.X", "ask.invite.X", "ask.js.new.STREAM.INFO.KV_ask_machines", "$KV.ask_machines.new", "$JS.API.INFO"} {
		must.Do(y, guest.Publish(subject, []byte("{}")))
		refused.next(t, "a guest writes to "+subject)
	}
	must.Do(y, guest.PublishRequest("ask.join."+line.Delegation.Nonce, "$KV.ask_entries.box."+ulid, []byte("{}")))
	msg, err = guest.Request("ask.join."+line.Delegation.Nonce, []byte("nonsense"), patience)
	must.Do(y, err)
	if !strings.Contains(string(msg.Data), "error") {
		t.Errorf("nonsense is answered by %s", msg.Data)
	}
	y.unharmed()
}
