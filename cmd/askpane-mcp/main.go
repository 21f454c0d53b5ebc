// Command askpane-mcp serves askpane's question tools to an agent over the Model
// Context Protocol. Agents start it by askpane mcp, which becomes it.
//
// Only the protocol is on standard output; what went wrong beside the questions
// is on standard error.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/mcp"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/agents/claude"
	"github.com/askpane/askpane/integrations/agents/codex"
	"github.com/askpane/askpane/integrations/agents/codex/socket"
	"github.com/askpane/askpane/integrations/tmux"
)

func main() {
	if err := programs.MCP.Started(); err != nil {
		os.Exit(programs.ExitCode(err))
	}
	os.Exit(command.Run(&cli.App{
		Name:    programs.MCP.Name,
		Usage:   programs.MCP.Usage,
		Version: programs.Version(), UsageText: programs.MCP.Commands[0].Examples,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "tools", Usage: "`NAMES` of the question tools, with commas: " + strings.Join(dialect.Tools(), ", ") + "; ask_human by default"},
			command.AgentFlag(), command.HostFlag(),
			command.TimeFlag("call-limit", "the client gives a call up after that `TIME` (100, 5m), 0 for never; by default what is known of the client"),
			&cli.BoolFlag{Name: "permissions", Usage: "ask here for what Codex wants to be allowed, too, beside its own prompt"},
			&cli.BoolFlag{Name: "prompt-tool", Usage: "offer " + claude.PromptTool + ", too, for claude --permission-prompt-tool"},
			command.OneOf("ui", "popup", "popup, or elicitation: the client's own dialog where it has one that can hold the form", "popup", "elicitation"),
		},
		Action: serve,
	}, os.Args))
}

func serve(c *cli.Context) error {
	if c.Args().Present() {
		return programs.Usage("unexpected argument %q", c.Args().First())
	}
	cwd, _ := os.Getwd() // where the project's settings are, and shown to the person
	own := asker.Asker{Host: c.String("host"), Say: onceEach(programs.Warn)}.For(cwd)
	tools, err := mcp.Chosen(strings.FieldsFunc(c.String("tools"), func(r rune) bool { return r == ',' || r == ' ' }))
	if err != nil {
		return programs.Usage("%v", err)
	}
	var opened shared
	ctx, stop := programs.UntilTold()
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a client that has gone is an error of that write
	asks := func(cwd string, beat mcp.Beat) (*bridge.Bridge, bridge.Question, error) {
		sp, err := opened.spool()
		if err != nil {
			return nil, bridge.Question{}, err
		}
		asking := own
		asking.Host, asking.Beat = c.String("host"), beat
		if asking = asking.For(cwd); asking.Host == integrations.Auto || asking.Host == tmux.Kind.Name {
			tmux.Begin()
		}
		return asking.Bridge(sp, asking.FindLater), bridge.Question{Timeout: asking.Timeout(),
			Keep:   func() bool { return asking.Now().KeepAfterCancel },
			Origin: spool.Origin{PID: os.Getpid(), Session: asker.SessionName()}}, nil
	}
	version := strings.Fields(programs.Version())[0]
	leave := serveCodex(ctx, socket.Config{Version: version, Warn: own.Warn,
		Bridge: func(cwd string) (*bridge.Bridge, bridge.Question, error) { return asks(cwd, nil) }})
	config := mcp.Config{
		Version: version, Tools: tools, Agent: c.String("agent"), Cwd: cwd,
		CallLimit: command.Time(c, "call-limit"), Elicit: c.String("ui") == "elicitation",
		Bridge: asks, Env: os.Getenv, Warn: own.Warn,
	}
	if c.Bool("prompt-tool") {
		config.Prompts = mcp.Prompts{Tool: claude.PromptTool, Read: promptOfClaude}
	}
	err = mcp.Serve(ctx, config, os.Stdin, os.Stdout)
	leave()
	if errors.Is(err, context.Canceled) { // asked to end, and ended
		return nil
	}
	return err
}

// serveCodex answers the questions that Codex asks with its own tools, where its daemon has
// started this process. It is over when leave returns.
func serveCodex(ctx context.Context, c socket.Config) (leave func()) {
	state, err := spool.StateDir()
	place, ok := codex.Around(state)
	if err != nil || !ok {
		return func() {}
	}
	c.Place = place
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	serving.Go(func() { socket.Serve(ctx, c) })
	return func() {
		cancel()
		serving.Wait()
	}
}

// promptOfClaude reads a call of the tool that Claude Code asks for permissions by, with -p.
func promptOfClaude(call []byte, cwd string) (prompt mcp.Prompt, err error) {
	p, err := claude.ReadPrompt(call, cwd)
	if err != nil {
		return prompt, err
	}
	prompt.Dialect, prompt.Request, err = p.Request()
	prompt.Result = func(e bridge.Envelope) string {
		if e.Outcome == form.Elsewhere {
			e.Text = "By the settings of askpane no permission is asked for there."
		}
		if e.Outcome != form.Answered && e.Outcome != form.Cancelled {
			e.Details = nil // their reason is not the person's
		}
		return p.Result(e.Outcome == form.Answered, e.Details, e.Note, e.Text)
	}
	return prompt, err
}

// shared opens the spool of all calls. Where that fails, or it is lost, the next call tries again.
type shared struct {
	mu   sync.Mutex
	open *spool.Spool
}

func (s *shared) spool() (sp *spool.Spool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil || s.open.Lost() { // calls that wait in that one keep it
		s.open, err = asker.OpenSpool()
	}
	return s.open, err
}

// onceEach warns once of each problem, in a process that loads the settings again and again.
func onceEach(warn func(error)) func(error) {
	var said sync.Map
	return func(err error) {
		if _, before := said.LoadOrStore(err.Error(), true); !before {
			warn(err)
		}
	}
}
