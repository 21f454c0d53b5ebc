package tmux

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/askpane/askpane/integrations/host"
)

// A server counts as soon as somebody is attached to it, from whichever process; and
// nothing of it is asked before that.
func TestAnywhere(t *testing.T) {
	s := privateServer(t)
	dir := t.TempDir()
	t.Setenv("TMUX_TMPDIR", dir)
	own := filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.socket, filepath.Join(own, "linked")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(own, "no-socket"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	of := func() (found host.Host) {
		for _, find := range anywhere() {
			h, err := find(context.Background())
			if err == nil && filepath.Dir(h.(*server).socket) == own {
				if found != nil {
					t.Error("there are two")
				}
				found = h
			}
		}
		return found
	}
	if h := of(); h != nil {
		t.Errorf("found with nobody attached: %+v", h)
	}
	p := s.attach(t)
	h := of()
	if h == nil {
		t.Fatal("not found with somebody attached")
	}
	v, err := h.Viewer(t.Context())
	want, wrong := s.look(t.Context())
	if err != nil || wrong != nil || v.ID != want.ID || v.Active.IsZero() {
		t.Errorf("viewer %+v, %v; want %+v, %v", v, err, want, wrong)
	}
	if words, ref := h.Asker(); words != "" || ref != "" {
		t.Errorf("an asking pane: %q, %q", words, ref)
	}
	if _, err := s.run(t.Context(), "detach-client", "-s", s.home); err != nil {
		t.Fatal(err)
	}
	p.until("nobody is attached", func() bool { return of() == nil })
}
