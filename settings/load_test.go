package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Each rank wins over those below it, in value and source.
func TestRanks(t *testing.T) {
	h := newHome(t)
	set := func(n int) string { return fmt.Sprintf(`{"debounceMs": %d}`, n) }
	is := func(dir string, value int, where string) {
		t.Helper()
		l := Load(dir)
		h.says(l.Problems)
		if got := strings.ReplaceAll(l.Sources["debounceMs"].String(), h.dir+"/", ""); l.DebounceMs != value || got != where {
			t.Errorf("debounceMs is %d from %s, want %d from %s", l.DebounceMs, got, value, where)
		}
	}
	web := filepath.Join(h.repo, "cmd", "web")
	is(web, 300, "default")
	h.write(piGlobalFile, set(1))
	is(web, 1, piGlobalFile)
	h.write(globalFile, set(2))
	is(web, 2, globalFile)
	h.write(piProjectFile, set(3))
	is(web, 3, piProjectFile)
	h.write(projectFile, set(4))
	is(web, 4, projectFile)
	h.write("src/shop/cmd/.askpane/settings.json", set(5))
	is(web, 5, "src/shop/cmd/.askpane/settings.json")
	is(h.repo, 4, projectFile)
	t.Setenv("ASKPANE_DEBOUNCE_MS", "6")
	is(web, 6, "ASKPANE_DEBOUNCE_MS")
	os.Unsetenv("ASKPANE_DEBOUNCE_MS")
	is(h.dir, 2, globalFile)
	is("", 2, globalFile)
	is(filepath.Join(h.dir, "gone"), 2, globalFile)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(h.dir, "xdg"))
	h.write("xdg/askpane/settings.json", set(7))
	is(h.dir, 7, "xdg/askpane/settings.json")
	t.Setenv("XDG_CONFIG_HOME", "xdg") // relative: ignored
	is(h.dir, 2, globalFile)
}

func TestWhereProjectFilesAre(t *testing.T) {
	h := newHome(t)
	find := func(dir string) string {
		for _, f := range Files(dir) {
			if f.Rank == Project {
				return fmt.Sprint(strings.TrimPrefix(f.Path, h.dir+"/"), " ", f.Found)
			}
		}
		return "none"
	}
	for _, c := range []struct{ name, dir, write, want string }{
		{"not there yet", "src/shop/cmd", "", projectFile + " false"},
		{"at the root", "src/shop/cmd/web", projectFile, projectFile + " true"},
		{"never above the root", "src/shop/cmd/web", "src/.askpane/settings.json", projectFile + " true"},
		{"no repository: the directory itself", "notes/a", "notes/a/.askpane/settings.json", "notes/a/.askpane/settings.json true"},
		{"no repository: not above", "notes/b", "notes/.askpane/settings.json", " false"},
		{"a worktree's .git is a file", "tree/x", "tree/.git", "tree/.askpane/settings.json false"},
		{"by a link", "link", "", projectFile + " true"},
	} {
		h.mkdir("notes/a")
		h.mkdir("notes/b")
		h.mkdir("tree/x")
		_ = os.Symlink(filepath.Join(h.repo, "cmd"), filepath.Join(h.dir, "link"))
		if c.write != "" {
			h.write(c.write, "{}")
		}
		if got := find(filepath.Join(h.dir, c.dir)); got != c.want {
			t.Errorf("%s: from %s it is %q, want %q", c.name, c.dir, got, c.want)
		}
	}
	// A repository above the home has no say below it.
	outer := filepath.Dir(h.dir)
	if err := os.Mkdir(filepath.Join(outer, ".git"), 0o755); err == nil {
		defer os.Remove(filepath.Join(outer, ".git"))
	}
	if got := find(filepath.Join(h.dir, "notes", "b")); got != " false" {
		t.Errorf("a repository above the home counts: %q", got)
	}
}

// What cannot be used is dropped one by one.
func TestBadValues(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"guardMs": "fast", "GuardMs": 1, "theme": "pink", "debounceMs": 10001, "bellOnQuestion": 1, "idleSeconds": 2.5,
	 "reminderMinutes": [5, 0], "popupWidth": 80, "quietHours": null, "host": {"a": 1}, "logLevel": "a\u001b[2J", "\u001b]2;x": 1,
	 "historyDays": 7.0, "heartbeatIntervalMinutes": 2.25}`)
	l := Load(h.repo)
	where := "~/" + globalFile + ": "
	h.says(l.Problems,
		where+`"\x1b]2;x": there is no such setting`,
		where+`"GuardMs": there is no such setting (did you mean guardMs?)`,
		where+`bellOnQuestion: expected true or false, got 1; ignored`,
		where+`debounceMs: expected a whole number from 0 to 10000, got 10001; ignored`,
		where+`guardMs: expected a whole number from 0 to 5000, got "fast"; ignored`,
		where+`host: expected a text in one line, got {"a": 1}; ignored`,
		where+`idleSeconds: expected a whole number from 0 to 3600, got 2.5; ignored`,
		where+`logLevel: expected one of debug, info, warn, error, off, got "a\u001b[2J"; ignored`,
		where+`popupWidth: expected a percentage from 10% to 100%, got 80; ignored`,
		where+`quietHours: expected hours such as 22:00-07:00, or nothing, got null; ignored`,
		where+`reminderMinutes: expected numbers from 0.5 to 1440, separated by commas, got 0; ignored`,
		where+`theme: expected one of auto, dark, light, high-contrast, mono, custom, got "pink"; ignored`,
	)
	if l.HistoryDays != 7 || l.HeartbeatIntervalMinutes != 2.25 || l.GuardMs != 400 {
		t.Errorf("the good ones are not in force: %+v", l.Settings)
	}
}

func TestBadVariables(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"guardMs": 100}`)
	for _, c := range []struct{ env, value, want string }{
		{"ASKPANE_GUARD_MS", "fast", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got "fast"; using 100`},
		{"ASKPANE_GUARD_MS", "", `ASKPANE_GUARD_MS: expected a whole number from 0 to 5000, got ""; using 100`},
		{"ASKPANE_TIMEOUT_SECONDS", "99999999999999999999", `ASKPANE_TIMEOUT_SECONDS: expected a whole number from 0 to 604800, got "99999999999999999999"; using 0`},
		{"ASKPANE_BELL_ON_QUESTION", "maybe", `ASKPANE_BELL_ON_QUESTION: expected true or false, got "maybe"; using true`},
		{"ASKPANE_POPUP_WIDTH", "80", `ASKPANE_POPUP_WIDTH: expected a percentage from 10% to 100%, got "80"; using 90%`},
		{"ASKPANE_POPUP_WIDTH", "9%", `ASKPANE_POPUP_WIDTH: expected a percentage from 10% to 100%, got "9%"; using 90%`},
		{"ASKPANE_POPUP_HEIGHT", "101%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "101%"; using 90%`},
		{"ASKPANE_POPUP_HEIGHT", "+50%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "+50%"; using 90%`},
		{"ASKPANE_POPUP_HEIGHT", "#(reboot)%", `ASKPANE_POPUP_HEIGHT: expected a percentage from 10% to 100%, got "#(reboot)%"; using 90%`},
		{"ASKPANE_QUIET_HOURS", "night", `ASKPANE_QUIET_HOURS: expected hours such as 22:00-07:00, or nothing, got "night"; using none`},
	} {
		t.Run(c.env+"="+c.value, func(t *testing.T) {
			h := home{t, h.dir, h.repo}
			before := Load(h.repo)
			t.Setenv(c.env, c.value)
			l := Load(h.repo)
			h.says(l.Problems, c.want)
			if fmt.Sprint(l.Settings) != fmt.Sprint(before.Settings) {
				t.Errorf("Load = %+v, want %+v", l.Settings, before.Settings)
			}
		})
	}
}

// A file that cannot be read counts as empty, and the others still count.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"half", "{\n  \"guardMs\": 10,\n  \"ho", "does not parse: line 3, column 5: unexpected end of JSON input"},
		{"comma", "{\n  \"guardMs\": 10,\n}\n", "does not parse: line 3, column 1: invalid character '}' looking for beginning of object key string"},
		{"comment", "// mine\n{}", "does not parse: line 1, column 1: invalid character '/' looking for beginning of value"},
		{"list", "[]", "does not parse: line 1: expected an object, as in {}"},
		{"null", "null", "does not parse: line 1: expected an object, as in {}"},
		{"empty", " \n", "is empty; an object is expected, as in {}"},
		{"long", `{"x":"` + strings.Repeat("x", maxBytes) + `"}`, "is longer than 1048576 bytes"},
		{"deep", strings.Repeat(`{"a":`, 20000), "does not parse: line 1, column 50001: invalid character '{' exceeded max depth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.write(globalFile, `{"guardMs": 1}`)
			h.write(projectFile, c.content)
			l := Load(h.repo)
			h.says(l.Problems, "~/"+projectFile+": "+c.want)
			if l.GuardMs != 1 {
				t.Errorf("guardMs is %d", l.GuardMs)
			}
		})
	}
}

func TestFilesThatAreNotBelieved(t *testing.T) {
	for _, c := range []struct {
		name, want string
		make       func(path string) error
	}{
		{"fifo", "is not an ordinary file", func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"directory", "is not an ordinary file", func(p string) error { return os.Mkdir(p, 0o700) }},
		{"device", "is not an ordinary file", func(p string) error { return os.Symlink("/dev/zero", p) }},
		{"everybody's", "may be written by everybody (mode 0666); run chmod o-w on it", func(p string) error {
			if err := os.WriteFile(p, []byte("{}"), 0o600); err != nil {
				return err
			}
			return os.Chmod(p, 0o666)
		}},
		{"a link to nothing", "", func(p string) error { return os.Symlink("nowhere", p) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.mkdir("src/shop/.askpane")
			if err := c.make(filepath.Join(h.dir, projectFile)); err != nil {
				t.Fatal(err)
			}
			l := Load(h.repo)
			if c.want == "" {
				h.says(l.Problems)
			} else {
				h.says(l.Problems, "~/"+projectFile+": "+c.want)
			}
		})
	}
	if os.Geteuid() == 0 {
		h := newHome(t)
		if err := os.Chown(h.write(projectFile, `{"guardMs": 1}`), 12345, -1); err != nil {
			t.Fatal(err)
		}
		l := Load(h.repo)
		h.says(l.Problems, "~/"+projectFile+": belongs to user 12345, neither to you (0) nor to root")
	}
}

func TestOddFilesThatAreFine(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, "{\"guardMs\": 1, \"guardMs\": 2, \"bellOnQuestion\":false}\n")
	l := Load(h.repo)
	h.says(l.Problems)
	if l.GuardMs != 2 || l.BellOnQuestion {
		t.Errorf("guardMs is %d, bellOnQuestion %v", l.GuardMs, l.BellOnQuestion)
	}
}

// Only what pi's tool has counts in its files, and the rest is not ours to judge.
func TestPiFiles(t *testing.T) {
	h := newHome(t)
	h.write(piGlobalFile, `{"theme": "mono", "somethingOfPi": 1, "onQuestionCommand": "say hi", "debounceMs": -1}`)
	h.write(piProjectFile, `{"bellOnQuestion": false, "onQuestionCommand": "reboot", "trustedProjects": ["/"]}`)
	l := Load(h.repo)
	h.says(l.Problems,
		"~/"+piGlobalFile+": debounceMs: expected a whole number from 0 to 10000, got -1; ignored",
		"~/"+piProjectFile+": onQuestionCommand: a project's file does not set what runs commands, unless trustedProjects in the global file has ~/src/shop; ignored")
	if l.Theme != "auto" || l.OnQuestionCommand != "say hi" || l.BellOnQuestion || len(l.TrustedProjects) > 0 {
		t.Errorf("Load = %+v", l.Settings)
	}
}

// A cloned repository must not run commands, nor take away what protects the person.
func TestTrust(t *testing.T) {
	for _, c := range []struct {
		name, global string
		trusted      bool
	}{
		{"nothing", `{}`, false},
		{"another", `{"trustedProjects": ["~/src/other"]}`, false},
		{"above", `{"trustedProjects": ["~/src", "/", "~"]}`, false},
		{"below", `{"trustedProjects": ["~/src/shop/cmd"]}`, false},
		{"the project", `{"trustedProjects": ["~/src/shop"]}`, true},
		{"the project, unclean", `{"trustedProjects": ["/nowhere", "~/src/../src/shop/"]}`, true},
		{"by a link", `{"trustedProjects": ["~/link"]}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			if err := os.Symlink(h.repo, filepath.Join(h.dir, "link")); err != nil {
				t.Fatal(err)
			}
			h.write(globalFile, c.global)
			h.write(projectFile, `{"ttsCommand": "evil", "onQuestionCommand": "evil", "guardMs": 0, "dangerCheckEnabled": false, "trustedProjects": ["~/src/shop"],
				"pageAlone": true, "pageHosts": ["evil"], "pageListen": "lan", "pageWithoutTls": true,
				"hubUrl": "evil", "hubCredentials": "evil", "hubPeek": true, "hubSecrets": true, "hubMachineQuestions": 20, "hubMachineMegabytes": 8,
				"chatWhen": "always", "chatAfterSeconds": 0, "chatMaxWaiting": 50, "chatSensitive": true}`)
			l := Load(filepath.Join(h.repo, "cmd"))
			var what []string
			for _, p := range l.Problems {
				what = append(what, p.Key)
			}
			want := []string{"chatAfterSeconds", "chatMaxWaiting", "chatSensitive", "chatWhen", "hubCredentials", "hubMachineMegabytes", "hubMachineQuestions", "hubPeek", "hubSecrets", "hubUrl", "pageAlone", "pageHosts", "pageListen", "pageWithoutTls", "trustedProjects"} // the person's own, whoever is trusted
			if !c.trusted {
				want = []string{"chatAfterSeconds", "chatMaxWaiting", "chatSensitive", "chatWhen", "dangerCheckEnabled", "guardMs", "hubCredentials", "hubMachineMegabytes", "hubMachineQuestions", "hubPeek", "hubSecrets", "hubUrl", "onQuestionCommand", "pageAlone", "pageHosts", "pageListen", "pageWithoutTls", "trustedProjects", "ttsCommand"}
			}
			if (l.TtsCommand == "evil") != c.trusted || (l.OnQuestionCommand == "evil") != c.trusted || !slices.Equal(what, want) {
				t.Errorf("ttsCommand %q, onQuestionCommand %q, problems %v, want trusted %v", l.TtsCommand, l.OnQuestionCommand, l.Problems, c.trusted)
			}
			if (l.GuardMs == 0) != c.trusted || l.DangerCheckEnabled == c.trusted {
				t.Errorf("guardMs %d, dangerCheckEnabled %v, want trusted %v", l.GuardMs, l.DangerCheckEnabled, c.trusted)
			}
		})
	}
	h := newHome(t) // the file of pi's tool in a project is as much the agent's
	h.write(piProjectFile, `{"dangerCheckEnabled": false}`)
	if l := Load(h.repo); !l.DangerCheckEnabled {
		t.Error("pi's file in a project switches the danger check off")
	}
	h = newHome(t)
	t.Setenv("ASKPANE_TRUSTED_PROJECTS", h.repo)
	h.write(projectFile, `{"ttsCommand": "evil"}`)
	if l := Load(h.repo); l.TtsCommand != "" || len(l.TrustedProjects) > 0 {
		t.Error("a variable makes a project trusted")
	}
}

// What a project says of permissions can only make them stricter, and of one that is trusted, too.
func TestProjectOnlyTightensPermissions(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"trustedProjects": ["~/src/shop"], "permissions": ["away"], "permissionSurfaces": ["popup", "page"], "permissionDangerous": ["rm"]}`)
	h.write(projectFile, `{"permissions": ["always", "claude/Edit=never"], "permissionSurfaces": ["page", "answer", "machines"], "permissionDangerous": ["ls"]}`)
	l := Load(h.repo)
	h.says(l.Problems)
	if bash, edit := l.PermissionFor("claude", "Bash"), l.PermissionFor("claude", "Edit"); bash != Away || edit != Never {
		t.Errorf("Bash %s, Edit %s", bash, edit)
	}
	if got := l.SurfacesOf(false); !slices.Equal(got, []string{"page"}) {
		t.Errorf("decided on %v", got)
	}
	if rm, ls := l.Danger("Bash", running("rm x")), l.Danger("Bash", running("ls")); rm != "rm" || ls != "ls" {
		t.Errorf("rm: %q, ls: %q", rm, ls)
	}
}

// Where a push goes, and how much of a question is in it, is for no project to say, not
// even for one that the person trusts.
func TestProjectDoesNotSayWhereAPushGoes(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"trustedProjects": ["~/src/shop"], "pushUrl": "https://ntfy.example/mine"}`)
	const evil = `{"pushUrl": "https://evil.example/theirs", "pushContent": "question"}`
	h.write(projectFile, evil)
	h.write(piProjectFile, evil)
	h.write(piGlobalFile, evil)
	l := Load(h.repo)
	h.says(l.Problems,
		"~/src/shop/.askpane/settings.json: pushContent: no project's file sets this, only your own and ASKPANE_PUSH_CONTENT; ignored",
		"~/src/shop/.askpane/settings.json: pushUrl: no project's file sets this, only your own and ASKPANE_PUSH_URL; ignored")
	if l.PushURL != "https://ntfy.example/mine" || l.PushContent != "header" {
		t.Errorf("pushUrl %q, pushContent %q", l.PushURL, l.PushContent)
	}
	t.Setenv("ASKPANE_PUSH_URL", "https://ntfy.example/other")
	if l := Load(h.repo); l.PushURL != "https://ntfy.example/other" {
		t.Errorf("with the variable: pushUrl %q", l.PushURL)
	}
}

// A clone's file that is all wrong does not fill the screen.
func TestManyProblems(t *testing.T) {
	h := newHome(t)
	many := map[string]int{}
	for i := range 500 {
		many[fmt.Sprintf("x%03d", i)] = i
	}
	raw, _ := json.Marshal(many)
	h.write(projectFile, string(raw))
	problems := Load(h.repo).Problems
	if len(problems) != mostProblems {
		t.Errorf("%d problems, the last %v", len(problems), problems[len(problems)-1])
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"guardMs":1,"reminderMinutes":[1,2],"quietHours":"22:00-07:00"}`, "{}", "", "\ufeff{", `{"a":{"b":[null]}}`,
		`{"popupWidth":"50%","trustedProjects":["/a"],"theme":"mono","heartbeatIntervalMinutes":1e0}`, `{"guardMs":1e999,"idleSeconds":-0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := parse(data)
		if err != nil {
			return
		}
		_, defaults := described()
		l := Loaded{Settings: defaults, Sources: map[string]Source{}}
		l.apply(File{Path: "settings.json", Rank: Global}, doc)
		for _, field := range Fields() {
			v := field.Get(l.Settings)
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := field.decode(raw); err != nil {
				t.Errorf("%s is %#v, which is out of range: %v", field.Name, v, err)
			}
		}
		for _, p := range l.Problems {
			if strings.ContainsFunc(p.Error(), func(r rune) bool { return r < 0x20 || r >= 0x7f && r <= 0x9f }) {
				t.Errorf("a terminal would act on %q", p.Error())
			}
		}
		l.InQuietHours(time.Now())
	})
}

// Some editors begin a file with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, "\ufeff{\"guardMs\": 7}")
	if l := Load(h.repo); l.GuardMs != 7 || len(l.Problems) > 0 {
		t.Errorf("guardMs is %d, problems %v", l.GuardMs, l.Problems)
	}
}
