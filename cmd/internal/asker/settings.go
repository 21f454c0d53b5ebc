package asker

import (
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

// ResultContext is what of the settings shows in results.
func ResultContext(s settings.Settings) dialect.Context {
	return dialect.Context{DebounceMs: s.DebounceMs, DangerCheck: s.DangerCheckEnabled}
}

// AlertConfig is what of the settings the alerts follow.
func AlertConfig(s settings.Settings) notify.Config {
	c := notify.Config{
		Title: s.TitleOnQuestion, Bell: s.BellOnQuestion,
		Desktop: s.NotificationOnQuestion, DesktopDelay: time.Duration(s.NotificationDelaySeconds) * time.Second,
		Speech: s.TtsOnQuestion, TTSCommand: s.TtsCommand, Command: s.OnQuestionCommand,
		Heartbeat: s.HeartbeatWhileActive, HeartbeatInterval: minutes(s.HeartbeatIntervalMinutes),
		Quiet: s.InQuietHours,
	}
	for _, m := range s.ReminderMinutes {
		c.Reminders = append(c.Reminders, minutes(m))
	}
	return c
}

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }
