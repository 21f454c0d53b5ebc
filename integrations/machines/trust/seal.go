package trust

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
)

// The buckets, and what their keys are.
const (
	Machines = "ask_machines" // NAME: its record, signed; the hub writes it
	Entries  = "ask_entries"  // MACHINE.ULID: a question, sealed by MACHINE
	Bids     = "ask_bids"     // MACHINE.ULID.BIDDER: an answer, sealed by BIDDER, written once
	Drafts   = "ask_drafts"   // MACHINE.ULID.WRITER: what is typed, sealed by WRITER
	Alive    = "ask_alive"    // NAME: its heartbeat
)

// places lists where something sealed can stand, as bucket/key, and who may have written it.
// For a peek, NONCE is new for each request.
var places = map[string]struct {
	parts, writer  int  // of the key; which of them is who has written it
	person, orSelf bool // it is a person's machine, or the one that the key begins with
}{
	Entries:      {parts: 2},
	Bids:         {parts: 3, writer: 2, person: true},
	Drafts:       {parts: 3, writer: 2, person: true, orSelf: true},
	Alive:        {parts: 1},
	"ask_peek":   {parts: 3, writer: 2, person: true}, // MACHINE.NONCE.PERSON, the request
	"ask_peeked": {parts: 3},                          // MACHINE.NONCE.PERSON, what is to be seen
}

// MayWrite returns ErrMay unless a machine may write to a place.
func MayWrite(where string, m Member) error {
	bucket, key, _ := strings.Cut(where, "/")
	place, parts := places[bucket], strings.Split(key, ".")
	switch {
	case place.parts != len(parts) || parts[place.writer] != m.Name:
		return hint.New(hubWriter, "what the machine %s writes to %.120q is not taken, since that is not its place: %w", m.Name, where, ErrMay)
	case place.person && !m.Person && !(place.orSelf && parts[0] == m.Name):
		return hint.New("if a person sits there, revoke it and invite it again with --person", "what the machine %s writes to %.120q is not taken, since it only asks: %w", m.Name, where, ErrMay)
	}
	return nil
}

// Writer returns the machine that writes a key, empty if none does.
func Writer(bucket, key string) string {
	place, parts := places[bucket], strings.Split(key, ".")
	if place.parts != len(parts) {
		return ""
	}
	return parts[place.writer]
}

// header begins what is sealed, as its first line. A box that age has made follows.
type header struct {
	Version   int    `json:"version"`
	From      string `json:"from"`
	Signature []byte `json:"signature"`
}

func (h header) message(where string, box []byte) []byte {
	return append(message("sealed", []string{where, h.From}), box...)
}

// Seal encrypts to the machines in to, and signs, for one place. It uses age, since a payload has several readers, where nkeys' xkeys have one.
func (id *Identity) Seal(to []Member, where string, plain []byte) ([]byte, error) {
	if err := MayWrite(where, id.Member); err != nil {
		return nil, err
	}
	var readers []age.Recipient
	for _, m := range to {
		r, err := age.ParseX25519Recipient(m.Age)
		if err = cmp.Or(m.current(), err); err != nil {
			return nil, err
		}
		readers = append(readers, r)
	}
	var box bytes.Buffer
	w, err := age.Encrypt(&box, readers...)
	if err == nil {
		// Who seals is inside as well: else another machine could sign a box that it cannot
		// open, and have its contents told as its own.
		_, err = fmt.Fprintf(w, "%s\n%s", id.Member.Name, plain)
	}
	if err == nil {
		err = w.Close()
	}
	h := header{Version: version, From: id.Member.Name}
	h.Signature = sign(id.Keys.Sign, h.message(where, box.Bytes()))
	return append(append(Encode(h), '\n'), box.Bytes()...), err
}

// Open decrypts what stands at a place, if a machine that may write there has sealed it: a bid
// opens only as its bidder's, and only as a person's.
func (id *Identity) Open(ms *Members, where string, sealed []byte) (from Member, plain []byte, err error) {
	var h header
	line, box, _ := bytes.Cut(sealed, []byte("\n"))
	if json.Unmarshal(line, &h) != nil {
		return from, nil, hint.New(hubWriter, "what stands at %.120q is not from askpane", where)
	}
	if err = private.Known(h.Version, fmt.Sprintf("what the machine %.40q has written", h.From)); err != nil {
		return from, nil, err
	}
	m, err := ms.Get(h.From)
	if err == nil {
		err = MayWrite(where, m)
	}
	if err != nil {
		return from, nil, err
	}
	if !signed(m.Sign, h.message(where, box), h.Signature) {
		return from, nil, hint.New(hubWriter, "what stands at %.120q as from the machine %s is not believed: %w", where, m.Name, ErrForged)
	}
	r, err := age.Decrypt(bytes.NewReader(box), id.opener)
	if err == nil {
		plain, err = io.ReadAll(r)
	}
	if err != nil {
		return from, nil, hint.New("the machine that wrote it seals it anew when it knows this one", "what stands at %.120q from the machine %s cannot be read: %w", where, m.Name, ErrReader)
	}
	sealer, plain, _ := bytes.Cut(plain, []byte("\n"))
	if string(sealer) != m.Name {
		return from, nil, hint.New("revoke it unless you know why", "the machine %s has signed what another has sealed: %w", m.Name, ErrForged)
	}
	return m, plain, nil
}
