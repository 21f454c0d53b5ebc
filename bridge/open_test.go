package bridge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/popupenv"
	"github.com/askpane/askpane/integrations/host"
)

// A popup is told when the person last typed something there, as far as the host knows.
func TestPopupIsToldOfTyping(t *testing.T) {
	t.Parallel()
	typed := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for _, c := range []struct {
		kind   host.Kind
		viewer host.Viewer
		want   string
	}{
		{host.Kind{}, host.Viewer{Active: typed}, "2026-01-02T03:04:05.678Z"},
		{host.Kind{Coarse: true}, host.Viewer{Active: typed}, ""},
		{host.Kind{}, host.Viewer{}, ""},
	} {
		env, err := popupEnv(&c.kind, c.viewer)
		i := slices.IndexFunc(env, func(e string) bool { return strings.HasPrefix(e, popupenv.Typed+"=") })
		if err != nil || (i >= 0) != (c.want != "") || i >= 0 && env[i] != popupenv.Typed+"="+c.want {
			t.Errorf("%+v of %+v: %q, %v", c.viewer, c.kind, env, err)
		}
	}
}

// A popup gets no setting of its asker by the environment, in which others may read along.
func TestPopupGetsNoSettings(t *testing.T) {
	for name, value := range map[string]string{"ASKPANE_GUARD_MS": "7", "ASKPANE_PUSH_TOKEN": "secret", "ASKPANE_POPUP_HOST": "another", "ASKPANE_SPOOL": "/tmp/spool"} {
		t.Setenv(name, value)
	}
	env, err := popupEnv(&host.Kind{Name: "tmux"}, host.Viewer{ID: "v"})
	slices.Sort(env)
	want := []string{"ASKPANE_POPUP_HOST=tmux", "ASKPANE_POPUP_VIEWER=v", "ASKPANE_POPUP_VIEWER_NAME=", "ASKPANE_SPOOL=/tmp/spool"}
	if err != nil || !slices.Equal(env, want) {
		t.Errorf("%q, %v", env, err)
	}
}
