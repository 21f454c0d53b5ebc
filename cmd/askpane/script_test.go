package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/popups"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/tests/scripts"
)

// The scripts run the real main, as a command of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane": main,
		"askpane-popup": func() { os.Exit(programs.ExitCode(popups.Main(os.Args[1:]))) }})
}

// TestScripts knows eight commands more:
//
//	exits CODE ARGS…   runs askpane (with stdin's text) and checks its exit code
//	json [PATH=VALUE]… stdout is one JSON document, with these values in it
//	empty-spool        nothing is in the spool, not even a history
//	waiting FILE [MACHINE]
//	                   puts a question into the spool that nobody shows, asked in $HERE, on
//	                   this machine or mirrored from another; $ID is it
//	leave              lets its bridge go away
//	prefix NAME ID     $NAME is as much of the id as no other question's begins with, in small letters
//	bytes WHAT FILE    writes what a script cannot hold
//	delivered ID       moves a question to the history, as its bridge would
func TestScripts(t *testing.T) {
	scripts.Run(t, func(env *testscript.Env) { env.Setenv("HERE", "/srv/shop") }, map[string]func(*testscript.TestScript, bool, []string){
		"leave": leave, "delivered": isDelivered, "exits": exits, "json": isJSON, "empty-spool": emptySpool, "waiting": waiting, "bytes": writeBytes, "prefix": prefix,
	})
}

var codes = map[string]int{"ok": programs.OK, "internal": programs.Internal, "usage": programs.BadUsage, "cancelled": programs.Cancelled,
	"timeout": programs.TimedOut, "unavailable": programs.Unavailable, "rejected": programs.Rejected, "aborted": programs.Aborted, "pending": programs.Pending}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, known := codes[args[0]]
	if neg || !known {
		ts.Fatalf("usage: exits %v ARGS…", codes)
	}
	got := 0
	if err := ts.Exec("askpane", args[1:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("askpane did not run: %v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d (%s)", got, want, args[0])
	}
}

// isJSON: a path is names and indexes with dots between; len is a list's length.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	var doc any
	if err := dec.Decode(&doc); err != nil {
		ts.Fatalf("stdout is no JSON: %v", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("stdout is more than one JSON document")
	}
	for _, arg := range args {
		path, want, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("usage: json PATH=VALUE…")
		}
		if got := at(doc, path); (got == want) == neg {
			ts.Fatalf("%s is %s, want %s", path, got, want)
		}
	}
}

// at is the value at path, as text: a string bare, anything else as JSON.
func at(v any, path string) string {
	for step := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[step]
		case []any:
			var i int
			if step == "len" {
				v = float64(len(x))
			} else if err := json.Unmarshal([]byte(step), &i); err == nil && i < len(x) {
				v = x[i]
			} else {
				v = nil
			}
		default:
			return "(nothing)"
		}
	}
	if s, ok := v.(string); ok {
		return s
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func emptySpool(ts *testscript.TestScript, neg bool, args []string) {
	names, err := os.ReadDir(ts.Getenv("ASKPANE_SPOOL"))
	if err != nil && !os.IsNotExist(err) {
		ts.Fatalf("%v", err)
	}
	if (len(names) == 0) == neg || len(args) > 0 {
		ts.Fatalf("in the spool: %v", names)
	}
}

func waiting(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: waiting FILE [MACHINE]")
	}
	raw := []byte(ts.ReadFile(args[0]))
	_, f, err := dialect.Decode("", raw)
	ts.Check(err)
	s, err := spool.Open(ts.Getenv("ASKPANE_SPOOL"))
	ts.Check(err)
	req := spool.Request{Form: f, Raw: raw,
		Origin: spool.Origin{Agent: "script", Cwd: ts.Getenv("HERE"), Host: "tmux", PID: os.Getpid(), Start: time.Now()}}
	req.Digest = spool.Digest(f, req.Origin)
	create := s.Create
	if len(args) == 2 {
		req.ID, create = ulid.Make().String(), s.Mirror
		req.Origin.Away = &spool.Away{Machine: args[1], Cwd: req.Origin.Cwd, Host: req.Origin.Host}
	}
	e, err := create(req)
	ts.Check(err)
	ts.Defer(func() { e.Close(); s.Close() })
	bridges.Store(e.ID, e)
	ts.Setenv("ID", e.ID)
}

// bridges are the entries that waiting has made, by their ids.
var bridges sync.Map

func leave(ts *testscript.TestScript, neg bool, args []string) {
	e, ok := bridges.LoadAndDelete(ts.Getenv("ID"))
	if neg || len(args) > 0 || !ok {
		ts.Fatalf("usage: leave, after waiting")
	}
	ts.Check(e.(*spool.Entry).Close())
}

func prefix(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: prefix NAME ID")
	}
	s, err := spool.OpenExisting(ts.Getenv("ASKPANE_SPOOL"))
	ts.Check(err)
	defer s.Close()
	ts.Setenv(args[0], strings.ToLower(shortened(s)(args[1])))
}

func isDelivered(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: delivered ID")
	}
	s, err := spool.Open(ts.Getenv("ASKPANE_SPOOL"))
	ts.Check(err)
	defer s.Close()
	e, err := s.Open(args[0])
	ts.Check(err)
	defer e.Close()
	ts.Check(e.Deliver())
}

// writeBytes writes FILE: what a txtar cannot hold.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	content := map[string][]byte{
		"not-utf8": []byte("{\"questions\":[{\"id\":\"a\",\"prompt\":\"\xff\"}]}"),
		"2MiB":     append([]byte(`{"questions":[{"id":"a","prompt":"p"}],"x":"`), append(bytes.Repeat([]byte("y"), 2<<20), `"}`...)...),
		"write":    append([]byte(`{"hook_event_name":"PermissionRequest","tool_name":"Write","tool_input":{"file_path":"a","content":"`), append(bytes.Repeat([]byte("y"), 2<<20), `"}}`...)...),
		"png":      []byte("\x89PNG\r\n\x1a\nand so on"),
		"heic":     []byte("\x00\x00\x00\x18ftypheic and so on"),
		"deep":     append(bytes.Repeat([]byte("["), 10_000), bytes.Repeat([]byte("]"), 10_000)...),
	}
	if neg || len(args) != 2 || content[args[0]] == nil {
		ts.Fatalf("usage: bytes not-utf8|2MiB|write|png|heic|deep FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content[args[0]], 0o600))
}
