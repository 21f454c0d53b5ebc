package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/text/nearest"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents"
)

// namedTools returns the tools named.
func namedTools(names []string) (named []agents.Tool, err error) {
	for _, name := range names {
		d, err := dialect.ByName(name)
		if err != nil || !slices.Contains(dialect.Tools(), name) {
			return nil, usage("unknown tool %q; there are %s", name, strings.Join(dialect.Tools(), ", "))
		}
		named = append(named, agents.Tool{Name: name, Dialect: d.Name})
	}
	return named, nil
}

// forEach has a command take the name of what askpane is installed into, or as. Each is a command below
// it, and says returns its use and its options.
func forEach(c *cli.Command, says func(agents.Agent) (use string, options []cli.Flag), action func(*cli.Context, agents.Agent, agents.Options) error) *cli.Command {
	c.ArgsUsage = "[AGENT|MULTIPLEXER]"
	var names []string
	for _, a := range agents.Everything() {
		names = append(names, a.Name)
		below, example := &cli.Command{Name: a.Name, Action: installing(a, action)}, a.Name
		below.Usage, below.Flags = says(a)
		if a.Dir != "" {
			example += " " + a.Dir
			below.ArgsUsage, below.Description = "DIR", "for instance "+a.Dir+", in which it gets a folder of its own"
		}
		below.UsageText = fmt.Sprintf(c.UsageText, example)
		c.Subcommands = append(c.Subcommands, below)
	}
	c.UsageText = fmt.Sprintf(c.UsageText, "claude")
	c.Action = func(ctx *cli.Context) error {
		switch all, given := strings.Join(names, ", "), ctx.Args().First(); {
		case ctx.Args().Present():
			return usage("unknown agent or multiplexer %q%s; there are %s", given, nearest.DidYouMean(nearest.Name(given, names)), all)
		case ctx.Bool("check"):
			return checkInstalled("")
		default:
			return usage("name an agent or a multiplexer: %s", all)
		}
	}
	return c
}

// installing makes an action on what is installed in a; with --check it only looks.
func installing(a agents.Agent, action func(*cli.Context, agents.Agent, agents.Options) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		if switched(c, "check") {
			return checkInstalled(a.Name)
		}
		o, err := installOptions(switched(c, "project") && a.Dir == "") // the skill goes where that says
		if err == nil && a.Dir != "" {
			o.Dir, err = filepath.Abs(c.Args().First())
		}
		if err != nil {
			return err
		}
		return action(c, a, o)
	}
}

func installCommand() *cli.Command {
	c := forEach(&cli.Command{Name: "install", Usage: "put askpane into an agent's configuration, or its keys into a multiplexer's", UsageText: "askpane install %s --write"}, installOne, install)
	c.Flags = installFlags()
	c.UsageText += "\naskpane install tmux --write\naskpane install --check"
	return c
}

func installFlags() []cli.Flag {
	return []cli.Flag{flag("write", "change the file, with a copy beside it; otherwise it is only shown what would go where"),
		flag("check", "say what is installed where, and whether it is this askpane")}
}

func installOne(a agents.Agent) (use string, options []cli.Flag) {
	options = installFlags()
	if a.Use == "" {
		options = append(options, projectFlag(),
			&cli.StringSliceFlag{Name: "tools", Usage: "`NAMES` of the tools that models are offered, separated by commas: " + strings.Join(dialect.Tools(), ", ")},
			&cli.StringSliceFlag{Name: "only", Usage: "`PARTS` to install, separated by commas: " + strings.Join(a.Words(), ", ") + "; what else is there stays; otherwise those that are there, or questions, by " + strings.Join(a.Carriers, " and ")})
	}
	return cmp.Or(a.Use, "parts: "+strings.Join(a.Parts, ", ")), options
}

func uninstallCommand() *cli.Command {
	one := func(a agents.Agent) (use string, options []cli.Flag) {
		if a.Use == "" { // the rest is of no project
			options = []cli.Flag{projectFlag()}
		}
		return "take out: " + strings.Join(a.Parts, ", "), options
	}
	c := forEach(&cli.Command{Name: "uninstall", Usage: "take askpane out of an agent's configuration again", UsageText: "askpane uninstall %s"}, one, uninstall)
	c.Flags = []cli.Flag{projectFlag()}
	return c
}

func uninstall(c *cli.Context, a agents.Agent, o agents.Options) error {
	steps, err := a.Uninstall(o)
	if err == nil && len(steps) == 0 {
		err = say("askpane is not installed in %s", cmp.Or(c.Args().First(), a.Name))
	}
	switch err = write(steps, err); {
	case err != nil:
	case a.Ends != "":
		fmt.Println("To end what runs: " + a.Ends)
	case len(steps) > 0 && a.Dir == "":
		fmt.Printf("A running %s keeps it until it is restarted.\n", a.Name)
	}
	return err
}

func projectFlag() cli.Flag {
	return flag("project", "for the project in this directory, instead of for you everywhere")
}

func install(c *cli.Context, a agents.Agent, o agents.Options) (err error) {
	named := func(option string) []string {
		return strings.FieldsFunc(strings.Join(c.StringSlice(option), ","), func(r rune) bool { return r == ',' || r == ' ' })
	}
	if o.Tools, err = namedTools(named("tools")); err != nil {
		return err
	}
	there, _ := a.Wanted(o)
	o.Parts = named("only")
	if o.Parts, err = a.Wanted(o); err != nil {
		return usage("%w", err)
	}
	if slices.Contains(o.Parts, agents.MCP) {
		if err := programs.MCP.Check(); err != nil {
			return err
		}
	}
	steps, err := a.Install(o)
	if !switched(c, "write") {
		return propose(a, o, slices.Compact(slices.Concat(there, o.Parts)), steps, err)
	}
	if err = write(steps, err); err == nil {
		sayInstalled(a, o, steps, false)
	}
	return err
}

// more says, in lines, what else an agent may ask for here where those parts are there, and what to know of them.
func more(a agents.Agent, o agents.Options, there []string) (said string) {
	other := slices.DeleteFunc([]string{agents.Permissions, agents.Plans}, func(part string) bool {
		return !slices.Contains(a.Parts, part) || slices.Contains(there, part)
	})
	if len(other) > 0 {
		said = fmt.Sprintf("Its %s can come here, too: askpane install AGENT --only %s,%s --write\n", strings.Join(other, " and "), agents.Questions, strings.Join(other, ","))
	}
	if a.Hint != "" && slices.Equal(there, a.Carriers) {
		said += a.Hint + "\n"
	}
	if a.Caution != "" && slices.Contains(there, agents.Permissions) && !slices.Contains(there, agents.Auto) {
		said += a.Caution + "\n"
	}
	return strings.NewReplacer("AGENT", a.Name, "--write", "--write"+ofProject(o)).Replace(said)
}

// propose shows what would go where, also what has no place in a multiplexer's file. These parts are there then.
func propose(a agents.Agent, o agents.Options, there []string, steps []agents.Step, err error) error {
	switch {
	case err != nil && a.Setup != nil && len(steps) > 0:
		fmt.Printf("# %s\n%s", text.Visible(err.Error()), steps[len(steps)-1].Snippet)
		return nil
	case err != nil:
		return err
	}
	for _, s := range steps {
		state := "put this into"
		if !s.Changed {
			state = "this is in"
		}
		fmt.Printf("# %s: %s %s\n%s\n", s.What, state, text.Visible(s.Path), s.Snippet)
	}
	fmt.Print("# askpane")
	for _, arg := range os.Args[1:] {
		fmt.Print(" ", text.Visible(hint.Word(arg)))
	}
	fmt.Println(" --write does it")
	for line := range strings.Lines(more(a, o, there)) {
		fmt.Print("# " + line)
	}
	return nil
}

// sayInstalled says what there is now, and what is left to do, unless the agent has read
// its file already. A skill is read by whoever looks for it.
func sayInstalled(a agents.Agent, o agents.Options, steps []agents.Step, read bool) {
	asked := o.Parts
	o.Parts = nil
	there, _ := a.Wanted(o)
	if stay := slices.DeleteFunc(slices.Clone(there), func(part string) bool { return slices.Contains(asked, part) }); asked != nil && len(stay) > 0 {
		fmt.Printf("Also there, and left as it is: %s. askpane uninstall %s%s takes out everything.\n", strings.Join(stay, ", "), a.Name, ofProject(o))
	}
	if a.Dir != "" || a.Starts == "" && !slices.ContainsFunc(steps, func(s agents.Step) bool { return s.Changed }) {
		return
	}
	next, run := "Now restart "+a.Name, a.Starts
	if s := a.Setup; s != nil {
		fmt.Printf("  %-20s the question that has waited longest\n  %-20s all waiting questions\n", s.Oldest(), s.Inbox)
		if s.Then != "" {
			run = s.Then + " " + hint.Word(steps[0].Path)
		}
	}
	switch {
	case read:
		next = a.Name + " has read it"
	case run != "":
		next = "Now run " + run
	}
	fmt.Printf("%s\nTo undo: askpane uninstall %s%s\n%s", text.Visible(next), a.Name, ofProject(o), more(a, o, there))
}

// ofProject is the option that a command needs to mean the project where o does.
func ofProject(o agents.Options) string {
	return text.If(o.Project != "", " --project", "")
}

// installOptions returns the options that are the same for every agent.
func installOptions(project bool) (o agents.Options, err error) {
	o.Env, o.Version = os.Getenv, sync.OnceValue(claudeVersion)
	if o.Binary, err = os.Executable(); err != nil {
		return o, fmt.Errorf("find our own binary: %w", err)
	}
	link, _ := exec.LookPath(os.Args[0])
	if file, _ := filepath.EvalSymlinks(link); file == o.Binary && filepath.IsAbs(link) && strings.Contains(filepath.Base(link), agents.ServerName) { // an upgrade leads it on, and by this name it is found again
		o.Binary = link
	}
	if o.Home, err = os.UserHomeDir(); err != nil {
		return o, hint.New("set HOME", "find your home directory: %w", err)
	}
	if project {
		o.Project, err = os.Getwd()
	}
	return o, err
}

// programLimit bounds the wait for a program of others: Claude Code starts in a second, and in
// some on a busy machine.
const programLimit = 10 * time.Second

// claudeVersion returns what Claude Code prints for --version.
func claudeVersion() string {
	ctx, cancel := context.WithTimeout(context.Background(), programLimit)
	defer cancel()
	path, _ := exec.LookPath("claude")
	aliased := filepath.Join(os.Getenv("HOME"), ".claude", "local", "claude")       // where it is in no directory of PATH
	out, _ := exec.CommandContext(ctx, cmp.Or(path, aliased), "--version").Output() // one that cannot say is of no known version
	return strings.TrimSpace(string(out))
}

// write makes the changes, and says which.
func write(steps []agents.Step, err error) error {
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := s.Apply(); err != nil {
			return err
		}
		fmt.Printf("%s: %s %s\n", s.What, s.Applied(), text.Visible(s.Path))
	}
	return nil
}

// checkInstalled looks at the person's files and at those of the project in
// this directory: those of one agent, or of all where it has no name. Exit 1
// says that something is installed which is not this askpane.
func checkInstalled(name string) error {
	o, err := installOptions(true)
	if err != nil {
		return err
	}
	found, err := agents.Check(o)
	found = slices.DeleteFunc(found, func(f agents.Found) bool { return name != "" && f.Agent != name })
	stale := false
	var rows [][]string
	for _, f := range found {
		state := "this askpane"
		switch {
		case !f.Ours:
			stale, state = true, "not this askpane: "+strings.Join(f.Commands, ", ")
		case f.Older:
			stale, state = true, "this askpane, and not as it would be written now"
		}
		rows = append(rows, []string{f.Agent, f.What, text.Visible(f.Path + ": " + state)})
	}
	fmt.Print(command.Screen{}.Table(rows, cellStyle))
	switch {
	case err != nil:
	case stale:
		return exitWith(programs.Internal, fmt.Errorf("run askpane install again for what is not this askpane (%s), or would be written otherwise now", o.Binary))
	case len(found) == 0:
		fmt.Println("askpane is not installed in " + cmp.Or(name, "any agent"))
	}
	return err
}
