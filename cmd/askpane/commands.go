package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
)

// commands are all of them. A Description is what to do about wrong arguments.
func commands() []*cli.Command {
	const byShape = "; by default the request's shape decides"
	lines := flag("plain", "line by line, for a screen reader or a terminal without a screen")
	all := []*cli.Command{
		// For agents, and scripts.
		{
			Name: "ask", Usage: "ask the person; the request is JSON on standard input", Action: ask,
			Description: "the request comes on standard input or with --file",
			Flags: []cli.Flag{
				file(), dialectFlag(byShape), command.AgentFlag(), command.HostFlag(), output(),
				command.SecondsFlag("timeout", "give up after so many `SECONDS`"),
				flag("detach", "return at once, with the question's id; askpane collect gets the answer"),
				flag("heartbeat", "say on standard error now and then that the question still waits (setting heartbeatIntervalMinutes)"),
				flag("verbose", "say on standard error too which alerts have failed; the log and askpane doctor know them"),
			},
		},
		{
			Name: "collect", Usage: "get the answer to a question asked before, once: after ask --detach, or when the asking call died",
			ArgsUsage: "[ID]", Action: collect, Description: "give one question's ID, or --unread; askpane list shows the IDs",
			Flags: []cli.Flag{
				flag("wait", "wait for the answer; where nobody else does, popups open from here"),
				flag("unread", "instead of an ID: every answer that nobody has got, one a line"),
				option("agent", "with --unread: only to questions of the agent `NAME`"),
				flag("here", "with --unread: only to questions asked in this directory"),
				command.HostFlag(), output(),
			},
		},
		{
			Name: "check", Usage: "validate and normalise a request without asking anybody", Action: check,
			Description: "the request comes on standard input or with --file",
			Flags:       []cli.Flag{file(), dialectFlag(byShape)},
		},
		{
			Name: "schema", Usage: "print the JSON Schema of a dialect's requests, which is also what validates them", Action: schema,
			Description: "name the dialect with --dialect",
			Flags:       []cli.Flag{dialectFlag("")},
		},
		{
			Name: "guidance", Usage: "print what to tell a model about a dialect's tool: description, one line, guidelines", Action: guidance,
			Description: "name the dialect with --dialect",
			Flags:       []cli.Flag{dialectFlag(""), flag("json", "print an object")},
		},
		// For the person: what waits, and what is over.
		{
			Name: "next", Usage: "show the oldest waiting question on this terminal; in tmux: bind a display-popup -E 'askpane next'", Action: next,
			Description: "askpane popup ID shows a question of your choice",
			Flags:       []cli.Flag{lines},
		},
		{Name: "inbox", Usage: "all questions that wait, of every agent, on this terminal: answer, go there, dismiss", Action: showInbox},
		{
			Name: "popup", Usage: "show a waiting question on this terminal; this is what the host runs", ArgsUsage: "ID", Action: popupCommand,
			Description: "askpane list shows the IDs",
			Flags:       []cli.Flag{lines},
		},
		{
			Name: "answer", Usage: "answer a waiting question without a form; the answers are JSON on standard input", ArgsUsage: "ID", Action: answer,
			Description: "askpane list shows the IDs",
			Flags: []cli.Flag{
				file(), option("json", "the answers, instead of standard input"), flag("cancel", "cancel the question"),
			},
		},
		{Name: "list", Usage: "list the questions that wait", Action: list, Flags: []cli.Flag{flag("json", "print an array of objects")}},
		{
			Name: "history", Usage: "list the questions that are over, the one that ended last first", Action: history,
			Description: "askpane show ID shows one question",
			Flags:       []cli.Flag{option("search", "only those in which `TEXT` was asked or said"), flag("json", "print an array of objects")},
		},
		{
			Name: "show", Usage: "read a question and its answers, whether it waits or is over; nothing can be answered there",
			ArgsUsage: "ID", Action: show,
			Description: "askpane history and askpane list show the IDs",
			Flags:       []cli.Flag{flag("json", "print an object")},
		},
		{
			Name: "status", Usage: "print how many questions wait, and for how long", Action: status,
			Flags: []cli.Flag{command.OneOf("format", "text", "`FORMAT`: tmux (for a status line), json or text", "tmux", "json", "text")},
		},
		// For setting it up.
		{Name: "demo", Usage: "ask a few harmless questions, and print what a tool call would get", Action: demo, Flags: []cli.Flag{output()}},
		{
			Name: "doctor", Usage: "say where a question would open and how it is announced, and what is wrong", Action: doctor,
			Flags: []cli.Flag{flag("json", "print an object"), flag("try", "ask a harmless question too, with the alerts that are set")},
		},
		setupCommand(),
		settingsCommand(),
		installCommand(),
		uninstallCommand(),
		// What others start.
		{
			Name: "run", Usage: "run an agent so that its questions can be shown over it, without a multiplexer",
			ArgsUsage: "[--] COMMAND [ARGUMENT…]", Action: runAgent,
			SkipFlagParsing: true, // the command's own flags, too
		},
		{
			Name: "hook", Usage: "what an agent's hooks run; askpane install writes it into their configuration",
			Subcommands: []*cli.Command{{
				Name: "claude", Usage: "answer Claude Code's AskUserQuestion: hook JSON on standard input, its decision on standard output",
				Action:          func(*cli.Context) error { return hookClaude() },
				SkipFlagParsing: true, // whatever is there, exit code 2 would forbid Claude to ask
			}},
		},
		{
			Name: "ask-left", Usage: "what ask --detach leaves behind", ArgsUsage: "ID", Hidden: true, Action: stay,
			Flags: []cli.Flag{dialectFlag(byShape), command.HostFlag()},
		},
	}
	for _, p := range programs.All {
		if p.Command != "" {
			all = append(all, &cli.Command{
				Name: p.Command, Usage: p.Usage,
				SkipFlagParsing: true, // its options are the program's
				Action:          func(c *cli.Context) error { return p.Exec(c.Args().Slice()) },
			})
		}
	}
	return all
}

func flag(name, use string) cli.Flag { return &cli.BoolFlag{Name: name, Usage: use} }

func option(name, use string) cli.Flag { return &cli.StringFlag{Name: name, Usage: use} }

func file() cli.Flag { return option("file", "read from `FILE` instead of standard input") }

func dialectFlag(otherwise string) cli.Flag {
	use := "`NAME` of the question tool: " + strings.Join(dialect.Names(), ", ") + otherwise
	return command.Known("dialect", use, func(name string) error {
		_, err := dialect.ByName(name)
		return err
	})
}

func output() cli.Flag {
	return command.OneOf("output", "envelope", "what to print: envelope, text or details", "envelope", "text", "details")
}
