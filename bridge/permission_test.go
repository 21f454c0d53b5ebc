package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// permitted asks whether a command may be run; the agent's own prompt stands there.
func permitted(command, native string) Question {
	q := question(0)
	q.Dialect, q.Raw = "permission", fmt.Appendf(nil, `{"tool":"Bash","command":%q,"always":["Bash(ls *)"]}`, command)
	q.Origin.Agent, q.Origin.Native, q.Origin.Start = "claude", native, time.Now().Add(-time.Minute)
	return q
}

// permitting makes a stage whose settings are those that askpane ships.
func permitting(t *testing.T, show func(n int, p *popup, e *spool.Entry)) *stage {
	s := newStage(t, show)
	s.set(func(now *settings.Settings) {
		now.Permissions, now.PermissionSurfaces, now.PermissionDangerous = []string{"away"}, []string{"popup", "page", "machines"}, []string{"rm"}
	})
	return s
}

// at has the asking pane before the person, or another.
type at struct {
	*stage
	pane string
}

func (a at) Asker() (words, ref string) { return "left", "asking" }
func (a at) Viewer(context.Context) (host.Viewer, error) {
	return host.Viewer{ID: "viewer " + a.Name(), Pane: a.pane}, nil
}

func decision(t *testing.T, e Envelope) string {
	t.Helper()
	var d struct{ Decision string }
	if err := json.Unmarshal(e.Details, &d); err != nil {
		t.Fatal(err)
	}
	return d.Decision
}

func TestPermissionIsAllowed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer form.Answer
		want   string
	}{"once": {form.Choose(0), "allow"}, "always": {form.Choose(1), "allow"}, "no": {form.Choose(2), "deny"}, "because": {form.Type("tests first"), "deny"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := permitting(t, func(_ int, p *popup, e *spool.Entry) {
				settle(p, e, form.Result{Outcome: form.Answered, Answers: []form.Answer{c.answer}})
			})
			if got := s.ask(t.Context(), permitted("ls", spool.Beside)); decision(t, got) != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

// Where the settings say never, or nowhere, nobody is asked and nothing is kept.
func TestPermissionNever(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*settings.Settings){
		"never":   func(now *settings.Settings) { now.Permissions = []string{"always", "claude/Bash=never"} },
		"nowhere": func(now *settings.Settings) { now.PermissionSurfaces = nil },
	} {
		s := permitting(t, answers)
		s.set(change)
		got := s.ask(t.Context(), permitted("ls", spool.Serial))
		if got.Outcome != form.Elsewhere || decision(t, got) != "none" || s.opens() != 0 {
			t.Errorf("%s: %+v, %d popups", name, got, s.opens())
		}
		s.empty()
	}
}

// A serial agent gets its question back at once where the person looks at its pane, and no alert is raised.
func TestPermissionIsHandedBackWhereTheyLook(t *testing.T) {
	t.Parallel()
	s := permitting(t, answers)
	s.bridge.Find = func(context.Context) (host.Host, error) { return at{s, "asking"}, nil }
	if got := s.ask(t.Context(), permitted("ls", spool.Serial)); got.Outcome != form.Elsewhere || s.opens() != 0 || s.raised != 0 {
		t.Errorf("%+v, %d popups, %d alerts", got, s.opens(), s.raised)
	}
}

// So it is where the form of a call that died is taken over.
func TestPermissionTakenOverIsHandedBack(t *testing.T) {
	t.Parallel()
	s := permitting(t, answers)
	s.bridge.Find = func(context.Context) (host.Host, error) { return at{s, "asking"}, nil }
	before := permitted("ls", spool.Serial)
	before.Origin.Ref = "asking"
	waits := s.unasked(before)
	if got := s.ask(t.Context(), permitted("ls", spool.Serial)); got.ID != waits.ID || got.Outcome != form.Elsewhere || s.opens() != 0 {
		t.Errorf("%+v of %s, %d popups", got, waits.ID, s.opens())
	}
}

// Beside the agent's own prompt the form is held, and the prompt may end it.
func TestPermissionIsHeldWhereTheyLook(t *testing.T) {
	t.Parallel()
	s := permitting(t, answers)
	s.bridge.Find = func(context.Context) (host.Host, error) { return at{s, "asking"}, nil }
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		s.await("the host has been asked twice", func() bool { ids, _, _ := s.spool.Scan(); return len(ids) == 1 })
		cancel(ErrElsewhere)
	}()
	if got := s.ask(ctx, permitted("ls", spool.Beside)); got.Outcome != form.Elsewhere || s.opens() != 0 || s.raised != 0 {
		t.Errorf("%+v, %d popups, %d alerts", got, s.opens(), s.raised)
	}
}

// Where they look elsewhere it opens, and where the setting says so in any case.
func TestPermissionOpens(t *testing.T) {
	t.Parallel()
	for when, pane := range map[string]string{"away": "another", "always": "asking"} {
		s := permitting(t, answers)
		s.set(func(now *settings.Settings) { now.Permissions = []string{when} })
		s.bridge.Find = func(context.Context) (host.Host, error) { return at{s, pane}, nil }
		if got := s.ask(t.Context(), permitted("ls", spool.Serial)); decision(t, got) != "allow" || s.opens() != 1 {
			t.Errorf("%s: %+v, %d popups", when, got, s.opens())
		}
	}
}

// What is dangerous is typed, once, and stays on this machine; what is too long to be shown is not allowed.
func TestPermissionForms(t *testing.T) {
	t.Parallel()
	for command, c := range map[string]struct {
		typed    string
		options  int
		machines bool
	}{"ls": {"", 3, true}, "rm -rf x": {"rm", 2, false}, "echo " + strings.Repeat("x", mostShown): {"", 1, true}} {
		var got spool.Request
		s := permitting(t, func(_ int, p *popup, e *spool.Entry) {
			got, _ = e.Request()
			settle(p, e, form.Result{Outcome: form.Elsewhere})
		})
		s.ask(t.Context(), permitted(command, spool.Beside))
		q := got.Form.Questions[0]
		if q.Expected != c.typed || q.Dangerous != (c.typed != "") || len(q.Options) != c.options || slices.Contains(got.Origin.Surfaces, "machines") != c.machines {
			t.Errorf("%.20s: %+v on %v", command, q, got.Origin.Surfaces)
		}
	}
}

// A command is as dangerous among the arguments of another tool, as opencode has it where it asks for a directory.
func TestPermissionForArguments(t *testing.T) {
	t.Parallel()
	for arguments, typed := range map[string]string{`{"patterns":["/etc/*"],"input":{"command":"rm -rf /etc/x"}}`: "rm", `{"text":"rm it"}`: ""} {
		var got spool.Request
		s := permitting(t, func(_ int, p *popup, e *spool.Entry) {
			got, _ = e.Request()
			settle(p, e, form.Result{Outcome: form.Elsewhere})
		})
		q := permitted("", spool.Beside)
		q.Raw = []byte(`{"tool":"external_directory","arguments":` + arguments + `}`)
		s.ask(t.Context(), q)
		if got.Form.Questions[0].Expected != typed || slices.Contains(got.Origin.Surfaces, "machines") != (typed == "") {
			t.Errorf("%s: %+v on %v", arguments, got.Form.Questions[0], got.Origin.Surfaces)
		}
	}
}

// A decision from where none is taken ends the wait without one.
func TestPermissionFromElsewhere(t *testing.T) {
	t.Parallel()
	s := permitting(t, func(_ int, p *popup, e *spool.Entry) {
		if err := e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByAnswer, At: time.Now()}); err != nil {
			p.Error(err)
		}
	})
	err := s.undelivered(t.Context(), permitted("ls", spool.Beside))
	if err == nil || !strings.Contains(err.Error(), "permissionSurfaces has popup, page, machines") {
		t.Errorf("%v", err)
	}
}

// What is allowed is what would be done now, wherever that was said: not a change of a file that
// is another by now, unless that was on view.
func TestPermissionOfAnotherFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "f")
	q := permitted("", spool.Beside)
	q.Raw, q.Origin.Cwd = []byte(`{"tool":"Edit","file":{"path":"f","content":"new"}}`), filepath.Dir(file)
	for name, c := range map[string]struct {
		answer form.Answer
		shown  string
		want   error
	}{"allowed": {form.Choose(0), "", change.ErrChanged}, "denied": {form.Choose(1), "", nil}, "seen": {form.Choose(0), "@@ f\n@@ all of the file is written anew\n- 1  old\n+ 1  new\n", nil}} {
		must.Do(t, os.RemoveAll(file))
		s := permitting(t, func(_ int, p *popup, e *spool.Entry) {
			must.Do(t, os.WriteFile(file, []byte("old"), 0o600))
			settle(p, e, form.Result{Outcome: form.Answered, Answers: []form.Answer{c.answer}, Shown: c.shown})
		})
		if err := s.bridge.Ask(t.Context(), q, func(Envelope) error { return nil }); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An answer about what may be another thing by then goes to the call that it was given to.
func TestPermissionGoesToNoOtherCall(t *testing.T) {
	t.Parallel()
	plan := question(0)
	plan.Dialect, plan.Raw = "plan", []byte(`{"plan":"# Tables"}`)
	for name, q := range map[string]Question{"permission": permitted("ls", ""), "plan": plan} {
		s := permitting(t, answers)
		e := s.left(q, chosen, time.Minute)
		if got := askOnly(s, q); got.Recovered || got.ID == "" || got.ID == e.ID {
			t.Errorf("%s: got %+v, which %s was", name, got, e.ID)
		}
	}
}

// Without the popup among permissionSurfaces no popup opens. With its call a permission is over.
func TestPermissionEndsWithItsCall(t *testing.T) {
	t.Parallel()
	s := permitting(t, answers)
	s.set(func(now *settings.Settings) { now.PermissionSurfaces = []string{"page"} })
	ctx, cancel := context.WithCancel(t.Context())
	s.raise = cancel // it waits for the page now
	q := permitted("ls", spool.Beside)
	q.Keep = always
	if got := s.ask(ctx, q); got.Outcome != form.Aborted || s.opens() != 0 {
		t.Errorf("%+v, %d popups", got, s.opens())
	}
}
