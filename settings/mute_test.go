package settings

import (
	"strings"
	"testing"
	"time"
)

// What may be said, and when it ends; a clock is of today, and of tomorrow where it has
// struck.
func TestParseMute(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 13, 30, 10, 0, time.Local)
	for said, want := range map[string]string{
		"1h": "26 14:30:10", "90m": "26 15:00:10", "until 14:00": "26 14:00:00", "until 14": "26 14:00:00", "until 13:30": "27 13:30:00", "until 24:00": "27 00:00:00",
		"off": "",
		"1x":  `"1x" is no time to mute for`, "until 25:00": `"until 25:00" is no time`, "until": `"until" is no time`, "-1h": "is no time", "0s": "is no time", "off 1h": "is no time", "30": "is no time",
	} {
		until, err := ParseMute(strings.Fields(said), now)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case !until.IsZero():
			got = until.Format("02 15:04:05")
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", said, got, want)
		}
	}
}

// Without a home no file of the directory that askpane is run in is taken for one of its own.
func TestStateWithoutHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "")
	if name := muteFile(); name != "/.local/state/askpane/muted" {
		t.Errorf("the mute is in %s", name)
	}
}

// A mute is in a file, ends by itself, and is in force at once for those who watch.
func TestMute(t *testing.T) {
	h := newHome(t)
	t.Setenv("XDG_STATE_HOME", h.dir+"/state")
	h.write(globalFile, `{"debounceMs": 0}`)
	live := Follow("")
	now, changed := live.Now()
	defer live.Watch(nil, nil)()
	if now.Muted() {
		t.Error("it is muted from the beginning")
	}
	next := func() *Loaded {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(patience):
			t.Fatal("nobody is told")
		}
		now, changed = live.Now()
		return now
	}
	end := time.Now().Add(time.Hour)
	mute := func(until time.Time) {
		t.Helper()
		if err := Mute(until); err != nil {
			t.Fatal(err)
		}
	}
	mute(end)
	if now := next(); !now.Muted() || !now.Quiet() || now.InQuietHours(time.Now()) {
		t.Errorf("muted until %v", now.MutedUntil)
	}
	if said := SayMuted(); said != "muted until "+end.Format("15:04") {
		t.Errorf("said is %q", said)
	}
	checks := now.Checks()
	if c := checks[len(checks)-1]; c.Name != "mute" || c.Fix != "askpane mute off" {
		t.Errorf("doctor says %+v", c)
	}
	mute(time.Time{})
	if next().Muted() {
		t.Error("it is not taken back")
	}
	mute(end.AddDate(0, 0, 3))
	if said := SayMuted(); !strings.HasSuffix(said, end.AddDate(0, 0, 3).Format(" on Mon 2 Jan 2006")) {
		t.Errorf("of another day is said %q", said)
	}
	mute(time.Now().Add(-time.Minute))
	if l := Load(""); !l.MutedUntil.IsZero() || SayMuted() != "" {
		t.Errorf("after its end: %v", l.MutedUntil)
	}
	h.write("state/askpane/muted", "soon")
	if l := Load(""); !l.MutedUntil.IsZero() {
		t.Errorf("of a broken file: %v", l.MutedUntil)
	}
}
