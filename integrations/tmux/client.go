package tmux

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// client holds a line of list-clients.
type client struct {
	host.Viewer
	focused bool
	control bool   // in control mode
	unfit   string // why it cannot show a popup and take keys; empty where it can
	small   bool   // that is because of its size
	session string // its id
	window  string // the id of the one it looks at
	pane    string // and of the pane that has the focus there
	columns int    // that it shows of that window, from its first one on where the cursor is hidden, as in a form
	rows    int    // likewise, without the status line
	pid     int
	tty     string
	term    string // TERM in it
	says    string // what its terminal says that it is
}

// clientFormat ends with client_name and not client_tty because -c takes the name. It has tabs because nothing before
// the last field can hold one. A client in control mode has no status line, and tells no size of its own.
const (
	clientFormat = "#{client_activity}\t#{client_control_mode}\t#{client_readonly}\t#{client_flags}\t#{?client_control_mode,#{window_width},#{client_width}}\t#{?client_control_mode,#{window_height},#{client_height}}\t" +
		"#{session_id}\t#{window_id}\t#{window_width}\t#{window_height}\t#{client_pid}\t#{client_tty}\t#{client_termname}\t#{client_termtype}\t#{pane_id}\t" +
		"#{?#{||:#{client_control_mode},#{==:#{status},off}},0,#{?#{==:#{status},on},1,#{status}}}\t#{client_name}"
	clientFields = 17
)

func (s *server) clients(ctx context.Context) ([]client, error) {
	out, err := s.run(ctx, "list-clients", "-F", clientFormat)
	return parseClients(out), err
}

func parseClients(out string) (clients []client) {
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", clientFields); len(f) == clientFields {
			clients = append(clients, parseClient(f))
		}
	}
	return clients
}

func parseClient(f []string) client {
	number := func(i int) int {
		n, _ := strconv.Atoi(f[i])
		return n
	}
	flags := strings.Split(f[3], ",")
	c := client{
		Viewer:  host.Viewer{ID: f[16], Width: number(4), Height: number(5)},
		focused: slices.Contains(flags, "focused"),
		control: f[1] == "1",
		session: f[6], window: f[7], columns: min(number(8), number(4)), rows: min(number(9), number(5)-number(15)),
		pid: number(10), tty: f[11], term: f[12], says: f[13], pane: f[14],
	}
	c.Active = time.Unix(int64(number(0))+1, 0) // whole seconds, rounded down; it must not be too early
	switch {
	case f[2] == "1":
		c.unfit = "is read-only (attached with -r)"
	case slices.Contains(flags, "suspended"):
		c.unfit = "is suspended (fg brings it back)"
	case !c.control && (c.Width < leastWidth || c.Height < leastHeight):
		c.unfit, c.small = fmt.Sprintf("is smaller than %dx%d", leastWidth, leastHeight), true
	}
	return c
}

// Below this nothing of a form can be read.
const leastWidth, leastHeight = 20, 5

// findViewer finds the most recently active client that can show a popup and take keys,
// whichever session it is in: that is where the person is. For a modal pane it returns the
// window they look at there; for a client in control mode its session.
func (s *server) findViewer(ctx context.Context) (host.Viewer, error) {
	return s.viewerOf(s.viewer(ctx))
}

func (s *server) viewerOf(c client, err error) (host.Viewer, error) {
	v := c.Viewer
	switch {
	case err != nil:
	case c.control:
		v = host.Viewer{ID: c.session, Name: c.ID + " in control mode: a form is a window of its own", Active: c.Active, Width: c.columns, Height: c.rows}
	case s.modal:
		v.Name, v.ID, v.Width, v.Height, v.Grows = v.ID, c.window, c.columns, c.rows, true
	}
	v.Pane = "elsewhere"
	if c.focused {
		v.Pane = c.pane + " " + s.socket
	}
	return v, err
}

func (s *server) viewer(ctx context.Context) (client, error) {
	clients, err := s.clients(ctx)
	if err != nil {
		return client{}, err
	}
	return choose(clients)
}

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
	rank := map[bool]int{true: 1}
	return slices.MaxFunc(fit, func(a, b client) int {
		return cmp.Or(rank[!a.control]-rank[!b.control], rank[a.focused]-rank[b.focused], a.Active.Compare(b.Active))
	}), nil
}

// Terminal finds the viewer's: what runs in tmux cannot reach it otherwise, since tmux
// swallows notifications. tmux keeps the client's environment to itself; the system shows it.
func (s *server) Terminal(ctx context.Context) (host.Terminal, error) {
	c, err := s.viewer(ctx)
	if err != nil {
		return host.Terminal{}, err
	}
	if c.control {
		return host.Terminal{}, fmt.Errorf("%s speaks tmux's control protocol", c.ID)
	}
	return host.Terminal{Program: host.ProgramOf(c.says, c.term, process.Started(c.pid)), Name: c.term, Device: c.tty}, nil
}

func findPane(ref string) host.Pane {
	id, socket := splitRef(ref)
	if socket == "" || adapter.Installed("tmux") != nil {
		return nil
	}
	return &server{socket: socket, pane: id}
}

// splitRef returns the pane's id and its server's socket, of which Asker made ref; both are
// empty where it was not made so.
func splitRef(ref string) (id, socket string) {
	id, socket, _ = strings.Cut(ref, " ")
	if digits, ok := strings.CutPrefix(id, "%"); !ok || !adapter.Number(digits) || !filepath.IsAbs(socket) {
		return "", ""
	}
	return id, socket
}

func (s *server) Screen(ctx context.Context) (string, error) {
	return s.run(ctx, "capture-pane", "-p", "-S", strconv.Itoa(-host.History), "-t", s.pane)
}

// GoTo switches the client's session, window and pane in one step. Where viewer is a window
// or a session, whoever has pressed a key there was active last.
func (s *server) GoTo(ctx context.Context, viewer string) error {
	if viewer == "" || strings.HasPrefix(viewer, "@") || isSession(viewer) {
		c, err := s.viewer(ctx)
		if err != nil {
			return err
		}
		viewer = c.ID
	}
	_, err := s.run(ctx, "switch-client", "-c", viewer, "-t", s.pane)
	return err
}
