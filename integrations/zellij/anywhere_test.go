package zellij

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/askpane/askpane/integrations/host"
)

// Sessions are found by their sockets, whatever the environment of this process names.
func TestAnywhere(t *testing.T) {
	dir, err := os.MkdirTemp("", "ap") // a socket's path has to fit 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("ZELLIJ_SOCKET_DIR", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("PATH", filepath.Dir(moody(t, 1, "exit 0", lookedAt))+":"+os.Getenv("PATH"))
	sockets := filepath.Join(dir, "contract_version_1")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"my work", "web_server_bus", "-option"} {
		l, err := net.Listen("unix", filepath.Join(sockets, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	if err := os.WriteFile(filepath.Join(sockets, "no socket"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var found []host.Host
	for _, find := range anywhere(nil) {
		h, err := find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s := h.(*session); len(s.places) == 1 && s.places[0] == socketDir+"="+dir {
			found = append(found, h)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d sessions: %+v", len(found), found)
	}
	if v, err := found[0].Viewer(t.Context()); err != nil || v.ID != "my work tab 3" {
		t.Errorf("viewer %+v, %v", v, err)
	}
	if _, ref := found[0].Asker(); ref != "" {
		t.Errorf("an asking pane: %q", ref)
	}
}
