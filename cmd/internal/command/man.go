package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

// WriteMan writes the manual pages of app into dir: one of its own, and one for each
// command that help shows.
func WriteMan(dir string, app *cli.App) (err error) {
	version, _, _ := strings.Cut(app.Version, " ")
	write := func(name string, data any) {
		if err == nil {
			path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".1")
			err = os.WriteFile(path, []byte(manPage(data, name, version)), 0o644)
		}
	}
	write(app.Name, app)
	var below func(under string, commands []*cli.Command)
	below = func(under string, commands []*cli.Command) {
		for _, c := range commands {
			if c.HelpName = under + " " + c.Name; !c.Hidden {
				write(c.HelpName, c)
				below(c.HelpName, c.Subcommands)
			}
		}
	}
	below(app.Name, app.Commands)
	return err
}

// manPage writes the manual page of an app or a command (man(7)), from what help has. Its last
// line says of which version it is.
func manPage(data any, name, version string) string {
	_, use, call, parts := Describe(data)
	var b strings.Builder
	page := strings.ReplaceAll(name, " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"askpane %s\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n%s\n",
		strings.ToUpper(roff(page)), roff(version), roff(page), roff(use), roff(call))
	for _, p := range parts {
		if len(p.Rows) == 0 {
			continue
		}
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
