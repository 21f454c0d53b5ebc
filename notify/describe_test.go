package notify

import (
	"context"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/needs"
)

// described returns what Describe says of each alert, by its name.
func described(s settings.Settings, r Routes) map[string]hint.Check {
	rows := map[string]hint.Check{}
	for _, c := range Describe(context.Background(), s, r) {
		rows[c.Name] = c
	}
	return rows
}

func TestDescribe(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p := pane{term: host.Terminal{Program: "kitty"}}
	all := settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, NotificationOnQuestion: true, TtsOnQuestion: true, OnQuestionCommand: "x", HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 1}
	for _, test := range []struct {
		name   string
		config settings.Settings
		routes Routes
		want   map[string]string
	}{
		{"all off", settings.Settings{}, p.routes(), map[string]string{"title": "off: titleOnQuestion is false", "bell": "off: bellOnQuestion is false", "desktop": "off: notificationOnQuestion is false",
			"speech": "off: ttsOnQuestion is false", "command": "off: onQuestionCommand is empty", "push": "off: pushUrl is empty", "heartbeat": "off: heartbeatWhileActive is false"}},
		{"all on", all, p.routes(), map[string]string{"title": "ok: marks the asking pane's title with 🔔", "bell": "ok: rings the terminal's bell", "desktop": "ok: the viewer's terminal: kitty, by OSC 99",
			"speech": "warn: there is none of attn, say, spd-say, espeak-ng", "command": "ok: runs /bin/sh -c \"x\"", "push": "off: pushUrl is empty", "heartbeat": "ok: tells who asked every 1m0s that the question waits"}},
		{"nowhere", all, Routes{}, map[string]string{"title": "warn: the asking pane has no title that could be set", "bell": "warn: there is no terminal whose bell could ring",
			"desktop": "warn: the viewer's terminal: there is none that could be told", "speech": "warn: there is none of attn, say, spd-say, espeak-ng",
			"command": "ok: runs /bin/sh -c \"x\"", "push": "off: pushUrl is empty", "heartbeat": "warn: who asks cannot be told anything before the answer"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rows := described(test.config, test.routes)
			for name, want := range test.want {
				if got := string(rows[name].State) + ": " + rows[name].Detail; got != want {
					t.Errorf("%s is %s\nwant\n%s", name, got, want)
				}
			}
		})
	}
	p.says(t, nil)
}

func TestDescribeSpeechAndDBus(t *testing.T) {
	needs.Program(t, "espeak-ng")
	var d daemon
	d.serve(t, privateBus(t))
	got := described(settings.Settings{NotificationOnQuestion: true, TtsOnQuestion: true, TtsCommand: "espeak-ng -s 120"}, Routes{})
	if want := "D-Bus: testd 1.0"; got["desktop"].State != hint.OK || got["desktop"].Detail != want {
		t.Errorf("desktop: %+v, want %s", got["desktop"], want)
	}
	if want := "espeak-ng -s 120 at /"; got["speech"].State != hint.OK || !strings.HasPrefix(got["speech"].Detail, want) {
		t.Errorf("speech: %+v, want %s…", got["speech"], want)
	}
}
