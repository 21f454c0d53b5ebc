package tmux

import (
	"errors"
	"slices"
	"testing"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/needs"
)

func TestCanModal(t *testing.T) {
	t.Parallel()
	const args = "] [-B border-lines] [-c start-directory] [shell-command [argument ...]]\n"
	const waits = "wait-for [-ELSUlv] [-F format] [-w waiter] name\n"
	for _, c := range []struct {
		name, out string
		want      bool
	}{
		{"no such command", waits, false},
		{"3.8", "new-pane [-AbCDefhIkKLMOPvWZ" + args + waits, true},
		{"one that cannot wait for events", "new-pane [-AbCDefhIkKLMOPvWZ" + args + "wait-for [-L|-S|-U] channel\n", false},
		{"not modal, and a later option of that letter", "new-pane [-AbKPWZ] [-O other]\n" + waits, false},
		{"after a client", row(10, "0", "0", "attached", 120, 40, "a") + "new-pane [-AO" + args + waits, true},
		{"a client's name", row(10, "0", "0", "attached", 120, 40, "new-pane [-AO]") + waits, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got := abilities(c.out); got != c.want {
				t.Errorf("modal panes in %q: %v", c.out, got)
			}
		})
	}
}

func TestTooOld(t *testing.T) {
	t.Parallel()
	const since33 = "display-popup [-BCE] [-b border-lines] [-c target-client] [-d start-directory] [-e environment] [-h height] [-s style] [shell-command]\n"
	for _, c := range []struct {
		name, out string
		want      bool
	}{
		{"3.1", row(10, "0", "0", "attached", 120, 40, "a"), true},
		{"3.2a", "display-popup [-CE] [-c target-client] [-d start-directory] [-h height] [-t target-pane] [-w width] [-x position] [-y position] [command]\n", true},
		{"3.3a", since33, false},
		{"after a client", row(10, "0", "0", "attached", 120, 40, "a") + since33, false},
	} {
		if popup, _ := abilities(c.out); popup == c.want {
			t.Errorf("%s: too old is not %v", c.name, c.want)
		}
	}
}

func TestModalArgs(t *testing.T) {
	t.Parallel()
	cmd := host.Command{Args: []string{"/opt/askpane", "popup", "01X"}, Env: []string{"A=b c"}, Size: host.Size{Columns: 61, Rows: 12, Width: 100, Height: 100}}
	for _, c := range []struct {
		name string
		v    host.Viewer
		size []string
	}{
		{"ordinary", host.Viewer{ID: "@3", Width: 120, Height: 40}, []string{"-x", "61", "-y", "12", "-X", "29", "-Y", "14", "-S", "fg=colour244", "-R", "fg=colour244"}},
		{"narrow", host.Viewer{ID: "@3", Width: host.SmallWidth - 1, Height: 40}, []string{"-x", "59", "-y", "40", "-X", "0", "-Y", "0", "-S", "fg=colour244", "-R", "fg=colour244", "-B", "none"}},
		{"low", host.Viewer{ID: "@3", Width: 120, Height: host.SmallHeight - 1}, []string{"-x", "120", "-y", "15", "-X", "0", "-Y", "0", "-S", "fg=colour244", "-R", "fg=colour244", "-B", "none"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := append([]string{"new-pane", "-O", "-A", "-t", "@3", "-T", " askpane "}, c.size...)
			want = append(want, "-e", "A=b c", "--", "/opt/askpane", "popup", "01X")
			if args := modalArgs(c.v, cmd); !slices.Equal(args, want) {
				t.Errorf("args\n%q\nwant\n%q", args, want)
			}
		})
	}
}

// A window that has a modal pane says so at once, in a way that the bridge takes
// for what it is.
func TestModalBusy(t *testing.T) {
	t.Parallel()
	s := privateServer(t)
	if !s.modal {
		needs.Cannot(t, "modal panes in a tmux without them", "tests/tmux-38 gets one that has")
	}
	open := func() host.Opening {
		cmd := host.Command{Args: []string{"/bin/sh", "-c", "cat; exit 3"}, Size: host.Size{Columns: 50, Rows: 15, Width: 100, Height: 100}}
		o, err := s.Open(t.Context(), host.Viewer{ID: "@0", Width: 100, Height: 30}, cmd)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for _, option := range []string{"synchronize-panes", "remain-on-exit"} {
		if _, err := s.run(t.Context(), "set-option", "-w", "-t", "@0", option, "on"); err != nil {
			t.Fatal(err)
		}
	}
	first := open()
	s.is(t, s.pane, "#{?window_modal_pane,up,}", "up")
	s.is(t, s.paneNow(t.Context(), "@0"), "#{synchronize-panes} #{remain-on-exit}", "0 off")
	s.is(t, s.pane, "#{synchronize-panes} #{remain-on-exit}", "1 on")
	second := open()
	<-second.Ended()
	if err := second.Err(); !errors.Is(err, host.ErrBusy) || second.Viewer() != first.Viewer() {
		t.Errorf("the second ended with %v, on %s", err, second.Viewer())
	}
	if s.closeIf(t.Context(), "@0", 1); s.paneNow(t.Context(), "@0") == "" { // somebody else has come or gone
		t.Error("it was closed though not as many look at it as were seen")
	}
	if s.follow(t.Context(), "@0"); s.paneNow(t.Context(), "@0") != "" { // nobody sees it: it goes
		t.Error("it is still there")
	}
	<-first.Ended()
}
