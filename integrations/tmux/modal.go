package tmux

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/askpane/askpane/integrations/host"
)

// A modal floating pane (docs/hosts.md, Modal panes) belongs to a window, where a
// display-popup belongs to a client: it opens with nobody attached, stays through
// detach and attach, and every client that looks at its window shows it.

// usages is a format for list-commands: the usages of new-pane and of
// display-popup, each after a word that begins no client's line; of the other
// commands nothing. A server that has no such command is asked at the same price.
const usages = "#{?#{==:#{command_list_name},new-pane},usage\t#{command_list_usage}," +
	"#{?#{==:#{command_list_name},display-popup},popup\t#{command_list_usage},}}"

// tooOld is why the server can show no popup at all: display-popup came with 3.2,
// and its environment, which says where the spool is, with 3.3.
func tooOld(out string) error {
	for line := range strings.Lines(out) {
		if usage, ok := strings.CutPrefix(line, "popup\t"); ok && strings.Contains(usage, "[-e environment]") {
			return nil
		}
	}
	return errors.New("this tmux is too old: askpane needs display-popup -e, which came with 3.3")
}

// canModal reports whether the server can open a modal pane (-O) over a zoomed
// one (-A), and wait for its end (-W). 3.7 has a new-pane with none of these, and
// a bug by which many of them hang the server (docs/hosts.md, What was measured of
// tmux). The usage is asked and not the version: what is built from the source may
// have any.
func canModal(out string) bool {
	for line := range strings.Lines(out) {
		usage, ok := strings.CutPrefix(line, "usage\t[-")
		if !ok {
			continue
		}
		flags, _, _ := strings.Cut(usage, "]")
		for _, flag := range "AOPW" {
			if !strings.ContainsRune(flags, flag) {
				return false
			}
		}
		return true
	}
	return false
}

// windowOf is the window that the client c looks at. With nobody there (err) it
// is the one that somebody who attaches would see: the current one of the
// session that was used last.
func (s *server) windowOf(ctx context.Context, c client, err error) (host.Viewer, error) {
	if err == nil {
		v := c.Viewer
		v.Name, v.ID = v.ID, c.window
		return v, nil
	}
	if !errors.Is(err, host.ErrNoViewer) {
		return host.Viewer{}, err
	}
	out, failed := s.run(ctx, "display-message", "-p", "#{window_id}\t#{window_width}\t#{window_height}")
	if failed != nil {
		return host.Viewer{}, failed
	}
	f := strings.Split(strings.TrimSpace(out), "\t")
	if len(f) != 3 || !strings.HasPrefix(f[0], "@") {
		return host.Viewer{}, err
	}
	width, _ := strconv.Atoi(f[1])
	height, _ := strconv.Atoi(f[2])
	if width < leastWidth || height < leastHeight-1 { // without a status line
		return host.Viewer{}, err
	}
	return host.Viewer{ID: f[0], Width: width, Height: height, Absent: err}, nil
}

// paneAndExit is the pane's id, and whether it stays when its program has ended.
const paneAndExit = "#{pane_id} #{remain-on-exit}"

// modalArgs is the new-pane command line.
func modalArgs(v host.Viewer, cmd host.Command) []string {
	// A fixed title: -T is a format. No -K: with it the pane would also get the
	// keys that a menu or a prompt drawn above it is waiting for, and no format
	// tells that one is open.
	args := []string{"new-pane", "-O", "-A", "-W", "-P", "-F", paneAndExit, "-t", v.ID, "-T", " askpane "}
	if small(v) {
		args = append(args, "-B", "none", "-x", "100%", "-y", "100%", "-X", "0", "-Y", "0")
	} else {
		args = append(args, "-x", cmd.Width, "-y", cmd.Height, "-X", margin(cmd.Width), "-Y", margin(cmd.Height))
	}
	for _, e := range cmd.Env {
		args = append(args, "-e", e)
	}
	return append(append(args, "--"), cmd.Args...)
}

// margin centres a percentage: new-pane would put it to the top left.
func margin(percent string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(percent, "%"))
	if err != nil || n > 100 {
		return "0"
	}
	return strconv.Itoa((100-n)/2) + "%"
}

// modal is a modal pane. Its Err is a busy where the window has another one.
type modal struct {
	*running
	painter
	viewer host.Viewer
	width  string // as Open was told
	height string
	pane   string        // its id; empty where there is none
	known  chan struct{} // closed once that is so
	seen   chan error    // see Seen
	nobody atomic.Bool   // nobody is attached
	watch  sync.Once     // Shown's
}

func (s *server) openModal(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	r, err := s.start(ctx, modalArgs(v, cmd))
	if err != nil {
		return nil, err
	}
	m := &modal{running: r, painter: painter{server: s, client: v.Name}, viewer: v, width: cmd.Width, height: cmd.Height,
		known: make(chan struct{}), seen: make(chan error, 1)}
	if v.Absent != nil {
		m.tell(v.Absent)
	}
	go func() {
		line, _ := r.lines.ReadString('\n')
		id, stays, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.HasPrefix(id, "%") {
			m.pane = id
		}
		close(m.known)
		remains := m.pane != "" && stays != "off" // a dead pane would stay modal, also where this process dies first
		if remains {
			_ = s.tell([]string{"set-option", "-p", "-t", m.pane, "remain-on-exit", "off"})
		}
		r.reap()
		if remains { // it may have ended before that; it may also live on with another's form
			_ = s.tell([]string{"if-shell", "-F", "-t", m.pane, "#{pane_dead}", "kill-pane -t " + m.pane})
		}
		close(r.ended)
	}()
	return m, nil
}

func (m *modal) Viewer() string { return m.viewer.ID }

// Seen is host.Opening's.
func (m *modal) Seen() <-chan error { return m.seen }

// busy is the error of a window that has a modal pane already.
type busy struct{ error }

// Busy tells the bridge that another popup is in the way.
func (busy) Busy() bool { return true }

// Err is why the command ended; valid once Ended is closed.
func (m *modal) Err() error {
	err := m.running.Err()
	if err != nil && strings.Contains(err.Error(), "already has a modal pane") {
		return busy{err}
	}
	return err
}

// Abandon takes a pane that nobody can see along.
func (m *modal) Abandon() {
	m.closeUnseen()
	m.running.Abandon()
}

// closeUnseen closes a pane that nobody can see: where the question is over, the
// form would say so to nobody, and stay.
func (m *modal) closeUnseen() {
	if m.nobody.Load() {
		<-m.known
		if m.pane != "" {
			_ = m.server.tell([]string{"kill-pane", "-t", m.pane})
		}
	}
}
