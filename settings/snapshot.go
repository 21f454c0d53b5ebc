package settings

import "os"

// Form holds the settings that a form goes by.
type Form struct {
	GuardMs                                                  int
	Chain, ConfirmCancel, DangerCheckEnabled, BrowserEnabled bool
	PopupWidth, PopupHeight, Theme                           string
	Colours                                                  Colours
}

// Form returns those in force.
func (s *Settings) Form() Form {
	return Form{s.GuardMs, s.Chain, s.ConfirmCancel, s.DangerCheckEnabled, s.BrowserEnabled, s.PopupWidth, s.PopupHeight, s.Theme, s.Colours}
}

// Snapshot is what whoever opens a popup tells it by the question's entry. By Form it is drawn before it has read a
// file of settings. The variables are those of the asking command, since a multiplexer starts a popup with the
// environment of its server.
type Snapshot struct {
	Form
	Variables map[string]string
}

// Snapshot returns it as of now. No token, command or address of a push is in it.
func (s *Settings) Snapshot() Snapshot {
	now := Snapshot{s.Form(), map[string]string{}}
	for _, f := range Fields() {
		if value, set := os.LookupEnv(f.Env); set && f.Only != "person" && f.Only != "runs" {
			now.Variables[f.Env] = value
		}
	}
	return now
}
