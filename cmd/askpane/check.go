package main

import (
	"encoding/json"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
)

// checked is the one line that check prints.
type checked struct {
	OK      bool            `json:"ok"`
	Dialect string          `json:"dialect"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func checkCommand() *cli.Command {
	return &cli.Command{
		Name:  "check",
		Usage: "validate and normalise a request without asking anybody",
		Flags: []cli.Flag{fileFlag(), dialectFlag()},
		Action: func(c *cli.Context) error {
			if err := noArgs(c); err != nil {
				return err
			}
			name := c.String("dialect")
			if name != "" {
				if _, err := dialect.ByName(name); err != nil {
					return usage("%v", err)
				}
			}
			raw, err := input(c)
			if err != nil {
				return err
			}
			d, f, err := dialect.Decode(name, raw)
			if d != nil {
				name = d.Name
			}
			if err != nil {
				if e := printJSON(os.Stdout, checked{Dialect: name, Error: err.Error()}); e != nil {
					return e
				}
				return exit{Code: exitRejected}
			}
			return printJSON(os.Stdout, checked{OK: true, Dialect: name, Value: f.Echo})
		},
	}
}
