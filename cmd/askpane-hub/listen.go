package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/integrations/machines/trust"
)

// chooseAddress returns where a new hub listens; somebody at a terminal is asked.
func chooseAddress(in io.Reader, terminal bool) (string, error) {
	if !terminal {
		return hub.Listen, nil
	}
	fmt.Printf("Shall other machines reach the hub over the network? Then it listens at %s,\nelse at %s, where they come by a tunnel alone. [Y/n] ", hub.Everywhere, hub.Listen)
	said, err := bufio.NewReader(in).ReadString('\n')
	switch said = strings.ToLower(strings.TrimSpace(said)); {
	case err != nil:
		return "", programs.With(programs.Aborted, errors.New("nothing was set up"))
	case said == "", strings.HasPrefix("yes", said):
		return hub.Everywhere, nil
	case strings.HasPrefix("no", said):
		return hub.Listen, nil
	}
	return "", programs.Usage("%q is neither yes nor no; nothing was set up", said)
}

// listenAt changes where the hub of this machine listens, and where this machine finds it.
func listenAt(served, keys, at string) error {
	url, pin, err := hub.Relisten(served, at)
	if err != nil {
		return err
	}
	if id, err := trust.Load(keys); err == nil && id.Pin == pin {
		if err := id.Move(url); err != nil {
			return err
		}
	}
	fmt.Printf("The hub listens at %s from its next start on. By what other machines have joined it, it has to be reached still, or they join again by new lines.\n", at)
	return nil
}
