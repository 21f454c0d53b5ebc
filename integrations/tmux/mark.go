package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// What Mark keeps in tmux is in options of the pane, which go with it: its own title, and the
// question that has set ours last. tmux compares and copies them itself, in its format
// language, because several processes do so at once and an answer does not wait for it.
const (
	ownTitle  = "@askpane_title"
	lastAsker = "@askpane"
)

var marks atomic.Int64

// Mark sets the pane's title: by select-pane -T, since what OSC 2 writes could mix with what the agent writes, and
// rename-window would end tmux's automatic names. A title that is no mark itself is the pane's own, and is kept. Ours
// gets to tmux as a word that it reads from us: a command line can be read by everybody on the machine.
func (s *server) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" {
		return nil, errors.New("tmux: the asking pane is not known")
	}
	question := fmt.Sprintf("%d_%d", os.Getpid(), marks.Add(1))
	const marked = "#{m:" + host.MarkSign + "*,#{pane_title}}"
	cmd := s.tmux(ctx, []string{"source-file", "-"})
	cmd.Stdin = strings.NewReader(script([]string{
		"if-shell", "-F", "-t", s.pane, marked, "", "set-option -F -p -t " + s.pane + " " + ownTitle + " '#{pane_title}'", ";",
		"set-option", "-p", "-t", s.pane, lastAsker, question, ";",
		"select-pane", "-t", s.pane, "-T", arg(literal(host.MarkSign + title)),
	}))
	if _, err := adapter.Output(cmd, "tmux select-pane"); err != nil {
		return nil, err
	}
	silent := func(*command, string) {}
	refresh := []string{"refresh-client", "-S"} // runs the programs in the status line that the person sees, for its count
	_, _ = s.start(refresh, silent)             // else that is late
	// A title that is not ours any more stays. Nobody waits for the command, which ends within milliseconds: waiting
	// took a third of the time from the answering key to the tool's result. The pane may be gone by then.
	return func(context.Context) error {
		own := "#{" + ownTitle + "}"
		if s.modal { // tmux 3.8 doubles a backslash in every title that it sets, and would double the doubled one again
			own = `#{s/[\][\]/\\/:` + ownTitle + "}"
		}
		unset := "set-option -p -u -t " + s.pane + " "
		give := "if-shell -F -t " + s.pane + " '" + marked + "' { select-pane -t " + s.pane + " -T '" + own + "' } ; " + unset + ownTitle + " ; " + unset + lastAsker
		_, err := s.start(append([]string{"if-shell", "-F", "-t", s.pane, "#{==:#{" + lastAsker + "}," + question + "}", give, ";"}, refresh...), silent)
		return err
	}, nil
}
