package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
)

// commands lists all of them, in the groups and the order of help. A Description says what to
// do about wrong arguments; UsageText has examples, which a test holds against this table.
// Help, manual pages and completion know nothing else.
func commands() []*cli.Command {
	return slices.Concat(
		command.In("Ask", askCommand(), reviewCommand(), collectCommand()),
		command.In("Answer", append(answerCommands(), programCommands(programs.Desk)...)...),
		command.In("Set up", append(setupCommands(), programCommands(programs.Hub)...)...),
		command.In("For machines", machineCommands()...),
	)
}

const byShape = "; by default the request's shape decides"

func askCommand() *cli.Command {
	return &cli.Command{
		Name: "ask", Usage: "ask the person, and print the answer; give the question as arguments, or as JSON on standard input", ArgsUsage: "[PROMPT [CHOICE…]]", Action: ask,
		UsageText: `askpane ask "Deploy to production?" Yes No
askpane ask --multi "Which services?" web api worker
askpane ask --number --min 1 --max 10 --timeout 5m "How many replicas?"
askpane ask --agent claude < request.json`,
		Flags: append(promptFlags(),
			flag("json", "print the envelope also where the question is given as arguments"),
			file(), dialectFlag(byShape), command.AgentFlag(), command.HostFlag(), output(),
			command.TimeFlag("timeout", "give up after that `TIME`: 90 (seconds), 5m, 1h30m"),
			flag("detach", "return at once, with the question's id; askpane collect gets the answer"),
		),
	}
}

func collectCommand() *cli.Command {
	return &cli.Command{
		Name: "collect", Usage: "get the answer to a question asked before, once: after ask --detach, or when the asking call died",
		ArgsUsage: "[ID]", Action: collect, Description: "give one question's ID, or --unread; askpane history and askpane list show the IDs",
		UsageText: "askpane collect --wait\naskpane collect 01KA7Q9T\naskpane collect --unread --here",
		Flags: []cli.Flag{
			flag("wait", "wait for the answer; where nobody else does, popups open from here"),
			flag("unread", "instead of an ID: every answer that nobody has got, one a line"),
			option("agent", "with --unread: only to questions of the agent `NAME`"),
			flag("here", "with --unread: only to questions asked in this directory"),
			command.HostFlag(), output(),
		},
	}
}

func answerCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "next", Usage: "show the oldest waiting question on this terminal", Action: next,
			Description: "askpane popup ID shows a question of your choice",
			UsageText:   "askpane next\ntmux bind-key a display-popup -E 'askpane next'",
			Flags:       []cli.Flag{lines()},
		},
		{
			Name: "inbox", Usage: "all waiting questions, of every agent, on this terminal: answer, go there, dismiss", Action: showInbox,
			UsageText: "askpane inbox",
		},
		{
			Name: "answer", Usage: "answer a waiting question without a form; the answers are JSON on standard input", ArgsUsage: "[ID]", Action: answer,
			Description: "askpane list shows the IDs",
			UsageText:   "askpane answer --json '{\"q1\":\"Yes\"}'\naskpane answer 01KA7Q9T < answers.json\naskpane answer 01KA7Q9T --json '{\"q1\":\"As here\"}' --attach shot.png\naskpane answer 01KA7Q9T --cancel",
			Flags: []cli.Flag{
				file(), option("json", "the answers, as `JSON`, instead of standard input"), flag("cancel", "cancel the question"),
				&cli.StringSliceFlag{Name: "attach", Usage: "have the picture in `FILE` go with the answers, of at most 5 MB; may be given ten times"},
			},
		},
		{
			Name: "list", Usage: "list the waiting questions", Action: list,
			Flags:     []cli.Flag{option("machine", "only those asked on the machine `NAME`"), flag("json", "print an array of objects")},
			UsageText: "askpane list\naskpane list --json",
		},
		{
			Name: "history", Usage: "list the questions that have ended, the last one first", Action: history,
			Description: "askpane show ID shows one question",
			UsageText:   "askpane history --search deploy",
			Flags:       []cli.Flag{option("search", "only those in which `TEXT` was asked or said"), command.OneOf("kind", "", "only those of the `KIND` question or permission", "question", "permission"), flag("json", "print an array of objects")},
		},
		{
			Name: "show", Usage: "read a question and its answers, whether it waits or has ended; nothing can be answered there",
			ArgsUsage: "[ID]", Action: show,
			Description: "askpane history and askpane list show the IDs",
			UsageText:   "askpane show\naskpane show 01KA7Q9T --json",
			Flags:       []cli.Flag{flag("json", "print an object")},
		},
		{
			Name: "status", Usage: "print how many questions wait, and for how long", Action: status,
			UsageText: "askpane status\ntmux set-option -g status-right '#(askpane status --format tmux)'",
			Flags: []cli.Flag{
				command.OneOf("format", "text", "`FORMAT`: tmux (for a status line), json or text", "tmux", "json", "text"), flag("json", "print an object"),
			},
		},
		{
			Name: "mute", Usage: "hold back forms and loud alerts until a time, while questions wait; without a time, say how it stands",
			ArgsUsage: "[TIME|off|until CLOCK]", Action: mute,
			UsageText: "askpane mute 1h\naskpane mute until 14:00\naskpane mute off",
		},
	}
}

func setupCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "demo", Usage: "ask a few harmless questions, and print what a tool call would get", Action: demo, Flags: []cli.Flag{output()},
			UsageText: "askpane demo",
		},
		setupCommand(),
		installCommand(),
		uninstallCommand(),
		settingsCommand(),
		{
			Name: "doctor", Usage: "say where a question would open and how it is announced, and what is wrong", Action: doctor,
			UsageText: "askpane doctor\naskpane doctor --try",
			Flags:     []cli.Flag{flag("json", "print an object"), flag("try", "ask a harmless question too, with the alerts that are set")},
		},
		{
			Name: "run", Usage: "run an agent so that its questions can be shown over it, without a multiplexer",
			ArgsUsage: "[--] COMMAND [ARGUMENT…]", Action: runAgent,
			UsageText:       "askpane run -- claude",
			SkipFlagParsing: true, // the command's own flags, too
		},
		{
			Name: "completion", Usage: "print what makes a shell complete askpane's commands, options, ids and settings", ArgsUsage: "SHELL", Action: completion,
			Description: "SHELL is bash, zsh or fish; for instance eval \"$(askpane completion bash)\" in ~/.bashrc",
			UsageText:   "eval \"$(askpane completion bash)\"\naskpane completion zsh > ~/.zfunc/_askpane\naskpane completion fish > ~/.config/fish/completions/askpane.fish",
		},
		{
			Name: "man", Usage: "write the manual pages, askpane.1 and one for each command, into a directory", ArgsUsage: "DIR", Action: man,
			Description: "for instance ~/.local/share/man/man1",
			UsageText:   "askpane man ~/.local/share/man/man1",
		},
		{
			Name: "version", Usage: "print which askpane this is", Action: version, Flags: []cli.Flag{flag("json", "print an object")},
			UsageText: "askpane version --json",
		},
	}
}

func machineCommands() []*cli.Command {
	all := []*cli.Command{
		{
			Name: "check", Usage: "validate and normalise a request without asking anybody", Action: check,
			Description: "the request comes on standard input or with --file",
			UsageText:   "askpane check < request.json",
			Flags:       []cli.Flag{file(), dialectFlag(byShape)},
		},
		{
			Name: "schema", Usage: "print the JSON Schema of a dialect's requests, which is also what validates them", Action: schema,
			Description: "name the dialect with --dialect",
			UsageText:   "askpane schema --dialect question",
			Flags:       []cli.Flag{dialectFlag("")},
		},
		{
			Name: "guidance", Usage: "print what to tell a model about a dialect's tool: description, one line, guidelines", Action: guidance,
			Description: "name the dialect with --dialect",
			UsageText:   "askpane guidance --dialect ask_user --json",
			Flags:       []cli.Flag{dialectFlag(""), flag("json", "print an object")},
		},
		{
			Name: "popup", Usage: "show a waiting question on this terminal", ArgsUsage: "[ID]", Action: popupCommand,
			Description: "askpane list shows the IDs",
			UsageText:   "askpane popup 01KA7Q9T",
			Flags:       []cli.Flag{lines()},
		},
		{
			Name: "hook", Usage: "what an agent's hooks run; askpane install writes it into their configuration",
			UsageText: "askpane hook claude < call.json",
			Subcommands: append([]*cli.Command{{
				Name: "claude", Usage: "answer Claude Code's AskUserQuestion: hook JSON on standard input, its decision on standard output",
				UsageText:       "askpane hook claude < call.json",
				Action:          func(c *cli.Context) error { return hookClaude(c.Args().First()) },
				SkipFlagParsing: true, // whatever is there, exit code 2 would forbid Claude to ask
			}, {
				Name: "plugin", Usage: "ask what opencode, kilo or pi needs a permission for, or the first two's questions, as its plugin says", ArgsUsage: "AGENT [DIALECT]",
				UsageText: "askpane hook plugin opencode < permission.json",
				Action:    hookPlugin,
			}}, denialCommands()...),
		},
		{Name: "complete", Usage: "what completion asks", Hidden: true, SkipFlagParsing: true, Action: complete},
		{
			Name: "ask-left", Usage: "what ask --detach leaves behind", ArgsUsage: "ID", Hidden: true, Action: stay,
			Flags: []cli.Flag{dialectFlag(byShape), command.HostFlag()},
		},
	}
	return append(all, programCommands(programs.MCP)...)
}

// programCommands lists those that another program runs.
func programCommands(p programs.Program) (all []*cli.Command) {
	for _, c := range p.Commands {
		all = append(all, &cli.Command{
			Name: c.Name, Usage: c.Usage, UsageText: c.Examples + "\naskpane " + c.Name + " --help", // which is the program's
			SkipFlagParsing: true, // its options are the program's
			Action:          func(ctx *cli.Context) error { return p.Exec(append(slices.Clone(c.Args), ctx.Args().Slice()...)) },
		})
	}
	return all
}

// promptFlags belong to a question that stands on the command line (prompt.go).
func promptFlags() []cli.Flag {
	return []cli.Flag{
		flag("multi", "several CHOICEs can be chosen; each is printed on a line"),
		flag("text", "the answer is typed"),
		flag("secret", "the answer is typed, masked, and kept nowhere"),
		flag("number", "the answer is a number"),
		option("min", "with --number: the least `NUMBER`"),
		option("max", "with --number: the greatest `NUMBER`"),
		flag("confirm", "the answer is yes (exit code 0) or no (8), which is what is printed; two CHOICEs are other words for them"),
		flag("other", "also accept an answer in the person's own words"),
		option("default", "where the form starts: a choice, a number or a `TEXT`"),
		option("title", "a `TITLE` above the question"),
	}
}

func lines() cli.Flag {
	return flag("plain", "line by line, for a screen reader or a terminal without a screen")
}

func flag(name, use string) cli.Flag { return &cli.BoolFlag{Name: name, Usage: use} }

func option(name, use string) cli.Flag { return &cli.StringFlag{Name: name, Usage: use} }

func file() cli.Flag { return option("file", "read from `FILE` instead of standard input") }

func dialectFlag(otherwise string) cli.Flag {
	return command.Known("dialect", "`NAME` of the question tool"+otherwise+": ", dialect.Names(), func(name string) error {
		_, err := dialect.ByName(name)
		return err
	})
}

func output() cli.Flag {
	return command.OneOf("output", "envelope", "what to print: envelope, text or details", "envelope", "text", "details")
}
