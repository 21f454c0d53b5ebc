package sitting

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
	"github.com/askpane/askpane/tests/must"
)

// permitted holds a permission to change the file, as a surface would.
func permitted(t *testing.T, by string, surfaces ...string) (s *Sitting, file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "f")
	must.Do(t, os.WriteFile(file, []byte("one\ntwo\n"), 0o600))
	raw := fmt.Sprintf(`{"tool":"Edit","directory":%q,"file":{"path":%q,"replace":[{"old":"two","new":"2"}]}}`, dir, file)
	_, f, err := dialect.Decode("permission", []byte(raw))
	must.Do(t, err)
	sp, err := spool.Open(filepath.Join(dir, "spool"))
	must.Do(t, err)
	e, err := sp.Create(spool.Request{Form: f, Raw: json.RawMessage(raw), Origin: spool.Origin{Agent: "claude", Native: spool.Beside, Cwd: dir, Surfaces: surfaces, Start: time.Now()}})
	must.Do(t, err)
	req, err := e.Request()
	must.Do(t, err)
	s = New(t.Context(), e, req, Surface{By: by, Name: by, Post: Into(make(chan func()))})
	t.Cleanup(func() {
		s.Close()
		e.Close()
		must.Do(t, sp.Close())
	})
	return s, file
}

var once = machine.Event{Action: machine.Pick, N: 1}

// What is allowed is what is on view: a file that has changed is shown, and allowed, once more.
func TestPermissionOfAFileThatChanges(t *testing.T) {
	t.Parallel()
	s, file := permitted(t, form.ByPopup, "popup")
	if shown := s.Req.Form.Subject().Shown.Content; !strings.Contains(shown, "- 2  two\n+ 2  2\n") {
		t.Errorf("it shows\n%s", shown)
	}
	must.Do(t, os.WriteFile(file, []byte("zero\none\ntwo\n"), 0o600))
	s.M.Seen = true
	s.Handle(once)
	if s.First != nil || s.M.Notice() != scene.FileChanged {
		t.Fatalf("it ended as %+v, says %q", s.First, s.M.Notice())
	}
	s.M.Seen = true
	s.Handle(once)
	r, over, err := s.Entry.Answer()
	if !over || err != nil || !strings.Contains(r.Shown, "- 3  two\n+ 3  2\n") {
		t.Errorf("%v, %v, %+v", over, err, r)
	}
}

// What may have been answered in the agent takes no decision here; it can be handed back.
func TestPermissionThatMayBeOver(t *testing.T) {
	t.Parallel()
	s, _ := permitted(t, form.ByPopup, "popup")
	must.Do(t, s.Entry.SetMaybe())
	s.M.Seen = true
	for _, e := range []machine.Event{once, {Action: machine.Pick, N: 2}} {
		s.Handle(e)
		if _, over, _ := s.Entry.Answer(); over || s.First != nil || s.M.Notice() != scene.MaybeAnswered("claude") {
			t.Fatalf("it ended as %+v, says %q", s.First, s.M.Notice())
		}
	}
	if s.Handle(machine.Event{Action: machine.HandBack}); s.First == nil || s.First.Outcome != form.Elsewhere {
		t.Errorf("handed back: %+v", s.First)
	}
	if says := scene.Unreachable(s.Entry.Status()); says != "maybe answered in the agent" {
		t.Errorf("the form's clock says %q", says)
	}
}

// To deny it the file is not looked at again, nor to hand it back.
func TestPermissionIsDeniedInAnyCase(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]machine.Event{"no": {Action: machine.Pick, N: 2}, "handed back": {Action: machine.HandBack}} {
		s, file := permitted(t, form.ByPopup, "popup")
		must.Do(t, os.Remove(file))
		if s.Handle(e); s.First == nil {
			t.Errorf("%s: %+v", name, s.First)
		}
	}
}

// A surface that the settings do not name decides nothing, and says so; it can hand the form back.
func TestPermissionElsewhere(t *testing.T) {
	t.Parallel()
	s, _ := permitted(t, form.ByPage, "popup", "inbox")
	s.M.Seen = true
	if s.Handle(once); s.First != nil || !strings.Contains(s.M.Notice(), "permissionSurfaces has popup, inbox") {
		t.Errorf("%+v, %q", s.First, s.M.Notice())
	}
	if s.Handle(machine.Event{Action: machine.HandBack}); s.First == nil || s.First.Outcome != form.Elsewhere {
		t.Errorf("%+v", s.First)
	}
}

// The pause for stray keys cannot be switched off.
func TestPermissionIsGuarded(t *testing.T) {
	t.Parallel()
	s, _ := permitted(t, form.ByPopup)
	for guard, want := range map[int]time.Duration{0: leastGuard, 1000: time.Second} {
		if s.Now.GuardMs = guard; s.Guard() != want {
			t.Errorf("%d ms: %v", guard, s.Guard())
		}
	}
}
