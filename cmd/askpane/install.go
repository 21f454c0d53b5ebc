package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents"
)

// namedTools are the tools named, or the default one where they have to be spelled
// out: an MCP server knows that one by itself.
func namedTools(list string, spelled bool) ([]agents.Tool, error) {
	names := commaList(list)
	if len(names) == 0 && spelled {
		names = []string{dialect.AskHuman}
	}
	var named []agents.Tool
	for _, name := range names {
		d, err := dialect.ByName(name)
		if err != nil || !slices.Contains(dialect.Tools(), name) {
			return nil, usage("unknown tool %q; there are %s", name, strings.Join(dialect.Tools(), ", "))
		}
		if t := (agents.Tool{Name: name, Dialect: d.Name}); !slices.Contains(named, t) {
			named = append(named, t)
		}
	}
	return named, nil
}

func installCommand() *cli.Command {
	names := strings.Join(agents.Names(), ", ")
	c := &cli.Command{
		Name:  "install",
		Usage: "put askpane into an agent's configuration, or its keys into a multiplexer's",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "say what is installed where, and whether it is this askpane"}},
		Action: func(c *cli.Context) error {
			switch {
			case c.Args().Present():
				return usage("unknown agent or multiplexer %q; there are %s and skill", c.Args().First(), names)
			case c.Bool("check"):
				return checkInstalled()
			}
			return usage("name an agent or a multiplexer (%s) or skill; or use --check", names)
		},
	}
	var multiplexers []string
	for _, a := range agents.All() {
		if a.Personal {
			multiplexers = append(multiplexers, a.Name)
		}
		c.Subcommands = append(c.Subcommands, installInto(a))
	}
	c.UsageText = "askpane install pi [--project]\naskpane install claude|opencode|codex|gemini [--project] [--write]\naskpane install " +
		strings.Join(multiplexers, "|") + " [--write]\naskpane install skill DIR\naskpane install --check"
	c.Subcommands = append(c.Subcommands, &cli.Command{
		Name: "skill", ArgsUsage: "DIR", Usage: "write a skill folder that teaches a model to ask from a shell",
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usage("askpane install skill takes one directory, for instance ~/.claude/skills/askpane")
			}
			o, err := installOptions(false)
			if err != nil {
				return err
			}
			return writeFolder(c.Args().First(), func(dir string) ([]agents.Step, error) { return agents.Skill(dir, o) })
		},
	})
	return c
}

func projectFlag() cli.Flag {
	return &cli.BoolFlag{Name: "project", Usage: "for the project in this directory, instead of for you everywhere"}
}

func installInto(a agents.Agent) *cli.Command {
	flags := []cli.Flag{&cli.BoolFlag{Name: "write", Usage: "change the file, with a copy beside it; otherwise it is only shown what would go where"}}
	if !a.Personal {
		flags = append(flags, projectFlag(),
			&cli.StringFlag{Name: "tools", Usage: "`NAMES` of the tools that models are offered, with commas between: " + strings.Join(dialect.Tools(), ", ")})
	}
	if len(a.Parts) > 1 {
		usual, _ := a.Wanted(agents.Options{})
		flags = append(flags, &cli.StringFlag{Name: "parts", Value: strings.Join(usual, ","), Usage: "`PARTS` to install, with commas between: " + strings.Join(a.Parts, ", ")})
	}
	if a.Plugin != nil {
		flags = append(flags, &cli.StringFlag{Name: "plugin", Usage: "write a plugin folder with the hook and the MCP server into `DIR`, and nothing else"})
	}
	return &cli.Command{Name: a.Name, Usage: "parts: " + strings.Join(a.Parts, ", "), Flags: flags, Action: func(c *cli.Context) error { return install(c, a) }}
}

func install(c *cli.Context, a agents.Agent) error {
	if c.Args().Present() {
		return usage("unexpected argument %q", c.Args().First())
	}
	o, err := installOptions(c.Bool("project"))
	if err != nil {
		return err
	}
	if o.Tools, err = namedTools(c.String("tools"), a.Ours); err != nil {
		return err
	}
	o.Parts = commaList(c.String("parts"))
	parts, err := a.Wanted(o)
	if err != nil {
		return err
	}
	plugin := c.String("plugin")
	if slices.Contains(parts, agents.MCP) || plugin != "" {
		if err := programs.MCP.Check(); err != nil {
			return err
		}
	}
	if plugin != "" {
		return writeFolder(plugin, func(dir string) ([]agents.Step, error) { return a.Plugin(dir, "1.0.0", o) })
	}
	steps, err := a.Install(o)
	if err != nil {
		return err
	}
	if a.Ours || c.Bool("write") {
		return write(steps, nil)
	}
	for _, s := range steps {
		state := "put this into"
		if !s.Changed {
			state = "this is in"
		}
		fmt.Printf("# %s: %s %s\n%s\n", s.What, state, text.Visible(s.Path), s.Snippet)
	}
	fmt.Printf("# askpane %s --write does it\n", strings.Join(os.Args[1:], " "))
	return nil
}

func uninstallCommand() *cli.Command {
	return &cli.Command{
		Name: "uninstall", Usage: "take askpane out of an agent's configuration again", ArgsUsage: "AGENT",
		Flags: []cli.Flag{projectFlag()},
		Action: func(c *cli.Context) error {
			switch name := c.Args().First(); c.NArg() {
			case 0:
				return usage("name an agent: %s", strings.Join(agents.Names(), ", "))
			case 1:
				return uninstall(name, c.Bool("project"))
			}
			return usage("unexpected argument %q", c.Args().Get(1))
		},
	}
}

func uninstall(name string, project bool) error {
	o, err := installOptions(project)
	if err != nil {
		return err
	}
	a, err := agents.Named(name)
	if err != nil {
		return err
	}
	steps, err := a.Uninstall(o)
	if err == nil && len(steps) == 0 {
		fmt.Printf("askpane is not installed in %s\n", name)
	}
	return write(steps, err)
}

// installOptions are what is the same for every agent.
func installOptions(project bool) (agents.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return agents.Options{}, fmt.Errorf("find our own binary: %w", err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return agents.Options{}, hint.New("set HOME", "find your home directory: %w", err)
	}
	o := agents.Options{Binary: self, Home: home, Env: os.Getenv}
	if project {
		if o.Project, err = os.Getwd(); err != nil {
			return o, fmt.Errorf("find the project's directory: %w", err)
		}
	}
	return o, nil
}

func commaList(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// writeFolder writes a folder that is all ours.
func writeFolder(dir string, steps func(dir string) ([]agents.Step, error)) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	return write(steps(dir))
}

// write makes the changes, and says which.
func write(steps []agents.Step, err error) error {
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := s.Do(); err != nil {
			return err
		}
		state := "nothing to do in"
		if s.Changed {
			state = "changed"
		}
		fmt.Printf("%s: %s %s\n", s.What, state, text.Visible(s.Path))
	}
	return nil
}

// checkInstalled looks at the person's files and at those of the project in
// this directory. Exit 1 says that something is installed which is not this
// askpane.
func checkInstalled() error {
	o, err := installOptions(true)
	if err != nil {
		return err
	}
	found, err := agents.Check(o)
	stale := false
	for _, f := range found {
		state := "this askpane"
		if !f.Ours {
			stale, state = true, "not this askpane: "+f.Command
		}
		fmt.Printf("%-9s %-12s %s: %s\n", f.Agent, f.What, text.Visible(f.Path), text.Visible(state))
	}
	if len(found) == 0 && err == nil {
		fmt.Println("askpane is not installed in any agent")
	}
	if err != nil {
		return err
	}
	if stale {
		return exitWith(exitInternal, fmt.Errorf("run askpane install again for what is not this askpane, which is %s", o.Binary))
	}
	return nil
}
