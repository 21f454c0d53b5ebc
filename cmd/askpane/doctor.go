package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/logfile"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/agents/codex"
	"github.com/askpane/askpane/integrations/desk/browser"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

var doctorSigns = map[hint.State]string{hint.OK: "✓", hint.Off: "-", hint.Warn: "!", hint.Fail: "✗"}

var doctorStyles = map[hint.State]command.Style{hint.OK: command.Green, hint.Off: command.Dim, hint.Warn: command.Yellow, hint.Fail: command.Red}

const (
	doctorLimit  = 10 * time.Second // for all of the looking
	doctorRunes  = 300              // of a detail are printed
	doctorIndent = 4                // before a name and a fix
	doctorName   = 9                // cells of the names, but for longer ones
)

// diagnosis is printed by doctor --json.
type diagnosis struct {
	OK     bool         `json:"ok"` // asking can work
	Checks []hint.Check `json:"lines"`
}

func doctor(c *cli.Context) error {
	d, asJSON := diagnosis{OK: true}, c.Bool("json")
	found := func(checks []hint.Check) {
		d.Checks = append(d.Checks, checks...)
		d.OK = d.OK && !slices.ContainsFunc(checks, func(c hint.Check) bool { return c.State == hint.Fail })
		if !asJSON { // a person at a terminal reads first, and sees the form after it
			printChecks(os.Stdout, checks)
		}
	}
	checks, used := checkEverything()
	found(checks)
	if c.Bool("try") && d.OK {
		fmt.Fprintf(os.Stderr, "A test question opens now, for %d seconds at most.\n", int(tryLimit.Seconds()))
		found(tryAsking(used))
		found(tryInstalled())
	}
	if asJSON {
		if err := encodeJSON(os.Stdout, d, "  "); err != nil {
			return err
		}
	}
	if !d.OK {
		return exit{Code: programs.Internal}
	}
	return nil
}

// checkEverything has each part check itself, and changes nothing. used is the host to ask in;
// nil where there is none.
func checkEverything() (checks []hint.Check, used host.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), doctorLimit)
	defer cancel()
	s := settings.Load(here())
	hosts, used := integrations.Checks(ctx, s.Host, agentName("agent"))
	var viewer []hint.Check
	if used != nil {
		viewer = append(viewer, integrations.ViewerCheck(ctx, used))
		if viewer[0].State == hint.OK {
			viewer = append(viewer, formsCheck(s.Settings, used))
		}
	}
	alerts := logfile.WithFailures(notify.Describe(ctx, s.Settings, tryRoutes(used)), "askpane doctor --try, to see whether it still does")
	desk := append(address.Checks(programs.Version()), logfile.WithFailures(browser.Checks(), "askpane page, to see whether it opens now")...)
	return slices.Concat(programs.Checks(), hosts, viewer, alerts, s.Checks(), spool.Checks(), logfile.Checks(), desk, address.HubChecks(s.Linked()), chatChecks(), codexChecks(), installedChecks()), used
}

// chatChecks has the desk's program check the chat: it alone speaks with it.
func chatChecks() (checks []hint.Check) {
	said, err := programs.Desk.Output("chat", "--json")
	if err == nil {
		err = json.Unmarshal(said, &checks)
	}
	if err != nil {
		return []hint.Check{hint.Wrong("chat", "chat", hint.Warn, err)}
	}
	return checks
}

// codexChecks says whether the questions that Codex asks with its own tools are answered.
func codexChecks() []hint.Check {
	state, err := spool.StateDir()
	home, _ := os.UserHomeDir()
	if err != nil {
		return nil // which the check of the spool says
	}
	return codex.Checks(state, home, os.Getenv)
}

// formsCheck says when forms open.
func formsCheck(s settings.Settings, used host.Host) hint.Check {
	check := hint.Check{Section: "viewer", Name: "forms", State: hint.OK, Detail: "open at once"}
	switch mute := settings.SayMuted(); {
	case mute != "":
		check.State, check.Detail = hint.Off, "do not open by themselves ("+mute+"); askpane next opens one"
	case s.OpenMode == settings.OpenIdle:
		check.Detail = fmt.Sprintf("open once nothing has been typed for %s (openMode is idle)", text.Age(time.Duration(s.IdleSeconds)*time.Second))
	case s.OpenMode == settings.OpenManual:
		check.State, check.Detail = hint.Off, "do not open by themselves (openMode is manual); askpane next opens one"
	}
	if check.State == hint.OK && used.Kind().Borrows {
		check.Detail += ", for what you run here yourself"
	}
	return check
}

// printChecks prints what was found by section. What it says may come from files
// and other programs. A terminal gets whole words, in rows below each other.
func printChecks(out *os.File, checks []hint.Check) {
	s, section := command.ScreenOf(out), ""
	for _, c := range checks {
		if c.Section != section {
			section = c.Section
			fmt.Fprintln(out, s.Paint(command.Bold, section))
		}
		style, name := command.Plain, text.Visible(c.Name)
		if c.State == hint.Off {
			style = command.Dim
		}
		taken := doctorIndent + max(doctorName, cells.Width(name)) + 1
		pad := strings.Repeat(" ", taken-doctorIndent-cells.Width(name))
		head := "  " + s.Paint(doctorStyles[c.State], doctorSigns[c.State]) + " " + s.Paint(style, name) + pad
		fmt.Fprint(out, s.Hang(head, taken, style, text.OneLine(c.Detail, doctorRunes)))
		if c.Fix != "" {
			fmt.Fprint(out, s.Hang("    "+s.Paint(command.Yellow, "→")+" ", doctorIndent+2, command.Plain, text.OneLine(c.Fix, doctorRunes)))
		}
	}
}
