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
	"os"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/herdr"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/kitty"
	"github.com/askpane/askpane/integrations/page"
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

// all lists the hosts, in the order in which Find tries those that it cannot tell
// apart by process. Adding a host is one package and one line here.
var all = []*host.Kind{
	&tmux.Kind,
	&zellij.Kind,
	&screen.Kind,
	&herdr.Kind,
	&run.Kind,
	&wezterm.Kind,
	&kitty.Kind,
	&terminal.Kind,
	&terminal.Plain,
	&window.Kind,
	&page.Kind,
}

func Kinds() []*host.Kind { return slices.Clone(all) }

// innermost returns all, beginning with the host that this process is deepest in, and the
// nearest process of each that it is in. An environment cannot tell: a tmux that was started
// inside wezterm has the variables of both, and so has a zellij inside tmux.
func innermost() (hosts []*host.Kind, above map[*host.Kind]host.Process) {
	ancestors := process.Line()
	depth := make(map[*host.Kind]int, len(all))
	above = make(map[*host.Kind]host.Process)
	for _, k := range all {
		n := -1
		if k.Depth != nil {
			n = k.Depth(ancestors)
		} else if k.Process != "" {
			n = process.DepthOf(ancestors, k.Process)
		}
		if depth[k] = n; n < 0 {
			depth[k] = math.MaxInt
		} else {
			above[k] = ancestors[n]
		}
	}
	return slices.SortedStableFunc(slices.Values(all), func(a, b *host.Kind) int { return cmp.Compare(depth[a], depth[b]) }), above
}

// named returns the host of that name, or one that can do nothing.
func named(name string) *host.Kind {
	if i := slices.IndexFunc(all, func(k *host.Kind) bool { return k.Name == name }); i >= 0 {
		return all[i]
	}
	return &host.Kind{}
}

// Pane finds an asking pane again, by the name of its host and what Host.Asker called it; nil
// where that host can show none, or the popup of an askpane run must not ask it (run.Boxed).
func Pane(name, ref string) host.Pane {
	if k := named(name); k.Pane != nil && (k == &run.Kind || !run.Boxed) {
		return k.Pane(ref)
	}
	return nil
}

// Resize returns the named host's Kind.Resize; nil on a terminal of its that keeps its size.
func Resize(name string) func(ctx context.Context, size host.Size) error {
	k := named(name)
	if Quirks(k).Floats {
		return nil
	}
	return k.Resize
}

// Quirks adds up those of the hosts, or of all, that this process's terminal is in.
func Quirks(of ...*host.Kind) (sum host.Quirks) {
	if of == nil {
		of = all
	}
	for _, k := range of {
		for _, q := range k.Quirks {
			if os.Getenv(q.On) != "" && (q.Unless == "" || os.Getenv(q.Unless) == "") {
				sum.Keeps = append(sum.Keeps, q.Keeps...)
				sum.NoMouse, sum.Floats, sum.Framed = sum.NoMouse || q.NoMouse, sum.Floats || q.Floats, sum.Framed || q.Framed
			}
		}
	}
	return sum
}

const Auto = "auto" // lets Find choose

// Names lists what Find takes.
func Names() []string {
	names := []string{Auto}
	for _, k := range all {
		names = append(names, k.Name)
	}
	return names
}

func Known(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("unknown host %q; there are %s", name, strings.Join(Names(), ", "))
}

// Find finds the named host, or the first one there is. The error says, for
// each one tried, why it cannot be used.
func Find(ctx context.Context, name string) (host.Host, error) {
	if err := Known(name); err != nil {
		return nil, err
	}
	hosts, above := innermost()
	if name != Auto {
		hosts = slices.DeleteFunc(hosts, func(k *host.Kind) bool { return k.Name != name })
	}
	h, err := firstOf(ctx, hosts, above)
	if err != nil && name == Auto {
		err = nowhere{err}
	}
	return h, err
}

// firstOf returns the first of the hosts that can be used, or says of each why it cannot.
func firstOf(ctx context.Context, hosts []*host.Kind, above map[*host.Kind]host.Process) (host.Host, error) {
	var missing []error
	for i := range hosts {
		h, err := find(ctx, hosts, i, above)
		if err == nil {
			return h, nil
		}
		missing = append(missing, err)
	}
	return nil, errors.New(reasons(hosts, missing))
}

const (
	// answerLimit bounds the time in which a host says that it is there. What it runs is
	// killed after that (adapter.Command).
	answerLimit = 1400 * time.Millisecond
	// insideLimit bounds that of the first instead where this process has come from it: on a
	// busy machine it is late, and the next best is the agent's own pane, where nobody looks.
	insideLimit = 5 * time.Second
)

// find looks for the host with that number. above has the process of each that this one has
// come from.
func find(ctx context.Context, hosts []*host.Kind, number int, above map[*host.Kind]host.Process) (host.Host, error) {
	from, inside := above[hosts[number]]
	if inside && from.User != 0 && from.User != os.Getuid() { // after su, for one
		return nil, errors.New("it is another user's, whose form could not read this one's questions")
	}
	ctx, cancel := context.WithTimeout(ctx, text.If(number == 0 && inside, insideLimit, answerLimit))
	defer cancel()
	return hosts[number].Find(ctx)
}

// reasons says why hosts cannot be used, what is the same of several once.
func reasons(hosts []*host.Kind, errs []error) string {
	var outside, said []string
	names := map[string][]string{}
	for i, err := range errs {
		if in, ok := err.(host.NotInside); ok && len(errs) > 1 {
			outside = append(outside, fmt.Sprintf("%s ($%s)", in.Program, in.Variable))
			continue
		}
		why := err.Error()
		if names[why] == nil {
			said = append(said, why)
		}
		names[why] = append(names[why], hosts[i].Name)
	}
	for i, why := range said {
		said[i] = strings.Join(names[why], ", ") + ": " + why
	}
	if len(outside) > 0 {
		said = append([]string{"not inside " + strings.Join(outside, ", ")}, said...)
	}
	return strings.Join(said, "; ")
}

// nowhere says why no host at all can be used.
type nowhere struct{ error }

// Cure says what the person can do about it, for an agent by askpane's name for it,
// as the end of a sentence; empty where the agent runs on no terminal.
func (nowhere) Cure(agent string) string {
	if _, err := tty.Own(); err != nil {
		return ""
	}
	return "; run the agent in a multiplexer such as tmux, or start the agent with: " + instead(agent)
}

// instead returns the command for an agent that would otherwise run on a plain terminal.
func instead(agent string) string {
	if _, known := text.Known(agent); !known {
		agent = "AGENT"
	}
	return "askpane run -- " + agent
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
