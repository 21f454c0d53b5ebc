// Package tmux opens popups in tmux, 3.3 and later: as a modal floating pane
// where the server can do that (3.8), else with display-popup.
//
// It runs the tmux command and nothing else. The rule that must hold here: the
// only words on a tmux command line are ours, ids, paths and settings, and
// each goes through arg. Many a line here is odd because tmux is; what was measured
// of it is in docs/hosts.md.
package tmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// server is one tmux server, and the asking pane in it.
type server struct {
	bin    string
	socket string
	pane   string // %N; empty where the asker is in no pane
	label  string // session:window.pane
	tty    string // the asking pane's
	home   string // id of the session the asking pane is in
	line   []host.Process
	up     int      // how many of them up the pane's first process is
	dead   []string // tokens of questions whose askers were killed (mark.go)
	modal  bool     // it can open modal floating panes (modal.go)

	// What look left for the first popup: the clients it saw, and a tmux that
	// is ready to open on one of them.
	seen  adapter.Prefetched[[]client]
	mu    sync.Mutex
	ready *pipe
}

// client is one line of list-clients.
type client struct {
	host.Viewer
	activity int64
	focused  bool
	control  bool   // in control mode
	unfit    string // why it cannot show a popup and take keys; empty where it can
	session  string // its id
	window   string // the id of the one it looks at
	columns  int    // of that window: the client's, or those of another that looks at it
	rows     int    // likewise, without the status line
}

// look checks that the server is alive, and learns about its clients and the
// asking pane.
func (s *server) look(ctx context.Context) error {
	format := paneMark
	args := []string{"list-clients", "-F", clientFormat, ";", "list-commands", "-F", usages, ";", "display-message", "-p"}
	if s.pane != "" {
		args = append(args, "-t", s.pane)
		format += "#{session_id}\t#{pane_id}\t#{pane_tty}\t#{pane_pid}\t#{" + paneList + "}#{" + windowList + "}\t#{session_name}:#{window_index}.#{pane_index}"
	}
	ready, out, err := s.openPipe(ctx, append(args, format), paneMark)
	if err != nil && s.pane != "" && ctx.Err() == nil { // an inherited pane that is gone; the server may still do
		s.pane = ""
		return s.look(ctx)
	}
	if err != nil {
		if s.socket == socketOf(os.Getenv("TMUX")) {
			return fmt.Errorf("$TMUX names a server that does not answer: %w", err)
		}
		return fmt.Errorf("the server at %s does not answer: %w", s.socket, err)
	}
	clients, pane, _ := strings.Cut(out, paneMark)
	if s.modal = canModal(clients); !s.modal {
		if err := tooOld(clients); err != nil {
			ready.drop()
			return err
		}
	}
	if there := parseClients(clients); len(there) > 0 { // else somebody may come in a moment
		s.seen.Put(there)
	}
	s.mu.Lock()
	s.ready = ready
	s.mu.Unlock()
	time.AfterFunc(readyFor, s.unready)
	if f := strings.SplitN(strings.TrimSuffix(pane, "\n"), "\t", 6); len(f) != 6 || f[1] != s.pane {
		s.pane = "" // tmux 3.3a answers for a pane that is not there with blanks
	} else if s.up = s.depth(f[3]); s.up < 0 {
		s.pane = "" // that is another's: see believe
	} else {
		s.home, s.tty, s.label = f[0], f[2], f[5]
		s.dead = deadTokens(f[4])
	}
	return nil
}

// readyFor is how long a tmux stays ready to open the first popup. Where none is
// opened by then, nobody is attached or a popup would disturb, and a waiting
// question need not hold a process.
const readyFor = 3 * time.Second

func (s *server) unready() {
	s.mu.Lock()
	ready := s.ready
	s.ready = nil
	s.mu.Unlock()
	if ready != nil {
		ready.drop()
	}
}

// paneMark begins the line about the asking pane; a client's begins with a digit.
const paneMark = "pane\t"

func (s *server) Kind() *host.Kind { return &Kind }

// Asker is the pane as session:window.pane, and its id and the server's socket.
func (s *server) Asker() (words, ref string) {
	if s.pane == "" {
		return "", ""
	}
	return s.label, s.pane + " " + s.socket
}

// clientFormat: client_name and not client_tty because -c takes the name.
// Tabs, because nothing before the last field can hold one.
const clientFormat = "#{client_activity}\t#{client_control_mode}\t#{client_readonly}\t#{client_flags}\t" +
	"#{client_width}\t#{client_height}\t#{session_id}\t#{window_id}\t#{window_width}\t#{window_height}\t#{client_name}"

// Viewer is the most recently active client that can show a popup and take
// keys, whichever session it is in: that is where the person is. For a modal
// pane it is the window they look at there, or would if they came.
func (s *server) Viewer(ctx context.Context) (host.Viewer, error) {
	c, err := s.viewer(ctx)
	if err == nil && c.control {
		return c.tab(), nil
	}
	if s.modal {
		return s.windowOf(ctx, c, err)
	}
	return c.Viewer, err
}

func (s *server) viewer(ctx context.Context) (client, error) {
	clients, err := s.seen.Get(ctx, s.clients)
	if err != nil {
		return client{}, err
	}
	return choose(clients)
}

func (s *server) clients(ctx context.Context) ([]client, error) {
	out, err := s.run(ctx, "list-clients", "-F", clientFormat)
	return parseClients(out), err
}

func parseClients(out string) []client {
	var clients []client
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 11)
		if len(f) != 11 {
			continue
		}
		activity, _ := strconv.ParseInt(f[0], 10, 64)
		width, _ := strconv.Atoi(f[4])
		height, _ := strconv.Atoi(f[5])
		columns, _ := strconv.Atoi(f[8])
		rows, _ := strconv.Atoi(f[9])
		flags := strings.Split(f[3], ",")
		clients = append(clients, client{
			// Whole seconds, rounded down; Active must not be too early.
			Viewer:   host.Viewer{ID: f[10], Width: width, Height: height, Active: time.Unix(activity+1, 0)},
			activity: activity,
			focused:  slices.Contains(flags, "focused"),
			session:  f[6],
			window:   f[7],
			columns:  columns,
			rows:     rows,
			control:  f[1] == "1",
		})
		c := &clients[len(clients)-1]
		switch {
		case f[2] == "1":
			c.unfit = "is read-only (attached with -r)"
		case slices.Contains(flags, "suspended"):
			c.unfit = "is suspended (fg brings it back)"
		case !c.control && (width < leastWidth || height < leastHeight):
			c.unfit = fmt.Sprintf("is smaller than %dx%d", leastWidth, leastHeight)
		}
	}
	return clients
}

// Below this nothing of a form can be read.
const leastWidth, leastHeight = 20, 5

// choose picks the viewer; one in control mode only where there is no other. The
// focused flag counts only if some have it and some do not: without focus-events
// every client has it.
func choose(clients []client) (client, error) {
	if len(clients) == 0 {
		return client{}, fmt.Errorf("%w to the tmux server", host.ErrNoViewer)
	}
	var fit []client
	var why []string
	for _, c := range clients {
		if c.unfit == "" {
			fit = append(fit, c)
		} else {
			why = append(why, c.ID+" "+c.unfit)
		}
	}
	if len(fit) == 0 {
		return client{}, fmt.Errorf("%w: %s", host.ErrUnfit, strings.Join(why, ", "))
	}
	return slices.MaxFunc(fit, func(a, b client) int {
		return cmp.Or(compare(!a.control, !b.control), compare(a.focused, b.focused), cmp.Compare(a.activity, b.activity))
	}), nil
}

// compare puts true after false.
func compare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// run runs one tmux command and returns what it printed.
func (s *server) run(ctx context.Context, args ...string) (string, error) {
	for i := range args {
		args[i] = arg(args[i])
	}
	return s.runAll(ctx, args)
}

// runAll runs several tmux commands, with a word ; between them.
func (s *server) runAll(ctx context.Context, args []string) (string, error) {
	out, err := s.command(ctx, args).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("tmux %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return string(out), nil
}

// command is the tmux command; every word of args is safe already.
func (s *server) command(ctx context.Context, args []string) *exec.Cmd {
	cmd := adapter.Command(ctx, s.bin, append([]string{"-S", s.socket}, args...)...)
	// tmux is told where to go by -S; TMUX itself would make it choose the
	// client of the asking pane's session over the one we name.
	cmd.Env = append(os.Environ(), "TMUX=", "TMUX_PANE=")
	return cmd
}

// arg keeps a word from ending the command: tmux takes a word that ends in ;
// as its end and reads on with the next command.
func arg(a string) string {
	if strings.HasSuffix(a, ";") {
		return strings.TrimSuffix(a, ";") + `\;`
	}
	return a
}

// literal keeps text from being expanded where tmux wants a format: #(…) there
// runs a command.
func literal(text string) string { return strings.ReplaceAll(text, "#", "##") }
