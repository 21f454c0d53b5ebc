package tmux

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// A modal floating pane (docs/hosts.md, Modal panes) belongs to a window, where a
// display-popup belongs to a client: every client that looks at the window shows it.

// paneAndExit is the pane's id, and whether it stays when its program has ended.
const paneAndExit = "#{pane_id} #{remain-on-exit}"

// modalArgs is the new-pane command line.
func modalArgs(v host.Viewer, cmd host.Command) []string {
	// A fixed title: -T is a format. No -K: with it the pane would also get the
	// keys that a menu or a prompt drawn above it is waiting for, and no format
	// tells that one is open.
	args := []string{"new-pane", "-O", "-A", "-W", "-P", "-F", paneAndExit, "-t", v.ID, "-T", " askpane "}
	if adapter.Small(v) {
		args = append(args, "-B", "none", "-x", "100%", "-y", "100%", "-X", "0", "-Y", "0")
	} else {
		args = append(args, "-x", cmd.Width, "-y", cmd.Height, "-X", margin(cmd.Width), "-Y", margin(cmd.Height))
	}
	return append(args, program(cmd)...)
}

// margin centres a percentage: new-pane would put it to the top left.
func margin(percent string) string {
	n, err := strconv.Atoi(strings.TrimSuffix(percent, "%"))
	if err != nil || n > 100 {
		return "0"
	}
	return strconv.Itoa((100-n)/2) + "%"
}

// opened reads what new-pane prints; display-popup prints nothing.
func (p *popup) opened(line string) {
	var stays string
	if p.pane, stays, _ = strings.Cut(strings.TrimSpace(line), " "); stays != "off" {
		// A dead pane would stay modal, also where this process dies first.
		_ = p.server.runAside([]string{"set-option", "-p", "-t", p.pane, "remain-on-exit", "off"})
	}
}

// clean closes a pane that has ended before that option; it may also live on with
// another's form.
func (p *popup) clean() {
	if p.pane != "" {
		_ = p.server.runAside([]string{"if-shell", "-F", "-t", p.pane, "#{pane_dead}", "kill-pane -t " + p.pane})
	}
}

// follow closes the pane where nobody who could answer looks at its window any more.
// The bridge opens another where they look, or when somebody comes, and what was
// typed is in the draft.
func (p *popup) follow(ctx context.Context) {
	clients, err := p.server.clients(ctx)
	if err != nil || slices.ContainsFunc(clients, func(c client) bool { return c.canAnswer() && c.window == p.Viewer() }) {
		return
	}
	if pane := p.paneNow(ctx); pane != "" {
		_, _ = p.server.run(ctx, "kill-pane", "-t", pane) // it may have closed meanwhile
	}
}

// paneNow is the window's modal pane; empty where there is none.
func (p *popup) paneNow(ctx context.Context) string {
	out, _ := p.server.run(ctx, "display-message", "-p", "-t", p.Viewer(), "#{window_modal_pane}")
	return strings.TrimSpace(out)
}

// place gives the form the place that it would be opened at in its window as large
// as that is now: tmux squeezes a floating pane, and leaves it so.
func (p *popup) place(ctx context.Context) {
	pane := p.paneNow(ctx)
	at := func(width, height string) string {
		return fmt.Sprintf("resize-pane -t %[1]s -x %[2]s -y %[3]s ; move-pane -t %[1]s -X %[4]s -Y %[5]s", pane, width, height, margin(width), margin(height))
	}
	small := fmt.Sprintf("#{||:#{e|<:#{window_width},%d},#{e|<:#{window_height},%d}}", adapter.SmallWidth, adapter.SmallHeight)
	_, _ = p.server.run(ctx, "if-shell", "-F", "-t", pane, small,
		"set-option -p -t "+pane+" pane-border-lines none ; "+at("100%", "100%"),
		"set-option -p -u -t "+pane+" pane-border-lines ; "+at(p.width, p.height))
}
