package tests

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/must"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mcpServer is askpane mcp as an agent in a tmux pane runs it, and the
// library's own client on its standard input and output.
type mcpServer struct {
	*sdk.ClientSession
	t     testing.TB
	cmd   *exec.Cmd
	stdin io.Closer
	errs  string     // the file with its standard error
	ended chan error // what became of the process
}

func (s *tmuxServer) mcp(args ...string) *mcpServer {
	s.t.Helper()
	return s.mcpIn("", nil, args...)
}

// mcpIn is mcp in a directory, and with a client that hears what is told it.
func (s *tmuxServer) mcpIn(dir string, hears *sdk.ClientOptions, args ...string) *mcpServer {
	s.t.Helper()
	return newMCP(s.t, s.agentEnv(), dir, hears, args...)
}

// agentEnv is the environment of a program that an agent in a pane has started.
func (s *tmuxServer) agentEnv() []string {
	s.t.Helper()
	return environ(s.t.TempDir(), "ASKPANE_SPOOL="+string(s.spool), unguarded,
		"TMUX="+s.tmux("display-message", "-p", "-t", "main", "#{socket_path},#{pid},0"), "TMUX_PANE="+s.tmux("display-message", "-p", "-t", "main", "#{pane_id}"))
}

// startMCP starts askpane mcp: its standard input and output, and what becomes of it.
func startMCP(t testing.TB, env []string, dir string, stderr *os.File, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out *os.File, ended chan error) {
	t.Helper()
	cmd = exec.Command(binary, append([]string{"mcp", "--tools", "question"}, args...)...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = env, dir, &syscall.SysProcAttr{Setsid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, to, err := os.Pipe() // not StdoutPipe, which Wait would close under the reader
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	cmd.Stdout, cmd.Stderr = to, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill() // one that has ended is no matter
	})
	return cmd, in, out, ended
}

// newMCP is one with that environment, in a directory.
func newMCP(t testing.TB, env []string, dir string, hears *sdk.ClientOptions, args ...string) *mcpServer {
	t.Helper()
	errs, err := os.Create(filepath.Join(t.TempDir(), "err"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	m := &mcpServer{t: t, errs: errs.Name()}
	cmd, in, out, ended := startMCP(t, env, dir, errs, args...)
	m.cmd, m.stdin, m.ended = cmd, in, ended
	m.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "claude-code", Version: "1"}, hears).
		Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said is what the server has said on standard error.
func (m *mcpServer) said() string {
	m.t.Helper()
	data, err := os.ReadFile(m.errs)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// leave ends the server as most clients do, and checks that it does end.
func (m *mcpServer) leave() {
	m.t.Helper()
	if err := m.stdin.Close(); err != nil {
		m.t.Error(err)
	}
	m.exits()
}

func (m *mcpServer) exits() {
	m.t.Helper()
	select {
	case err := <-m.ended:
		if err != nil {
			m.t.Errorf("the server: %v", err)
		}
	case <-time.After(patience):
		m.t.Error("the server has not ended")
	}
}

// mcpCall is a tool call on its way.
type mcpCall struct {
	t      testing.TB
	got    chan *sdk.CallToolResult
	cancel context.CancelFunc
}

func (m *mcpServer) begin(tool, arguments string) *mcpCall {
	ctx, cancel := context.WithCancel(m.t.Context())
	c := &mcpCall{m.t, make(chan *sdk.CallToolResult, 1), cancel}
	go func() {
		if r, err := m.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)}); err == nil {
			c.got <- r
		}
	}()
	return c
}

func (c *mcpCall) result() *sdk.CallToolResult {
	c.t.Helper()
	select {
	case r := <-c.got:
		return r
	case <-time.After(patience):
		c.t.Fatal("the call has no result")
	}
	return nil
}

// says checks the first text and the outcome of a result.
func (c *mcpCall) says(outcome, text string) *sdk.CallToolResult {
	c.t.Helper()
	r := c.result()
	if got := r.Content[0].(*sdk.TextContent).Text; r.Meta["askpane/outcome"] != outcome || !strings.HasPrefix(got, text) {
		c.t.Errorf("%v %q, want %s %q", r.Meta, got, outcome, text)
	}
	return r
}

func collected(id string) string { return `{"id":"` + id + `"}` }

// killedMCP asks by a server that is killed, and returns the question's id.
func (s *tmuxServer) killedMCP(v *terminal) (id string) {
	s.t.Helper()
	m := s.mcp()
	m.begin("question", colour)
	v.see("> 1. Red")
	id = s.spool.only(s.t)
	must.Do(s.t, m.cmd.Process.Kill())
	v.see("agent gone")
	return id
}

// The server is killed, the person answers, and the next server has the answer:
// for the id, and for the same question.
func TestMCPKilled(t *testing.T) {
	for _, how := range []string{"collected", "asked again"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v := s.attach("main", 100, 30)
			id := s.killedMCP(v)
			v.press("1")
			v.unsee("Which colour?")
			next := s.mcp()
			defer next.leave()
			tool, arguments := "question", colour
			if how == "collected" {
				tool, arguments = "collect_answer", collected(id)
			}
			r := next.begin(tool, arguments).says("answered", "Colour: user selected: 1. Red")
			if r.Meta["askpane/id"] != id || (r.Meta["askpane/recovered"] == true) != (how == "asked again") {
				t.Errorf("%s: %v", how, r.Meta)
			}
			eventually(t, "it is delivered", func() bool { return len(s.spool.pending()) == 0 && len(s.spool.history()) == 1 })
		})
	}
}

// The form that a killed server left open is the next one's, with what was
// typed, and no second one opens.
func TestMCPTakesTheFormOver(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	id := s.killedMCP(v)
	popup := s.spool.popup(t, id)
	next := s.mcp()
	defer next.leave()
	call := next.begin("question", colour)
	v.unsee("agent gone")
	v.see("> 1. Red")
	if s.spool.only(t) != id || s.spool.popup(t, id) != popup {
		t.Error("it was asked anew")
	}
	v.press("2")
	if r := call.says("answered", "Colour: user selected: 2. Green"); r.Meta["askpane/recovered"] != true {
		t.Errorf("%v", r.Meta)
	}
}

func TestMCPCallLimit(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	m := s.mcp("--call-limit", "2")
	defer m.leave()
	r := m.begin("question", colour).says("pending", "No answer yet")
	id := r.Meta["askpane/id"].(string)
	m.begin("collect_answer", collected(id)).says("pending", "No answer yet")
	call := m.begin("collect_answer", collected(id))
	v.see("> 1. Red")
	v.unsee("agent gone")
	v.press("1")
	call.says("answered", "Colour: user selected: 1. Red")
}

// Every client ends its server in another way; all of them leave the question.
func TestMCPEnds(t *testing.T) {
	for name, end := range map[string]func(*mcpServer) error{
		"end of input": func(m *mcpServer) error { return m.stdin.Close() },
		"SIGINT":       func(m *mcpServer) error { return m.cmd.Process.Signal(syscall.SIGINT) },
		"SIGTERM":      func(m *mcpServer) error { return m.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":       func(m *mcpServer) error { return m.cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v := s.attach("main", 100, 30)
			m := s.mcp()
			m.begin("question", colour)
			v.see("> 1. Red")
			if err := end(m); err != nil {
				t.Fatal(err)
			}
			m.exits()
			v.see("agent gone")
			v.press("1")
			v.unsee("Which colour?")
		})
	}
}
