package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // quiet hours are of local time
	// What this process has of its own of a desktop is not for the tests.
	for _, name := range []string{"DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION", "SSH_TTY", "XDG_RUNTIME_DIR"} {
		os.Unsetenv(name)
	}
	goleak.VerifyTestMain(m)
}

var asked = &form.Form{
	Dialect: "question", Echo: []byte(`{"questions":[]}`),
	Questions: []form.Question{{ID: "a", Label: "Colour\x1b[31m\nof it", Named: true, Prompt: "?"}},
}

// alerts are those of one question, and the settings that they follow.
type alerts struct {
	clear func()

	mu      sync.Mutex
	now     settings.Settings
	changed func()
	over    bool // Clear has begun
}

func begin(q Question, s settings.Settings, r Routes, failed func(string, error)) *alerts {
	a := &alerts{now: s}
	a.clear = Start(q, a, r, failed)
	return a
}

func (a *alerts) Now() *settings.Settings {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now
	return &now
}

func (a *alerts) Watch(changed func()) (stop func()) {
	a.changed = changed
	return func() {}
}

func (a *alerts) Change(s settings.Settings) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = s
	a.changed()
}

func (a *alerts) Clear() {
	a.mu.Lock()
	a.over = true
	a.mu.Unlock()
	a.clear()
}

// pane is an asking pane and its viewer's terminal. It takes down what reaches
// it, and when.
type pane struct {
	start  time.Time
	mu     sync.Mutex
	heard  []string
	failed []string
	// term is what the terminal says that it is.
	term host.Terminal
	// mark and ring stand in for what the pane does itself, where they are set.
	mark func(context.Context, string) (func(context.Context) error, error)
	ring func() error

	unused
}

// routes are those of the pane; what is heard begins with the seconds since the start.
func (p *pane) routes() Routes {
	return Routes{
		Host: p,
		Tell: func(_ host.Terminal, sequence string) error {
			p.hear(strings.ReplaceAll(sequence, "\x1b", "␛"))
			return nil
		},
		Beat: func(_ context.Context, waited time.Duration) error {
			p.hear(fmt.Sprintf("beat %v", waited.Round(time.Second)))
			return nil
		},
	}
}

// What of a host the alerts have no use for is nil.
type unused struct{ host.Host }

func (p *pane) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if p.mark != nil {
		return p.mark(ctx, title)
	}
	p.hear("title " + title)
	return func(context.Context) error { p.hear("title back"); return nil }, nil
}

func (p *pane) Ring(context.Context, func(string) int) error {
	if p.ring != nil {
		return p.ring()
	}
	p.hear("bell")
	return nil
}

func (p *pane) Terminal(context.Context) (host.Terminal, error) { return p.term, nil }

func (p *pane) hear(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.start.IsZero() {
		what = fmt.Sprintf("%.0f %s", time.Since(p.start).Seconds(), what)
	}
	p.heard = append(p.heard, what)
}

func (p *pane) fail(alert string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = append(p.failed, alert+": "+err.Error())
}

// says checks what was heard, in any order, and what failed.
func (p *pane) says(t *testing.T, heard []string, failed ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if got, want := sorted(p.heard), sorted(heard); !slices.Equal(got, want) {
		t.Errorf("heard\n  %q, want\n  %q", got, want)
	}
	if got, want := sorted(p.failed), sorted(failed); !slices.Equal(got, want) {
		t.Errorf("failed\n  %q, want\n  %q", got, want)
	}
}

func (p *pane) has(what string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.heard, what)
}

func sorted(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }

// eventually waits for what happens beside the test.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(30 * time.Second); !ok(); {
		select {
		case <-late:
			t.Fatalf("it never came about that %s", what)
		case <-tick.C:
		}
	}
}

const marked = "title Colour␛[31m of it"

var titleAndBell = settings.Settings{TitleOnQuestion: true, BellOnQuestion: true}

func TestStartAndClear(t *testing.T) {
	t.Parallel()
	var p pane
	a := begin(Question{Form: asked}, titleAndBell, p.routes(), p.fail)
	eventually(t, "both are raised", func() bool { return p.has(marked) && p.has("bell") })
	a.Clear()
	p.says(t, []string{marked, "bell", "title back"})
	a.Clear()
	p.says(t, []string{marked, "bell", "title back"})
}

func TestAllOff(t *testing.T) {
	t.Parallel()
	var p pane
	begin(Question{Form: asked}, settings.Settings{}, p.routes(), p.fail).Clear()
	p.says(t, nil)
}

// What a host does not have is no failure.
func TestNoRoutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pane
		c := settings.Settings{TitleOnQuestion: true, BellOnQuestion: true, HeartbeatWhileActive: true, HeartbeatIntervalMinutes: 1}
		a := begin(Question{Form: asked}, c, Routes{}, p.fail)
		pass(time.Hour)
		a.Clear()
		p.says(t, nil)
	})
}

func TestTitleOfAQuestion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		form form.Form
		want string
	}{
		"long":            {form.Form{Title: strings.Repeat("x", 500)}, strings.Repeat("x", headerRunes-1) + "…"},
		"AskUserQuestion": {form.Form{Dialect: "AskUserQuestion", NamesTool: true, Title: "Store"}, "AskUserQuestion — Store"},
	} {
		t.Run(name, func(t *testing.T) {
			var p pane
			a := begin(Question{Form: &test.form}, settings.Settings{TitleOnQuestion: true}, p.routes(), p.fail)
			eventually(t, "the title is set", func() bool { return p.has("title " + test.want) })
			a.Clear()
			p.says(t, []string{"title " + test.want, "title back"})
		})
	}
}

func TestAlertsThatFail(t *testing.T) {
	t.Parallel()
	var p pane
	r := p.routes()
	p.mark = func(context.Context, string) (func(context.Context) error, error) { return nil, errors.New("no pane") }
	p.ring = func() error { return errors.New("no tty") }
	c := titleAndBell
	a := begin(Question{Form: asked}, c, r, p.fail)
	eventually(t, "all have failed", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.failed) == 2
	})
	a.Clear()
	p.says(t, nil, "bell: no tty", "title: no pane")
}

func TestClearThatFails(t *testing.T) {
	t.Parallel()
	var p pane
	r := p.routes()
	raised := make(chan struct{})
	p.mark = func(context.Context, string) (func(context.Context) error, error) {
		close(raised)
		return func(context.Context) error { return errors.New("pane is gone") }, nil
	}
	a := begin(Question{Form: asked}, settings.Settings{TitleOnQuestion: true}, r, p.fail)
	<-raised
	a.Clear()
	p.says(t, nil, "title: pane is gone")
}

// One alert that hangs keeps neither Start nor the other alert waiting, and
// Clear no longer than its grace.
func TestAlertThatHangs(t *testing.T) {
	t.Parallel()
	var p pane
	r := p.routes()
	hangs, started := make(chan struct{}), make(chan struct{})
	p.mark = func(ctx context.Context, _ string) (func(context.Context) error, error) {
		close(hangs)
		<-started // for ever, if Start waits for this
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a := begin(Question{Form: asked}, titleAndBell, r, p.fail)
	close(started)
	<-hangs
	eventually(t, "the bell rings all the same", func() bool { return p.has("bell") })
	began := time.Now()
	a.Clear()
	if took := time.Since(began); took > late {
		t.Errorf("Clear took %v", took)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.failed) != 1 || !strings.HasPrefix(p.failed[0], "title: context ") {
		t.Errorf("failed %q", p.failed)
	}
}

// An alert that is being raised when Clear comes is taken back as well.
func TestClearWhileItIsRaised(t *testing.T) {
	t.Parallel()
	var p pane
	r := p.routes()
	begun, clearing := make(chan struct{}), make(chan struct{})
	p.mark = func(context.Context, string) (func(context.Context) error, error) {
		close(begun)
		<-clearing
		p.hear("title set")
		return func(context.Context) error { p.hear("title back"); return nil }, nil
	}
	a := begin(Question{Form: asked}, settings.Settings{TitleOnQuestion: true}, r, p.fail)
	<-begun
	cleared := make(chan struct{})
	go func() { a.Clear(); close(cleared) }()
	eventually(t, "Clear has begun", func() bool { a.mu.Lock(); defer a.mu.Unlock(); return a.over })
	close(clearing)
	<-cleared
	p.says(t, []string{"title set", "title back"})
}

func TestClearFromSeveralSides(t *testing.T) {
	t.Parallel()
	var p pane
	a := begin(Question{Form: asked}, titleAndBell, p.routes(), p.fail)
	eventually(t, "both are raised", func() bool { return p.has(marked) && p.has("bell") })
	var all sync.WaitGroup
	for range 8 {
		all.Go(a.Clear)
		all.Go(func() { a.Change(settings.Settings{BellOnQuestion: true}) })
	}
	all.Wait()
	p.says(t, []string{marked, "bell", "title back"})
}

// A question whose alerts are raised, or due later, has no goroutine for that.
func TestNothingWaits(t *testing.T) {
	before := runtime.NumGoroutine()
	var p pane
	var all []*alerts
	for range 50 {
		all = append(all, begin(Question{Form: asked}, settings.Settings{BellOnQuestion: true, ReminderMinutes: []float64{60}}, p.routes(), p.fail))
	}
	eventually(t, "fifty bells ring and nothing goes on", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.heard) == 50 && runtime.NumGoroutine() <= before
	})
	for _, a := range all {
		a.Clear()
	}
}
