package integrations

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
)

func TestKnown(t *testing.T) {
	names := Names()
	if names[0] != Auto || len(names) != len(Kinds())+1 || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("Names = %v", names)
	}
	for _, name := range names {
		if err := Known(name); err != nil {
			t.Errorf("Known(%q): %v", name, err)
		}
	}
	for _, name := range []string{"", "Tmux", "screenx"} {
		if err := Known(name); err == nil || !strings.Contains(err.Error(), "there are "+strings.Join(names, ", ")) {
			t.Errorf("Known(%q): %v", name, err)
		}
	}
}

// The error says, for each host, why it cannot be used.
func TestFindNothing(t *testing.T) {
	t.Setenv("TMUX", "")
	if _, err := Find(t.Context(), "tmux"); err == nil || err.Error() != "tmux: not inside tmux ($TMUX is not set)" {
		t.Errorf("Find tmux outside tmux: %v", err)
	}
	if _, err := Find(t.Context(), "nonsense"); err == nil || !strings.Contains(err.Error(), `unknown host "nonsense"`) {
		t.Errorf("Find of an unknown host: %v", err)
	}
}

// What is the same of several hosts is said once.
func TestReasons(t *testing.T) {
	type failure struct {
		name string
		err  error
	}
	tmux, kitty := failure{"tmux", host.NotInside{Program: "tmux", Variable: "TMUX"}}, failure{"kitty", host.NotInside{Program: "kitty", Variable: "KITTY_WINDOW_ID"}}
	none := errors.New("no terminal")
	for want, all := range map[string][]failure{
		"kitty: not inside kitty ($KITTY_WINDOW_ID is not set)": {kitty},
		"not inside tmux ($TMUX), kitty ($KITTY_WINDOW_ID); terminal, plain: no terminal; window: no display": {
			tmux, kitty, {"terminal", none}, {"plain", none}, {"window", errors.New("no display")}},
		"zellij: too old; terminal, plain: no terminal": {{"zellij", errors.New("too old")}, {"terminal", none}, {"plain", none}},
	} {
		var hosts []*host.Kind
		var errs []error
		for _, f := range all {
			hosts, errs = append(hosts, &host.Kind{Name: f.name}), append(errs, f.err)
		}
		if got := reasons(hosts, errs); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// Checks look at all of them, and use the one that Find would.
func TestChecks(t *testing.T) {
	t.Setenv("TMUX", "/nonexistent/socket,1,0")
	t.Setenv("TMPDIR", t.TempDir()) // zellij writes a log there, whoever asks it what
	for _, name := range Names() {
		checks, used := Checks(t.Context(), name, "claude")
		if len(checks) < len(Kinds()) {
			t.Errorf("for %s: %+v", name, checks)
		}
		for _, c := range checks {
			if c.Name == "tmux" && (c.State != hint.Off || !strings.Contains(c.Detail, "version 3")) {
				t.Errorf("tmux: %+v", c)
			}
		}
		found, err := Find(t.Context(), name)
		if (err == nil) != (used != nil) || err == nil && found.Kind() != used.Kind() {
			t.Errorf("for %s %v is used, and Find says %v, %v", name, used, found, err)
		}
	}
}
