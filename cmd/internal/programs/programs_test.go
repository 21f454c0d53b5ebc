package programs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/needs"
)

// sibling stands for askpane-mcp and for the askpane that starts it: this test's
// program, started under either name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case Askpane.Name:
		err := MCP.Exec(os.Args[1:])
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	case MCP.Name:
		if len(os.Args) > 1 && os.Args[1] == "other" {
			os.Setenv(expectedEnv, "v0.0.1")
		}
		if err := MCP.Started(); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("mcp " + strings.Join(os.Args[1:], " ") + os.Getenv(expectedEnv))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func link(t *testing.T, to, at string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
	return at
}

// copied is this test's program as a file of its own.
func copied(t *testing.T, at string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return at
}

func TestExec(t *testing.T) {
	dir := t.TempDir()
	alone := copied(t, filepath.Join(dir, "alone", "askpane"))
	linked := link(t, alone, filepath.Join(dir, "linked", "askpane"))
	run := func(path, name string, args ...string) (out, said string, err error) {
		cmd := exec.Command(name, args...)
		cmd.Env = append(needs.Environ(), "PATH="+path)
		cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/x"}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"server/discover"}` + "\n" +
			`{"jsonrpc":"2.0","id":"a","method":"initialize"}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		stdout, err := cmd.Output()
		return string(stdout), stderr.String(), err
	}

	out, said, err := run("", linked, "--tools", "x")
	why := MCP.Name + " is not installed; it was looked for in " + filepath.Dir(linked) + ", " + filepath.Dir(alone) + " and in PATH; " + installAll
	if err == nil || said != why {
		t.Errorf("with none: %v, %q, want %q", err, said, why)
	}
	want := `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"` + why + `"}}` + "\n" +
		`{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"` + why + `"}}` + "\n"
	if out != want {
		t.Errorf("the client is told\n%s\nwant\n%s", out, want)
	}

	inPath := copied(t, filepath.Join(dir, "path", MCP.Name))
	if out, said, err = run(filepath.Dir(inPath), linked, "--tools", "x"); err != nil || out != "mcp --tools x" {
		t.Errorf("in PATH: %v, %q, %q", err, out, said)
	}
	link(t, inPath, filepath.Join(filepath.Dir(alone), MCP.Name))
	if out, said, err = run("", linked, "y"); err != nil || out != "mcp y" {
		t.Errorf("beside the file that the link leads to: %v, %q, %q", err, out, said)
	}
	if out, said, err = run("", alone, "other"); err == nil || !strings.Contains(said, "of version v0.0.1") || !strings.Contains(out, `"id":"a","error":{"code":-32603`) {
		t.Errorf("of another version: %v, %q, %q", err, out, said)
	}
}

// Who has run since before an upgrade starts the next version's desk, and gets no preview of it. That
// a desk is of another version is told to who asks.
func TestDeskOfTheNextVersion(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	script := "#!/bin/sh\n[ -z \"$" + expectedEnv + "\" ] || { echo older >&2; exit 1; }\necho $1\n"
	for _, p := range []Program{Desk, Preview} {
		if err := os.WriteFile(filepath.Join(os.Getenv("PATH"), p.Name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := Desk.Output("start"); err != nil || string(out) != "start\n" {
		t.Errorf("the desk: %q, %v", out, err)
	}
	if _, err := Preview.Output("start"); err == nil {
		t.Error("a preview of another version was taken")
	}
	if err := Desk.Check(); err == nil || !strings.Contains(err.Error(), "older") {
		t.Errorf("the check: %v", err)
	}
}

// A program that was built without git is of the version that its builder says, as in flake.nix.
func TestVersionOfABuilder(t *testing.T) {
	released = "v9.8.7"
	defer func() { released = "" }()
	if v := Version(); v != "v9.8.7 "+runtime.Version() {
		t.Errorf("it is %s", v)
	}
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Preview.Find()
	if _, mend := hint.Of(err); mend != installAll {
		t.Errorf("missing: %v", err)
	}
	if err := Preview.Check(); err == nil {
		t.Error("what is missing was checked")
	}
	if _, err := Preview.Cmd(); err == nil {
		t.Error("what is missing can be run")
	}
	bin := filepath.Join(os.Getenv("PATH"), MCP.Name)
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n[ \"$1\" = --version ] || exit 3\n[ \"$"+expectedEnv+"\" = '"+Version()+"' ]\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if path, err := MCP.Find(); err != nil || path != bin {
		t.Errorf("found %q, %v", path, err)
	}
	if err := MCP.Check(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(bin, []byte("#!/bin/sh\necho 'askpane: an older one' >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := MCP.Check(); err == nil || !strings.Contains(err.Error(), "an older one") {
		t.Errorf("another version: %v", err)
	}
	var exit *exec.ExitError
	if err := os.WriteFile(bin, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := MCP.Check(); !errors.As(err, &exit) {
		t.Errorf("broken: %v", err)
	}
}

// The form's own program shows it; else askpane does, also where that goes by another name.
func TestShowsForm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shows := func(want ...string) {
		t.Helper()
		if args, err := ShowsForm(); err != nil || !slices.Equal(args, want) {
			t.Errorf("%q, %v; want %q", args, err, want)
		}
	}
	shows(self, "popup")
	askpane := link(t, self, filepath.Join(os.Getenv("PATH"), Askpane.Name))
	shows(askpane, "popup")
	popup := link(t, self, filepath.Join(filepath.Dir(self), Popup.Name))
	defer os.Remove(popup)
	shows(popup)
}

func TestExit(t *testing.T) {
	if e := (Exit{Code: No}); e.Error() != "" || ExitCode(e) != No {
		t.Errorf("%q, %d", e.Error(), ExitCode(e))
	}
	why := errors.New("why")
	if e := With(Rejected, why); e.Error() != "why" || !errors.Is(e, why) || ExitCode(e) != Rejected {
		t.Errorf("%q, %d", e.Error(), ExitCode(e))
	}
}
