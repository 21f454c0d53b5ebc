package notify

import (
	"fmt"
	"strings"
	"time"
)

// quietHours reads "22:00-07:00" and returns whether a time lies in it, by the
// clock on the wall of its own zone. The end is not part of it, and an end
// before the start is on the next day. An empty text is never.
func quietHours(text string) (func(time.Time) bool, error) {
	if text == "" {
		return func(time.Time) bool { return false }, nil
	}
	from, to, _ := strings.Cut(text, "-")
	start, err1 := time.Parse("15:04", strings.TrimSpace(from))
	end, err2 := time.Parse("15:04", strings.TrimSpace(to))
	if err1 != nil || err2 != nil || start.Equal(end) {
		return nil, fmt.Errorf("%q is no span of hours; write it like 22:00-07:00", text)
	}
	first, last := minutes(start), minutes(end)
	return func(t time.Time) bool {
		m := minutes(t)
		if first < last {
			return first <= m && m < last
		}
		return first <= m || m < last
	}, nil
}

func minutes(t time.Time) int { return t.Hour()*60 + t.Minute() }
