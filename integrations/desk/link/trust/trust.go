// Package trust says which machine something on a hub is from, and who may read it: the
// keys of this machine on its disk, who is a member, and sealing.
//
// It knows no network and no questions. The rule that must hold here: nothing is believed
// because the hub says it. A machine is one because the person's root key, which the hub
// does not have, has vouched for it; what a machine wrote is signed by it for the one
// place where it stands, and sealed to those who may read it. docs/hub.md says what that
// defends, and what it does not.
//
// Payloads are sealed by age and not by nkeys' xkeys: a payload has several readers, and
// a message of xkeys has one.
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

// What can be wrong with a record or with something sealed, for errors.Is. What wraps
// them says what to do.
var (
	ErrNewer   = errors.New("it is of a newer format than this askpane knows")
	ErrRevoked = errors.New("it was revoked")
	ErrUnknown = errors.New("it is no machine of this hub")
	ErrForged  = errors.New("its signature is wrong")
	ErrMay     = errors.New("it may not write there")
	ErrReader  = errors.New("it is not sealed to this machine")
)

// version is the format of all that is written here.
const version = 1

// known is an error unless v is a format that is known here. what is what has it.
func known(v int, what string) error {
	switch {
	case v > version:
		return hint.New("install the askpane that is on the other machine", "%s cannot be read: %w", what, ErrNewer)
	case v < 1:
		return hint.New("see that nothing but askpane writes to the hub", "%s cannot be read: it says no format", what)
	}
	return nil
}

var name = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ValidName is an error unless s can be the name of a machine. Such a name is one token
// of a subject, one word of a shell, and nothing that a terminal takes for more.
func ValidName(s string) error {
	if !name.MatchString(s) {
		return hint.New("use up to 32 small letters, digits and hyphens, as in build-1", "%.40q cannot be the name of a machine", s)
	}
	return nil
}

// Public is an ed25519 public key as text.
type Public string

func publicOf(key ed25519.PrivateKey) Public {
	return Public(base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey)))
}

// verify is ErrForged unless the key has signed the message.
func (p Public) verify(message, signature []byte) error {
	key, err := base64.RawURLEncoding.DecodeString(string(p))
	if err != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, message, signature) {
		return ErrForged
	}
	return nil
}

// signed is what is signed of a value: its kind, so that a signature is good for no
// other, and its fields. The signature itself must be empty in it.
func signed(kind string, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only our own types come here
	}
	return fmt.Appendf(nil, "askpane %s %d\n%s", kind, version, data)
}
