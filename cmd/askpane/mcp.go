package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/mcp"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/settings"
)

func mcpCommand() *cli.Command {
	return &cli.Command{
		Name:  "mcp",
		Usage: "serve the question tools to an agent over the Model Context Protocol, on standard input and output",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "tools", Usage: "`NAMES` of the question tools, with commas: " + strings.Join(mcp.ToolNames(), ", ") + "; ask_human by default"},
			agentFlag(), hostFlag(),
			&cli.Float64Flag{Name: "call-limit", Usage: "the client gives a call up after so many `SECONDS`, 0 for never; by default what is known of the client"},
			&cli.StringFlag{Name: "ui", Value: "popup", Usage: "popup, or elicitation: the client's own dialog where it has one that can hold the form"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q", c.Args().First())
			}
			return serveMCP(c)
		},
	}
}

func serveMCP(c *cli.Context) error {
	cwd, _ := os.Getwd() // where the project's settings are, and shown to the person
	warnOnce := onceEach(warn)
	own, err := newAsker(cwd, c.String("host"), asking{}, warnOnce)
	if err != nil {
		return err
	}
	ui := c.String("ui")
	if ui != "popup" && ui != "elicitation" {
		return usage("unknown --ui %q; there are popup and elicitation", ui)
	}
	limit, err := secondsFlag(c, "call-limit")
	if err != nil {
		return err
	}
	names := strings.FieldsFunc(c.String("tools"), func(r rune) bool { return r == ',' || r == ' ' })
	if err := mcp.Known(names); err != nil {
		return usage("%v", err)
	}
	sp, err := openSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	lines := func() (*spool.Spool, error) { return sp, nil }
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE) // a client that has gone is an error of that write
	err = mcp.Serve(ctx, mcp.Config{
		Version: programs.ModuleVersion(), Tools: names, Agent: c.String("agent"), Cwd: cwd,
		CallLimit: limit, Elicit: ui == "elicitation",
		Bridge: func(cwd string, beat mcp.Beat) (*bridge.Bridge, bridge.Question, error) {
			asker, err := newAsker(cwd, c.String("host"), asking{live: settings.Follow(cwd), told: own.told, beat: beat, lines: lines}, warnOnce)
			if err != nil {
				return nil, bridge.Question{}, err
			}
			return asker.bridge(sp, asker.placeLater), bridge.Question{Timeout: asker.timeout(), Keep: asker.keepAfterCancel,
				Origin: spool.Origin{PID: os.Getpid(), Session: sessionName()}}, nil
		},
		Env: os.Getenv, Warn: own.told.warn,
	}, os.Stdin, os.Stdout)
	if errors.Is(err, context.Canceled) { // asked to end, and ended
		return nil
	}
	return err
}
