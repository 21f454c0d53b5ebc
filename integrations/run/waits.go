package run

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/adapter"
)

// Waits returns what a program that reports status (OSC 7501) waits for, in words; empty where it does not
// wait for its person.
func Waits(status string) string {
	pairs := map[string]string{}
	for pair := range strings.SplitSeq(status, ":") {
		key, value, _ := strings.Cut(pair, "=")
		pairs[key] = value
	}
	if pairs["state"] != "blocked" {
		return ""
	}
	why := pairs["kind"]
	if msg, err := base64.StdEncoding.DecodeString(pairs["msg"]); err == nil && len(msg) > 0 {
		why = string(msg)
	}
	words := text.Agent(pairs["app"], 24) + " waits for you"
	if why = text.OneLine(why, 80); why != "" {
		words += ": " + why
	}
	return words
}

// Waiting says of every askpane run of this user whose command reports that it waits for its
// person, what for and on which terminal.
func Waiting(ctx context.Context) (said []string) {
	for _, dir := range Dirs() {
		for _, socket := range adapter.Sockets(dir, "run-*") {
			if r, err := newTerminal(socket).describe(ctx); err == nil && r.Waits != "" { // it may have ended
				said = append(said, fmt.Sprintf("%s, on %s", r.Waits, r.Terminal))
			}
		}
	}
	return said
}
