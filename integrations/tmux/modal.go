package tmux

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// A modal floating pane (docs/dev/hosts.md, Modal panes) belongs to a window, where a
// display-popup belongs to a client: every client that looks at the window shows it.

// modalArgs makes the new-pane command line.
func modalArgs(v host.Viewer, cmd host.Command) []string {
	// A fixed title: -T is a format. No -K: with it the pane would also get the
	// keys that a menu or a prompt drawn above it is waiting for, and no format
	// tells that one is open.
	x, y, width, height := adapter.Box(v, cmd.Size)
	args := []string{"new-pane", "-O", "-A", "-t", v.ID, "-T", " askpane ", "-x", width, "-y", height, "-X", x, "-Y", y, "-S", borderStyle, "-R", borderStyle}
	if v.Small() {
		args = append(args, "-B", "none")
	}
	return append(args, program(cmd)...)
}

// modalCommands adds what has to be said of the pane before a key or the program's end can
// come: tmux does all of them before it looks at either. A dead pane would stay modal, and with synchronize-panes on, which it has from its window, what is
// typed into the form would be typed into the window's other panes as well. The last one
// waits until another pane is the active one there, which is when this one has closed;
// new-pane -W would wait for that before the others are done.
func modalCommands(v host.Viewer, cmd host.Command) (args []string) {
	args = append(safe(modalArgs(v, cmd)), ";", "set-option", "-p", "remain-on-exit", "off", ";", "set-option", "-p", "synchronize-panes", "off")
	return append(args, ";", "wait-for", "-E", "-F", "#{==:#{window},"+v.ID+"}", "window-pane-changed")
}

// follow closes the pane where nobody who could answer looks at its window any more. The
// bridge opens another where they look, or when somebody comes, and the draft keeps what was
// typed. Where they have only made their client too small, and there is nobody else, the
// form says so and holds keys back when it is large enough again.
func (s *server) follow(ctx context.Context, window string) {
	clients, err := s.clients(ctx)
	_, nobody := choose(clients)
	looking := 0
	for _, c := range clients {
		switch {
		case c.window != window:
		case !c.control && c.unfit == "", c.small && nobody != nil:
			return
		default:
			looking++
		}
	}
	if err == nil {
		s.closeIf(ctx, window, looking)
	}
}

// closeIf closes the window's modal pane if as many clients look at it as were seen: who
// has come since then may be typing there already.
func (s *server) closeIf(ctx context.Context, window string, looking int) {
	if pane := s.paneNow(ctx, window); pane != "" {
		same := fmt.Sprintf("#{==:#{window_active_clients},%d}", looking)
		_, _ = s.run(ctx, "if-shell", "-F", "-t", pane, same, "kill-pane -t "+pane) // it may have closed meanwhile
	}
}

func (s *server) paneNow(ctx context.Context, window string) string {
	out, _ := s.run(ctx, "display-message", "-p", "-t", window, "#{window_modal_pane}")
	return strings.TrimSpace(out)
}

// resizeOwn is host.Kind's Resize. A display-popup, which is no pane, never asks for it.
func resizeOwn(ctx context.Context, size host.Size) error {
	socket, _ := serverOf(os.Getenv("TMUX"))
	return (&server{socket: socket}).resize(ctx, os.Getenv("TMUX_PANE"), size)
}

// resize gives a modal pane the size and the place in its window, or in as much of that as the client shows which
// looks at it.
func (s *server) resize(ctx context.Context, pane string, size host.Size) error {
	out, err := s.runAll(ctx, []string{"list-clients", "-F", clientFormat, ";", "display-message", "-p", "-t", pane, "#{window_width} #{window_height} #{window_modal_pane}"})
	v, modal := host.Viewer{}, ""
	if _, e := fmt.Sscan(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:], &v.Width, &v.Height, &modal); err != nil || e != nil || modal != pane {
		return err // it closes, or its window does
	}
	if c, err := choose(slices.DeleteFunc(parseClients(out), func(c client) bool { return c.pane != pane })); err == nil {
		v.Width, v.Height = c.columns, c.rows
	}
	border := "set-option -p -t " + pane + " pane-border-lines none"
	if !v.Small() {
		border = "set-option -p -u -t " + pane + " pane-border-lines"
	}
	x, y, width, height := adapter.Box(v, size)
	_, err = s.runAll(ctx, append(strings.Fields(border),
		";", "resize-pane", "-t", pane, "-x", width, "-y", height, ";", "move-pane", "-t", pane, "-X", x, "-Y", y))
	return err
}
