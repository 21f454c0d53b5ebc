package zellij

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/needs"
)

func TestRunArgs(t *testing.T) {
	cmd := host.Command{Size: host.Size{Columns: 61, Rows: 12, Width: 100, Height: 100}}
	argv := []string{"/bin/sh", "-c", "fixed", "a b", "--", "x;"}
	for _, c := range []struct {
		name          string
		width, height int
		want          string
	}{
		{"ordinary", 120, 40, "-x 29 -y 14 --width 61 --height 12"},
		{"just large enough", 62, 16, "-x 0 -y 2 --width 61 --height 12"},
		{"narrow", 59, 40, "--borderless true -x 0 -y 0 --width 100% --height 100%"},
		{"low", 120, 15, "--borderless true -x 0 -y 0 --width 100% --height 100%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := runArgs(host.Viewer{Width: c.width, Height: c.height}, cmd, argv)
			want := append(strings.Fields("run --floating --close-on-exit --name askpane "+c.want+" --"), argv...)
			if !slices.Equal(got, want) {
				t.Errorf("args\n%q\nwant\n%q", got, want)
			}
		})
	}
}

func TestRunArgsOfATab(t *testing.T) {
	argv := []string{"/bin/sh", "-c", "fixed", "a b"}
	got := runArgs(host.Viewer{ID: "my work tab 3", Width: 120, Height: 9}, host.Command{}, argv)
	want := append([]string{"action", "new-tab", "--close-on-exit", "--name", "askpane over tab 3", "--layout-string", tabLayout, "--"}, argv...)
	if !slices.Equal(got, want) {
		t.Errorf("args\n%q\nwant\n%q", got, want)
	}
}

// What zellij 0.45.1 printed, shortened: two tabs, first with a client in the
// second one, then detached.
const (
	lookedAt = `[{"position":0,"name":"Tab #1","active":false,"other_focused_clients":[],"are_floating_panes_visible":true,"viewport_rows":28,"viewport_columns":100,"display_area_rows":30,"display_area_columns":100,"tab_id":0,"has_bell_notification":false},
 {"position":1,"name":"Tab #2","active":true,"other_focused_clients":[1],"are_floating_panes_visible":false,"viewport_rows":8,"viewport_columns":40,"display_area_rows":10,"display_area_columns":40,"tab_id":3,"has_bell_notification":false}]`
	left = `[{"position":0,"name":"Tab #1","active":false,"display_area_rows":50,"display_area_columns":50,"tab_id":0}]`
)

func TestViewer(t *testing.T) {
	s := newSession("work", "", "")
	list := func(says string) (tabs []tab, err error) {
		return tabs, at(newSession("work", "", ""), moody(t, 1, "exit 0", says)).list(t.Context(), &tabs, "list-tabs")
	}
	tabs, err := list(lookedAt)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := s.viewer(tabs); err != nil || v != (host.Viewer{ID: "work tab 3", Width: 40, Height: 8, Grows: true}) {
		t.Errorf("viewer %+v, %v", v, err)
	}
	if tabs, err = list(left); err != nil {
		t.Fatal(err)
	}
	if _, err := s.viewer(tabs); !errors.Is(err, host.ErrNoViewer) || err.Error() != "nobody is attached to the zellij session work" {
		t.Errorf("viewer of a detached session: %v", err)
	}
	// The form's own tab stands for the one that it was opened over.
	if v, err := s.viewer([]tab{{ID: 3}, {ID: 5, Name: formTab + "3", Active: true, Columns: 44, Rows: 9}}); err != nil || v != (host.Viewer{ID: "work tab 3", Width: 44, Height: 9, Grows: true}) {
		t.Errorf("viewer of a form's tab: %+v, %v", v, err)
	}
	if _, err := list("TAB_ID  POSITION"); err == nil || !strings.Contains(err.Error(), "list-tabs") {
		t.Errorf("what is no JSON: %v", err)
	}
}

func TestPaneTitle(t *testing.T) {
	const panes = `[{"id":0,"is_plugin":true,"title":"(.) - zellij:link"},{"id":0,"is_plugin":false,"title":"agent title"},{"id":7,"is_plugin":false,"title":"x"}]`
	s := at(newSession("work", "terminal_0", ""), moody(t, 1, "exit 0", panes))
	if got, err := s.title(t.Context(), "terminal_0"); got != "agent title" || err != nil {
		t.Errorf("title %q, %v", got, err)
	}
	if _, err := s.title(t.Context(), "terminal_5"); err == nil {
		t.Errorf("a pane that is gone: %v", err)
	}
}

func TestFailure(t *testing.T) {
	for stderr, want := range map[string]string{
		"There is no active session!": "zellij action list-tabs: There is no active session!",
		"error: Found argument '--json' which wasn't expected, or isn't valid in this context\n\nUSAGE:": "this zellij is too old: askpane needs 0.44.1 or later (zellij action list-tabs: error: Found argument '--json' which wasn't expected, or isn't valid in this context)",
	} {
		c := session{bin: moody(t, 99, "cat >&2 <<'E'\n"+stderr+"\nE\nexit 1", "")}
		if _, err := c.once(t.Context(), []string{"action", "list-tabs", "--json"}); err == nil || err.Error() != want {
			t.Errorf("failure\n%v\nwant\n%s", err, want)
		}
	}
}

func TestFindOutside(t *testing.T) {
	t.Setenv("ZELLIJ", "")
	if _, err := find(t.Context()); err == nil || err.Error() != "not inside zellij ($ZELLIJ_SESSION_NAME is not set)" {
		t.Errorf("Find: %v", err)
	}
}

func TestPane(t *testing.T) {
	needs.Program(t, "zellij")
	s := newSession("my work", "terminal_12", "/run/z")
	for _, s := range []*session{s, newSession("w", "terminal_0", "")} {
		p, ok := findPane(ref(s)).(*session)
		if !ok {
			t.Fatalf("findPane(%q) finds none", ref(s))
		}
		if got := ref(p); got != ref(s) {
			t.Errorf("findPane(%q) is that of %q", ref(s), got)
		}
	}
	if ref := ref(newSession("w", "", "")); ref != "" {
		t.Errorf("without a pane Ref is %q", ref)
	}
	for _, ref := range []string{"", "terminal_1", "terminal_1 -", "terminal_1 - ", "terminal_1 - --config", "terminal_x - w", "terminal_-1 - w", "plugin_1 - w", "terminal_1 relative w"} {
		if p := findPane(ref); p != nil {
			t.Errorf("findPane(%q) = %v", ref, p)
		}
	}
}

// zellij takes a session for dead that answers something else first: it is asked
// again. One that was alive and stays dead is; before that, one whose pane we come from is
// asked until there is no more time.
func TestRunAgain(t *testing.T) {
	for _, c := range []struct {
		says  string
		alive int  // from which try on
		once  bool // it has been before
		want  string
	}{
		{"There is no active session!", 1, true, "here\n"},
		{"There is no active session!", 3, true, "here\n"},
		{"Session 's' not found. The following sessions are active:", 3, true, "here\n"},
		{"There is no active session!", mostTries + 1, true, ""},
		{"There is no active session!", mostTries + 1, false, "here\n"},
		{"error: something else", 2, false, ""},
	} {
		s := at(newSession("s", "terminal_1", ""), moody(t, c.alive, fmt.Sprintf("echo %q >&2; exit 1", c.says), "here"))
		s.waking.Store(!c.once)
		out, err := s.run(t.Context(), "action", "list-tabs")
		if out != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q until try %d: %q, %v", c.says, c.alive, out, err)
		}
	}
}

// at is a session whose zellij is another program.
func at(s *session, bin string) *session {
	s.bin = bin
	return s
}

// moody is a zellij that does something else until it is asked for the nth time.
func moody(t *testing.T, n int, until, says string) string {
	t.Helper()
	dir := t.TempDir()
	tries, script := filepath.Join(dir, "tries"), filepath.Join(dir, "zellij")
	text := fmt.Sprintf("#!/bin/sh\necho x >>%s\n[ $(wc -l <%s) -ge %d ] || { %s; }\necho '%s'\n", tries, tries, n, until, says)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

// Where zellij says nothing it is asked again, and not for ever.
func TestToldAgain(t *testing.T) {
	list := `[{"tab_id":1,"active":true,"display_area_columns":80,"display_area_rows":24}]`
	for _, c := range []struct {
		from int // the try that is answered
		want string
	}{{1, "s tab 1"}, {3, "s tab 1"}, {mostTries + 1, ""}} {
		s := at(newSession("s", "terminal_1", ""), moody(t, c.from, "exit 0", list))
		v, err := s.Viewer(t.Context())
		if v.ID != c.want || (err == nil) != (c.want != "") {
			t.Errorf("nothing until try %d: %q, %v", c.from, v.ID, err)
		}
		p := at(newSession("s", "terminal_1", ""), moody(t, c.from, "exit 0", "$ make"))
		if screen, err := p.Screen(t.Context()); (screen != "") != (c.want != "") || err != nil {
			t.Errorf("nothing until try %d: screen %q, %v", c.from, screen, err)
		}
	}
}

// ref is what a host calls the asking pane.
func ref(h host.Host) string {
	_, ref := h.Asker()
	return ref
}
