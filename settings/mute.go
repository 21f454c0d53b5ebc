package settings

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/edit"
)

// muteFile holds the time at which the mute ends. It is in the state directory, which
// outlasts a reboot.
func muteFile() string { return filepath.Join(state(), "muted") }

// Mute mutes askpane until then: no form opens by itself, and no alert is loud. The zero
// time ends a mute.
func Mute(until time.Time) error {
	if err := os.MkdirAll(state(), 0o700); err != nil {
		return err
	}
	return edit.File(muteFile(), []byte(until.Format(time.RFC3339)))
}

// MutedUntil returns when the mute ends; zero where askpane is not muted.
func MutedUntil() time.Time {
	data, _ := read(muteFile()) // one that cannot be read mutes nothing
	until, err := time.Parse(time.RFC3339, string(data))
	if err != nil || time.Now().After(until) {
		return time.Time{}
	}
	return until
}

// SayMuted says "muted until 14:00"; nothing where askpane is not muted.
func SayMuted() string {
	switch until := MutedUntil().Local(); {
	case until.IsZero():
		return ""
	case time.Until(until) < 24*time.Hour:
		return "muted until " + until.Format("15:04")
	default:
		return "muted until " + until.Format("15:04 on Mon 2 Jan 2006")
	}
}

// Muted reports whether the person has muted askpane.
func (s *Settings) Muted() bool { return time.Now().Before(s.MutedUntil) }

// Quiet reports whether no alert may be loud now.
func (s *Settings) Quiet() bool { return s.Muted() || s.InQuietHours(time.Now()) }

// ParseMute reads when a mute is to end: 1h, until 14:00, or off, which is the zero time.
func ParseMute(words []string, now time.Time) (time.Time, error) {
	switch said := strings.Join(words, " "); {
	case said == "off":
		return time.Time{}, nil
	case len(words) == 2 && words[0] == "until":
		if minutes, ok := parseClock(words[1]); ok {
			until := time.Date(now.Year(), now.Month(), now.Day(), 0, minutes, 0, 0, now.Location())
			if !until.After(now) {
				until = until.AddDate(0, 0, 1)
			}
			return until, nil
		}
	default:
		if d, err := time.ParseDuration(said); err == nil && d > 0 {
			return now.Add(d), nil
		}
	}
	return time.Time{}, hint.New("say 30m, 1h, until 14:00, or off", "%s is no time to mute for", quoted(strings.Join(words, " ")))
}
