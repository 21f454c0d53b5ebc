package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// Ring writes BEL to the asking pane, which flags its window and rings the
// clients of its session, and to the viewer's own terminal if that is in
// another session: those hear nothing of it otherwise. A bell from the popup would
// be dropped.
func (s *server) Ring(ctx context.Context, _ func(string) int) error {
	var errs []error
	if s.tty != "" {
		errs = append(errs, tty.Ring(s.tty))
	}
	c, err := s.viewer(ctx)
	if errors.Is(err, host.ErrNoViewer) {
		return errors.Join(errs...) // the window's flag waits for them
	}
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	if c.session != s.home && !c.control { // a control client's terminal speaks tmux's protocol
		errs = append(errs, tty.Ring(c.ID))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("tmux: ring the bell: %w", err)
	}
	return nil
}

// terminalFormat goes before clientFormat; what the terminal says of itself
// comes last of it, and cannot hold a tab where tmux has parsed it.
const terminalFormat = "#{client_pid}\t#{client_tty}\t#{client_termname}\t#{client_termtype}\t"

// Terminal is the viewer's: what runs in tmux cannot reach it otherwise, since
// tmux swallows notifications.
func (s *server) Terminal(ctx context.Context) (host.Terminal, error) {
	out, err := s.run(ctx, "list-clients", "-F", terminalFormat+clientFormat)
	if err != nil {
		return host.Terminal{}, err
	}
	var clients strings.Builder
	terminals := map[string][]string{} // by the client's name
	for line := range strings.Lines(out) {
		f := strings.SplitN(line, "\t", 5)
		if len(f) != 5 {
			continue
		}
		for _, c := range parseClients(f[4]) {
			terminals[c.ID] = f
		}
		clients.WriteString(f[4])
	}
	c, err := choose(parseClients(clients.String()))
	if err != nil {
		return host.Terminal{}, err
	}
	if c.control {
		return host.Terminal{}, fmt.Errorf("%s speaks tmux's control protocol", c.ID)
	}
	f := terminals[c.ID]
	return host.Terminal{Program: host.ProgramOf(f[3], f[2], environment(f[0])), Name: f[2], Device: f[1]}, nil
}

// environment looks into that of a process of ours, where the system shows it
// (Linux): tmux keeps the client's own environment to itself.
func environment(pid string) func(name string) string {
	if _, err := strconv.Atoi(pid); err != nil {
		return func(string) string { return "" }
	}
	data, _ := os.ReadFile("/proc/" + pid + "/environ") // elsewhere, or another user's: then it is not known
	return func(name string) string {
		for entry := range strings.SplitSeq(string(data), "\x00") {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}
}
