package settings

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

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
	for name, value := range told.Variables {
		t.Setenv(name, value)
	}
	if now := Load(h.repo); !reflect.DeepEqual(now.Form(), told.Form) || now.PushURL != "" || now.OnQuestionCommand != "" {
		t.Errorf("read again they are %+v, want %+v", now.Settings, told.Form)
	}
}
