package tests

import (
	"strings"
	"testing"
)

// together asks several questions from one pane, one after the other is there.
func (s *tmuxServer) together(env []string, requests ...string) (pane string, askers []*asker) {
	s.t.Helper()
	pane = s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "sh")
	s.tmux("select-pane", "-t", pane, "-T", "my agent")
	for _, request := range requests {
		a := newAsker(s.t, s.spool, request)
		before := s.format(pane, "@askpane")
		s.tmux("send-keys", "-t", pane, "-l", "("+a.script(env)+") &\n")
		eventually(s.t, "the pane is marked", func() bool { return s.format(pane, "@askpane") != before })
		askers = append(askers, a)
	}
	return pane, askers
}

// The lines of docs/hosts.md: a window says that a question waits in it, the
// status line how many there are.
func TestTmuxStatusLine(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	const mark = "#{?#{m:*🔔*,#{P:#{pane_title}}},🔔 ,}"
	s.tmux("set-option", "-g", "status-interval", "60")
	s.tmux("set-option", "-g", "window-status-format", mark+"#I:#W")
	s.tmux("set-option", "-g", "status-right", "<#(ASKPANE_SPOOL="+quote(string(s.spool))+" "+quote(binary)+" status --format tmux)>")
	v := s.attach("main", 100, 30)
	line := func() string { return v.rows()[29] }
	eventually(t, "nothing waits", func() bool { return strings.Contains(line(), "<>") })
	_, askers := s.together([]string{"ASKPANE_OPEN_MODE=manual"}, colour, trip)
	eventually(t, "both are there", func() bool { return strings.Contains(line(), "🔔 1:") && strings.Contains(line(), "<🔔 2 ") })
	for i, id := range s.spool.pending() {
		s.spool.answers(t, id, "")
		askers[i].ends("cancelled", 3, closed)
	}
	eventually(t, "nothing waits any more", func() bool { return strings.Contains(line(), "<>") && !strings.Contains(line(), "🔔") })
}
