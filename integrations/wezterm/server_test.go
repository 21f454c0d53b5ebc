package wezterm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/needs"
)

// patience is how long a test waits for something that should come at once.
const patience = 30 * time.Second

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !done(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// server starts a mux server without a window. Nobody can look at one, so the
// viewer is made here; the rest is real.
func server(t *testing.T) *mux {
	t.Helper()
	for _, name := range []string{"wezterm", "wezterm-mux-server"} {
		if _, err := exec.LookPath(name); err != nil {
			needs.Cannot(t, "wezterm", "there is no "+name+", and no package registry has it: get a package from https://wezterm.org/install/linux.html")
		}
	}
	dir, err := os.MkdirTemp("", "ap")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("SHELL", "/bin/sh")
	t.Setenv("WEZTERM_UNIX_SOCKET", filepath.Join(dir, "wezterm", "sock"))
	cmd := exec.Command("wezterm-mux-server")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // how it ends says nothing
		_ = cmd.Wait()
		os.RemoveAll(dir)
	})
	m := newMux("wezterm", "0", "")
	eventually(t, "the mux server answers", func() bool {
		all, err := m.panes(t.Context())
		return err == nil && len(all) == 1
	})
	return m
}

func TestRealPopup(t *testing.T) {
	m := server(t)
	ctx := t.Context()
	if _, err := m.Viewer(ctx); err == nil || err.Error() != "nobody is attached to wezterm" {
		t.Errorf("the viewer of a server without a window: %v", err)
	}
	before, err := m.paneByID(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	gate := out + ".gate"
	o, err := m.Open(ctx, host.Viewer{ID: "0", Width: before.Size.Cols, Height: before.Size.Rows}, host.Command{
		Args: []string{"/bin/sh", "-c", `printf '<%s>' "$@" "$ASKPANE_X" >` + out + `; while ! [ -e ` + gate + ` ]; do sleep 0.05; done`, "sh", "a b", "$HOME", "x;"},
		Env:  []string{"ASKPANE_X=1 '2'"},
		Size: host.Size{Columns: 80, Rows: 12, Width: 100, Height: 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Abandon()
	eventually(t, "the popup has its words", func() bool {
		data, _ := os.ReadFile(out)
		return string(data) == "<a b><$HOME><x;><1 '2'>"
	})
	popup, err := m.paneByID(ctx, "1")
	if err != nil || popup.Size.Rows != before.Size.Rows {
		t.Errorf("the split of a small pane has %d rows, want all %d: %v", popup.Size.Rows, before.Size.Rows, err)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-o.Ended():
	case <-time.After(patience):
		t.Fatal("its end was not told")
	}
	eventually(t, "the pane is as before", func() bool {
		all, err := m.panes(ctx)
		return err == nil && len(all) == 1 && all[0].Size.Rows == before.Size.Rows
	})
	if _, err := m.Open(ctx, host.Viewer{ID: "77"}, host.Command{Args: []string{"/bin/true"}, Size: host.Size{Columns: 80, Rows: 12, Width: 100, Height: 100}}); err == nil || !strings.Contains(err.Error(), "pane_id 77 invalid") {
		t.Errorf("Open in a pane that is not there: %v", err)
	}
}

func TestRealTitle(t *testing.T) {
	m := server(t)
	ctx := t.Context()
	title := func() string {
		p, err := m.paneByID(ctx, "0")
		if err != nil {
			t.Fatal(err)
		}
		return p.TabTitle
	}
	for _, before := range []string{"", "the person's own"} {
		if err := setTitle(m, ctx, before); err != nil {
			t.Fatal(err)
		}
		restore, err := m.Mark(ctx, "--Colour $(id)")
		if err != nil {
			t.Fatal(err)
		}
		if got := title(); got != host.MarkSign+"--Colour $(id)" {
			t.Errorf("the mark is %q", got)
		}
		if err := restore(ctx); err != nil {
			t.Fatal(err)
		}
		if got := title(); got != before {
			t.Errorf("the title is %q, was %q", got, before)
		}
	}
	restore, err := m.Mark(ctx, "Colour")
	if err != nil {
		t.Fatal(err)
	}
	if err := setTitle(m, ctx, "a new one"); err != nil {
		t.Fatal(err)
	}
	if err := restore(ctx); err != nil || title() != "a new one" {
		t.Errorf("a title set meanwhile is %q afterwards, %v", title(), err)
	}
	if err := m.Ring(ctx, nil); err != nil {
		t.Error(err)
	}
}

func (m *mux) panes(ctx context.Context) (all []pane, err error) {
	err = m.ask(ctx, &all, "list", "--format", "json")
	return all, err
}

func setTitle(m *mux, ctx context.Context, title string) error {
	_, err := m.run(ctx, "set-tab-title", "--pane-id", m.pane, "--", title)
	return err
}
