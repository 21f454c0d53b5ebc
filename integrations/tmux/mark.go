package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/askpane/askpane/integrations/host"
)

// What Mark keeps in tmux, in options, where it goes with the pane or the window
// and where status lines can show it:
//
//	@askpane            of the pane and of its window: how many questions wait
//	@askpane_pane       of the pane: their tokens, the latest last: <12_1><34_1>
//	@askpane_window     of the window: the tokens of all its panes
//	@askpane_title_12_1 of the pane: the title that question 12_1 has set
//	@askpane_old_title  of the pane: the title from before the first of them
//
// The lists have two names because a pane's options begin with its window's: a
// pane that nothing waits in sees its window's @askpane, so that the status line
// needs no more than #{@askpane}. Lists and not counters, because what is taken
// out twice, or belongs to a process that has died, does no harm there.
const (
	count      = "@askpane"
	paneList   = "@askpane_pane"
	windowList = "@askpane_window"
	ownTitle   = "@askpane_title_"
	oldTitle   = "@askpane_old_title"
)

// token names one question: its process, and a number within it.
func token() string { return fmt.Sprintf("%d_%d", os.Getpid(), marks.Add(1)) }

// marks tells the questions of one process apart.
var marks atomic.Int64

// without is a format: list without the tokens (joined by |).
func without(list, tokens string) string { return "#{s/<(" + tokens + ")>//:" + list + "}" }

// howMany is a format: the number of tokens in list.
func howMany(list string) string { return "#{n:#{s/<[0-9_]*>/x/:" + list + "}}" }

// latest is a format: the title of the latest question in the pane's list. The
// name of its option has to be put together first, and ##{…#} comes out of that
// as a format which E: expands; the title itself is not expanded.
const latest = `#{E:##{` + ownTitle + `#{s/^.*<([0-9_]*)>$/\1/:` + paneList + `}#}}`

// nextTitle is latest, or the agent's own where that question has set none.
const nextTitle = `#{?` + latest + `,` + latest + `,#{` + oldTitle + `}}`

// Mark counts the question at the asking pane and its window, and sets the
// pane's title. select-pane -T and not OSC 2 written to the pane's tty: the
// agent writes there too, and the two could mix. It does not move the focus, and
// unlike rename-window leaves tmux's automatic names alone.
//
// The old title waits in a pane option, unless it is a mark itself: where several
// questions come from one pane, the first keeps the agent's own title. Text
// gets there and back by formats alone, never through tmux's command parser.
func (s *server) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if s.pane == "" {
		return nil, errors.New("tmux: the asking pane is not known")
	}
	ours := token()
	args := s.forget()
	if title != "" {
		args = append(args,
			"if-shell", "-F", "-t", s.pane, "#{m:"+host.MarkSign+"*,#{pane_title}}", "",
			fmt.Sprintf("set-option -F -p -t %s %s '#{pane_title}'", s.pane, oldTitle), ";",
			"select-pane", "-t", s.pane, "-T", arg(literal(host.MarkSign+title)), ";",
			"set-option", "-F", "-p", "-t", s.pane, ownTitle+ours, "#{pane_title}", ";",
		)
	}
	args = append(args,
		"set-option", "-a", "-p", "-t", s.pane, paneList, "<"+ours+">", ";",
		"set-option", "-F", "-p", "-t", s.pane, count, howMany(paneList), ";",
		"set-option", "-a", "-w", "-t", s.pane, windowList, "<"+ours+">", ";",
		"set-option", "-F", "-w", "-t", s.pane, count, howMany(windowList), ";",
		"display-message", "-p", "-t", s.pane, "#{window_id}",
	)
	out, err := s.runAll(ctx, args)
	if err != nil {
		return nil, err
	}
	// The pane may have gone to another window by the end.
	return s.unmark(ours, strings.TrimSpace(out)), nil
}

// unmark takes the question out of the lists. Each if-shell is on its own: where
// the window or the pane has gone, the other is still seen to.
func (s *server) unmark(ours, window string) func(context.Context) error {
	forgetWindow := []string{"if-shell", "-F", "1", fmt.Sprintf(`set-option -F -w -t %[1]s %[2]s '%[3]s' ;
if-shell -F -t %[1]s '#{%[2]s}' { set-option -F -w -t %[1]s %[4]s '%[5]s' } { set-option -w -u -t %[1]s %[2]s ; set-option -w -u -t %[1]s %[4]s }`,
		window, windowList, without(windowList, ours), count, howMany(windowList))}
	// A title that is not ours any more is the agent's new one, or another
	// question's; that stays. Ours gives way to that of a question that still
	// waits, and the last one's to the agent's own.
	isOurs := "#{==:#{pane_title},#{" + ownTitle + ours + "}}"
	forgetPane := []string{"if-shell", "-F", "1", fmt.Sprintf(`set-option -F -p -t %[1]s %[2]s '%[3]s' ;
if-shell -F -t %[1]s '#{%[2]s}' {
set-option -F -p -t %[1]s %[4]s '%[5]s'
if-shell -F -t %[1]s '%[6]s' { select-pane -t %[1]s -T '%[7]s' }
} {
set-option -p -u -t %[1]s %[2]s
set-option -p -u -t %[1]s %[4]s
if-shell -F -t %[1]s '%[6]s' { select-pane -t %[1]s -T '%[10]s' }
set-option -p -u -t %[1]s %[8]s
}
set-option -p -u -t %[1]s %[9]s`,
		s.pane, paneList, without(paneList, ours), count, howMany(paneList), isOurs, nextTitle, oldTitle, ownTitle+ours, s.plainOld())}
	return func(context.Context) error {
		return s.tell(slices.Concat(forgetWindow, []string{";"}, forgetPane))
	}
}

// plainOld is a format: the agent's own title. tmux 3.8 doubles a backslash in
// every title that it sets, and would double the doubled one again; 3.3a keeps it.
func (s *server) plainOld() string {
	if s.modal {
		return `#{s/[\][\]/\\/:` + oldTitle + "}"
	}
	return "#{" + oldTitle + "}"
}

// forget takes out the questions whose process has been killed, and could not
// do so itself.
func (s *server) forget() (args []string) {
	if len(s.dead) == 0 {
		return nil
	}
	tokens := strings.Join(s.dead, "|")
	for _, list := range []struct{ level, name string }{{"-p", paneList}, {"-w", windowList}} {
		args = append(args, "set-option", "-F", list.level, "-t", s.pane, list.name, without(list.name, tokens), ";")
	}
	for _, t := range s.dead {
		args = append(args, "set-option", "-p", "-u", "-t", s.pane, ownTitle+t, ";")
	}
	return args
}

// deadTokens are those in the lists of which no process is left.
func deadTokens(lists string) (dead []string) {
	if lists == "" {
		return nil // as nearly always
	}
	for _, found := range regexp.MustCompile(`<((\d{1,9})_\d{1,9})>`).FindAllStringSubmatch(lists, -1) {
		pid, _ := strconv.Atoi(found[2])
		if pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) && !slices.Contains(dead, found[1]) {
			dead = append(dead, found[1])
		}
	}
	return dead
}

// tell starts a tmux command and does not wait for it: it ends by itself within
// milliseconds, and waiting took a third of the time from the answering key to
// the tool's result. That the server or the pane is gone by then is no failure.
func (s *server) tell(args []string) error {
	cmd := s.command(context.Background(), args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal to us is meant for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("tmux %s: %w", args[0], err)
	}
	go func() { _ = cmd.Wait() }() // a process that goes on after it must reap it
	return nil
}
