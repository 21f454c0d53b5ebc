// Package notify draws the person's attention to a waiting question, and lets
// who asked know that it waits.
//
// It raises alerts by the routes it is handed, by D-Bus, and by running the
// programs that the person has set. The rule that must hold here: an alert may
// fail in any way without any effect on the question, and Clear leaves nothing
// behind.
package notify

import (
	"context"
	"encoding/json"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
)

// Config is what the person has set; each field names its setting.
type Config struct {
	Title             bool                 // titleOnQuestion
	Bell              bool                 // bellOnQuestion
	Desktop           bool                 // notificationOnQuestion
	DesktopDelay      time.Duration        // notificationDelaySeconds, from when the question was asked
	Speech            bool                 // ttsOnQuestion
	TTSCommand        string               // ttsCommand: words, never run through a shell
	Command           string               // onQuestionCommand: run through the shell
	Heartbeat         bool                 // heartbeatWhileActive
	HeartbeatInterval time.Duration        // heartbeatIntervalMinutes
	Reminders         []time.Duration      // reminderMinutes, from when the question was asked
	Quiet             func(time.Time) bool // whether that is in quietHours; nil is never
}

// Routes are the ways out that the host and the caller give. A nil one is not there.
type Routes struct {
	// Mark sets the asking pane's title and counts the question there; restore
	// takes that back. Count only counts it.
	Mark  func(ctx context.Context, title string) (restore func(context.Context) error, err error)
	Count func(ctx context.Context) (restore func(context.Context) error, err error)
	// Ring rings the bell of the asking pane and of the viewer.
	Ring func(ctx context.Context) error
	// Terminal says what the viewer's terminal is, and Tell writes one sequence
	// to it: fewer than 512 bytes, in one write, and nothing that moves a cursor.
	Terminal func(ctx context.Context) (host.Terminal, error)
	Tell     func(ctx context.Context, sequence []byte) error
	// Beat tells who asked that the question has waited so long and still does.
	Beat func(ctx context.Context, waited time.Duration) error
	// Output takes what the programs of an alert print, a line at a time, safe
	// for a log; at most maxOutput bytes a run.
	Output func(alert, line string)
}

// Question is what the alerts are about.
type Question struct {
	Form *form.Form
	// ID and Agent are the entry's and who asks; both may be empty.
	ID, Agent string
	// Payload is the request for onQuestionCommand; empty is the form's echo of it.
	Payload json.RawMessage
	// Asked is when it was asked, which delays count from; zero is now.
	Asked time.Time
}

// header is the few words that name the question in an alert.
func (q Question) header() string { return text.OneLine(q.Form.Header(), headerRunes) }

// headerRunes is how much of a header people still read in a title.
const headerRunes = 60

const (
	// patience is how long an alert may take to be raised or cleared.
	patience = 3 * time.Second
	// grace is how long Clear lets one finish that is being raised, so that it
	// can be taken back exactly.
	grace = time.Second
)

// all is every alert. Adding one is a file and a line here.
var all = []alert{title, bell, desktop, speech, command, heartbeat, count}

// alert is one way to draw attention.
type alert struct {
	name    string // for the log and doctor
	setting string // what switches it
	on      func(Config) bool
	// when says when it is due next, counted from when the question was asked,
	// after so long; ok is false for never. after is negative at first.
	when func(c Config, after time.Duration) (due time.Duration, ok bool)
	// late: switched on while a question waits, it is raised at once if it was
	// due before; the others are only raised when they are due next.
	late bool
	// loud: not raised in quiet hours.
	loud bool
	// unlisted: Describe and Try leave it out, and it has no describe.
	unlisted bool
	// raise raises it. It returns soon, and within patience.
	raise func(context.Context, job) (raised, error)
	// describe says what it would do, where it is on.
	describe func(context.Context, Config, Routes) Line
}

// job is what one alert is raised with.
type job struct {
	Question
	Config
	Routes
	waited time.Duration
}

// raised is an alert that was raised. Its functions may be nil: nothing to take
// back, and nothing that goes on by itself.
type raised struct {
	clear func(context.Context) error
	// finish waits until what goes on has ended by itself.
	finish func(context.Context) error
}

// atOnce is when for what is raised once, when the question is asked.
func atOnce(_ Config, after time.Duration) (time.Duration, bool) { return 0, after < 0 }

// reminded is when for what is raised first at that time, and again with each reminder.
func reminded(first func(Config) time.Duration) func(Config, time.Duration) (time.Duration, bool) {
	return func(c Config, after time.Duration) (due time.Duration, ok bool) {
		for _, t := range append([]time.Duration{first(c)}, c.Reminders...) {
			if t > after && (!ok || t < due) {
				due, ok = t, true
			}
		}
		return due, ok
	}
}

func noDelay(Config) time.Duration { return 0 }
