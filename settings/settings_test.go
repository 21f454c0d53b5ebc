package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// alone takes every ASKPANE_ name out of the environment of one test.
func alone(t testing.TB) {
	t.Helper()
	for _, e := range os.Environ() {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "ASKPANE_") {
			t.Setenv(name, "") // so that it comes back
			os.Unsetenv(name)
		}
	}
}

// home is a person's home with a repository in it, and nothing set.
type home struct {
	testing.TB
	dir, repo string
}

func newHome(t testing.TB) home {
	t.Helper()
	alone(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := home{t, dir, filepath.Join(dir, "src", "shop")}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", "")
	h.mkdir("src/shop/.git")
	h.mkdir("src/shop/cmd/web")
	return h
}

func (h home) mkdir(name string) {
	h.Helper()
	if err := os.MkdirAll(filepath.Join(h.dir, name), 0o755); err != nil {
		h.Fatal(err)
	}
}

// write makes a file below the home and its directories.
func (h home) write(name, content string) string {
	h.Helper()
	h.mkdir(filepath.Dir(name))
	path := filepath.Join(h.dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		h.Fatal(err)
	}
	return path
}

func (h home) read(name string) string {
	h.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.Fatal(err)
	}
	return string(data)
}

// Where the four files of a home are.
const (
	globalFile    = ".config/askpane/settings.json"
	piGlobalFile  = ".pi/agent/ask-user-question.json"
	projectFile   = "src/shop/.askpane/settings.json"
	piProjectFile = "src/shop/.pi/ask-user-question.json"
)

// says checks problems, without the home's path.
func (h home) says(problems []Problem, want ...string) {
	h.Helper()
	var got []string
	for _, p := range problems {
		got = append(got, strings.ReplaceAll(p.Error(), h.dir, "~"))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		h.Errorf("problems:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDefaults(t *testing.T) {
	h := newHome(t)
	l := Load(h.repo)
	h.says(l.Problems)
	for _, f := range Fields() {
		if s := l.Sources[f.Name]; s.String() != "default" || f.Text(l.Settings) != f.Default {
			t.Errorf("%s is %q from %s, want %q from default", f.Name, f.Text(l.Settings), s, f.Default)
		}
		if v, err := f.Parse(f.Default); err != nil || fmt.Sprint(v) != fmt.Sprint(f.Get(l.Settings)) {
			t.Errorf("%s is %#v, want %#v (%v)", f.Name, f.Get(l.Settings), v, err)
		}
	}
}

// The settings of pi's question tool, with the names, defaults and ranges that it
// published.
func TestThirteen(t *testing.T) {
	thirteen := map[string]string{
		"browserEnabled": "true", "browserAutoOpen": "false", "browserMinQuestions": "2 (1–4)", "copyUrlToClipboard": "true",
		"bellOnQuestion": "true", "notificationOnQuestion": "false", "notificationDelaySeconds": "30 (0–300)", "ttsOnQuestion": "false",
		"onQuestionCommand": "", "heartbeatWhileActive": "false", "heartbeatIntervalMinutes": "4.5 (0.5–60)", "debounceMs": "300 (0–10000)",
		"dangerCheckEnabled": "true",
	}
	for _, f := range Fields() {
		got := f.Default
		if f.max > 0 && f.Name != "reminderMinutes" {
			got += " (" + fmt.Sprint(f.min) + "–" + fmt.Sprint(f.max) + ")"
		}
		want, ok := thirteen[f.Name]
		if ok != f.Pi || ok && got != want {
			t.Errorf("%s: %s (pi: %v), want %s", f.Name, got, f.Pi, want)
		}
		delete(thirteen, f.Name)
	}
	if len(thirteen) > 0 {
		t.Errorf("not there: %v", thirteen)
	}
}

// Every field is described, has a type that can be read, and its limits and
// nothing beyond them fit.
func TestEveryTag(t *testing.T) {
	names := map[string]bool{}
	sections := map[string]bool{}
	section := ""
	for _, f := range Fields() {
		if f.Name == "" || f.Help == "" || names[f.Name] || !reflect.TypeOf(f.Get(Settings{})).AssignableTo(reflect.TypeFor[Settings]().Field(f.index).Type) {
			t.Errorf("%+v: name (seen %v), help or type", f, names[f.Name])
		}
		if _, ok := reflect.TypeFor[Settings]().Field(f.index).Tag.Lookup("default"); !ok {
			t.Errorf("%s has no default", f.Name)
		}
		names[f.Name] = true
		tag := reflect.TypeFor[Settings]().Field(f.index).Tag
		if f.Name != tag.Get("name") || f.Help != tag.Get("help") || f.Default != tag.Get("default") || f.Section != tag.Get("section") ||
			strings.Join(f.Choices, " ") != tag.Get("oneof") || f.form != tag.Get("form") || (tag.Get("max") != "" && fmt.Sprint(f.max) != tag.Get("max")) {
			t.Errorf("%+v is not what its tags say: %s", f, tag)
		}
		if f.Section != section && sections[f.Section] {
			t.Errorf("%s: section %s is in two pieces", f.Name, f.Section)
		}
		section = f.Section
		sections[section] = true
		var in, out []string
		switch f.zero.(type) {
		case bool:
			in, out = []string{"true", "false", "on", "off"}, []string{"", "yes", "2"}
		case int:
			in, out = []string{fmt.Sprint(f.min), fmt.Sprint(f.max)}, []string{"", "x", "1.5", "-1", fmt.Sprint(f.max + 1), "99999999999999999999", "NaN"}
		case float64:
			in, out = []string{fmt.Sprint(f.min), fmt.Sprint(f.max), "1.25"}, []string{"", "x", "NaN", "Inf", "-1", fmt.Sprint(f.max + 0.1), fmt.Sprint(f.min - 0.1)}
		case []float64:
			in, out = []string{"", "1", "1,2.5", " 1 , 2 ", "[1,2]", "[]"}, []string{"1;2", "0", "[null]", "[1", "NaN", "1441", `["1"]`}
		case []string:
			in, out = []string{"", "/a", "/a, ~/b", `["/a,b"]`}, []string{"a", "/a,b", "[1]", `["a"]`, "~ada/b"}
			switch {
			case f.form == "permission":
				in, out = []string{"", "away", "never, claude/Bash=always", `["always"]`}, []string{"sometimes", "claude=always", "[1]", "claude/Bash="}
			case f.form == "pattern":
				in, out = []string{"", "rm, git push --force*", `["a,b"]`}, []string{"[1]", "rm [", `[""]`}
			case len(f.Choices) > 0:
				in, out = []string{"", "popup, page", `["inbox"]`}, []string{"[1]", "chat", `[""]`}
			case f.form == "name":
				in, out = []string{"", "a.example", `["a","b"]`}, []string{"https://a", "a:1", "a/b", "[1]"}
			}
		default:
			in, out = f.Choices, []string{"a\nb", "\x00", "\xff", strings.Repeat("a", mostText+1)}
		}
		for _, text := range in {
			v, err := f.Parse(text)
			if err != nil {
				t.Errorf("%s refuses %q: %v", f.Name, text, err)
				continue
			}
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := f.decode(raw); err != nil || !reflect.DeepEqual(v, again) {
				t.Errorf("%s: %q is %#v, and as %s in a file %#v, %v", f.Name, text, v, raw, again, err)
			}
		}
		for _, text := range out {
			if v, err := f.Parse(text); err == nil {
				t.Errorf("%s takes %q as %v", f.Name, text, v)
			} else if !strings.HasPrefix(err.Error(), "expected ") || strings.ContainsAny(err.Error(), "\x00\n") {
				t.Errorf("%s refuses %q with %q", f.Name, text, err)
			}
		}
	}
}

func TestVariables(t *testing.T) {
	for name, want := range map[string]string{"host": "ASKPANE_HOST", "guardMs": "ASKPANE_GUARD_MS", "hostWaitSeconds": "ASKPANE_HOST_WAIT_SECONDS",
		"trustedProjects": ""} {
		f, err := Lookup(name)
		if err != nil || f.Env != want {
			t.Errorf("the variable of %s is %q (%v), want %q", name, f.Env, err, want)
		}
	}
}

func TestLookupNamesTheNearest(t *testing.T) {
	for name, want := range map[string]string{
		"guardms":         `there is no setting "guardms" (did you mean guardMs?)`,
		"bell":            `there is no setting "bell" (did you mean bellOnQuestion?)`,
		"bellOnQuestions": `there is no setting "bellOnQuestions" (did you mean bellOnQuestion?)`,
		"":                `there is no setting ""; askpane settings list shows them`,
		"\x1b[2J":         `there is no setting "\x1b[2J"; askpane settings list shows them`,
	} {
		if _, err := Lookup(name); err == nil || err.Error() != want {
			t.Errorf("Lookup(%q): %v, want %s", name, err, want)
		}
	}
}

func TestQuietHours(t *testing.T) {
	clock := func(text string) time.Time {
		at, err := time.Parse("15:04:05", text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, c := range []struct {
		hours   string
		in, out []string
	}{
		{"", nil, []string{"00:00:00", "12:00:00"}},
		{"22:00-07:00", []string{"22:00:00", "23:59:59", "00:00:00", "06:59:59"}, []string{"07:00:00", "12:00:00", "21:59:59"}},
		{"12:30-13:00", []string{"12:30:00", "12:59:59"}, []string{"12:29:59", "13:00:00", "00:00:00"}},
		{"00:00-24:00", []string{"00:00:00", "23:59:59"}, nil},
		{"22:00-7:00", []string{"22:00:00", "06:59:59"}, []string{"07:00:00", "21:59:59"}},
		{"22-7", []string{"22:00:00", "06:59:59"}, []string{"07:00:00", "21:59:59"}},
		{"9 - 10:30", []string{"09:00:00", "10:29:59"}, []string{"10:30:00"}},
		{"22:00 - 24:00", []string{"22:00:00"}, []string{"00:00:00"}},
	} {
		f, _ := Lookup("quietHours")
		if _, err := f.Parse(c.hours); err != nil {
			t.Errorf("%s: %v", c.hours, err)
		}
		s := Settings{QuietHours: c.hours}
		for _, text := range c.in {
			if !s.InQuietHours(clock(text)) {
				t.Errorf("%s is not in %s", text, c.hours)
			}
		}
		for _, text := range c.out {
			if s.InQuietHours(clock(text)) {
				t.Errorf("%s is in %s", text, c.hours)
			}
		}
	}
	f, _ := Lookup("quietHours")
	for _, text := range []string{"22:00", "22-22:00", "22:00-22:00", "24:30-7", "22:0-7", "022-7", "+2-7", "25:00-07:00", "22:60-07:00", "24:00-07:00", "-", "22:00-07:00-08:00"} {
		if _, err := f.Parse(text); err == nil {
			t.Errorf("quietHours takes %q", text)
		}
	}
}

// The tags of the settings are read once and fast, as long as no value has a quote in it.
func TestTags(t *testing.T) {
	t.Parallel()
	for _, f := range Fields() {
		field := reflect.TypeFor[Settings]().Field(f.index)
		tag := field.Tag
		if f.Name != tag.Get("name") || f.Section != tag.Get("section") || f.Help != tag.Get("help") || f.Default != tag.Get("default") || f.Only != tag.Get("only") || f.form != tag.Get("form") {
			t.Errorf("%s is read as %+v", field.Name, f)
		}
	}
}

// A key is what tmux takes for one.
func TestKeysOfTmux(t *testing.T) {
	f, _ := Lookup("tmuxKey")
	for text, fits := range map[string]bool{"A": true, "C-a": true, "M-C-x": true, "C--": true, "^a": true, "F12": true, "c-PageUp": true, "C-Space": true, "KP5": true, "User7": true,
		"": false, "C-": false, "M-": false, "C-aa": false, "Foo": false, "User": false, "F13": false, "a b": false} {
		if _, err := f.Parse(text); (err == nil) != fits {
			t.Errorf("%q: %v", text, err)
		}
	}
}
