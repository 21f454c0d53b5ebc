package settings

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// alone takes every ASKPANE_ name out of the environment of one test.
func alone(t *testing.T) {
	t.Helper()
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "ASKPANE_") {
			t.Setenv(name, "") // so that it comes back
			os.Unsetenv(name)
		}
	}
}

func TestDefaults(t *testing.T) {
	alone(t)
	s, problems := Load()
	if len(problems) != 0 {
		t.Errorf("the defaults alone give problems: %v", problems)
	}
	want := Settings{Host: "auto", PopupWidth: "80%", PopupHeight: "75%", GuardMs: 400, DebounceMs: 300, DangerCheckEnabled: true,
		Theme: "auto", BellOnQuestion: true, TitleOnQuestion: true}
	if s != want {
		t.Errorf("Load = %+v, want %+v", s, want)
	}
}

// Every field is described, its default is in its own range, and the
// environment reaches it under one name.
func TestEveryTag(t *testing.T) {
	alone(t)
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Settings]()) {
		name, def := f.Tag.Get("name"), f.Tag.Get("default")
		if name == "" || def == "" || f.Tag.Get("help") == "" || names[name] {
			t.Errorf("%s: name %q (seen %v), default %q, help %q", f.Name, name, names[name], def, f.Tag.Get("help"))
		}
		names[name] = true
		v := reflect.New(f.Type).Elem()
		if err := set(v, f, def); err != nil {
			t.Errorf("%s: its default does not fit: %v", f.Name, err)
		}
		if f.Type.Kind() == reflect.Int {
			for _, out := range []string{f.Tag.Get("max") + "0", "-1", "x", "", "1.5"} {
				if err := set(v, f, out); err == nil {
					t.Errorf("%s takes %q", f.Name, out)
				}
			}
			for _, in := range []string{f.Tag.Get("min"), f.Tag.Get("max")} {
				if err := set(v, f, in); err != nil {
					t.Errorf("%s refuses %q, its own limit: %v", f.Name, in, err)
				}
			}
		}
	}
}

func TestEnvironment(t *testing.T) {
	alone(t)
	for name, want := range map[string]string{"host": "ASKPANE_HOST", "guardMs": "ASKPANE_GUARD_MS", "hostWaitSeconds": "ASKPANE_HOST_WAIT_SECONDS"} {
		if got := envName(name); got != want {
			t.Errorf("envName(%q) = %q, want %q", name, got, want)
		}
	}
	t.Setenv("ASKPANE_HOST", "terminal")
	t.Setenv("ASKPANE_POPUP_WIDTH", "100%")
	t.Setenv("ASKPANE_GUARD_MS", "0")
	t.Setenv("ASKPANE_TIMEOUT_SECONDS", "60")
	t.Setenv("ASKPANE_BELL_ON_QUESTION", "false")
	s, problems := Load()
	want := Settings{Host: "terminal", PopupWidth: "100%", PopupHeight: "75%", TimeoutSeconds: 60, DebounceMs: 300, DangerCheckEnabled: true,
		Theme: "auto", TitleOnQuestion: true}
	if s != want || len(problems) != 0 {
		t.Errorf("Load = %+v, %v, want %+v", s, problems, want)
	}
}

func TestBadValuesAreReportedAndDropped(t *testing.T) {
	for _, c := range []struct{ env, value, want string }{
		{"ASKPANE_GUARD_MS", "fast", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got "fast"; using 400`},
		{"ASKPANE_GUARD_MS", "-1", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got "-1"; using 400`},
		{"ASKPANE_GUARD_MS", "5001", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got "5001"; using 400`},
		{"ASKPANE_GUARD_MS", "", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got ""; using 400`},
		{"ASKPANE_TIMEOUT_SECONDS", "99999999999999999999", `ASKPANE_TIMEOUT_SECONDS: expected a whole number from 0 to 604800, got "99999999999999999999"; using 0`},
		{"ASKPANE_BELL_ON_QUESTION", "maybe", `ASKPANE_BELL_ON_QUESTION: expected true or false, got "maybe"; using true`},
		{"ASKPANE_POPUP_WIDTH", "80", `ASKPANE_POPUP_WIDTH: expected a percentage from 10% to 100%, got "80"; using 80%`},
		{"ASKPANE_POPUP_WIDTH", "9%", `ASKPANE_POPUP_WIDTH: expected a percentage from 10% to 100%, got "9%"; using 80%`},
		{"ASKPANE_POPUP_HEIGHT", "101%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "101%"; using 75%`},
		{"ASKPANE_POPUP_HEIGHT", "50%%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "50%%"; using 75%`},
		{"ASKPANE_POPUP_HEIGHT", "#(reboot)%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "#(reboot)%"; using 75%`},
	} {
		t.Run(c.env+"="+c.value, func(t *testing.T) {
			alone(t)
			before, _ := Load()
			t.Setenv(c.env, c.value)
			s, problems := Load()
			if s != before {
				t.Errorf("Load = %+v, want the defaults", s)
			}
			if len(problems) != 1 || problems[0].Error() != c.want {
				t.Errorf("problems %v, want %s", problems, c.want)
			}
		})
	}
}
