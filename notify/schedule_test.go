package notify

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// run lets do happen on a clock of its own, which stands at midnight in UTC and
// moves when nothing else is left to happen, and checks what was heard of it.
func run(t *testing.T, want []string, do func(p *pane, start func(Config) *Alerts)) {
	t.Helper()
	t.Setenv("SSH_CONNECTION", "there") // so that notifications go to the terminal
	synctest.Test(t, func(t *testing.T) {
		p := &pane{start: time.Now(), term: host.Terminal{Program: "iterm2"}}
		var all []*Alerts
		do(p, func(c Config) *Alerts {
			a := Start(Question{Form: asked}, c, p.routes(), p.fail)
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

func minutesOf(m ...int) (d []time.Duration) {
	for _, m := range m {
		d = append(d, time.Duration(m)*time.Minute)
	}
	return d
}

func TestDesktopAfterItsDelay(t *testing.T) {
	run(t, []string{"30 " + toast}, func(_ *pane, start func(Config) *Alerts) {
		start(Config{Desktop: true, DesktopDelay: 30 * time.Second})
		pass(time.Minute)
	})
}

func TestDesktopIsCancelledByTheAnswer(t *testing.T) {
	run(t, nil, func(_ *pane, start func(Config) *Alerts) {
		a := start(Config{Desktop: true, DesktopDelay: 30 * time.Second, Heartbeat: true, HeartbeatInterval: time.Minute, Reminders: minutesOf(1)})
		pass(29 * time.Second)
		a.Clear()
	})
}

// Delays count from when the question was asked, not from Start.
func TestDelayFromWhenItWasAsked(t *testing.T) {
	t.Setenv("SSH_CONNECTION", "there")
	synctest.Test(t, func(t *testing.T) {
		p := &pane{start: time.Now(), term: host.Terminal{Program: "iterm2"}}
		q := Question{Form: asked, Asked: time.Now().Add(-20 * time.Second)}
		a := Start(q, Config{Desktop: true, DesktopDelay: 30 * time.Second}, p.routes(), p.fail)
		pass(time.Minute)
		a.Clear()
		p.says(t, []string{"10 " + toast})
	})
}

func TestReminders(t *testing.T) {
	want := []string{"0 " + marked, "0 bell", "60 bell", "600 bell", "30 " + toast, "60 " + toast, "600 " + toast, "1200 title back"}
	run(t, want, func(_ *pane, start func(Config) *Alerts) {
		start(Config{Title: true, Bell: true, Desktop: true, DesktopDelay: 30 * time.Second, Reminders: minutesOf(10, 1, 10, 30)})
		pass(20 * time.Minute)
	})
}

// The clock starts at midnight: 00:00 to 00:20 is quiet, and then not.
func TestQuietHours(t *testing.T) {
	want := []string{"0 " + marked, "1800 bell", "1800 " + toast, "600 beat 10m0s", "1200 beat 20m0s", "1800 beat 30m0s", "1860 title back"}
	run(t, want, func(_ *pane, start func(Config) *Alerts) {
		start(Config{Title: true, Bell: true, Desktop: true, DesktopDelay: 30 * time.Second, Heartbeat: true, HeartbeatInterval: 10 * time.Minute,
			Reminders: minutesOf(10, 30), Quiet: hours("22:00", "00:20")})
		pass(31 * time.Minute)
	})
}

// They are looked at when an alert would be raised, so they may also begin meanwhile.
func TestQuietHoursBegin(t *testing.T) {
	run(t, []string{"0 bell", "300 bell"}, func(_ *pane, start func(Config) *Alerts) {
		start(Config{Bell: true, Reminders: minutesOf(5, 10), Quiet: hours("00:10", "07:00")})
		pass(20 * time.Minute)
	})
}

func TestHeartbeat(t *testing.T) {
	run(t, []string{"270 beat 4m30s", "540 beat 9m0s"}, func(_ *pane, start func(Config) *Alerts) {
		start(Config{Heartbeat: true, HeartbeatInterval: 270 * time.Second})
		pass(10 * time.Minute)
	})
}

func TestChange(t *testing.T) {
	all := Config{Title: true, Bell: true, Desktop: true, DesktopDelay: 30 * time.Second, Heartbeat: true, HeartbeatInterval: 4 * time.Minute, Reminders: minutesOf(10)}
	but := func(change func(*Config)) Config { c := all; change(&c); return c }
	for name, test := range map[string]struct {
		from, to Config // after a minute and a half
		want     []string
	}{
		"nothing": {Config{Title: true}, Config{Title: true}, []string{"0 " + marked, "720 title back"}},
		"all off": {all, Config{}, []string{"0 " + marked, "0 bell", "30 " + toast, "90 title back"}},
		"all on": {Config{}, all, []string{"90 " + marked, "90 " + toast, "240 beat 4m0s", "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s",
			"720 title back"}},
		"title off": {Config{Title: true, Bell: true}, Config{Bell: true}, []string{"0 " + marked, "0 bell", "90 title back"}},
		"a longer delay": {but(func(c *Config) { c.DesktopDelay = 2 * time.Minute }), but(func(c *Config) { c.DesktopDelay = 5 * time.Minute }), []string{
			"0 " + marked, "0 bell", "240 beat 4m0s", "300 " + toast, "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s", "720 title back"}},
		"a delay that is over": {but(func(c *Config) { c.DesktopDelay = 2 * time.Minute }), but(func(c *Config) { c.DesktopDelay = time.Minute }), []string{
			"0 " + marked, "0 bell", "90 " + toast, "240 beat 4m0s", "480 beat 8m0s", "600 bell", "600 " + toast, "720 beat 12m0s", "720 title back"}},
		"reminders": {Config{Bell: true, Reminders: minutesOf(10)}, Config{Bell: true, Reminders: minutesOf(1, 5)}, []string{"0 bell", "300 bell"}},
		"quiet":     {Config{Bell: true, Reminders: minutesOf(10)}, Config{Bell: true, Reminders: minutesOf(10), Quiet: hours("23:00", "01:00")}, []string{"0 bell"}},
		"interval": {Config{Heartbeat: true, HeartbeatInterval: time.Hour}, Config{Heartbeat: true, HeartbeatInterval: 5 * time.Minute},
			[]string{"300 beat 5m0s", "600 beat 10m0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, test.want, func(_ *pane, start func(Config) *Alerts) {
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
			a := Start(Question{Form: asked}, Config{Title: true}, p.routes(), p.fail)
			synctest.Wait()
			for i := range 51 {
				a.Change(Config{Title: (i%2 == 0) == on})
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

// hours are quiet hours.
func hours(from, to string) func(time.Time) bool {
	return func(t time.Time) bool {
		now := t.Format("15:04")
		if from < to {
			return from <= now && now < to
		}
		return from <= now || now < to
	}
}
