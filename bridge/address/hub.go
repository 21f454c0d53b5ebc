package address

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
)

// LinkStatus tells askpane doctor how the desk stands with the hub.
type LinkStatus struct {
	Version     int       `json:"version"`
	Connected   bool      `json:"connected"`
	Since       time.Time `json:"since"` // it is, or is not
	LagMs       int64     `json:"lagMs"` // of the last heartbeat
	Unpublished int       `json:"unpublished"`
	Open        int       `json:"open,omitempty"`    // questions of this machine that the hub has as waiting
	Staying     int       `json:"staying,omitempty"` // questions that do not leave this machine: secret, or too large
	Err         string    `json:"err,omitempty"`
	Hub         string    `json:"hub,omitempty"` // names the machines that it refuses something
}

// LinkStatusFile lies in LinkDir.
const LinkStatusFile = "status.json"

// LinkDir returns the directory with the keys of this machine.
func LinkDir() (string, error) { return spool.StateDir("link") }

// Joined reports whether this machine has joined a hub, and as one where its person sits:
// to that the questions of others come where a desk is up.
func Joined() (person, ok bool) {
	joined, err := read[struct{ Member struct{ Person bool } }]("link.json")
	return joined.Member.Person, err == nil
}

// read decodes a file of the link's.
func read[T any](name string) (v T, err error) {
	dir, err := LinkDir()
	if err == nil {
		v, err = private.Read[T](dir, name)
	}
	return v, err
}

// HubChecks is what askpane doctor says of the hub; linked is that this machine has one.
func HubChecks(linked bool) []hint.Check {
	c := hint.Check{Section: "hub", Name: "hub", State: hint.Off}
	if !linked {
		c.Detail = "not set up: questions are answered on the machine that asks"
		return []hint.Check{c}
	}
	said, err := read[LinkStatus](LinkStatusFile)
	person, joined := Joined()
	_, up := Up()
	since := said.Since.Local().Format("2 Jan 15:04")
	c.State = hint.Warn
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		c.Detail, c.Fix = "what the desk says of it cannot be read: "+err.Error(), "askpane desk, in a terminal, shows why"
	case !joined:
		c.Detail, c.Fix = "hubUrl is set, and this machine has no keys yet", "askpane hub init on the first of your machines, and on the others askpane join"
	case !up && (person || said.Unpublished > 0):
		c.Detail, c.Fix = "not connected, since no desk is up: questions come and go when there is one", "askpane install desk --write, which has one up from your login on; now: askpane desk --stay"
	case !up:
		c.State, c.Detail = hint.OK, "not connected, as no question waits here: the next one has the desk up, by which it goes to your other machines"
	case err != nil:
		c.Detail, c.Fix = "the desk has not said yet how it stands", "askpane doctor, a moment later"
	case said.Connected:
		c.State, c.Detail = hint.OK, fmt.Sprintf("connected since %s, %d ms away", since, said.LagMs)
		if refused := text.OneLine(said.Hub, 300); refused != "" {
			c.State, c.Fix = hint.Warn, "askpane hub machines, on the machine that has invited the others, shows whose questions those are"
			c.Detail += "; " + refused
		}
	default:
		what, fix := said.Err, ""
		if i := strings.LastIndex(what, "; "); i >= 0 { // as package hint joins them
			what, fix = what[:i], what[i+2:]
		}
		c.Detail = fmt.Sprintf("not connected since %s: %s; questions wait here meanwhile", since, cmp.Or(text.OneLine(what, 400), "it is being tried"))
		c.Fix = cmp.Or(text.OneLine(fix, 200), "see whether the hub is up there (askpane hub), and reached from here")
	}
	if said.Unpublished > 0 {
		c.Detail += fmt.Sprintf("; %d not published yet", said.Unpublished)
	}
	if said.Staying > 0 {
		c.Detail += fmt.Sprintf("; %d kept on this machine, being secret or too large", said.Staying)
	}
	return []hint.Check{c}
}
