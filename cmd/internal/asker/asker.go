// Package asker wires every program that asks: with the settings as they are now, the alerts
// beside the question, and the hosts where forms open.
package asker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/logfile"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/popup/layout"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/settings"
)

// Asker has what a question needs beside itself.
type Asker struct {
	Host     string                                                // where to ask, as the command line says; empty is the setting
	Say      func(error)                                           // tells the person
	Beat     func(ctx context.Context, waited time.Duration) error // tells who asked that it waits; nil where nothing can
	NoAlerts bool                                                  // somebody else raises them
	Lookout  *bridge.Lookout                                       // of all questions of the process; nil makes one
	Log      func() *slog.Logger                                   // nil is the log file

	live *settings.Live
}

// For returns an Asker made ready for an agent that works in the directory dir. It says what
// is wrong with the settings to the person, and that stops nothing.
func (a Asker) For(dir string) Asker {
	a.live = settings.Follow(dir)
	s, _ := a.live.Now()
	for _, p := range s.Problems {
		a.Say(p)
	}
	if a.Log == nil {
		a.Log = sync.OnceValue(func() *slog.Logger { return logfile.New(s.LogLevel) })
	}
	if a.Lookout == nil {
		a.Lookout = new(bridge.Lookout)
	}
	a.Host = cmp.Or(a.Host, s.Host)
	if err := integrations.Known(a.Host); err != nil { // a setting never stops a question
		p := settings.Problem{Where: s.Sources["host"].Where, What: fmt.Sprintf("%v; using %s", err, integrations.Auto)}
		if s.Sources["host"].Rank != settings.Environment {
			p.Key = "host"
		}
		a.Say(p)
		a.Host = integrations.Auto
	}
	return a
}

// Now returns the settings in force, which alerts follow, too. Nobody may write to them.
func (a Asker) Now() *settings.Settings {
	s, _ := a.live.Now()
	return &s.Settings
}

// Watch has changed called when others are in force, until stop.
func (a Asker) Watch(changed func()) (stop func()) { return a.live.Watch(a.Warn, changed) }

// Timeout returns how long a question waits that does not say so itself; 0 is for ever.
func (a Asker) Timeout() time.Duration {
	return time.Duration(a.Now().TimeoutSeconds) * time.Second
}

// finding bounds how many questions of one process look for their host at once. Each runs
// commands for that: of hundreds at once, all would be late.
var finding = make(chan struct{}, 4)

// Find begins to look for the host and returns how to get what was found.
func (a Asker) Find() func(context.Context) (host.Host, error) {
	var found host.Host
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		finding <- struct{}{}
		defer func() { <-finding }()
		found, err = integrations.Find(context.Background(), a.Host)
	}()
	return func(ctx context.Context) (host.Host, error) {
		select {
		case <-done:
			return found, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// FindLater finds the host when it is called, for who may need none.
func (a Asker) FindLater(ctx context.Context) (host.Host, error) { return a.Find()(ctx) }

// Bridge returns the agent's side of everything that asks.
func (a Asker) Bridge(sp *spool.Spool, find func(context.Context) (host.Host, error)) *bridge.Bridge {
	return &bridge.Bridge{Spool: sp, Settings: a.live.Now, Popup: programs.ShowsForm, Size: a.size, Lookout: a.Lookout, Raise: a.Raise, Warn: a.Warn,
		Find: func(ctx context.Context) (host.Host, error) {
			_, missing := programs.ShowsForm()
			h, err := find(ctx)
			return h, cmp.Or(err, missing)
		}}
}

// size returns how large a popup the first of a form's questions needs, or the tallest of
// them where the popup cannot grow.
func (a Asker) size(r spool.Request, v host.Viewer) (size host.Size) {
	if v.Width == 0 { // the host could not tell
		return size
	}
	s := a.Now().Form()
	size = host.Size{Columns: v.Width, Rows: v.Height}
	size.Width, size.Height = s.Shares()
	width, height := size.On(v)
	columns, rows := layout.Size(&r.Form, scene.Stands(r.Origin), s.DangerCheckEnabled, true, max(1, width-host.Border), max(1, height-host.Border))
	if v.Grows {
		rows = rows[:1]
	}
	size.Columns, size.Rows = columns+host.Border, slices.Max(rows)+host.Border
	return size
}

// atRest passes until all has been done beside the newest question, and it just waits.
const atRest = 2 * time.Second

// whenAtRest is the timer by which this process lets go of what a wait does not need.
var whenAtRest = sync.OnceValue(func() *time.Timer { return time.AfterFunc(atRest, programs.ReleasePages) })

// Raise raises the alerts for a question, and follows the settings, until clear.
func (a Asker) Raise(h host.Host, id string, req spool.Request) (clear func()) {
	whenAtRest().Reset(atRest)
	leave := func() {}
	away := req.Origin.Away != nil
	// Whoever waits at a terminal for a form is told why none comes; but no agent, which could end the mute.
	if _, agent := text.Known(req.Origin.Agent); !agent && a.Now().Muted() && !away && !h.Kind().Borrows && term.IsTerminal(syscall.Stderr) {
		a.Say(errors.New(settings.SayMuted() + "; askpane next shows the form, and askpane mute off opens it"))
	}
	if !away && (h.Kind().NoPopup && a.Now().PageAlone || a.told()) {
		leave = alone.join(a)
		if h.Kind().NoPopup && !a.Now().PageAlone {
			a.warnStays(req)
		}
	}
	if a.NoAlerts {
		return leave
	}
	go a.page(id, req)
	q := notify.Question{Form: &req.Form, ID: id, Agent: req.Origin.Agent, Payload: req.Raw, Asked: req.Origin.Start}
	if machine := req.Origin.Machine(); machine != "" {
		q.Agent = text.Asker(q.Agent, machine, 24)
	}
	clearAlerts := notify.Start(q, a, a.Routes(h), a.alertFailed)
	return func() {
		leave()
		clearAlerts()
	}
}

// mostSent limits, in bytes, a request that a hub takes (docs/dev/hub.md).
const mostSent = 3 << 20

// warnStays warns of a question that no other machine hears of, where nobody may sit here.
func (a Asker) warnStays(req spool.Request) {
	data, _ := json.Marshal(req)
	s := a.Now()
	switch {
	case !s.Linked(): // it is in the chat
		if req.Form.Guarded() && !s.ChatSensitive {
			a.Warn(hint.New("answer it here by askpane next, or have the chat take it by askpane settings set chatSensitive true", "the question is dangerous or asks for a secret: the chat only says that it waits"))
		}
	case req.Form.Secrets() && !s.HubSecrets:
		a.Warn(hint.New("answer it here by askpane next, or have it go to your other machines by askpane settings set hubSecrets true", "the question asks for a secret, and stays on this machine"))
	case len(data) > mostSent:
		a.Warn(hint.New("answer it here by askpane next", "the question is too large to go to other machines, and stays on this one"))
	}
}

// Late tells the person why the answer that was given here to e is not the one that
// counts.
func (a Asker) Late(h host.Host, e *spool.Entry, verdict string) {
	header := "a question"
	if req, err := e.Request(); err == nil {
		header = text.Quoted(req.Form.Header(), 40)
	}
	a.Warn(fmt.Errorf("the answer to %s: %s", e.ID, verdict))
	go func() {
		if err := notify.Tell(context.Background(), a.Now(), a.Routes(h), header+": "+verdict); err != nil {
			a.alertFailed("late answer", err)
		}
	}()
}

// Routes returns the ways to the person by h, and to who asked.
func (a Asker) Routes(h host.Host) notify.Routes {
	return notify.Routes{
		Host: h, Tell: integrations.Tell, Beat: a.Beat,
		Popup: func(viewer string) (pid int) {
			sp, err := OpenSpool()
			if err != nil {
				return 0
			}
			defer sp.Close()
			pid, taken := sp.Queue(host.At(h, viewer).Kind().Name, viewer).Seat()
			if !taken {
				return 0
			}
			return pid
		},
		Push:   Push,
		Output: func(alert, line string) { a.Log().Info("output", "alert", alert, "line", line) },
	}
}

// Push returns the command that tells the person's phone.
func Push(args ...string) (*exec.Cmd, error) {
	return programs.Desk.Cmd(append([]string{"push"}, args...)...)
}

// Warn tells the person, and the log, of what concerns the question itself.
func (a Asker) Warn(err error) {
	a.Log().Warn("warning", "error", err.Error())
	a.Say(err)
}

// alertFailed logs that an alert failed, which is no reason to disturb anybody: doctor reads
// it there.
func (a Asker) alertFailed(alert string, err error) {
	a.Log().Warn("alert failed", "alert", alert, "error", err.Error())
}

// BeatAside writes a heartbeat to standard error.
func BeatAside(_ context.Context, waited time.Duration) error {
	_, err := fmt.Fprintf(os.Stderr, "askpane: still waiting for an answer, for %s now\n", text.Age(waited))
	return err
}

// OpenSpool opens the person's spool.
func OpenSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.Open(dir)
}

// SessionName returns the agent's own name for its session, where it tells its children: our
// extensions do, and Claude Code.
func SessionName() string {
	return cmp.Or(os.Getenv("ASKPANE_SESSION"), os.Getenv("CLAUDE_CODE_SESSION_ID"))
}
