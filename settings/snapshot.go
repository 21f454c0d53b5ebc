package settings

import (
	"os"
	"slices"
)

// Form holds the settings that a form goes by.
type Form struct {
	GuardMs                                                  int
	Chain, ConfirmCancel, DangerCheckEnabled, BrowserEnabled bool
	PopupWidth, PopupHeight, Theme                           string
	Colours                                                  Colours
}

// Form returns those in force. A form that the person has muted, or opens by hand, is followed by no other.
func (s *Settings) Form() Form {
	return Form{s.GuardMs, s.Chain && s.OpenMode != OpenManual && !s.Muted(), s.ConfirmCancel, s.DangerCheckEnabled, s.BrowserEnabled, s.PopupWidth, s.PopupHeight, s.Theme, s.Colours}
}

// Snapshot tells a popup of the settings, by the question's entry. It is drawn by Form before it has read a
// file of them. The variables are those of the asking command, since a multiplexer starts a popup with the
// environment of its server.
type Snapshot struct {
	Version int `json:"version"` // of the members of Form
	Form
	Variables map[string]string
}

const snapshotVersion = 1

// Snapshot returns it as of now.
func (s *Settings) Snapshot() Snapshot {
	now := Snapshot{snapshotVersion, s.Form(), map[string]string{}}
	for _, f := range Fields() {
		if value, set := os.LookupEnv(f.Env); set && !stays[f.Only] {
			now.Variables[f.Env] = value
		}
	}
	return now
}

// stays has those settings whose variables no popup is told of: tokens, commands and addresses.
var stays = map[string]bool{"person": true, "runs": true}

// Adopt sets those of the variables here that a popup is told of, whoever has written others, and returns the settings to
// begin with; nil where another askpane has told them.
func (s *Snapshot) Adopt() *Form {
	for name, value := range s.Variables {
		told := func(f Field) bool { return f.Env == name && !stays[f.Only] }
		if has, set := os.LookupEnv(name); !(set && has == value) && slices.ContainsFunc(Fields(), told) {
			_ = os.Setenv(name, value) // as it was set there
		}
	}
	if s.Version != snapshotVersion {
		return nil
	}
	return &s.Form
}
