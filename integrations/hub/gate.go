package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/link"
	"github.com/askpane/askpane/integrations/desk/link/trust"
)

// A machine's permissions at the server say only who it is and where it may listen.
// They cannot say more, since a subject does not tell where JetStream's reply goes (a
// request may name another machine's key for it, and the acknowledgement is written over
// that), where a push consumer delivers, or that Nats-Rollup empties a whole bucket. So
// what a machine wants of JetStream goes to link.Prefix and its name, and the gate passes
// on what this file lists, and nothing else.

// permissions are those of a machine's connection.
func permissions(name string, owner bool) (p jwt.Permissions) {
	p.Pub.Allow.Add(
		link.Prefix+name+".>", // what the gate is to pass on
		"$JS.FC.*.*.*",        // "go on" to a consumer of its own, whose subject is a random one
	)
	p.Sub.Allow.Add(
		link.Inbox(name)+".>", // replies, and what its consumers deliver
		link.Peek+name,        // somebody wants to see a pane
	)
	p.Resp = &jwt.ResponsePermission{MaxMsgs: 1, Expires: peekTime} // and is answered
	if owner {
		p.Pub.Allow.Add(link.Owner + "*") // what these do, the root key has signed
	}
	return p
}

// member is a machine as the gate sees it.
type member struct {
	name   string
	person bool
}

// reads reports whether a machine may read the keys of a bucket that a pattern has.
func (m member) reads(bucket, pattern string) bool {
	first, rest, _ := strings.Cut(pattern, ".")
	switch bucket {
	case link.Machines: // whom to seal for, and whose signatures count
		return true
	case link.Entries, link.Drafts, link.Alive: // a person sees all of them, and every machine what the hub has of it
		return m.person || first == m.name
	case link.Bids: // those for its own questions, and those it has made
		return first == m.name || m.person && strings.HasSuffix(rest, "."+m.name)
	}
	return false
}

// place is who may write a key: of so many parts, with the machine's name as one of them.
type place struct {
	parts, name  int
	person, self bool // a person's machine alone, or also the one that the key begins with
}

// What machines write, and what they delete: a question that is over, with all there was
// for it, and what they have typed.
var (
	puts = map[string]place{
		link.Machines: {parts: 1}, // its record again, where the hub has lost its disk
		link.Entries:  {parts: 2},
		link.Alive:    {parts: 1},
		link.Drafts:   {parts: 3, name: 2, person: true, self: true},
		link.Bids:     {parts: 3, name: 2, person: true},
	}
	deletes = map[string]place{link.Entries: {parts: 2}, link.Drafts: {parts: 3}, link.Bids: {parts: 3}}
)

func (p place) of(m member, part []string) bool {
	return len(part) == p.parts && part[p.name] == m.name && (!p.person || m.person || p.self && part[0] == m.name)
}

// writes is nil where a machine may write that to a key.
func (m member) writes(bucket, key string, h nats.Header, data []byte) error {
	part := strings.Split(key, ".")
	may := puts[bucket].of(m, part)
	if h.Get("KV-Operation") != "" {
		may = len(data) == 0 && (deletes[bucket].of(m, part) || bucket == link.Drafts && may)
	} else if bucket == link.Bids && !m.person {
		return hint.New("to answer there, have it revoked, and joined again by askpane hub invite "+m.name+" --person", "the machine %s may ask, but not answer", m.name)
	} else if bucket == link.Bids && h.Get(nats.ExpectedLastSubjSeqHdr) != "0" {
		may = false // it is written once, and stays until the machine that asked has read it
	}
	if !may {
		return hint.New("each machine writes what is its own; if askpane did that, update it on both", "the machine %s may not write %s in %s", m.name, key, bucket)
	}
	return nil
}

// literal are keys without wildcards, and names.
var literal = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// A bucket is a stream, and its keys are subjects.
const (
	stream = "KV_"
	kv     = "$KV."
)

var buckets = []string{link.Machines, link.Entries, link.Bids, link.Drafts, link.Alive}

// kept are the headers of a message that are passed on. Others have the server do things:
// answer for a message before, write again later, trace.
var kept = []string{"KV-Operation", nats.ExpectedLastSubjSeqHdr, nats.MsgRollup, "Nats-TTL"}

// pass makes what is passed on of what a machine sent to its prefix. op is the subject,
// without that of JetStream's API. What is refused says why.
func (m member) pass(op string, msg *nats.Msg) (*nats.Msg, error) {
	refused := hint.New("if askpane did that, update it on both", "the machine %s may not do %.80q at this hub", m.name, op)
	if key, ok := strings.CutPrefix(op, kv); ok {
		bucket, key, _ := strings.Cut(key, ".")
		if rollup := msg.Header.Get(nats.MsgRollup); !literal.MatchString(key) || rollup != "" && rollup != nats.MsgRollupSubject {
			return nil, refused
		}
		return headed(op, msg, func(h string) bool { return slices.Contains(kept, h) }), m.writes(bucket, key, msg.Header, msg.Data)
	}
	if machine, ok := strings.CutPrefix(op, link.Peek); ok { // a person wants to see a pane
		if !m.person || trust.ValidName(machine) != nil {
			return nil, refused
		}
		return headed(op, msg, func(h string) bool { return !strings.HasPrefix(h, "Nats-") }), nil
	}
	if out, err := m.request(op, msg); out != nil || err != nil {
		return out, err
	}
	return nil, refused
}

// request makes a request of JetStream's API, nil where that is none for a machine.
func (m member) request(op string, msg *nats.Msg) (out *nats.Msg, err error) {
	part := append(strings.SplitN(op, ".", 5), "", "", "", "")
	bucket, name, rest := strings.TrimPrefix(part[2], stream), part[3], part[4]
	ok := false
	out = &nats.Msg{Subject: "$JS.API." + op, Reply: msg.Reply}
	switch part[0] + "." + part[1] {
	case "STREAM.INFO": // that the bucket is there; a body could ask for all its keys
		ok = name == "" && slices.Contains(buckets, bucket)
	case "DIRECT.GET": // one key; a body could name another
		key, of := strings.CutPrefix(name+"."+rest, kv+bucket+".")
		ok = of && literal.MatchString(key) && m.reads(bucket, key)
	case "CONSUMER.CREATE":
		out.Data, err = m.watch(bucket, name, msg.Data)
		ok = true
	case "CONSUMER.DELETE": // its name is a random one, and nobody is told those of others
		ok = literal.MatchString(name) && rest == ""
	}
	if !ok {
		return nil, nil
	}
	return out, err
}

// headed is a message with those of its headers that are passed on.
func headed(subject string, msg *nats.Msg, on func(header string) bool) *nats.Msg {
	h := maps.Clone(msg.Header)
	maps.DeleteFunc(h, func(name string, _ []string) bool { return !on(name) })
	return &nats.Msg{Subject: subject, Reply: msg.Reply, Header: h, Data: msg.Data}
}

// watch makes the request for a consumer: one that delivers to the machine's own inbox
// what it may read, and goes with its connection. Nothing else of what was asked counts.
func (m member) watch(bucket, name string, data []byte) ([]byte, error) {
	var asked server.CreateConsumerRequest
	if err := json.Unmarshal(data, &asked); err != nil {
		return nil, fmt.Errorf("read what the machine %s wants to watch: %w", m.name, err)
	}
	c := asked.Config
	if !strings.HasPrefix(c.DeliverSubject, link.Inbox(m.name)+".") || !literal.MatchString(name) {
		return nil, hint.New("if askpane did that, update it on both", "what the machine %s watches goes to its own inbox, and not to %q", m.name, c.DeliverSubject)
	}
	filters := c.FilterSubjects
	if len(filters) == 0 {
		filters = []string{c.FilterSubject}
	}
	for _, f := range filters {
		if pattern, ok := strings.CutPrefix(f, kv+bucket+"."); !ok || !m.reads(bucket, pattern) {
			return nil, hint.New("a machine that only asks reads what is its own; askpane hub invite NAME --person makes one that answers", "the machine %s may not read %q", m.name, f)
		}
	}
	return json.Marshal(server.CreateConsumerRequest{Stream: stream + bucket, Config: server.ConsumerConfig{
		Name: name, DeliverSubject: c.DeliverSubject, FilterSubject: c.FilterSubject, FilterSubjects: c.FilterSubjects,
		DeliverPolicy: c.DeliverPolicy, OptStartSeq: c.OptStartSeq, HeadersOnly: c.HeadersOnly,
		FlowControl: c.FlowControl, Heartbeat: c.Heartbeat, InactiveThreshold: min(c.InactiveThreshold, consumerStays),
		AckPolicy: server.AckNone, MaxDeliver: 1, Replicas: 1, MemoryStorage: true,
	}})
}

// gate takes what machines want of JetStream. Its answer goes to them directly.
func (h *Hub) gate(msg *nats.Msg) {
	name, op, _ := strings.Cut(strings.TrimPrefix(msg.Subject, link.Prefix), ".")
	if msg.Reply != "" && !strings.HasPrefix(msg.Reply, link.Inbox(name)+".") {
		h.config.Log("the machine %s wants to be answered at %q, which is not its inbox; see who uses it, and revoke it: askpane hub revoke %[1]s", name, msg.Reply)
		return
	}
	m, err := h.member(name)
	var out *nats.Msg
	if err == nil {
		out, err = m.pass(op, msg)
	}
	if err == nil && op == kv+link.Machines+"."+name {
		_, err = h.known().Take(name, msg.Data)
	}
	if err == nil {
		err = h.nc.PublishMsg(out)
	}
	if err != nil && msg.Reply != "" {
		_ = msg.RespondMsg(refusal(err)) // where that fails, the machine asks again
	}
}

// refusal is an error as JetStream's clients expect one: in the body, or for one key in
// the header.
func refusal(err error) *nats.Msg {
	data, _ := json.Marshal(map[string]any{"error": server.ApiError{Code: 403, ErrCode: notAllowed, Description: err.Error()}})
	return &nats.Msg{Data: data, Header: nats.Header{"Status": {"403"}, "Description": {err.Error()}}}
}

// notAllowed is a code that the server's own errors have not.
const notAllowed = 18001
