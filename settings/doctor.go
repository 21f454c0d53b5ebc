package settings

import (
	"path/filepath"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Checks is what askpane doctor says of the settings: which files they come from,
// and what of them cannot be used.
func (l Loaded) Checks() []hint.Check {
	const section = "settings"
	var checks []hint.Check
	for _, f := range l.Files {
		if f.Found {
			checks = append(checks, hint.Check{Section: section, Name: "file", State: hint.OK, Detail: f.Path})
		}
	}
	for _, p := range l.Problems {
		fix := "mend " + hint.Word(p.Where)
		if !filepath.IsAbs(p.Where) {
			fix = "unset " + p.Where // a variable
		}
		for _, f := range l.Files {
			switch {
			case f.Path != p.Where:
			case f.Rank == Project:
				fix = "askpane settings edit"
			case f.Rank == Global:
				fix = "askpane settings edit --global"
			}
		}
		checks = append(checks, hint.Check{Section: section, Name: "problem", State: hint.Warn, Detail: p.Error(), Fix: fix})
	}
	if len(checks) == 0 {
		checks = append(checks, hint.Check{Section: section, Name: "files", State: hint.OK, Detail: "there is none; askpane settings makes one"})
	}
	return checks
}
