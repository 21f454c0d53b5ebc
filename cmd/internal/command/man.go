package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// WriteMan writes the manual pages of app into dir, which is made if it is absent: one of its
// own, and one for each command that help shows.
func WriteMan(dir string, app *cli.App) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	version, _, _ := strings.Cut(app.Version, " ")
	return writeMan(dir, version, app.Name, root(app))
}

func writeMan(dir, version, name string, c *cli.Command) error {
	c.HelpName = name
	page := strings.ReplaceAll(name, " ", "-")
	err := os.WriteFile(filepath.Join(dir, page+".1"), []byte(manPage(c, page, version)), 0o644)
	for _, below := range visible(c.Subcommands) {
		if err == nil {
			err = writeMan(dir, version, name+" "+below.Name, below)
		}
	}
	return err
}

// manPage writes the manual page of a command (man(7)), from what help has. Its last
// line says of which version it is.
func manPage(c *cli.Command, page, version string) string {
	call, parts := describe(c)
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"askpane %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n",
		strings.ToUpper(roff(page)), roff(version), roff(page), roff(c.Usage), roff(call))
	for _, p := range parts {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(roff(p.Title)))
		for _, r := range p.Rows {
			if r[1] == "" {
				fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(r[0]))
				continue
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(r[0]), roff(r[1]))
		}
	}
	return b.String()
}

// roff escapes a text so that none of its signs is an instruction.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}
