package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// What calls for no answer is told by bell and notification, where they are on and it is
// not quiet.
func TestTell(t *testing.T) {
	for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"} {
		t.Setenv(name, "")
	}
	t.Setenv("SSH_CONNECTION", "a b c d")
	quiet := time.Now().Add(-time.Hour).Format("15:04") + "-" + time.Now().Add(time.Hour).Format("15:04")
	for _, c := range []struct {
		set  settings.Settings
		want string
	}{
		{settings.Settings{BellOnQuestion: true, NotificationOnQuestion: true}, "bell ␛]9;askpane: “Colour”: too late␛\\"},
		{settings.Settings{BellOnQuestion: true}, "bell"},
		{settings.Settings{}, ""},
		{settings.Settings{BellOnQuestion: true, NotificationOnQuestion: true, QuietHours: quiet}, ""},
		{settings.Settings{BellOnQuestion: true, NotificationOnQuestion: true, MutedUntil: time.Now().Add(time.Hour)}, ""},
	} {
		p := &pane{start: time.Now(), term: host.Terminal{Program: "iterm2"}}
		if err := Tell(t.Context(), &c.set, p.routes(), "“Colour”: too late"); err != nil {
			t.Fatal(err)
		}
		var heard []string
		for _, h := range p.heard {
			_, what, _ := strings.Cut(h, " ")
			heard = append(heard, what)
		}
		if got := strings.Join(heard, " "); got != c.want {
			t.Errorf("%+v: heard %q, want %q", c.set, got, c.want)
		}
	}
}
