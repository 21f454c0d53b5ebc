package trust

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"github.com/askpane/askpane/bridge/text/hint"
)

// A place is where something sealed stands: the bucket and the key, or for what is asked
// and said at once, a name and who speaks to whom. It says who may have written it, and
// Open holds the sender against that: a bid opens only from the bidder it names, and only
// from a person's machine.

// Entry is the place of a question; its machine writes it.
func Entry(machine, id string) string { return "ask_entries/" + machine + "." + id }

// Bid is the place of an answer to a question; a person's machine writes it.
func Bid(machine, id, bidder string) string { return "ask_bids/" + machine + "." + id + "." + bidder }

// Draft is the place of what was typed on one machine to a question; a person's machine
// writes it, or the one that has asked.
func Draft(machine, id, writer string) string {
	return "ask_drafts/" + machine + "." + id + "." + writer
}

// Alive is the place of a machine's heartbeat.
func Alive(machine string) string { return "ask_alive/" + machine }

// Peek is the place of a person's request to see a pane. nonce is new for each, and one
// token of a subject; a machine that sees one again does not answer it.
func Peek(machine, nonce, from string) string {
	return "ask_peek/" + machine + "." + nonce + "." + from
}

// Peeked is the place of the answer to a Peek.
func Peeked(machine, nonce, from string) string {
	return "ask_peeked/" + machine + "." + nonce + "." + from
}

// places are the kinds of place: how many parts a key has, which of them has written it,
// and whether that must be a person's machine, or the machine that the key begins with.
var places = map[string]struct {
	parts, writer  int
	person, orSelf bool
}{
	"ask_entries": {parts: 2},
	"ask_bids":    {parts: 3, writer: 2, person: true},
	"ask_drafts":  {parts: 3, writer: 2, person: true, orSelf: true},
	"ask_alive":   {parts: 1},
	"ask_peek":    {parts: 3, writer: 2, person: true},
	"ask_peeked":  {parts: 3},
}

// mayWrite is ErrMay unless a machine may write what stands there.
func mayWrite(where string, m Member) error {
	bucket, key, _ := strings.Cut(where, "/")
	parts := strings.Split(key, ".")
	place, known := places[bucket]
	what := ""
	switch {
	case !known || len(parts) != place.parts:
		what = "nothing sealed stands there"
	case parts[place.writer] != m.Name:
		what = "that is the place of another machine"
	case place.person && !m.Person && (!place.orSelf || parts[0] != m.Name):
		what = "that is for a person's machine, and this one only asks"
	default:
		return nil
	}
	return hint.New("if a person sits there, revoke it and invite it again with --person", "the machine %s has written to %.120q, which is not taken (%s): %w", m.Name, where, what, ErrMay)
}

// header is the first line of something sealed; after it comes what age has made.
type header struct {
	Version   int    `json:"version"`
	From      string `json:"from"`
	Signature []byte `json:"signature"`
}

// signedBox is what is signed of something sealed.
func signedBox(where, from string, box []byte) []byte {
	return append(signed("sealed", []string{where, from}), box...)
}

// Seal makes what only the machines in to can read, and only this one can have written,
// for one place.
func (id *Identity) Seal(to []Member, where string, plain []byte) ([]byte, error) {
	if err := mayWrite(where, id.Member); err != nil {
		return nil, err
	}
	var readers []age.Recipient
	for _, m := range to {
		if err := m.Verify(id.Root); err != nil {
			return nil, err
		}
		reader, err := age.ParseX25519Recipient(m.Age)
		if err != nil {
			return nil, err
		}
		readers = append(readers, reader)
	}
	if len(readers) == 0 {
		return nil, hint.New("run askpane hub invite NAME --person, and askpane join where you sit", "no machine of a person's has joined this hub")
	}
	var box bytes.Buffer
	w, err := age.Encrypt(&box, readers...)
	if err == nil {
		// Who seals is inside as well: else another machine could sign for a box that it
		// cannot open, and pass it off as its own.
		_, err = fmt.Fprintf(w, "%s\n%s", id.Member.Name, plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", where, err)
	}
	h := header{version, id.Member.Name, ed25519.Sign(id.sign, signedBox(where, id.Member.Name, box.Bytes()))}
	line, err := json.Marshal(h)
	return append(append(line, '\n'), box.Bytes()...), err
}

// Open reads what stands at a place, if a machine that may write there has sealed it.
// from is empty where that is not known. ErrUnknown, ErrRevoked, ErrForged, ErrMay,
// ErrReader and ErrNewer are wrapped.
func (id *Identity) Open(ms *Members, where string, sealed []byte) (from Member, plain []byte, err error) {
	line, box, _ := bytes.Cut(sealed, []byte("\n"))
	var h header
	if err := json.Unmarshal(line, &h); err != nil {
		return from, nil, hint.New("see who writes to the hub", "what stands at %.120q was not written by askpane", where)
	}
	if err := known(h.Version, fmt.Sprintf("what the machine %.40q has written", h.From)); err != nil {
		return from, nil, err
	}
	m, err := ms.Get(h.From)
	if err == nil {
		err = mayWrite(where, m)
	}
	if err != nil {
		return from, nil, err
	}
	if err := m.Sign.verify(signedBox(where, m.Name, box), h.Signature); err != nil {
		return from, nil, hint.New("see who writes to the hub", "what stands at %.120q was not written there by the machine %s: %w", where, m.Name, err)
	}
	r, err := age.Decrypt(bytes.NewReader(box), id.age)
	if err == nil {
		plain, err = io.ReadAll(r)
	}
	if err != nil {
		return from, nil, hint.New("the machine that wrote it did not know this one yet, and writes it again when it does", "what the machine %s has written to %.120q: %w (%v)", m.Name, where, ErrReader, err)
	}
	sealer, plain, _ := bytes.Cut(plain, []byte("\n"))
	if string(sealer) != m.Name {
		return from, nil, hint.New("revoke it if you do not know why", "the machine %s has signed what another has sealed: %w", m.Name, ErrForged)
	}
	return m, plain, nil
}
