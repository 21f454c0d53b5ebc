package wezterm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/host"
)

// What wezterm 20250223-062404-4ff581a8 printed for list, shortened.
const listed = `[
  {"window_id": 0, "tab_id": 0, "pane_id": 0, "workspace": "default",
   "size": {"rows": 24, "cols": 80, "pixel_width": 640, "pixel_height": 384, "dpi": 0},
   "title": "bash", "cwd": "file:///tmp/", "tab_title": "", "window_title": "", "is_active": true, "is_zoomed": false, "tty_name": "/dev/pts/3"},
  {"window_id": 0, "tab_id": 1, "pane_id": 2, "workspace": "default",
   "size": {"rows": 14, "cols": 81, "pixel_width": 640, "pixel_height": 224, "dpi": 0},
   "title": "cat", "cwd": "file:///tmp/", "tab_title": "mine", "window_title": "", "is_active": false, "is_zoomed": false, "tty_name": "/dev/pts/4"}
]`

func TestList(t *testing.T) {
	var all []pane
	if err := json.Unmarshal([]byte(listed), &all); err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	p := all[1]
	if p.ID != 2 || p.TabTitle != "mine" || p.TTY != "/dev/pts/4" || p.Size.Rows != 14 || p.Size.Cols != 81 {
		t.Errorf("pane %+v", p)
	}
}

// The shape is that of CliListClientsResultItem in wezterm's list_clients.rs; a
// mux server without a window prints [].
func TestFocused(t *testing.T) {
	row := func(secs, nanos, pane string) string {
		return `{"username":"u","hostname":"h","pid":7,"connection_elapsed":{"secs":9,"nanos":1},"idle_time":{"secs":` + secs +
			`,"nanos":` + nanos + `},"workspace":"default","focused_pane_id":` + pane + `,"ssh_auth_sock":null}`
	}
	for _, c := range []struct {
		name, out string
		id        int
		ok        bool
	}{
		{"nobody", `[]`, 0, false},
		{"one", "[" + row("5", "0", "3") + "]", 3, true},
		{"pane 0", "[" + row("5", "0", "0") + "]", 0, true},
		{"the least idle", "[" + row("5", "7", "3") + "," + row("5", "6", "4") + "," + row("6", "0", "8") + "]", 4, true},
		{"one that has shown nothing yet", "[" + row("0", "0", "null") + "," + row("6", "0", "8") + "]", 8, true},
		{"only that one", "[" + row("0", "0", "null") + "]", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\ncase \"$*\" in *list-clients*) echo '" + c.out + "';; *) echo '[{\"pane_id\": 0}, {\"pane_id\": 3}, {\"pane_id\": 4}, {\"pane_id\": 8}]';; esac\n"
			if err := os.WriteFile(filepath.Join(dir, "wezterm"), []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			v, err := newMux(filepath.Join(dir, "wezterm"), "", "").Viewer(t.Context())
			if c.ok && (err != nil || v.ID != fmt.Sprint(c.id)) || !c.ok && !errors.Is(err, host.ErrNoViewer) {
				t.Errorf("Viewer = %+v, %v; want pane %d, %t", v, err, c.id, c.ok)
			}
		})
	}
}

// A wezterm that is not in PATH is found where its panes say that it is.
func TestFindBesideTheWindow(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho '[]'\n"
	if err := os.WriteFile(filepath.Join(dir, "wezterm"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("WEZTERM_PANE", "3")
	t.Setenv("WEZTERM_EXECUTABLE_DIR", "")
	if h, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "inside wezterm, but there is no wezterm command") {
		t.Errorf("without it: %v, %v", h, err)
	}
	t.Setenv("WEZTERM_EXECUTABLE_DIR", dir)
	if _, err := find(t.Context()); err != nil {
		t.Error(err)
	}
	if findPane("3") == nil {
		t.Error("its pane is not")
	}
}

func TestSplitArgs(t *testing.T) {
	got := splitArgs(host.Viewer{ID: "12", Width: 100, Height: 50}, host.Command{Size: host.Size{Columns: 80, Rows: 12, Width: 100, Height: 100}}, []string{"/bin/sh", "-c", "fixed", "--", "a b"})
	want := []string{"split-pane", "--pane-id", "12", "--bottom", "--cells", "12", "--", "/bin/sh", "-c", "fixed", "--", "a b"}
	if !slices.Equal(got, want) {
		t.Errorf("args\n%q\nwant\n%q", got, want)
	}
	for rows, want := range map[int]bool{24: true, 39: true, 40: false, 60: false} {
		if got := zoomed(host.Viewer{Height: rows}); got != want {
			t.Errorf("a pane of %d rows: zoomed %t, want %t", rows, got, want)
		}
	}
}

func TestFindOutside(t *testing.T) {
	t.Setenv("WEZTERM_PANE", "")
	if _, err := find(t.Context()); err == nil || err.Error() != "not inside wezterm ($WEZTERM_PANE is not set)" {
		t.Errorf("Find: %v", err)
	}
	t.Setenv("WEZTERM_PANE", "0")
	t.Setenv("PATH", t.TempDir())
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no wezterm command") {
		t.Errorf("Find without the command: %v", err)
	}
}

func TestNobody(t *testing.T) {
	m := newMux("/bin/false", "", "")
	if _, err := m.Viewer(t.Context()); err == nil || errors.Is(err, host.ErrNoViewer) {
		t.Errorf("Viewer where wezterm fails: %v", err)
	}
}

func TestRef(t *testing.T) {
	for want, m := range map[string]*mux{"3 /run/w/sock": newMux("", "3", "/run/w/sock"), "0": newMux("", "0", ""), "": newMux("", "", "/run/w/sock")} {
		if got := ref(m); got != want {
			t.Errorf("Ref = %q, want %q", got, want)
		}
	}
	for _, ref := range []string{"", "x /run/sock", "-1 /run/sock", "3 sock", "3 --help"} {
		if p := findPane(ref); p != nil {
			t.Errorf("findPane(%q) = %v", ref, p)
		}
	}
}

// ref is what a host calls the asking pane.
func ref(h host.Host) string {
	_, ref := h.Asker()
	return ref
}
