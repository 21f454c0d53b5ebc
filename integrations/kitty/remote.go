package kitty

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// remote is where a kitty listens.
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
	begin, end = "\x1bP@kitty-cmd", "\x1b\\"
	// patience is how long kitty may take for one command.
	patience = 3 * time.Second
	// mostAnswer is how large an answer may be: ls has the environment of every
	// window in it.
	mostAnswer = 16 << 20
)

// protocol is the version of kitty whose protocol this is. A kitty refuses
// versions above its own; this is the one that its documentation uses.
var protocol = []int{0, 14, 2}

// call gives one command, and returns the data of the answer.
func (r remote) call(ctx context.Context, command string, payload map[string]any) (json.RawMessage, error) {
	if payload == nil {
		payload = map[string]any{}
	}
	request, err := json.Marshal(map[string]any{"cmd": command, "version": protocol, "no_response": false, "payload": payload})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, r.network, r.address)
	if err != nil {
		return nil, fmt.Errorf("$KITTY_LISTEN_ON names a kitty that does not answer: %w", err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := conn.Write([]byte(begin + string(request) + end)); err != nil {
		return nil, fmt.Errorf("kitty %s: %w", command, err)
	}
	answer, err := readAnswer(conn)
	if err != nil {
		return nil, fmt.Errorf("kitty %s: %w", command, errors.Join(err, ctx.Err()))
	}
	data, err := parseAnswer(answer)
	if err != nil {
		return nil, fmt.Errorf("kitty %s: %w", command, err)
	}
	return data, nil
}

// readAnswer reads up to the string terminator that ends the answer. JSON has
// no ESC in it.
func readAnswer(conn net.Conn) (answer []byte, err error) {
	in := bufio.NewReader(io.LimitReader(conn, mostAnswer))
	for !bytes.HasSuffix(answer, []byte(end)) {
		part, err := in.ReadBytes(end[len(end)-1])
		if err != nil {
			return nil, fmt.Errorf("it gave no answer of at most %d bytes: %w", mostAnswer, err)
		}
		answer = append(answer, part...)
	}
	return answer, nil
}

func parseAnswer(answer []byte) (json.RawMessage, error) {
	text, ok := strings.CutPrefix(strings.TrimSuffix(string(answer), end), begin)
	if !ok {
		return nil, fmt.Errorf("its answer %.80q is not of the protocol", answer)
	}
	var said struct {
		OK    bool
		Error string
		Data  json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return nil, fmt.Errorf("its answer %.80q: %w", text, err)
	}
	if said.OK {
		return said.Data, nil
	}
	if strings.Contains(said.Error, "Remote control is disabled") {
		return nil, fmt.Errorf("remote control is off; %s", enable)
	}
	return nil, fmt.Errorf("it said %q", said.Error)
}
