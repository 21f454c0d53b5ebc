package kitty

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

type remote struct{ network, address string }

// parseAddress reads $KITTY_LISTEN_ON: unix:PATH, unix:@NAME for an abstract
// socket, or tcp:HOST:PORT.
func parseAddress(text string) (remote, error) {
	network, address, ok := strings.Cut(text, ":")
	if !ok || address == "" || network != "unix" && network != "tcp" {
		return remote{}, fmt.Errorf("$KITTY_LISTEN_ON is %q; expected unix:PATH or tcp:HOST:PORT", text)
	}
	return remote{network, address}, nil // Go reads @NAME as kitty does
}

const (
	prefix, suffix = "\x1bP@kitty-cmd", "\x1b\\"
	// patience bounds the time for one command.
	patience = 3 * time.Second
	// mostAnswer bounds an answer's size: ls has the environment of every window in it.
	mostAnswer = 16 << 20
)

// protocol names the version of kitty whose protocol this is. A kitty refuses versions
// above its own; its documentation uses this one.
var protocol = []int{0, 14, 2}

// call gives one command, and returns the text that is the answer's data.
func (r remote) call(ctx context.Context, command string, payload map[string]any) (string, error) {
	if payload == nil {
		payload = map[string]any{}
	}
	request, err := json.Marshal(map[string]any{"cmd": command, "version": protocol, "no_response": false, "payload": payload})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, r.network, r.address)
	if err != nil {
		return "", fmt.Errorf("$KITTY_LISTEN_ON names a kitty that does not answer: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	_, err = io.WriteString(conn, prefix+string(request)+suffix)
	answer := ""
	if err == nil {
		answer, err = readAnswer(conn)
	}
	if err != nil {
		return "", fmt.Errorf("kitty %s: %w", command, errors.Join(err, ctx.Err()))
	}
	return answer, nil
}

// readAnswer reads one answer. There is no ESC in it but those of prefix and suffix.
func readAnswer(conn net.Conn) (string, error) {
	in := bufio.NewReader(io.LimitReader(conn, mostAnswer))
	before, err := in.ReadString(suffix[0])
	answer := ""
	if err == nil {
		answer, err = in.ReadString(suffix[0])
	}
	if err != nil {
		return "", fmt.Errorf("it gave no answer of at most %d bytes: %w", mostAnswer, err)
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
