// Package trust says which machine something on a hub is from, and who may read it: the
// keys of this machine on its disk, who is a member, and sealing.
//
// It knows no network and no questions. The rule that must hold here: nothing is believed
// because the hub says it (docs/hub.md, Trust).
package trust

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/nats-io/nkeys"

	"github.com/askpane/askpane/bridge/text/hint"
)

// What can be wrong with a record or with what is sealed. What wraps them says what to do.
var (
	ErrRevoked = errors.New("it was revoked")
	ErrUnknown = errors.New("it is not known here")
	ErrForged  = errors.New("its signature is wrong")
	ErrMay     = errors.New("it may not write there")
	ErrReader  = errors.New("it is not sealed to this machine, or damaged")
)

const hubWriter = "see who else writes to the hub"

// version numbers the format of all that is written here.
const version = 1

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ValidName returns an error unless s can be a machine's name: one token of a subject, one
// word of a shell, and harmless on a terminal.
func ValidName(s string) error {
	if name.MatchString(s) {
		return nil
	}
	return hint.New("use up to 32 small letters, digits and hyphens, as in build-1", "%.40q cannot be the name of a machine", s)
}

// newKey makes an ed25519 key, as nkeys write it.
func newKey() (public, seed string) {
	pair, _ := nkeys.CreateUser() // what it was made of never fails
	text, _ := pair.Seed()
	return publicOf(string(text)), string(text)
}

// publicOf returns the public key of a seed, empty if that is none.
func publicOf(seed string) string {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return ""
	}
	public, _ := pair.PublicKey()
	return public
}

// sign signs with a seed; nobody believes the signature if that is none.
func sign(seed string, message []byte) (signature []byte) {
	if pair, err := nkeys.FromSeed([]byte(seed)); err == nil {
		signature, _ = pair.Sign(message)
	}
	return signature
}

// signed reports whether a key has signed the message.
func signed(public string, message, signature []byte) bool {
	key, err := nkeys.FromPublicKey(public)
	return err == nil && key.Verify(message, signature) == nil
}

// message encodes what is signed of v: its kind, so that the signature is good for no other,
// and its fields, without a signature.
func message(kind string, v any) []byte {
	return fmt.Appendf(nil, "askpane %s %d\n%s", kind, version, Encode(v))
}

// Encode encodes plain types, which cannot fail.
func Encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
