// Package integrations knows the places where a popup can be opened: it finds
// the host this process runs in and hands out the one way to open, ring and
// mark there. Each host is a package below this one.
//
// It knows nothing of forms or of the spool. The rule that must hold here:
// nothing an agent wrote reaches a host's command line, format or shell.
package integrations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/kitty"
	"github.com/askpane/askpane/integrations/plain"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/screen"
	"github.com/askpane/askpane/integrations/terminal"
	"github.com/askpane/askpane/integrations/tmux"
	"github.com/askpane/askpane/integrations/tty"
	"github.com/askpane/askpane/integrations/wezterm"
	"github.com/askpane/askpane/integrations/window"
	"github.com/askpane/askpane/integrations/zellij"
)

// kind is what is known of a host before it is found.
type kind struct {
	name string
	find func(context.Context) (host.Host, error)
	// program tells the version of the host's program; nil where it has none.
	program func(context.Context) (version string, err error)
	// pane finds an asking pane again; nil where the host can show none.
	pane func(ref string) (host.Pane, error)
	// up is how many parents up the host itself is, cheaply and without running
	// anything; -1 where this process does not come from it. Nil: it never does.
	up func(line []process.Process) int
	// kept are the keys that the host around this terminal keeps for itself; nil
	// where it hands all of them on.
	kept func() []string
}

// all is every host, in the order in which Find tries those that it cannot tell
// apart by process. Adding a host is one package and one line here.
var all = []kind{
	{"tmux", tmux.Find, tmux.Program, tmux.Pane, tmux.Up, tmux.Kept},
	{"zellij", zellij.Find, zellij.Program, zellij.Pane, zellij.Up, zellij.Kept},
	{"screen", screen.Find, screen.Program, screen.Pane, screen.Up, nil},
	{"run", run.Find, nil, run.Pane, run.Up, nil},
	{"wezterm", wezterm.Find, wezterm.Program, wezterm.Pane, wezterm.Up, nil},
	{"kitty", kitty.Find, nil, kitty.Pane, kitty.Up, nil},
	{"terminal", terminal.Find, nil, nil, nil, nil},
	{"plain", plain.Find, nil, nil, nil, nil},
	{"window", window.Find, nil, nil, nil, nil},
}

// innermost is all, the host first that this process is deepest in. An
// environment cannot tell: a tmux that was started inside wezterm has the
// variables of both, and so has a zellij inside tmux.
func innermost() []kind {
	line := process.Line()
	up := make(map[string]int, len(all))
	for _, k := range all {
		up[k.name] = math.MaxInt
		if k.up == nil {
			continue
		}
		if n := k.up(line); n >= 0 {
			up[k.name] = n
		}
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b kind) int { return cmp.Compare(up[a.name], up[b.name]) })
}

// Pane finds an asking pane again, by the name of its host and the Ref that
// gave; nil where that host can show none.
func Pane(name, ref string) host.Pane {
	for _, h := range all {
		if h.name != name || h.pane == nil || ref == "" {
			continue
		}
		if p, err := h.pane(ref); err == nil {
			return p
		}
	}
	return nil
}

// Kept are the keys that a host around this terminal keeps for itself, as the
// popup names them ("Ctrl+P").
func Kept() []string {
	var keys []string
	for _, h := range all {
		if h.kept != nil {
			keys = append(keys, h.kept()...)
		}
	}
	return keys
}

// Auto is the name that lets Find choose.
const Auto = "auto"

// Names lists what Find takes.
func Names() []string {
	names := []string{Auto}
	for _, h := range all {
		names = append(names, h.name)
	}
	return names
}

// Known reports whether name is one of Names.
func Known(name string) error {
	for _, n := range Names() {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("unknown host %q; there are %s", name, strings.Join(Names(), ", "))
}

// Find finds the named host, or the first one there is. The error says, for
// each one tried, why it cannot be used.
func Find(ctx context.Context, name string) (host.Host, error) {
	if err := Known(name); err != nil {
		return nil, err
	}
	hosts := innermost()
	if name != Auto {
		hosts = slices.DeleteFunc(hosts, func(k kind) bool { return k.name != name })
	}
	looks, stop := beside(ctx, hosts)
	defer stop()
	var missing []failure
	for i, look := range looks {
		found, err := look()
		if err == nil {
			return found, nil
		}
		missing = append(missing, failure{hosts[i].name, err})
	}
	why := errors.New(reasons(missing))
	if name == Auto {
		why = nowhere{why}
	}
	return nil, why
}

// beside is host.Beside for hosts.
func beside(ctx context.Context, hosts []kind) (looks []func() (host.Host, error), stop func()) {
	var finds []func(context.Context) (host.Host, error)
	for _, k := range hosts {
		finds = append(finds, k.find)
	}
	return host.Beside(ctx, finds...)
}

// failure is why a host cannot be used.
type failure struct {
	name string
	err  error
}

// reasons says why hosts cannot be used, what is the same of several once.
func reasons(all []failure) string {
	var outside, said []string
	names := map[string][]string{}
	for _, f := range all {
		if in, ok := f.err.(host.NotInside); ok && len(all) > 1 {
			outside = append(outside, fmt.Sprintf("%s ($%s)", in.Program, in.Variable))
			continue
		}
		why := f.err.Error()
		if names[why] == nil {
			said = append(said, why)
		}
		names[why] = append(names[why], f.name)
	}
	for i, why := range said {
		said[i] = strings.Join(names[why], ", ") + ": " + why
	}
	if len(outside) > 0 {
		said = append([]string{"not inside " + strings.Join(outside, ", ")}, said...)
	}
	return strings.Join(said, "; ")
}

// Finding is one host as Survey found it.
type Finding struct {
	Name string
	Host host.Host // nil where it cannot be used
	Err  error     // why not
	Used bool      // Find would take this one
	// Program is the version of the host's program that is installed; empty
	// where it has none, and ProgramErr is why it could not be told.
	Program    string
	ProgramErr error
}

// Survey looks for every host, whichever comes first, and says which Find would
// take for name.
func Survey(ctx context.Context, name string) []Finding {
	findings := make([]Finding, len(all))
	used := false
	hosts := innermost()
	looks, stop := beside(ctx, hosts)
	defer stop()
	for i, h := range hosts {
		f := Finding{Name: h.name}
		f.Host, f.Err = looks[i]()
		if h.program != nil {
			f.Program, f.ProgramErr = h.program(ctx)
		}
		f.Used = f.Err == nil && !used && (name == Auto || name == h.name)
		used = used || f.Used
		findings[i] = f
	}
	return findings
}

// Tell writes a notification (OSC 9, 99 or 777, less than 512 bytes) to a
// viewer's own terminal, past the multiplexer.
func Tell(t host.Terminal, sequence string) error {
	write := t.Write
	if write == nil {
		write = func(sequence string) error { return tty.Tell(t.Device, sequence) }
	}
	if err := write(sequence); err != nil {
		return fmt.Errorf("notify %s: %w", t.Device, err)
	}
	return nil
}
