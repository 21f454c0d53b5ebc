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
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/lifeline"
)

// session is one zellij session, and the asking pane in it.
type session struct {
	bin  string
	name string
	pane string // terminal_N; empty where it is not known
	// places are NAME=value for zellij, so that it looks for its sockets where the
	// pane's zellij does.
	places []string

	seen host.Glance[[]tab]
	// unfloated: a floating pane was opened here that zellij did not show.
	unfloated atomic.Bool
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

func (s *session) Kind() *host.Kind { return &Kind }

// Asker is session:pane, and the pane, the directory of the sockets where one is
// set, and the session, which may have blanks in its name. The pane's number is the
// one in $ZELLIJ_PANE_ID.
func (s *session) Asker() (words, ref string) {
	if s.pane == "" {
		return s.name, ""
	}
	dir := "-"
	for _, place := range s.places {
		if d, ok := strings.CutPrefix(place, "ZELLIJ_SOCKET_DIR="); ok && !strings.Contains(d, " ") {
			dir = d
		}
	}
	return s.name + ":" + strings.TrimPrefix(s.pane, "terminal_"), s.pane + " " + dir + " " + s.name
}

// tabs asks for the session's tabs.
func (s *session) tabs(ctx context.Context) ([]tab, error) {
	out, err := s.told(ctx, "list-tabs", "--json")
	if err != nil {
		return nil, err
	}
	return parseTabs(out)
}

// told is what an action says that always says something. zellij now and then says
// nothing, without an error, while a pane is opened or closed.
func (s *session) told(ctx context.Context, action ...string) (string, error) {
	for tries := 1; ; tries++ {
		out, err := s.run(ctx, append([]string{"action"}, action...)...)
		if err != nil || out != "" || tries == mostTries || !pause(ctx, tries) {
			return out, err
		}
	}
}

func parseTabs(out string) ([]tab, error) {
	var tabs []tab
	if err := json.Unmarshal([]byte(out), &tabs); err != nil {
		return nil, fmt.Errorf("zellij action list-tabs --json said %.80q: %w", out, err)
	}
	return tabs, nil
}

// Viewer is the tab that a client looks at, and the room for panes in it. Which client zellij does not tell,
// and no command can name one; what is opened goes to the one used last.
func (s *session) Viewer(ctx context.Context) (host.Viewer, error) {
	tabs, err := s.seen.Or(ctx, s.tabs)
	if err != nil {
		return host.Viewer{}, err
	}
	return s.viewer(tabs)
}

func (s *session) viewer(tabs []tab) (host.Viewer, error) {
	for _, t := range tabs {
		if !t.Active {
			continue
		}
		id := fmt.Sprint(t.ID)
		if below, ok := strings.CutPrefix(t.Name, formTab); ok && number(below) {
			id = below // what is asked now waits in line there
		}
		return host.Viewer{ID: s.name + " tab " + id, Width: t.Columns, Height: t.Rows}, nil
	}
	// A pane can be opened all the same, but in the first tab, where the person
	// may not be when they come.
	return host.Viewer{}, fmt.Errorf("%w to the zellij session %s", host.ErrNoViewer, s.name)
}

// Below this a border costs more than it gives; as in tmux.
const smallWidth, smallHeight = 60, 16

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
	if v.Width < smallWidth || v.Height < smallHeight {
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
	o, err := lifeline.Start(v.ID, cmd, func(argv []string) error {
		out, err := s.run(ctx, runArgs(v, floating, cmd, argv)...)
		pane = strings.TrimSpace(out)
		return err
	})
	if err != nil {
		return nil, err
	}
	if floating {
		o.OnShown(func(ctx context.Context) {
			if s.placed(ctx, pane, o.Ended()) {
				s.keepShown(ctx, v, o.Ended())
			} else { // the bridge opens another
				s.unfloated.Store(true)
				o.End()
			}
		})
	}
	return o, nil
}

// settled is how long after a form has come up zellij is asked whether it shows
// it: asked at once, it would paint it later.
const settled = time.Second

// placed reports, after a while, whether a pane that zellij has opened is in one
// of its tabs. In doubt it is.
func (s *session) placed(ctx context.Context, pane string, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return true
	case <-ctx.Done():
		return true
	case <-time.After(settled):
	}
	out, err := s.told(ctx, "list-panes", "--json")
	if err != nil || !strings.HasPrefix(pane, "terminal_") {
		return true
	}
	_, err = paneTitle(out, pane)
	return !errors.Is(err, errNoPane)
}

// look is how often keepShown looks. zellij tells nobody that a layer was
// hidden, and a look takes some 20 ms of processor time.
const look = 15 * time.Second

// keepShown shows the layer of floating panes again after the person has hidden
// it (Alt f): the form would stay unseen, and the agent waiting, until they
// think of it. There is time for a look at what is below.
func (s *session) keepShown(ctx context.Context, v host.Viewer, ended <-chan struct{}) {
	every := time.NewTicker(look)
	defer every.Stop()
	for {
		select {
		case <-ended:
			return
		case <-ctx.Done():
			return
		case <-every.C:
		}
		tabs, err := s.tabs(ctx)
		if err != nil {
			return // the session is gone, or ctx over
		}
		for _, t := range tabs {
			// In a tab that nobody looks at it is shown when they come back.
			if v.ID == fmt.Sprintf("%s tab %d", s.name, t.ID) && t.Active && !t.Floating {
				// Its status is 2 where there was nothing to do.
				_, _ = s.run(ctx, "action", "show-floating-panes", "--tab-id", fmt.Sprint(t.ID))
			}
		}
	}
}

// patience is how long zellij may take for one command. One that comes while its
// session starts or ends can hang.
const patience = 5 * time.Second

// run runs one zellij command and returns what it printed. zellij finds its
// session by asking all there are whether they live, and takes one that sends it
// something else first for dead. So a session is only believed to be gone when it
// is for a while.
func (s *session) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	most := mostTries
	if s.pane == "" { // whatever said that it is there may be old
		most = 2
	}
	for tries := 1; ; tries++ {
		out, err := s.once(ctx, args...)
		if err == nil || tries == most || !strings.Contains(err.Error(), "There is no active session") && !strings.Contains(err.Error(), "not found. The following sessions") {
			return out, err
		}
		if !pause(ctx, tries) {
			return out, err
		}
	}
}

// mostTries is how often something is asked that zellij does not always answer:
// for half a second in all.
const mostTries = 10

// pause waits before the next try, and reports whether there is time for one.
func pause(ctx context.Context, tries int) bool {
	select {
	case <-time.After(time.Duration(tries) * 10 * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *session) once(ctx context.Context, args ...string) (string, error) {
	cmd := host.Program(ctx, s.bin, append([]string{"--session", s.name}, args...)...)
	cmd.Env = append(os.Environ(), s.places...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", failure(args, string(exit.Stderr), string(out))
	}
	if err != nil {
		return "", fmt.Errorf("zellij %s: %w", strings.Join(args[:2], " "), err)
	}
	return string(out), nil
}

// failure is why a zellij command failed, in zellij's words and in ours where
// those say too little.
func failure(args []string, stderr, stdout string) error {
	said := strings.TrimSpace(stderr)
	if said == "" {
		said = strings.TrimSpace(stdout)
	}
	command := strings.Join(args[:min(2, len(args))], " ")
	// clap's words for what an older one does not know.
	for _, unknown := range []string{"unexpected argument", "unrecognized subcommand", "wasn't expected", "wasn't recognized"} {
		if strings.Contains(said, unknown) {
			return fmt.Errorf("this zellij is too old: askpane needs 0.44.1 or later (zellij %s: %s)", command, firstLine(said))
		}
	}
	return fmt.Errorf("zellij %s: %s", command, firstLine(said))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
