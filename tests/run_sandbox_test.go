package tests

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/process"
	inside "github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// An agent's sandbox lets it reach the socket of askpane run, and have a popup opened there with a spool of its
// own. Nothing that it says then is run outside of the sandbox: no command of a setting's variable, and none
// that a false tmux server tells its client. Nor is there a desk for that spool, on a machine that has joined a hub.
func TestRunLetsNobodyOut(t *testing.T) {
	t.Parallel()
	p, _ := newRun(t, 100, 30, colour, "exec cat")
	state := filepath.Join(homeIn(p.env), ".local", "state", "askpane")
	must.Do(t, os.MkdirAll(filepath.Join(state, "link"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(state, "link", "link.json"), []byte("{}"), 0o600))
	var socket string
	eventually(t, "askpane run listens", func() bool {
		found, _ := filepath.Glob(filepath.Join(state, "run", "run-*"))
		socket = strings.Join(found, " ")
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	tmux, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(shortDir(t), "tmux")})
	must.Do(t, err)
	t.Cleanup(func() { tmux.Close() })
	sp, err := spool.Open(string(p.spool))
	must.Do(t, err)
	t.Cleanup(func() { sp.Close() })
	for _, origin := range []spool.Origin{{Host: "tmux", Ref: "%0 " + tmux.Addr().String()}, {Away: &spool.Away{Machine: "other"}}} {
		_, f, err := dialect.Decode("", []byte(colour))
		must.Do(t, err)
		origin.Start = time.Now()
		e, err := sp.Create(spool.Request{Form: f, Raw: []byte(colour), Origin: origin})
		must.Do(t, err)
		must.Do(t, e.SetSettings(settings.Snapshot{Variables: map[string]string{"ASKPANE_GUARD_MS": "0"}}))
		c, err := net.Dial("unix", socket)
		must.Do(t, err)
		var said inside.Reply
		must.Do(t, json.NewEncoder(c).Encode(inside.Request{Op: inside.OpOpen, Args: []string{"x", e.ID}, Columns: 80, Rows: 20,
			Env: []string{"ASKPANE_SPOOL=" + string(p.spool), "ASKPANE_POPUP_HOST=tmux", "ASKPANE_ON_QUESTION_COMMAND=id", inside.BoxEnv + "=", "BROWSER=id"}}))
		replies := json.NewDecoder(c)
		must.Do(t, replies.Decode(&said))
		p.v.see("Which colour?")
		told := process.Started(p.spool.popups()[0])
		if told("ASKPANE_ON_QUESTION_COMMAND")+told("BROWSER") != "" || told("ASKPANE_POPUP_HOST") != "tmux" {
			t.Errorf("the popup is told a command, or not where it is")
		}
		p.v.press("\x10") // Ctrl+P
		p.v.see("Which colour?")
		p.v.press("2")
		must.Do(t, replies.Decode(&said)) // it has ended
		c.Close()
		e.Close()
	}
	must.Do(t, tmux.SetDeadline(time.Now().Add(100*time.Millisecond))) // who has asked stands in its queue
	if _, err := tmux.Accept(); err == nil {
		t.Error("the false tmux server was asked")
	}
	if _, err := os.Stat(filepath.Join(state, "desk")); err == nil {
		t.Error("a desk was started")
	}
}
