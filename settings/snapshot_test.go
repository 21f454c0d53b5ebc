package settings

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// The version says which members a snapshot has: what is missing in another's would count as false or 0.
func TestSnapshotVersion(t *testing.T) {
	members := []string{"GuardMs", "Chain", "ConfirmCancel", "DangerCheckEnabled", "BrowserEnabled", "PopupWidth", "PopupHeight", "Theme", "Colours"}
	var now []string
	for field := range reflect.TypeFor[Form]().Fields() {
		now = append(now, field.Name)
	}
	if !slices.Equal(now, members) || snapshotVersion != 1 {
		t.Errorf("version %d has %v: give it a new number, and say here what that has", snapshotVersion, now)
	}
	if s := (Snapshot{Version: snapshotVersion + 1, Form: Form{Chain: true}}); s.Adopt() != nil {
		t.Error("a snapshot of another version is believed")
	}
}

// A popup begins with the settings in force, and has the asking command's variables from then on. No other has them:
// a token or a command would lie in the spool.
func TestSnapshot(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"chain": false, "popupWidth": "50%", "theme": "custom"}`)
	h.write(".config/askpane/theme.json", `{"accent": "red"}`)
	said := map[string]string{"ASKPANE_GUARD_MS": "7", "ASKPANE_CONFIRM_CANCEL": "false", "ASKPANE_POPUP_HEIGHT": "60%", "ASKPANE_PUSH_URL": "https://secret", "ASKPANE_ON_QUESTION_COMMAND": "secret"}
	for name, value := range said {
		t.Setenv(name, value)
	}
	asking := Load(h.repo)
	data, err := json.Marshal(asking.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	for name := range said {
		os.Unsetenv(name) // as where a multiplexer starts the popup
	}
	var told Snapshot
	if err := json.Unmarshal(data, &told); err != nil {
		t.Fatal(err)
	}
	want, got := reflect.ValueOf(asking.Settings), reflect.ValueOf(told.Form)
	for field := range got.Type().Fields() {
		if now := got.FieldByName(field.Name).Interface(); !reflect.DeepEqual(now, want.FieldByName(field.Name).Interface()) {
			t.Errorf("%s is %v", field.Name, now)
		}
	}
	if len(told.Variables) != 3 {
		t.Errorf("it has the variables %v", told.Variables)
	}
	told.Variables["PATH"], told.Variables["ASKPANE_ON_QUESTION_COMMAND"], told.Variables["ASKPANE_PUSH_URL"] = "/evil", "evil", "evil" // as an agent may write them
	if told.Adopt() == nil || os.Getenv("PATH") == "/evil" {
		t.Errorf("it begins with %v, and finds programs in %s", told.Adopt(), os.Getenv("PATH"))
	}
	if now := Load(h.repo); !reflect.DeepEqual(now.Form(), told.Form) || now.PushURL != "" || now.OnQuestionCommand != "" {
		t.Errorf("read again they are %+v, want %+v", now.Settings, told.Form)
	}
}
