package settings

import (
	"fmt"
	"strings"
	"time"
)

// InQuietHours reports whether t, by its own zone's clock, lies in quietHours.
// The first minute belongs to them and the last does not; where the end is not
// after the beginning they cross midnight.
func (s Settings) InQuietHours(t time.Time) bool {
	from, to, err := parseHours(s.QuietHours)
	if err != nil || from == to {
		return false
	}
	now := t.Hour()*60 + t.Minute()
	if from < to {
		return from <= now && now < to
	}
	return from <= now || now < to
}

// parseHours gives minutes after midnight; both are 0 for an empty text.
func parseHours(text string) (from, to int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, last, ok := strings.Cut(text, "-")
	from, fromOK := parseClock(strings.TrimSpace(first))
	to, toOK := parseClock(strings.TrimSpace(last))
	if !ok || !fromOK || !toOK || from == to || from == 24*60 {
		return 0, 0, fmt.Errorf("expected hours such as 22:00-07:00, or nothing, got %s", quoted(text))
	}
	return from, to, nil
}

// parseClock is strict about two digits on each side; 24:00 is the day's end.
func parseClock(text string) (minutes int, ok bool) {
	if text == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == len("15:04")
}
