package text

import (
	"fmt"
	"time"
)

// Elapsed is a duration in its two largest units, rounded down: 12s, 1m 05s,
// 3h 20m.
func Elapsed(d time.Duration) string {
	switch s := int(max(0, d).Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
	}
}

// Age is a duration in its largest unit, rounded down: 12s, 4m, 3h, 2d.
func Age(d time.Duration) string {
	switch s := int(max(0, d).Seconds()); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm", s/60)
	case s < 24*3600:
		return fmt.Sprintf("%dh", s/3600)
	default:
		return fmt.Sprintf("%dd", s/3600/24)
	}
}
