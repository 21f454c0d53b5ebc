package run

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMultiplexer(t *testing.T) {
	outer := []string{"TMUX=/tmp/outer,1,0", "TMUX_PANE=%1"}
	for name, c := range map[string]struct {
		inside []string
		here   map[string]string
		want   string
	}{
		"none at all":                   {nil, nil, ""},
		"the one that run is in":        {outer, map[string]string{"TMUX": "/tmp/outer,1,0", "TMUX_PANE": "%1"}, ""},
		"that one, stripped by the way": {outer, nil, ""},
		"a tmux inside":                 {nil, map[string]string{"TMUX": "/tmp/inner,2,0", "TMUX_PANE": "%0"}, "TMUX"},
		"a tmux inside in a tmux":       {outer, map[string]string{"TMUX": "/tmp/inner,2,0", "TMUX_PANE": "%0"}, "TMUX"},
		"another pane of that tmux":     {outer, map[string]string{"TMUX": "/tmp/outer,1,0", "TMUX_PANE": "%7"}, "TMUX_PANE"},
		"a zellij inside in a tmux":     {outer, map[string]string{"TMUX": "/tmp/outer,1,0", "TMUX_PANE": "%1", "ZELLIJ": "0"}, "ZELLIJ"},
	} {
		got, nearer := multiplexer(c.inside, func(name string) string { return c.here[name] })
		if got != c.want || nearer != (c.want != "") {
			t.Errorf("%s: %q is nearer, want %q", name, got, c.want)
		}
	}
}

func TestFindNothing(t *testing.T) {
	t.Setenv(SocketEnv, "")
	if _, err := Find(t.Context()); err == nil || err.Error() != "not inside askpane run ($ASKPANE_RUN is not set)" {
		t.Errorf("Find outside: %v", err)
	}
	path := filepath.Join(t.TempDir(), "s")
	t.Setenv(SocketEnv, path)
	if _, err := Find(t.Context()); err == nil || !strings.Contains(err.Error(), "$ASKPANE_RUN names an askpane run that has gone") {
		t.Errorf("Find with a socket that is gone: %v", err)
	}
	// One that is stopped takes the connection and says nothing.
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	began := time.Now()
	if _, err := Find(t.Context()); err == nil || !strings.Contains(err.Error(), "is it stopped?") || time.Since(began) > 3*answerLimit {
		t.Errorf("Find with a stopped one, after %v: %v", time.Since(began), err)
	}
}
