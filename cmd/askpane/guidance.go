package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
)

// guide is the one line that guidance --json prints.
type guide struct {
	Dialect string `json:"dialect"`
	dialect.Guidance
}

func guidanceCommand() *cli.Command {
	return &cli.Command{
		Name:  "guidance",
		Usage: "print what to tell a model about a dialect's tool: description, one line, guidelines",
		Flags: []cli.Flag{ofDialectFlag(), &cli.BoolFlag{Name: "json", Usage: "print an object"}},
		Action: func(c *cli.Context) error {
			d, err := ofDialect(c)
			if err != nil {
				return err
			}
			g := d.Guidance()
			if c.Bool("json") {
				return printJSON(os.Stdout, guide{d.Name, g})
			}
			fmt.Printf("%s\n\n%s\n\n", g.Description, g.Snippet)
			for _, line := range g.Guidelines {
				fmt.Printf("- %s\n", line)
			}
			return nil
		},
	}
}
