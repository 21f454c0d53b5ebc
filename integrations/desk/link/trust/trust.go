// Package trust says which machine something on a hub is from, and who may read it: the
// keys of this machine on its disk, who is a member, and sealing.
//
// It knows no network and no questions. The rule that must hold here: nothing is believed
// because the hub says it (docs/hub.md, Trust).
package trust

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/askpane/askpane/bridge/text/hint"
)

// What can be wrong with a record or with what is sealed. What wraps them says what to do.
var (
	ErrNewer   = errors.New("it is of a newer format than this askpane knows")
	ErrRevoked = errors.New("it was revoked")
	ErrUnknown = errors.New("it is not known here")
	ErrForged  = errors.New("its signature is wrong")
	ErrMay     = errors.New("it may not write there")
	ErrReader  = errors.New("it is not sealed to this machine, or damaged")
)

const hubWriter = "see who else writes to the hub"

// version is the format of all that is written here.
const version = 1

// known is an error where v is a later format.
func known(v int, what string) error {
	if v <= version {
		return nil
	}
	return hint.New("install a newer askpane", "%s cannot be read: %w", what, ErrNewer)
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ValidName is an error unless s can be a machine's name: one token of a subject, one
// word of a shell, and harmless on a terminal.
func ValidName(s string) error {
	if name.MatchString(s) {
		return nil
	}
	return hint.New("use up to 32 small letters, digits and hyphens, as in build-1", "%.40q cannot be the name of a machine", s)
}

// Public is an ed25519 public key as text.
type Public string

func public(key ed25519.PrivateKey) Public {
	return Public(base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)))
}

func keyOf(seed []byte) (ed25519.PrivateKey, error) {
	if len(seed) != ed25519.SeedSize {
		return nil, hint.New("join again by a new line of askpane hub invite, or bring its file back from a backup", "a key is too short or too long")
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// signed reports whether the key has signed the message.
func (p Public) signed(message, signature []byte) bool {
	key, err := base64.RawURLEncoding.DecodeString(string(p))
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, message, signature)
}

// message is what is signed of v, in which no signature may be: its kind, so that it is
// good for no other, and its fields.
func message(kind string, v any) []byte {
	return fmt.Appendf(nil, "askpane %s %d\n%s", kind, version, encode(v))
}

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own types come here
	}
	return data
}
