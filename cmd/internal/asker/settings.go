package asker

import (
	"time"

	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

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
