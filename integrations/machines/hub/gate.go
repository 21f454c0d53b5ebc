package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// A machine's permissions at the server say only who it is and where it may listen.
// They cannot say more, since a subject does not tell where JetStream's reply goes (a
// request may name another machine's key for it, and the acknowledgement is written over
// that), where a push consumer delivers, or that Nats-Rollup empties a whole bucket. So
// what a machine wants of JetStream goes to link.Prefix and its name, and the gate passes
// on what this file lists, and nothing else.

// permissions limits a machine's connection.
func permissions(name string, owner bool) *server.Permissions {
	to := []string{
		link.Prefix + name + ".>", // what the gate is to pass on
		"$JS.FC.*.*.*",            // "go on" to a consumer of its own, whose subject is a random one
	}
	if owner {
		to = append(to, link.Invites+"*", link.Joins+"*") // for what the root key has signed
	}
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: to},
		Subscribe: &server.SubjectPermission{Allow: []string{
			link.Inbox(name) + ".>", // replies, and what its consumers deliver
			link.Peek + name,        // somebody wants to see a pane
		}},
		Response: &server.ResponsePermission{MaxMsgs: 1, Expires: peekTime}, // and is answered
	}
}

// guest limits the connection of somebody with a line.
func guest(nonce string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{link.Joins + nonce}},
		Subscribe: &server.SubjectPermission{Allow: []string{link.Inbox(nonce) + ".>"}},
	}
}

// reads reports whether a machine may read the keys of a bucket that a pattern has.
func reads(m trust.Member, bucket, pattern string) bool {
	first, rest, _ := strings.Cut(pattern, ".")
	switch bucket {
	case link.Machines: // whom to seal for, and whose signatures count
		return true
	case link.Entries, link.Drafts, link.Alive: // a person sees all of them, and every machine what the hub has of it
		return m.Person || first == m.Name
	case link.Bids: // those for its own questions, and those it has made
		return first == m.Name || m.Person && strings.HasSuffix(rest, "."+m.Name)
	}
	return false
}

// mayWrite returns an error unless a machine may write a key, or delete it: it deletes a
// question that is over, with all there was for it, and what it has typed.
func mayWrite(m trust.Member, bucket, key string, msg *nats.Msg) error {
	err := trust.MayWrite(bucket+"/"+key, m)
	parts := strings.Split(key, ".")
	switch {
	case len(parts) > 1 && !spool.ValidID(parts[1]):
		err = refused(m, "write "+key+", which is no question's")
	case msg.Header.Get("KV-Operation") == "":
		if bucket == link.Bids && err == nil && msg.Header.Get(nats.ExpectedLastSubjSeqHdr) != "0" {
			err = refused(m, "write a second answer over the first")
		}
	case len(msg.Data) > 0 || bucket == link.Machines || bucket == link.Bids && !strings.HasPrefix(key, m.Name+"."):
		err = refused(m, "delete "+key)
	case strings.HasPrefix(key, m.Name+"."):
		err = nil
	}
	return err
}

// refused returns the error for what a machine may not do.
func refused(m trust.Member, what string) error {
	return hint.New("update askpane on both if it did that, since each does what is its own", "the machine %s may not do this at the hub: %.120q", m.Name, what)
}

// literal matches keys without wildcards, and names.
var literal = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// A bucket is a stream, and its keys are subjects.
const (
	stream = "KV_"
	kv     = "$KV."
)

// kept lists the headers that are passed on, with those of our own. Others have the server
// do things: answer for a message before, write again later, trace.
var kept = []string{"KV-Operation", nats.ExpectedLastSubjSeqHdr, nats.MsgRollup}

// lifetime returns how long the server remembers that a key was removed, or how a question has ended.
func lifetime(header nats.Header) time.Duration {
	ttl, err := time.ParseDuration(header.Get(jetstream.MsgTTLHeader))
	if err != nil || ttl < time.Second || ttl > link.OverTime { // else it could be there for ever
		return link.MarkerTime
	}
	return ttl
}

// pass returns the message to pass on for what a machine sent to its prefix, or the error that
// says why it is refused. op is the subject, without that of JetStream's API.
func pass(m trust.Member, op string, msg *nats.Msg) (*nats.Msg, error) {
	out := &nats.Msg{Subject: op, Reply: msg.Reply, Data: msg.Data, Header: maps.Clone(msg.Header)}
	maps.DeleteFunc(out.Header, func(name string, _ []string) bool {
		return !slices.Contains(kept, name) && !strings.HasPrefix(name, "Askpane-")
	})
	part := append(strings.SplitN(op, ".", 5), "", "", "", "")
	bucket, isBucket := strings.CutPrefix(part[2], stream)
	switch rollup := msg.Header.Get(nats.MsgRollup); {
	case strings.HasPrefix(op, kv):
		bucket, key, _ := strings.Cut(strings.TrimPrefix(op, kv), ".")
		if literal.MatchString(key) && (rollup == "" || rollup == nats.MsgRollupSubject) {
			return out, mayWrite(m, bucket, key, msg)
		}
	case strings.HasPrefix(op, link.Peek): // a person wants to see a pane
		if m.Person && trust.ValidName(strings.TrimPrefix(op, link.Peek)) == nil {
			return out, nil
		}
	case !isBucket:
	case op == "STREAM.INFO."+stream+bucket: // that the bucket is there; a body could ask for all its keys
		return &nats.Msg{Subject: "$JS.API." + op, Reply: msg.Reply}, nil
	case part[0]+part[1] == "CONSUMERCREATE":
		data, err := consumer(m, bucket, part[3], msg.Data)
		return &nats.Msg{Subject: "$JS.API." + op, Reply: msg.Reply, Data: data}, err
	case part[0]+part[1] == "CONSUMERDELETE" && literal.MatchString(part[3]) && part[4] == "": // its name is a random one, and nobody is told those of others
		return &nats.Msg{Subject: "$JS.API." + op, Reply: msg.Reply}, nil
	}
	return nil, refused(m, op)
}

// consumer returns a request for a consumer that delivers to the machine's own inbox what it
// may read, and ends with its connection. It ignores all else in the machine's request.
func consumer(m trust.Member, bucket, name string, data []byte) ([]byte, error) {
	var asked server.CreateConsumerRequest
	if err := json.Unmarshal(data, &asked); err != nil {
		return nil, refused(m, "watch what is not JSON")
	}
	c := asked.Config
	keys, of := strings.CutPrefix(c.FilterSubject, kv+bucket+".")
	if !of || !reads(m, bucket, keys) || !strings.HasPrefix(c.DeliverSubject, link.Inbox(m.Name)+".") || !literal.MatchString(name) {
		return nil, refused(m, "read "+c.FilterSubject)
	}
	return json.Marshal(server.CreateConsumerRequest{Stream: stream + bucket, Config: server.ConsumerConfig{
		Name: name, DeliverSubject: c.DeliverSubject, FilterSubject: c.FilterSubject,
		DeliverPolicy: c.DeliverPolicy, OptStartSeq: c.OptStartSeq, HeadersOnly: c.HeadersOnly,
		FlowControl: c.FlowControl, Heartbeat: c.Heartbeat, InactiveThreshold: min(c.InactiveThreshold, consumerStays),
		AckPolicy: server.AckNone, MaxDeliver: 1, Replicas: 1, MemoryStorage: true,
	}})
}

// mostWaiting limits, in bytes, what one machine has sent and the gate has not passed on.
const mostWaiting = 64 << 20

// admit opens the gate to a machine. Each has a subscription of its own, so that one that
// sends faster than the disk takes it waits for itself; NATS drops what is over the limit.
func (h *Hub) admit(name string) error {
	if h.gates[name] != nil {
		return nil
	}
	sub, err := h.nc.Subscribe(link.Prefix+name+".>", func(msg *nats.Msg) { h.gate(name, msg) })
	if err == nil {
		h.gates[name] = sub
		err = sub.SetPendingLimits(-1, mostWaiting)
	}
	return err
}

// dropped notes that NATS dropped what a machine had sent.
func (h *Hub) dropped(_ *nats.Conn, sub *nats.Subscription, err error) {
	name, isGate := "", false
	if sub != nil {
		name, isGate = strings.CutPrefix(strings.TrimSuffix(sub.Subject, ".>"), link.Prefix)
	}
	if !isGate {
		h.config.Log(err)
		return
	}
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	_ = h.ledger.refuse(name, fmt.Sprintf("sends faster than the hub writes, and has %d MiB waiting", mostWaiting>>20))
}

// gate passes on what a machine wants of JetStream, if it may have that, and answers it.
func (h *Hub) gate(name string, msg *nats.Msg) {
	if msg.Reply != "" && !strings.HasPrefix(msg.Reply, link.Inbox(name)+".") {
		h.config.Log(hint.New("see who uses it, and revoke it: askpane hub revoke "+name, "the machine %s wants to be answered at %q, which is not its inbox", name, msg.Reply))
		return
	}
	msg.Subject = strings.TrimPrefix(msg.Subject, link.Prefix+name+".")
	h.mu.Lock()
	m, err := h.members.Get(name)
	if err == nil {
		err = h.sick
	}
	nc := h.nc
	h.writing.RLock() // before it can be revoked: what is written is cleared out then
	h.mu.Unlock()
	defer h.writing.RUnlock()
	var answer *nats.Msg
	if err == nil {
		answer, err = h.forward(nc, m, msg)
	}
	if err != nil {
		answer = refusal(err)
	}
	if msg.Reply != "" && answer != nil {
		_ = msg.RespondMsg(&nats.Msg{Data: answer.Data, Header: answer.Header}) // where that fails, the machine asks again
	}
}

// forward passes a permitted request on to JetStream. It waits for writes, and returns
// JetStream's answer; all else JetStream answers itself.
func (h *Hub) forward(nc *nats.Conn, m trust.Member, msg *nats.Msg) (answer *nats.Msg, err error) {
	out, err := pass(m, msg.Subject, msg)
	where, writes := strings.CutPrefix(msg.Subject, kv)
	if err != nil || !writes {
		if err == nil {
			err = nc.PublishMsg(out)
		}
		return nil, err
	}
	bucket, key, _ := strings.Cut(where, ".")
	if out.Header.Get("KV-Operation")+out.Header.Get(link.IsOver) != "" { // its machine may not be there by then
		out.Header.Set(jetstream.MsgTTLHeader, lifetime(msg.Header).String())
	}
	next := written(bucket, int64(len(out.Data)), out.Header, time.Now())
	if err = h.ledger.allows(bucket, key, next); err != nil {
		return nil, err
	}
	out.Reply = ""
	if answer, err = nc.RequestMsg(out, writeTime); err != nil {
		return nil, fmt.Errorf("the hub could not keep %s: %w", key, err)
	}
	var said struct{ Error *server.ApiError }
	if err = json.Unmarshal(answer.Data, &said); err == nil && said.Error == nil {
		h.ledger.put(bucket, key, next)
	} else if err == nil && said.Error.ErrCode == uint16(server.JSStreamStoreFailedF) {
		err = full{hint.New("askpane hub machines, on the owner's machine, says who has so much there", "the hub has no room for %s: %s", key, said.Error.Description)}
	}
	return answer, err
}
