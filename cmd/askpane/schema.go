package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print the JSON Schema of a dialect's requests, which is also what validates them",
		Flags: []cli.Flag{ofDialectFlag()},
		Action: func(c *cli.Context) error {
			d, err := ofDialect(c)
			if err != nil {
				return err
			}
			_, err = fmt.Printf("%s\n", d.Schema())
			return err
		},
	}
}

// ofDialectFlag is --dialect for commands that have no request whose shape
// could decide.
func ofDialectFlag() cli.Flag {
	return &cli.StringFlag{Name: "dialect", Usage: "`NAME` of the question tool: " + strings.Join(dialect.Names(), ", ")}
}

// ofDialect is the dialect that a command without a request is about.
func ofDialect(c *cli.Context) (*dialect.Dialect, error) {
	if c.Args().Present() {
		return nil, usage("unexpected argument %q; name the dialect with --dialect", c.Args().First())
	}
	name := c.String("dialect")
	if name == "" {
		return nil, usage("--dialect is missing; there are %s", strings.Join(dialect.Names(), ", "))
	}
	d, err := dialect.ByName(name)
	if err != nil {
		return nil, usage("%v", err)
	}
	return d, nil
}
