package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/nearest"
	"github.com/askpane/askpane/cmd/internal/programs"
)

// checked is the line that check prints.
type checked struct {
	OK      bool            `json:"ok"`
	Dialect string          `json:"dialect"`
	Value   json.RawMessage `json:"value,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func check(c *cli.Context) error {
	raw, err := input(c, "request")
	if err != nil {
		return err
	}
	warnOfUnknown(c.String("dialect"), raw)
	line := checked{Dialect: c.String("dialect")}
	d, f, err := dialect.Decode(line.Dialect, raw)
	if d != nil {
		line.Dialect = d.Name
	}
	if err != nil {
		line.Error = err.Error()
		return cmp.Or(printJSON(os.Stdout, line), error(exit{Code: programs.Rejected}))
	}
	line.OK, line.Value = true, f.Echo
	return printJSON(os.Stdout, line)
}

// warnOfUnknown says which fields of a request are ignored, since most often another
// was meant.
func warnOfUnknown(name string, raw []byte) {
	for _, u := range dialect.UnknownFields(name, raw) {
		instead := cmp.Or(nearest.DidYouMean(nearest.Name(u.Name, u.Known)), "; it may have "+strings.Join(u.Known, ", "))
		if len(u.Known) == 0 {
			instead = ""
		}
		warn(fmt.Errorf("%s is no field of this dialect, and is ignored%s", text.OneLine(u.Path, 120), instead))
	}
}

func schema(c *cli.Context) error {
	d, err := named(c)
	if err == nil {
		_, err = fmt.Printf("%s\n", d.Schema())
	}
	return err
}

// guide is the line that guidance --json prints.
type guide struct {
	Dialect string `json:"dialect"`
	dialect.Guidance
}

func guidance(c *cli.Context) error {
	d, err := named(c)
	if err != nil {
		return err
	}
	g := d.Guidance()
	if g.Description == "" {
		return usage("%s publishes none: its agent tells its model of its own tool", d.Name)
	}
	if c.Bool("json") {
		return printJSON(os.Stdout, guide{d.Name, g})
	}
	_, err = fmt.Printf("%s\n\n%s\n\n- %s\n", g.Description, g.Snippet, strings.Join(g.Guidelines, "\n- "))
	return err
}

// named finds the dialect that a command without a request is about.
func named(c *cli.Context) (*dialect.Dialect, error) {
	if c.String("dialect") == "" {
		return nil, usage("--dialect is missing; there are %s", strings.Join(dialect.Names(), ", "))
	}
	return dialect.ByName(c.String("dialect"))
}
