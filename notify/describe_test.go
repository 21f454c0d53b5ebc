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

func TestDescribe(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p := pane{term: host.Terminal{Program: "kitty"}}
	all := settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, NotificationOnQuestion: true, TtsOnQuestion: true, OnQuestionCommand: "x", HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 1}
	for _, test := range []struct {
		name   string
		config settings.Settings
		routes Routes
		want   string
	}{
		{"all off", settings.Settings{}, p.routes(), "title off: titleOnQuestion is false, bell off: bellOnQuestion is false, desktop off: notificationOnQuestion is false, " +
			"speech off: ttsOnQuestion is false, command off: onQuestionCommand is empty, push off: pushUrl is empty, heartbeat off: heartbeatWhileActive is false"},
		{"all on", all, p.routes(), "title ok: marks the asking pane's title with 🔔, bell ok: rings the terminal's bell, desktop ok: the viewer's terminal: kitty, by OSC 99, " +
			"speech warn: there is none of attn, say, spd-say, espeak-ng, command ok: runs /bin/sh -c \"x\", push off: pushUrl is empty, heartbeat ok: tells who asked every 1m0s that the question waits"},
		{"nowhere", all, Routes{}, "title warn: the asking pane has no title that could be set, bell warn: there is no terminal whose bell could ring, " +
			"desktop warn: the viewer's terminal: there is none that could be told, speech warn: there is none of attn, say, spd-say, espeak-ng, " +
			"command ok: runs /bin/sh -c \"x\", push off: pushUrl is empty, heartbeat warn: who asks cannot be told anything before the answer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, l := range Describe(context.Background(), test.config, test.routes) {
				got = append(got, l.Name+" "+string(l.State)+": "+l.Detail)
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		})
	}
	p.says(t, nil)
}

func TestDescribeSpeechAndDBus(t *testing.T) {
	needs.Program(t, "espeak-ng")
	var d daemon
	d.serve(t, privateBus(t))
	got := Describe(context.Background(), settings.Settings{NotificationOnQuestion: true, TtsOnQuestion: true, TtsCommand: "espeak-ng -s 120"}, Routes{})
	if want := "D-Bus: testd 1.0"; got[2].State != hint.OK || got[2].Detail != want {
		t.Errorf("desktop: %+v, want %s", got[2], want)
	}
	if want := "espeak-ng -s 120 at /"; got[3].State != hint.OK || !strings.HasPrefix(got[3].Detail, want) {
		t.Errorf("speech: %+v, want %s…", got[3], want)
	}
}
