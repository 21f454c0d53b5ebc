package settings

import "github.com/askpane/askpane/bridge/text/hint"

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
		switch p.Where {
		case l.File(Project).Path:
			fix = "askpane settings edit"
		case l.File(Global).Path:
			fix = "askpane settings edit --global"
		default:
			for _, f := range Fields() {
				if f.Env == p.Where {
					fix = "unset " + p.Where
				}
			}
		}
		checks = append(checks, hint.Check{Section: section, Name: "problem", State: hint.Warn, Detail: p.Error(), Fix: fix})
	}
	if len(checks) == 0 {
		checks = append(checks, hint.Check{Section: section, Name: "files", State: hint.OK, Detail: "there is none; askpane settings makes one"})
	}
	return checks
}
