package popup

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
)

const twoSecrets = `{"questions":[{"id":"t","label":"Token","type":"text","prompt":"The deploy token?","secret":true,"placeholder":"starts with dp_"},
 {"id":"p","label":"PIN","type":"text","prompt":"The PIN?","secret":true,"required":false}]}`

// A secret is bullets while it is typed and three of them afterwards, and is in
// no draft.
func TestSecretIsMasked(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoSecrets, nil, 80, 24)
	s.shows("🔒 Secret: masked here")
	s.shows("starts with dp_")
	s.hides("editor")
	s.press("hunter2").shows("│ •••••••")
	s.hides("••••••••")
	s.press("Backspace", "Left", "Home").paste("3é\u0301\n").shows("│ ••••••••")
	s.press("Ctrl+J")
	s.press("Ctrl+G").shows("A secret is not handed to an editor")
	if text := s.m.Buffer(); text != "hunter3é\u0301" {
		t.Errorf("typed is %q", text)
	}
	s.press("Backspace").shows("│ •••••••") // é and its accent are one sign
	s.press("Enter").at(machine.Text, 1, 0)
	s.press("1234", "Enter")
	s.shows("Token: ✎ •••")
	s.shows("PIN: ✎ •••")
	s.hides("••••")
	for _, secret := range []string{"hunter", "1234"} {
		s.hides(secret)
	}
	if data, err := json.Marshal(s.m.Draft()); err != nil || strings.Contains(string(data), "hunter") || strings.Contains(string(data), "1234") {
		t.Errorf("the draft is %s (%v)", data, err)
	}
	s.press("Shift+Tab", "Shift+Tab").at(machine.Text, 0, 0).shows("│ •••••••")
	s.press("Ctrl+U").shows("starts with dp_")
	s.press("x", "Enter", "Enter", "Enter")
	s.answered(form.Type("x"), form.Type("1234"))
}

// What comes back from a draft starts empty, and the rest of the form as it was.
func TestSecretIsNotRestored(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoSecrets, nil, 80, 24)
	d := s.press("hunter2", "Enter").m.Draft()
	s = newStage(t, twoSecrets, &d, 80, 24)
	s.at(machine.Text, 1, 0).press("Shift+Tab").at(machine.Text, 0, 0)
	s.shows("starts with dp_")
	if s.m.Answer(0).Given() {
		t.Errorf("answered with %+v", s.m.Answer(0))
	}
}
