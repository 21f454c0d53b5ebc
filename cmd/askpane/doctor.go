package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// doctorLine is one thing that doctor has looked at.
type doctorLine struct {
	Section string      `json:"section"`
	Name    string      `json:"name"`
	State   doctorState `json:"state"`
	Detail  string      `json:"detail"`
	Fix     string      `json:"fix,omitempty"` // the command that mends it, or what to do
}

type doctorState string

const (
	isOK   doctorState = "ok"
	isOff  doctorState = "off"  // switched off, or not there and not needed
	isWarn doctorState = "warn" // asking works, and something is not as it should be
	isFail doctorState = "fail" // asking cannot work
)

var doctorSigns = map[doctorState]string{isOK: "✓", isOff: "-", isWarn: "!", isFail: "✗"}

// doctorLimit is how long all of the looking may take.
const doctorLimit = 10 * time.Second

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "say where a question would open and how it is announced, and what is wrong",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print an object"},
			&cli.BoolFlag{Name: "try", Usage: "ask a harmless question too, with the alerts that are set"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage("unexpected argument %q", c.Args().First())
			}
			return doctor(c.Bool("json"), c.Bool("try"))
		},
	}
}

// diagnosis is what doctor --json prints.
type diagnosis struct {
	OK    bool         `json:"ok"` // asking can work
	Lines []doctorLine `json:"lines"`
	host  host.Host    // the one to ask in; nil where there is none
}

func doctor(asJSON, try bool) error {
	d := diagnose()
	if try && d.OK {
		// A person at a terminal reads first, and sees the form after it.
		if !asJSON {
			printDiagnosis(os.Stdout, d)
		}
		fmt.Fprintf(os.Stderr, "A test question opens now, for %d seconds at most.\n", int(tryLimit.Seconds()))
		tried := diagnosed(tryAsking(d.host))
		if !asJSON {
			printDiagnosis(os.Stdout, tried)
		}
		d = diagnosed(append(d.Lines, tried.Lines...))
	} else if !asJSON {
		printDiagnosis(os.Stdout, d)
	}
	if asJSON {
		if err := encodeJSON(os.Stdout, d, "  "); err != nil {
			return err
		}
	}
	if !d.OK {
		return exit{Code: exitInternal}
	}
	return nil
}

// diagnose looks at everything, and changes nothing.
func diagnose() diagnosis {
	ctx, cancel := context.WithTimeout(context.Background(), doctorLimit)
	defer cancel()
	s := settings.Load(here())
	hosts, used := hostLines(ctx, s.Host)
	var lines []doctorLine
	for _, section := range [][]doctorLine{
		versionLines(), hosts, viewerLines(ctx, used, s.Settings), withFailures(alertLines(ctx, s.Settings, used)), settingsLines(s), spoolLines(), logLines(),
	} {
		lines = append(lines, section...)
	}
	d := diagnosed(lines)
	d.host = used
	return d
}

func diagnosed(lines []doctorLine) diagnosis {
	d := diagnosis{OK: true, Lines: lines}
	for _, l := range lines {
		d.OK = d.OK && l.State != isFail
	}
	return d
}

// printDiagnosis prints the lines by section. What they say may come from files
// and other programs.
func printDiagnosis(w io.Writer, d diagnosis) {
	section := ""
	for _, l := range d.Lines {
		if l.Section != section {
			section = l.Section
			fmt.Fprintln(w, section)
		}
		fmt.Fprintf(w, "  %s %-9s %s\n", doctorSigns[l.State], text.Visible(l.Name), text.OneLine(l.Detail, doctorRunes))
		if l.Fix != "" {
			fmt.Fprintf(w, "    → %s\n", text.OneLine(l.Fix, doctorRunes))
		}
	}
}

// doctorRunes is how much of a detail is printed.
const doctorRunes = 300
