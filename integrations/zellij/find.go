package zellij

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
)

// find finds the session that this process runs in: the one whose pane it comes
// from, or else the one that its environment names. Some agents strip the
// environment of their tools, and one may be left over.
func find(ctx context.Context) (host.Host, error) {
	line := process.Line()
	up := depth(line)
	var failed error
	bin, missing := exec.LookPath("zellij")
	for _, env := range process.Environments(line, up) {
		s := inside(env)
		if s == nil {
			continue
		}
		if missing != nil {
			return nil, fmt.Errorf("inside zellij, but there is no zellij command: %w", missing)
		}
		s.bin = bin
		if up < 0 {
			s.pane = "" // that is another's: a daemon hands on what it was started with
		}
		tabs, err := s.tabs(ctx)
		if err == nil {
			if len(tabs) > 0 { // now and then it lists none, without an error
				s.seen.Keep(tabs)
			}
			return s, nil
		}
		if failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return nil, host.NotInside{Program: "zellij", Variable: "ZELLIJ_SESSION_NAME"}
}

// inside is the session and the pane in an environment; nil where there is none.
func inside(env process.Environment) *session {
	name := env("ZELLIJ_SESSION_NAME")
	if env("ZELLIJ") == "" || name == "" { // ZELLIJ is 0
		return nil
	}
	s := &session{name: name}
	if id := env("ZELLIJ_PANE_ID"); number(id) {
		s.pane = "terminal_" + id
	}
	for _, place := range []string{"ZELLIJ_SOCKET_DIR", "XDG_RUNTIME_DIR", "TMPDIR"} {
		if dir := env(place); dir != "" {
			s.places = append(s.places, place+"="+dir)
		}
	}
	return s
}

func number(digits string) bool {
	_, err := strconv.ParseUint(digits, 10, 31)
	return err == nil
}

// depth is how many parents up a zellij server is; -1 where none is. Its client is
// none of its parents.
func depth(line []host.Process) int { return process.DepthOf(line, "zellij") }

// quirks: in a pane zellij (0.45.1, as it is set up at first) keeps keys for itself;
// these are those that a form could use at all. While it is locked it hands them
// on; nothing tells whether it is.
func quirks() host.Quirks {
	if os.Getenv("ZELLIJ") == "" {
		return host.Quirks{}
	}
	return host.Quirks{Keeps: []string{"Ctrl+B", "Ctrl+G", "Ctrl+N", "Ctrl+O", "Ctrl+P", "Ctrl+Q", "Ctrl+S", "Ctrl+T"}}
}

// installed is the version of the zellij command that is installed, "0.45.1". The
// error says that there is none, or that it is too old for this package.
func installed(ctx context.Context) (string, error) {
	out, err := host.Program(ctx, "zellij", "--version").Output()
	if err != nil {
		return "", fmt.Errorf("there is no zellij command: %w", err)
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "zellij ")
	return version, recent(version)
}

// recent is why a version cannot be used: 0.44.1 is the first that says of each
// tab whether its floating panes are on view.
func recent(version string) error {
	f := regexp.MustCompile(`^([0-9]{1,4})\.([0-9]{1,4})\.([0-9]{1,4})`).FindStringSubmatch(version)
	if f == nil {
		return nil // it will say so itself
	}
	n := 0
	for _, part := range f[1:] {
		i, _ := strconv.Atoi(part)
		n = n*10000 + i
	}
	if n < 44_0001 {
		return fmt.Errorf("zellij %s is too old; 0.44.1 is the first that can be used", version)
	}
	return nil
}
