package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// What is written stays in its order and layout, and unknown keys stay too.
func TestEdits(t *testing.T) {
	for _, c := range []struct{ name, before, set, to, unset, want string }{
		{"a new file", "", "guardMs", "300", "", "{\n  \"guardMs\": 300\n}\n"},
		{"an empty object", "{}", "guardMs", "300", "", "{\n  \"guardMs\": 300\n}"},
		{"replaces in place", "{\n\t\"b\" : 1,\n\t\"guardMs\" :  5 ,\n\t\"a\": [1,\n2]\n}\n", "guardMs", "300", "",
			"{\n\t\"b\" : 1,\n\t\"guardMs\" :  300 ,\n\t\"a\": [1,\n2]\n}\n"},
		{"appends as the others are", "{\n\t\"b\":1,\n\t\"a\":2\n}", "theme", "dark", "", "{\n\t\"b\":1,\n\t\"a\":2,\n\t\"theme\":\"dark\"\n}"},
		{"appends in one line", `{"b": 1, "a": 2}`, "theme", "dark", "", `{"b": 1, "a": 2, "theme": "dark"}`},
		{"appends to one in one line", `{"b": 1}`, "theme", "dark", "", `{"b": 1, "theme": "dark"}`},
		{"appends to one without blanks", `{"b":1}`, "theme", "dark", "", `{"b":1,"theme":"dark"}`},
		{"numbers as they were", `{"x":1.50e3,"y":"\u00e9"}`, "guardMs", "0", "", `{"x":1.50e3,"y":"\u00e9","guardMs":0}`},
		{"a list", `{}`, "reminderMinutes", "5, 15", "", "{\n  \"reminderMinutes\": [5,15]\n}"},
		{"an empty list", `{"reminderMinutes":[5]}`, "reminderMinutes", "", "", `{"reminderMinutes":[]}`},
		{"a command", `{}`, "onQuestionCommand", `echo "a" <b >c & \d`, "", "{\n  \"onQuestionCommand\": \"echo \\\"a\\\" <b >c & \\\\d\"\n}"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", "guardMs", "1", "", "{\r\n  \"a\": 1,\r\n  \"guardMs\": 1\r\n}\r\n"},
		{"unset the first", "{\n  \"guardMs\": 1,\n  \"a\": 2\n}\n", "", "", "guardMs", "{\n  \"a\": 2\n}\n"},
		{"unset the last", "{\n  \"a\": 2,\n  \"guardMs\": 1\n}\n", "", "", "guardMs", "{\n  \"a\": 2\n}\n"},
		{"unset the only one", `{"guardMs": 1}`, "", "", "guardMs", `{}`},
		{"unset the only one of several rows", "{\n  \"guardMs\": 1\n}\n", "", "", "guardMs", "{}\n"},
		{"unset what is not there", `{"a" : 1 }`, "", "", "guardMs", `{"a" : 1 }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			other := h.write(projectFile, `{ "other": 1 }`)
			if c.before != "" {
				h.write(globalFile, c.before)
			}
			f, err := Writable(h.repo, true)
			if err != nil {
				t.Fatal(err)
			}
			if c.set != "" {
				err = f.Set(c.set, c.to)
			} else {
				_, err = f.Unset(c.unset)
			}
			if got := h.read(globalFile); err != nil || got != c.want {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
			if c.set != "" {
				field, _ := Lookup(c.set)
				if l := Load(h.dir); field.Text(l.Settings) != c.to {
					t.Errorf("it is %q when read, want %q", field.Text(l.Settings), c.to)
				}
			}
			if data, _ := os.ReadFile(other); string(data) != `{ "other": 1 }` {
				t.Errorf("the other file is %q now", data)
			}
		})
	}
}

// What cannot be written leaves the file as it was, and says why.
func TestRefusedEdits(t *testing.T) {
	for _, c := range []struct{ name, before, set, to, want string }{
		{"unknown", `{}`, "guard", "1", `there is no setting "guard" (did you mean guardMs?)`},
		{"out of range", `{}`, "idleSeconds", "9999", `idleSeconds: expected a whole number from 0 to 3600, got "9999"`},
		{"does not parse", "{\n  \"idleSeconds\": 1,\n}", "idleSeconds", "1",
			"~/src/shop/.askpane/settings.json: does not parse: line 3, column 1: invalid character '}' looking for beginning of object key string; mend it first, with askpane settings edit --project"},
		{"comments", "{ // mine\n}", "idleSeconds", "1", "~/src/shop/.askpane/settings.json: does not parse: line 1, column 3: invalid character '/' looking for beginning of object key string; mend it first, with askpane settings edit --project"},
		{"a name twice", `{"guardMs":1,"guardMs":2}`, "idleSeconds", "1", `~/src/shop/.askpane/settings.json: does not parse: "guardMs" stands twice in one object; mend it first, with askpane settings edit --project`},
		{"a list", `[]`, "idleSeconds", "1", "~/src/shop/.askpane/settings.json: does not parse: line 1: expected an object, as in {}; mend it first, with askpane settings edit --project"},
		{"a command in a project", `{}`, "ttsCommand", "say", "not in this file: ttsCommand: a project's file does not set what runs commands, unless trustedProjects in the global file has ~/src/shop; leave --project out"},
		{"the guard in a project", `{}`, "guardMs", "0", "not in this file: guardMs: a project's file does not change what protects you from a hasty answer, unless trustedProjects in the global file has ~/src/shop; leave --project out"},
		{"trust in a project", `{}`, "trustedProjects", "/", "not in this file: trustedProjects: only the global file sets this; leave --project out"},
		{"more than the person's own", `{"chatWhen":"never"}`, "chatWhen", "always", "not in this file: chatWhen: always is more than away, and only the global file sets that; leave --project out"},
		{"a modifier alone", `{}`, "tmuxKey", "C-", `tmuxKey: expected a key as tmux writes it, such as A or C-a, got "C-"`},
		{"a push in a project", `{}`, "pushUrl", "https://x/y", "not in this file: pushUrl: no project's file sets this, only your own and ASKPANE_PUSH_URL; leave --project out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			h.write(projectFile, c.before)
			f, err := Writable(h.repo, false)
			if err != nil {
				t.Fatal(err)
			}
			err = f.Set(c.set, c.to)
			if err == nil || strings.ReplaceAll(err.Error(), h.dir, "~") != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			if got := h.read(projectFile); got != c.before {
				t.Errorf("the file is %q now", got)
			}
		})
	}
}

func TestTrustedProjectSetsCommands(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"trustedProjects": ["~/src/shop"]}`)
	f, err := Writable(filepath.Join(h.repo, "cmd"), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Set("ttsCommand", "say"); err != nil {
		t.Fatal(err)
	}
	if l := Load(h.repo); l.TtsCommand != "say" {
		t.Errorf("ttsCommand is %q, %v", l.TtsCommand, l.Problems)
	}
}

func TestModesAndLinks(t *testing.T) {
	h := newHome(t)
	mode := func(name string) os.FileMode {
		t.Helper()
		info, err := os.Lstat(filepath.Join(h.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode()
	}
	global, _ := Writable("", true)
	if err := global.Set("guardMs", "1"); err != nil {
		t.Fatal(err)
	}
	if got := mode(globalFile); got != 0o600 {
		t.Errorf("a new file has mode %v", got)
	}
	if err := os.Chmod(global.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := global.Set("guardMs", "2"); err != nil || mode(globalFile) != 0o640 {
		t.Errorf("the mode has become %v (%v)", mode(globalFile), err)
	}
	// A file that is kept elsewhere is written there, and the link stays.
	h.write("dotfiles/askpane.json", `{"a": 1}`)
	if err := os.Remove(global.Path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../dotfiles/askpane.json", global.Path); err != nil {
		t.Fatal(err)
	}
	if err := global.Set("guardMs", "3"); err != nil {
		t.Fatal(err)
	}
	if mode(globalFile)&os.ModeSymlink == 0 || !strings.Contains(h.read("dotfiles/askpane.json"), `"guardMs": 3`) || Load("").GuardMs != 3 {
		t.Errorf("the link is %v, its target %s", mode(globalFile), h.read("dotfiles/askpane.json"))
	}
	// Nothing is left beside the files.
	for _, dir := range []string{".config/askpane", "dotfiles"} {
		if names, _ := os.ReadDir(filepath.Join(h.dir, dir)); len(names) != 1 {
			t.Errorf("in %s: %v", dir, names)
		}
	}
	// A link to nothing stays one.
	if err := os.Remove(filepath.Join(h.dir, "dotfiles", "askpane.json")); err != nil {
		t.Fatal(err)
	}
	if err := global.Set("guardMs", "4"); err == nil || !strings.Contains(err.Error(), "is a link to nothing") {
		t.Errorf("a link to nothing: %v", err)
	}
}

// A link in a repository may have been made by somebody else.
func TestProjectFileThatLeadsOut(t *testing.T) {
	h := newHome(t)
	h.write("private.json", `{"token": "x"}`)
	h.mkdir("src/shop/.askpane")
	link := filepath.Join(h.dir, projectFile)
	if err := os.Symlink("../../../private.json", link); err != nil {
		t.Fatal(err)
	}
	f, _ := Writable(h.repo, false)
	if err := f.Set("idleSeconds", "1"); err == nil || !strings.Contains(err.Error(), "leads out of") || h.read("private.json") != `{"token": "x"}` {
		t.Errorf("%v; the target is %s", err, h.read("private.json"))
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Dir(link)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../..", filepath.Dir(link)); err != nil {
		t.Fatal(err)
	}
	if err := f.Set("idleSeconds", "1"); err == nil || !strings.Contains(err.Error(), "leads out of") {
		t.Errorf("by a directory: %v", err)
	}
}

func TestWritable(t *testing.T) {
	h := newHome(t)
	if _, err := Writable(h.dir, false); !errors.Is(err, ErrNoProject) {
		t.Errorf("outside of a repository: %v", err)
	}
	f, err := Writable(filepath.Join(h.repo, "cmd"), false)
	if err != nil || f.Path != filepath.Join(h.dir, projectFile) || f.Found {
		t.Errorf("%+v, %v", f, err)
	}
	if had, err := f.Unset("guardMs"); had || err != nil {
		t.Errorf("unset where there is no file: %v, %v", had, err)
	}
	if exists(filepath.Dir(f.Path)) {
		t.Error("unset made the directory")
	}
	for range 2 {
		if err := f.Make(); err != nil || h.read(projectFile) != "{}\n" {
			t.Errorf("Make: %v", err)
		}
	}
}

// Two who write at once do not undo each other's change.
func TestWritersAtOnce(t *testing.T) {
	h := newHome(t)
	f, _ := Writable("", true)
	var all sync.WaitGroup
	names := []string{"guardMs", "debounceMs", "idleSeconds", "historyDays"}
	for i, name := range names {
		all.Go(func() {
			for n := range 10 {
				if err := f.Set(name, strconv.Itoa(10*i+n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	l := Load("")
	h.says(l.Problems)
	for i, name := range names {
		if field, _ := Lookup(name); field.Text(l.Settings) != strconv.Itoa(10*i+9) {
			t.Errorf("%s is %s", name, field.Text(l.Settings))
		}
	}
}

// What is planned is not written.
func TestPlan(t *testing.T) {
	for _, c := range []struct{ name, before, planned string }{
		{"as it was", `{"theme": "dark", "x": 1}`, `{"theme": "light", "x": 1, "chain": false}`},
		{"a new file", "", "{\n  \"chain\": false,\n  \"theme\": \"light\"\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t)
			if c.before != "" {
				h.write(globalFile, c.before)
			}
			f, err := Writable(h.repo, true)
			if err != nil {
				t.Fatal(err)
			}
			before, after, err := f.Plan(map[string]string{"theme": "light", "chain": "false"})
			if err != nil || string(before) != c.before || string(after) != c.planned {
				t.Fatalf("planned %q and %q, %v, want %q", before, after, err, c.planned)
			}
			if data, _ := os.ReadFile(f.Path); string(data) != c.before {
				t.Errorf("it is %q already", data)
			}
		})
	}
	h := newHome(t)
	if f, err := Writable(h.repo, true); err != nil {
		t.Fatal(err)
	} else if _, _, err := f.Plan(map[string]string{"theme": "pink"}); err == nil || strings.Contains(err.Error(), "does not parse") {
		t.Errorf("a value that does not fit: %v", err)
	}
}
