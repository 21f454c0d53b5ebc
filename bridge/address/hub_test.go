package address

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/must"
)

// Doctor says how the desk that is up stands with the hub, by what that writes.
func TestHubChecks(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	dir, err := Dir()
	must.Do(t, err)
	link := filepath.Join(state, "askpane", "link")
	must.Do(t, os.MkdirAll(link, 0o700))
	says := func(linked bool, status string, state hint.State, detail string) {
		t.Helper()
		must.Do(t, os.RemoveAll(filepath.Join(link, "status.json")))
		if status != "" {
			must.Do(t, os.WriteFile(filepath.Join(link, "status.json"), []byte(status), 0o600))
		}
		c := HubChecks(linked)
		if len(c) != 1 || c[0].State != state || !strings.Contains(c[0].Detail, detail) || (c[0].Fix == "") != (state == hint.OK || state == hint.Off) {
			t.Errorf("%s: %+v, want %s, %q", status, c, state, detail)
		}
	}
	says(true, "", hint.Warn, "has no keys yet")
	member := func(person string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(link, "link.json"), []byte(`{"member":{"person":`+person+`}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	member("false")
	const connected = `{"version":1,"connected":true,"since":"2026-11-23T12:03:00Z","lagMs":12,"unpublished":2}`
	says(true, connected, hint.Warn, "not connected, since no desk is up")
	const idle = `{"version":1,"since":"2026-11-23T12:03:00Z"}`
	says(true, idle, hint.OK, "as no question waits here")
	member("true")
	says(true, idle, hint.Warn, "not connected, since no desk is up")
	desk(t, dir)
	says(true, connected, hint.OK, "12 ms away; 2 not published yet")
	says(true, `{"version":1,"connected":true,"since":"2026-11-23T12:03:00Z","lagMs":12,"unpublished":2,"hub":"the machine build2 has 1000 open questions\u001b[2J"}`, hint.Warn, "12 ms away; the machine build2 has 1000 open questions␛[2J; 2 not published yet")
	says(true, `{"version":1,"connected":false,"since":"2026-11-23T12:03:00Z","staying":1,"err":"refused\u001b[2J"}`, hint.Warn, ": refused␛[2J; questions wait here meanwhile; 1 kept on this machine")
	says(true, `{"version":1,"connected":false,"since":"2026-11-23T12:03:00Z","err":"revoked; join again"}`, hint.Warn, ": revoked; questions wait")
	const kept = "nats: API error: code=403 description=the hub keeps nothing at the moment, since its store "
	long := kept + "/home/" + strings.Repeat("a", 100) + "/store takes nothing: no space left on device"
	says(true, `{"version":1,"connected":false,"since":"2026-11-23T12:03:00Z","err":"`+long+`; free some space there"}`, hint.Warn, "no space left on device; questions wait")
	says(true, "", hint.Warn, "has not said yet")
	says(true, "{", hint.Warn, "cannot be read")
	says(false, connected, hint.Off, "not set up")
}
