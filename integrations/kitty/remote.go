package kitty

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/adapter"
)

type remote struct{ adapter.Remote }

// parseAddress reads $KITTY_LISTEN_ON: unix:PATH, unix:@NAME for an abstract
// socket, or tcp:HOST:PORT.
func parseAddress(text string) (remote, error) {
	network, address, ok := strings.Cut(text, ":")
	if !ok || address == "" || network != "unix" && network != "tcp" {
		return remote{}, fmt.Errorf("$KITTY_LISTEN_ON is %q; expected unix:PATH or tcp:HOST:PORT", text)
	}
	return remote{adapter.Remote{Network: network, Address: address, Named: "$KITTY_LISTEN_ON names a kitty"}}, nil // Go reads @NAME as kitty does
}

const prefix, suffix = "\x1bP@kitty-cmd", "\x1b\\"

// protocol names the version of kitty whose protocol this is. A kitty refuses versions
// above its own; its documentation uses this one.
var protocol = []int{0, 14, 2}

// call gives one command, and returns the text that is the answer's data.
func (r remote) call(ctx context.Context, command string, payload map[string]any) (string, error) {
	request := hint.JSON(map[string]any{"cmd": command, "version": protocol, "no_response": false, "payload": payload})
	answer := ""
	err := r.Call(ctx, "kitty "+command, prefix+request+suffix, func(in *bufio.Reader) (err error) {
		answer, err = readAnswer(in)
		return err
	})
	return answer, err
}

// readAnswer reads one answer. There is no ESC in it but those of prefix and suffix.
func readAnswer(in *bufio.Reader) (string, error) {
	before, err := in.ReadString(suffix[0])
	answer := ""
	if err == nil {
		answer, err = in.ReadString(suffix[0])
	}
	if err != nil {
		return "", fmt.Errorf("it gave no answer of at most %d bytes: %w", adapter.MostAnswer, err)
	}
	answer, ok := strings.CutPrefix(before+answer, prefix)
	var said struct {
		OK    bool
		Error string
		Data  any // a number, or nothing, where it is no text
	}
	if err := json.Unmarshal([]byte(strings.TrimSuffix(answer, suffix[:1])), &said); err != nil || !ok {
		return "", fmt.Errorf("its answer %.80q is not of the protocol (%v)", answer, err)
	}
	text, _ := said.Data.(string)
	switch {
	case said.OK:
		return text, nil
	case strings.Contains(said.Error, "Remote control is disabled"):
		return "", fmt.Errorf("remote control is off; %s", enable)
	}
	return "", fmt.Errorf("it said %q", said.Error)
}
