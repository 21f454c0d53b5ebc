// Package notify draws the person's attention to a waiting question, and lets
// who asked know that it waits.
//
// It raises alerts by the host, by D-Bus, and by running the programs that the
// person has set. The rule that must hold here: an alert may fail in any way
// without any effect on the question, and Clear leaves nothing behind.
package notify

import (
	"context"
	"encoding/json"
	"math"
	"os/exec"
	"slices"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// Routes are the ways to the person and to who asked. Any of them may be missing.
type Routes struct {
	// Host is where the question is asked: its bell, its pane's title and its
	// viewer's terminal. Popup gives the process of the popup on a viewer, as
	// Host.Ring wants it.
	Host  host.Host
	Popup func(viewer string) (pid int)
	// Tell writes one sequence to a viewer's terminal: fewer than 512 bytes, in one
	// write, and nothing that moves a cursor.
	Tell func(t host.Terminal, sequence string) error
	// Beat tells who asked that the question has waited so long and still does.
	Beat func(ctx context.Context, waited time.Duration) error
	// Push is the program that pushes (cmd/askpane-desk).
	Push func(args ...string) (*exec.Cmd, error)
	// Output takes what the programs of an alert print, a line at a time, safe
	// for a log; at most maxOutput bytes a run.
	Output func(alert, line string)
}

// Settings gives what is set, which nobody writes to. Watch has changed called, which
// returns at once, when something else is set, until stop and perhaps once more.
type Settings interface {
	Now() *settings.Settings
	Watch(changed func()) (stop func())
}

// Question describes what the alerts are about.
type Question struct {
	Form      *form.Form
	ID, Agent string          // the entry's and who asks; both may be empty
	Payload   json.RawMessage // the request for onQuestionCommand; empty for the form's echo of it
	Asked     time.Time       // delays count from then; zero for now
}

// header is the few words that name the question in an alert.
func (q Question) header() string { return text.OneLine(q.Form.Header(), headerRunes) }

// headerRunes bounds what people still read of a header in a title, and agentRunes of who
// asks.
const headerRunes, agentRunes = 60, 20

const (
	// patience bounds the raising and the clearing of an alert.
	patience = 3 * time.Second
	// grace bounds the time that Clear gives one that is being raised, so that it can be
	// taken back exactly.
	grace = time.Second
)

// all lists the alerts. Adding one is a file and a line here.
var all = []*alert{&title, &bell, &desktop, &speech, &command, &push, &heartbeat}

// alert describes a way to draw attention.
type alert struct {
	name    string // for the log and doctor
	setting string // what switches it
	isOn    func(settings.Settings) bool
	// when says when it is due next, counted from when the question was asked,
	// after so long; never is not at all.
	when func(s settings.Settings, past time.Duration) (due time.Duration)
	// late alerts that are switched on while a question waits are raised at once if they
	// were due before; the others are only raised when they are due next.
	late bool
	loud bool // not raised in quiet hours
	// raise raises it. It returns soon, and within patience.
	raise func(context.Context, job) (undo, error)
	// describe says what it would do, where it is on: a state, a detail and a fix.
	// One that has none is left out by Describe and Try.
	describe func(context.Context, job) hint.Check
}

// job has what an alert is raised with.
type job struct {
	Question
	Routes
	set    *settings.Settings
	waited time.Duration
}

// undo takes an alert back, and says how what was raised has failed meanwhile; nil where
// nothing can be taken back.
type undo = func(context.Context) error

const (
	beforeAll = time.Duration(-1)
	never     = time.Duration(math.MaxInt64)
)

// once has an alert raised once, when the question is asked.
func once(_ settings.Settings, past time.Duration) time.Duration {
	return atOnce(settings.Settings{}, past) // which has no reminders
}

// atOnce has an alert raised when the question is asked, and again with each reminder.
func atOnce(s settings.Settings, past time.Duration) time.Duration { return reminded(0, s, past) }

// reminded has an alert raised at first, and again with each reminder.
func reminded(first time.Duration, s settings.Settings, past time.Duration) time.Duration {
	times := []time.Duration{first}
	for _, m := range s.ReminderMinutes {
		times = append(times, minutes(m))
	}
	times = slices.DeleteFunc(times, func(t time.Duration) bool { return t <= past })
	return slices.Min(append(times, never))
}

func minutes(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }
