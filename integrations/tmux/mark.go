package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

// What Mark keeps in tmux is in options, where it goes with the pane or the window
// and where status lines can show it:
//
//	@askpane        of the pane and of its window: how many questions wait
//	@askpane_pane   of the pane: its own title, and an entry for each question
//	@askpane_window of the window: an entry for each question of all its panes
//
// An entry is a separator, the question's token, a blank and the title that the question
// has set, if any; the latest comes last. The lists have two names because a pane where
// nothing waits sees its window's options: the status line needs no more than #{@askpane}.
// They are lists and not counters, because what is taken out twice, or belongs to a process
// that has died, does no harm there; and tmux changes them itself, in its format language,
// because several processes do so at once and an answer does not wait for it.
const (
	countOption = "@askpane"
	paneList    = "@askpane_pane"
	windowList  = "@askpane_window"

	separator = "\x1f" // a control character, which no title can hold
)

// token names a question: its process, and a number within it.
func token() string { return fmt.Sprintf("%d_%d", os.Getpid(), marks.Add(1)) }

var marks atomic.Int64

// count makes a format for how many entries a list has.
func count(list string) string { return "#{n:#{s/[^" + separator + "]//:" + list + "}}" }

// without makes a format for a list without the entries of tokens, which are joined by |.
func without(list, tokens string) string {
	return "#{s/" + separator + "(" + tokens + ") [^" + separator + "]*//:" + list + "}"
}

// titleOf makes a format for the title that a question has set.
func titleOf(token string) string {
	return "#{s/^.*" + separator + token + " ([^" + separator + "]*).*$/\\1/:" + paneList + "}"
}

// latest makes a format for the title of the last entry, or the pane's own where there is
// none.
func (s *server) latest() string {
	list := paneList
	if s.modal { // tmux 3.8 doubles a backslash in every title that it sets, and would double the doubled one again
		list = `#{s/[\][\]/\\/:` + list + "}"
	}
	last, own := "#{s/^.*"+separator+"[0-9_]* //:"+list+"}", "#{s/"+separator+".*$//:"+list+"}"
	return "#{?" + last + "," + last + "," + own + "}"
}

// Mark counts the question at the asking pane and its window, and sets the pane's title: by select-pane -T, since
// what OSC 2 writes could mix with what the agent writes, and rename-window would end tmux's automatic names. A title
// that is no mark itself is the pane's own, and is kept in front of the list. Text gets back by formats alone, and
// there as one word that tmux reads from us: a command line can be read by everybody on the machine.
func (s *server) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" {
		return nil, errors.New("tmux: the asking pane is not known")
	}
	ours, set := token(), ""
	args := s.forget()
	if title != "" {
		set = "#{pane_title}"
		args = append(args,
			"if-shell", "-F", "-t", s.pane, "#{m:"+host.MarkSign+"*,#{pane_title}}", "",
			fmt.Sprintf("set-option -F -p -t %s %s '#{pane_title}#{s/^[^%s]+//:%[2]s}'", s.pane, paneList, separator), ";",
			"select-pane", "-t", s.pane, "-T", arg(literal(host.MarkSign+title)), ";",
		)
	}
	args = append(args,
		"set-option", "-a", "-F", "-p", "-t", s.pane, paneList, separator+ours+" "+set, ";",
		"set-option", "-F", "-p", "-t", s.pane, countOption, count(paneList), ";",
		"set-option", "-a", "-w", "-t", s.pane, windowList, separator+ours+" ", ";",
		"set-option", "-F", "-w", "-t", s.pane, countOption, count(windowList), ";",
		"display-message", "-p", "-t", s.pane, "#{window_id}",
	)
	cmd := s.tmux(ctx, []string{"source-file", "-"})
	cmd.Stdin = strings.NewReader(script(args))
	out, err := adapter.Output(cmd, "tmux select-pane")
	if err != nil {
		return nil, err
	}
	window := strings.TrimSpace(out) // the pane may have gone to another by the end
	_ = s.refreshAnd()               // else the status line is late, and the question is marked all the same
	return func(context.Context) error { return s.unmark(ours, window) }, nil
}

// unmark takes the question out of both lists, each on its own: the window or the pane may
// have gone. A title that is not ours any more stays; ours gives way to that of a question
// that still waits, and the last one's to the pane's own.
func (s *server) unmark(ours, window string) error {
	ofWindow := remove(ours, "-w", window, windowList)
	ofPane := remove(ours, "-p", s.pane, paneList)
	ofPane = fmt.Sprintf("if-shell -F -t %s '#{==:#{pane_title},%s}' { %s ; %s } { %s }",
		s.pane, titleOf(ours), ofPane, "select-pane -t "+s.pane+" -T '"+s.latest()+"'", ofPane)
	return s.refreshAnd(";", "if-shell", "-F", "1", ofWindow, ";", "if-shell", "-F", "1", ofPane,
		";", "if-shell", "-F", "1", unsetEmpty("-w", window, windowList), ";", "if-shell", "-F", "1", unsetEmpty("-p", s.pane, paneList))
}

// remove makes a command that takes the entries of tokens out of a list, and counts it anew.
func remove(tokens, level, target, list string) string {
	set := "set-option -F " + level + " -t " + target + " "
	return fmt.Sprintf("%s '%s' ; %s '%s'", set+list, without(list, tokens), set+countOption, count(list))
}

// unsetEmpty makes a command that takes away a list without entries, and its count.
func unsetEmpty(level, target, list string) string {
	unset := "set-option " + level + " -u -t " + target + " "
	return fmt.Sprintf("if-shell -F -t %s '#{==:%s,0}' { %s ; %s }", target, count(list), unset+list, unset+countOption)
}

// forget takes out the questions whose process has been killed.
func (s *server) forget() (args []string) {
	if len(s.dead) == 0 {
		return nil
	}
	tokens := strings.Join(s.dead, "|")
	return []string{"if-shell", "-F", "1", remove(tokens, "-p", s.pane, paneList), ";", "if-shell", "-F", "1", remove(tokens, "-w", s.pane, windowList), ";"}
}

// tokens is a format for those in both lists, as deadTokens reads them.
const tokens = "#{s/" + separator + "([0-9_]*) [^" + separator + "]*/<\\1>/:#{" + paneList + "}#{" + windowList + "}}"

// deadTokens returns those of which no process is left.
func deadTokens(lists string) (dead []string) {
	for _, entry := range strings.Split(lists, "<")[1:] {
		token, _, _ := strings.Cut(entry, ">")
		asker, number, _ := strings.Cut(token, "_")
		pid, _ := strconv.Atoi(asker)
		word := adapter.Number(asker) && adapter.Number(number) // and nothing else, in a format
		if word && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !slices.Contains(dead, token) {
			dead = append(dead, token)
		}
	}
	return dead
}
