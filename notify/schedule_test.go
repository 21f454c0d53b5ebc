package notify

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// run lets do happen on a clock of its own, which stands at midnight in UTC and
// moves when nothing else is left to happen, and checks what was heard of it.
func run(t *testing.T, want []string, do func(p *pane, start func(settings.Settings) *alerts)) {
	t.Helper()
	t.Setenv("SSH_CONNECTION", "there") // so that notifications go to the terminal
	synctest.Test(t, func(t *testing.T) {
		p := &pane{start: time.Now(), term: host.Terminal{Program: "iterm2"}}
		var all []*alerts
		do(p, func(c settings.Settings) *alerts {
			a := begin(Question{Form: asked}, c, p.routes(), p.fail)
			all = append(all, a)
			return a
		})
		synctest.Wait()
		for _, a := range all {
			a.Clear()
		}
		pass(24 * time.Hour) // nothing comes afterwards
		p.says(t, want)
	})
}

// pass lets that much time go by on the test's own clock.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

const toast = "␛]9;askpane: Colour␛[31m of it␛\\"

func TestDesktopAfterItsDelay(t *testing.T) {
	run(t, []string{"30 " + toast}, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{NotificationOnQuestion: true, NotificationDelaySeconds: 30})
		pass(time.Minute)
	})
}

func TestDesktopIsCancelledByTheAnswer(t *testing.T) {
	run(t, nil, func(_ *pane, start func(settings.Settings) *alerts) {
		a := start(settings.Settings{NotificationOnQuestion: true, NotificationDelaySeconds: 30, HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 1, ReminderMinutes: []float64{1}})
		pass(29 * time.Second)
		a.Clear()
	})
}

// Delays count from when the question was asked, not from Start; but where the clock was set back since, from Start.
func TestDelayFromWhenItWasAsked(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "there")
	for want, ago := range map[string]time.Duration{"10 ": 20 * time.Second, "30 ": -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			p := &pane{start: time.Now(), term: host.Terminal{Program: "iterm2"}}
			q := Question{Form: asked, Asked: time.Now().Add(-ago)}
			a := begin(q, settings.Settings{NotificationOnQuestion: true, NotificationDelaySeconds: 30}, p.routes(), p.fail)
			pass(time.Minute)
			a.Clear()
			p.says(t, []string{want + toast})
		})
	}
}

func TestReminders(t *testing.T) {
	want := []string{"0 " + marked, "0 bell", "60 bell", "600 bell", "30 " + toast, "60 " + toast, "600 " + toast, "1200 title back"}
	run(t, want, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, NotificationOnQuestion: true, NotificationDelaySeconds: 30, ReminderMinutes: []float64{10, 1, 10, 30}})
		pass(20 * time.Minute)
	})
}

// The clock starts at midnight: 00:00 to 00:20 is quiet, and then not.
func TestQuietHours(t *testing.T) {
	want := []string{"0 " + marked, "1800 bell", "1800 " + toast, "600 beat 10m0s", "1200 beat 20m0s", "1800 beat 30m0s", "1860 title back"}
	run(t, want, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, NotificationOnQuestion: true, NotificationDelaySeconds: 30, HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 10,
			ReminderMinutes: []float64{10, 30}, QuietHours: "22:00-00:20"})
		pass(31 * time.Minute)
	})
}

// While askpane is muted the loud ones are not raised, as in quiet hours.
func TestMuted(t *testing.T) {
	run(t, []string{"0 " + marked, "1800 bell", "1860 title back"}, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, ReminderMinutes: []float64{10, 30}, MutedUntil: time.Now().Add(20 * time.Minute)})
		pass(31 * time.Minute)
	})
}

// They are looked at when an alert would be raised, so they may also begin meanwhile.
func TestQuietHoursBegin(t *testing.T) {
	run(t, []string{"0 bell", "300 bell"}, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{5, 10}, QuietHours: "00:10-07:00"})
		pass(20 * time.Minute)
	})
}

func TestHeartbeat(t *testing.T) {
	run(t, []string{"270 beat 4m30s", "540 beat 9m0s"}, func(_ *pane, start func(settings.Settings) *alerts) {
		start(settings.Settings{HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 4.5})
		pass(10 * time.Minute)
	})
}

func TestChange(t *testing.T) {
	all := settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, NotificationOnQuestion: true, NotificationDelaySeconds: 30, HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 4, ReminderMinutes: []float64{10}}
	but := func(change func(*settings.Settings)) settings.Settings { c := all; change(&c); return c }
	for name, test := range map[string]struct {
		from, to settings.Settings // after a minute and a half
		want     []string
	}{
		"nothing": {settings.Settings{TitleOnQuestion: true}, settings.Settings{TitleOnQuestion: true}, []string{"0 " + marked, "720 title back"}},
		"all off": {all, settings.Settings{}, []string{"0 " + marked, "0 bell", "30 " + toast, "90 title back"}},
		"all on": {settings.Settings{}, all, []string{"90 " + marked, "90 " + toast, "240 beat 4m0s", "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s",
			"720 title back"}},
		"title off": {settings.Settings{TitleOnQuestion: true, BellOnQuestion: true}, settings.Settings{BellOnQuestion: true}, []string{"0 " + marked, "0 bell", "90 title back"}},
		"a longer delay": {but(func(c *settings.Settings) { c.NotificationDelaySeconds = 120 }), but(func(c *settings.Settings) { c.NotificationDelaySeconds = 300 }), []string{
			"0 " + marked, "0 bell", "240 beat 4m0s", "300 " + toast, "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s", "720 title back"}},
		"a delay that is over": {but(func(c *settings.Settings) { c.NotificationDelaySeconds = 120 }), but(func(c *settings.Settings) { c.NotificationDelaySeconds = 60 }), []string{
			"0 " + marked, "0 bell", "90 " + toast, "240 beat 4m0s", "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s", "720 title back"}},
		"reminders": {settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{10}}, settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{1, 5}}, []string{"0 bell", "300 bell"}},
		"quiet":     {settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{10}}, settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{10}, QuietHours: "23:00-01:00"}, []string{"0 bell"}},
		"interval": {settings.Settings{HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 60}, settings.Settings{HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 5},
			[]string{"300 beat 5m0s", "600 beat 10m0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, test.want, func(_ *pane, start func(settings.Settings) *alerts) {
				a := start(test.from)
				pass(90 * time.Second)
				a.Change(test.to)
				pass(12*time.Minute - 90*time.Second)
			})
		})
	}
}

// A setting that is flipped faster than an alert can follow ends where it stands.
func TestChangeToAndFro(t *testing.T) {
	for _, on := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := &pane{start: time.Now()}
			a := begin(Question{Form: asked}, settings.Settings{TitleOnQuestion: true}, p.routes(), p.fail)
			synctest.Wait()
			for i := range 51 {
				a.Change(settings.Settings{TitleOnQuestion: (i%2 == 0) == on})
			}
			synctest.Wait()
			up := map[string]int{"0 " + marked: 1, "0 title back": -1}
			marks := 0
			for _, what := range p.heard {
				marks += up[what]
			}
			if want := map[bool]int{true: 1, false: 0}[on]; marks != want {
				t.Errorf("switched to %v: the title is marked %d times over: %q", on, marks, p.heard)
			}
			a.Clear()
		})
	}
}
