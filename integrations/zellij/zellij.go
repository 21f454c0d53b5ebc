// Package zellij opens popups in zellij, 0.44.1 and later, as floating panes.
//
// It runs the zellij command and nothing else. The rule that must hold here:
// the only words on a zellij command line are ours, ids, paths and settings,
// and the title that Mark is given, each a word of its own.
//
// What is said of zellij here was measured with 0.45.1.
package zellij

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/launcher"
)

// session is one zellij session, and the asking pane in it.
type session struct {
	adapter.Pane
	command
	pane string // terminal_N; empty where it is not known

	tabsSeen adapter.Prefetched[[]tab]
	// unfloated: a floating pane was opened here that zellij did not show.
	unfloated atomic.Bool
}

// find finds the session that this process runs in.
func find(ctx context.Context) (host.Host, error) {
	return adapter.Find("zellij", []string{"ZELLIJ_SESSION_NAME", "ZELLIJ"}, func(env adapter.Environment, ours bool) (host.Host, error) {
		bin, err := adapter.Look("zellij")
		if err != nil {
			return nil, err
		}
		s := inside(env)
		s.bin = bin
		if !ours {
			s.pane = ""
		}
		s.patient = s.pane != ""
		tabs, err := s.tabs(ctx)
		if err != nil {
			return nil, err
		}
		if len(tabs) > 0 { // now and then it lists none, without an error
			s.tabsSeen.Put(tabs)
		}
		return s, nil
	})
}

// inside is the session and the pane in an environment.
func inside(env adapter.Environment) *session {
	s := newSession("", env("ZELLIJ_SESSION_NAME"), "")
	if id := env("ZELLIJ_PANE_ID"); adapter.Number(id) {
		s.pane = "terminal_" + id
	}
	for _, place := range []string{"ZELLIJ_SOCKET_DIR", "XDG_RUNTIME_DIR", "TMPDIR"} {
		if dir := env(place); dir != "" {
			s.places = append(s.places, place+"="+dir)
		}
	}
	return s
}

func newSession(bin, name, pane string) *session {
	return &session{Pane: adapter.Pane{Program: "zellij"}, command: command{bin: bin, session: name, patient: pane != ""}, pane: pane}
}

func (s *session) Kind() *host.Kind { return &Kind }

// Asker is session:pane, and the pane, the directory of the sockets where one is
// set, and the session, which may have blanks in its name. The pane's number is the
// one in $ZELLIJ_PANE_ID.
func (s *session) Asker() (words, ref string) {
	if s.pane == "" {
		return s.session, ""
	}
	dir := "-"
	for _, place := range s.places {
		if d, ok := strings.CutPrefix(place, "ZELLIJ_SOCKET_DIR="); ok && !strings.Contains(d, " ") {
			dir = d
		}
	}
	return s.session + ":" + strings.TrimPrefix(s.pane, "terminal_"), s.pane + " " + dir + " " + s.session
}

// tab is what list-tabs says of one.
type tab struct {
	ID      int `json:"tab_id"`
	Name    string
	Active  bool `json:"active"`           // a client looks at it; false everywhere when nobody is attached
	Columns int  `json:"viewport_columns"` // without the bars
	Rows    int  `json:"viewport_rows"`
	// Floating: the layer of floating panes is on view.
	Floating bool `json:"are_floating_panes_visible"`
}

// tabs asks for the session's tabs.
func (s *session) tabs(ctx context.Context) (tabs []tab, err error) {
	err = s.list(ctx, &tabs, "list-tabs")
	return tabs, err
}

// Viewer is the tab that a client looks at, and the room for panes in it. Which
// client zellij does not tell, and no command can name one; what is opened goes to
// the one used last.
func (s *session) Viewer(ctx context.Context) (host.Viewer, error) {
	tabs, err := s.tabsSeen.Get(ctx, s.tabs)
	if err != nil {
		return host.Viewer{}, err
	}
	return s.viewer(tabs)
}

func (s *session) tabID(t tab) string { return fmt.Sprintf("%s tab %d", s.session, t.ID) }

func (s *session) viewer(tabs []tab) (host.Viewer, error) {
	for _, t := range tabs {
		if !t.Active {
			continue
		}
		v := host.Viewer{ID: s.tabID(t), Width: t.Columns, Height: t.Rows}
		if below, ok := strings.CutPrefix(t.Name, formTab); ok && adapter.Number(below) {
			v.ID = s.session + " tab " + below // what is asked now waits in line there
		}
		return v, nil
	}
	// A pane can be opened all the same, but in the first tab, where the person
	// may not be when they come.
	return host.Viewer{}, fmt.Errorf("%w to the zellij session %s", host.ErrNoViewer, s.session)
}

// zellij makes a floating pane half as large as the room it has, then as large as
// was asked for. Where half of it is less than 5 rows or columns it starts the
// program, says so, and shows it nowhere; so it does with --in-place.
const leastFloating = 10

// formTab begins the name of a tab that is a form's; after it comes the ID of the
// tab that it was opened over. tabLayout is that of a tab of one pane and no bars,
// which are of no use on so few rows.
const (
	formTab   = "askpane over tab "
	tabLayout = "layout { pane borderless=true; }"
)

// runArgs is the zellij command line that opens argv as a popup: in a floating
// pane, or in a tab of its own. It takes no environment; argv sees to that.
func runArgs(v host.Viewer, floating bool, cmd host.Command, argv []string) []string {
	if !floating {
		below := v.ID[strings.LastIndex(v.ID, " ")+1:]
		return append([]string{"action", "new-tab", "--close-on-exit", "--name", formTab + below, "--layout-string", tabLayout, "--"}, argv...)
	}
	// Without --close-on-exit the pane stays and Enter runs the program again.
	args := []string{"run", "--floating", "--close-on-exit", "--name", "askpane"}
	if adapter.Small(v) {
		args = append(args, "--borderless", "true", "-x", "0", "-y", "0", "--width", "100%", "--height", "100%")
	} else {
		args = append(args, "--width", cmd.Width, "--height", cmd.Height)
	}
	return append(append(args, "--"), argv...)
}

// Open opens a floating pane, or a tab where there is no room for one. zellij
// focuses it and shows the layer that it is in, however many others are there, so
// that there is no busy viewer.
func (s *session) Open(ctx context.Context, v host.Viewer, cmd host.Command) (host.Opening, error) {
	floating := v.Width >= leastFloating && v.Height >= leastFloating && !s.unfloated.Load()
	var pane string
	o, err := launcher.Start(v.ID, cmd, func(argv []string) error {
		out, err := s.run(ctx, runArgs(v, floating, cmd, argv)...)
		pane = strings.TrimSpace(out)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !floating {
		return o, nil
	}
	return &floatingPane{Opening: o, session: s, viewer: v, pane: pane}, nil
}

// floatingPane is a form in a floating pane.
type floatingPane struct {
	*launcher.Opening
	session *session
	viewer  host.Viewer
	pane    string // as zellij calls it
}

const (
	// settled is how long after a form has come up zellij is asked whether it shows
	// it: asked at once, it would paint it later.
	settled = time.Second
	// checkEvery is how often it is asked after that. zellij tells nobody that a layer
	// was hidden, and asking takes some 20 ms of processor time.
	checkEvery = 15 * time.Second
)

// Shown ends a form that zellij has started and shows in none of its tabs: the bridge
// opens another, in a tab then. After that it shows the layer of floating panes again
// where the person has hidden it (Alt f): the form would stay unseen, and the agent
// waiting, until they think of it. There is time for a look at what is below.
func (f *floatingPane) Shown(ctx context.Context) {
	if !f.wait(ctx, settled) {
		return
	}
	if _, err := f.session.title(ctx, f.pane); strings.HasPrefix(f.pane, "terminal_") && errors.Is(err, errNoPane) {
		f.session.unfloated.Store(true)
		f.End()
		return
	}
	for f.wait(ctx, checkEvery) {
		tabs, err := f.session.tabs(ctx)
		if err != nil {
			return // the session is gone, or ctx over
		}
		for _, t := range tabs {
			// In a tab that nobody looks at it is shown when they come back.
			if f.viewer.ID == f.session.tabID(t) && t.Active && !t.Floating {
				// Its status is 2 where there was nothing to do.
				_, _ = f.session.run(ctx, "action", "show-floating-panes", "--tab-id", fmt.Sprint(t.ID))
			}
		}
	}
}

// wait reports whether the form is still up after a while.
func (f *floatingPane) wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-f.Ended():
		return false
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Mark gives the asking pane a name, which covers the title that the program in it
// sets.
func (s *session) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" && title != "" {
		return nil, errors.New("zellij: the asking pane is not known")
	}
	return adapter.Title{
		Get: func(ctx context.Context) (string, error) { return s.title(ctx, s.pane) },
		Set: func(ctx context.Context, title string) error {
			args := []string{"action", "rename-pane", "--pane-id", s.pane, "--", title}
			if title == "" {
				args = []string{"action", "undo-rename-pane", "--pane-id", s.pane}
			}
			_, err := s.run(ctx, args...)
			return err
		},
	}.Mark(ctx, title)
}

var errNoPane = errors.New("the pane is not there any more")

// title is what zellij shows as a pane's title.
func (s *session) title(ctx context.Context, pane string) (string, error) {
	var panes []struct {
		ID     int
		Plugin bool `json:"is_plugin"`
		Title  string
	}
	if err := s.list(ctx, &panes, "list-panes"); err != nil {
		return "", err
	}
	for _, p := range panes {
		if !p.Plugin && fmt.Sprintf("terminal_%d", p.ID) == pane {
			return p.Title, nil
		}
	}
	return "", fmt.Errorf("zellij: %w: %s", errNoPane, pane)
}

// pane is an asking pane that a popup looks at.
type pane struct{ *session }

// refs: the pane, the directory of the sockets or -, and the session.
var refs = regexp.MustCompile(`^(terminal_[0-9]{1,9}) (-|/[^ ]*) ([^-].*)$`)

func findPane(ref string) (host.Pane, error) {
	f := refs.FindStringSubmatch(ref)
	if f == nil {
		return nil, fmt.Errorf("%q names no zellij pane", ref)
	}
	bin, err := exec.LookPath("zellij")
	s := newSession(bin, f[3], f[1])
	if f[2] != "-" {
		s.places = []string{"ZELLIJ_SOCKET_DIR=" + f[2]}
	}
	return pane{s}, err
}

func (p pane) Screen(ctx context.Context) (string, error) {
	out, err := p.ask(ctx, "dump-screen", "--full", "--pane-id", p.pane)
	if err != nil {
		return "", err
	}
	return host.Last(out), nil
}

// GoTo takes the client that was used last there; no command can name one. It
// goes to the pane's tab and, where the pane is none of them, hides the floating
// ones.
func (p pane) GoTo(ctx context.Context, _ string) error {
	_, err := p.run(ctx, "action", "focus-pane-id", p.pane)
	return err
}
