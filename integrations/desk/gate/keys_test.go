package gate

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// A device is listed with where it was last, and by the name that the person gives it, which it
// keeps when it is let in again.
func TestDevicesAreTold(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	phone := s.enter(true, with("", "from", "192.168.1.9:4000"))
	one := func() Device {
		devices, err := s.keys.Devices()
		if err != nil || len(devices) != 1 {
			t.Fatalf("%+v, %v", devices, err)
		}
		return devices[0]
	}
	if d := one(); d.From != "192.168.1.9" {
		t.Errorf("paired from %q", d.From)
	}
	s.ask("GET", "/api/events", "", with(phone, "from", "192.168.1.23:4000", "Host", "192.168.1.5"))
	seen := one()
	if seen.From != "192.168.1.23" {
		t.Errorf("last seen at %q", seen.From)
	}
	if _, err := s.keys.Call(seen.ID, " "); err == nil {
		t.Error("a device has got an empty name")
	}
	if _, err := s.keys.Call("zz", "mine"); err == nil {
		t.Error("a device that is not there was named")
	}
	if d, err := s.keys.Call(seen.ID[:4], "my old\nphone"); err != nil || d.Name != "my old phone" {
		t.Errorf("named %q, %v", d.Name, err)
	}
	if d := one(); d.Name != "my old phone" || !d.Seen.Equal(seen.Seen) || d.Key != seen.Key || d.From != seen.From {
		t.Errorf("named, it is %+v; it was %+v", d, seen)
	}
	if err := s.keys.Confirm("ABCDEFGHIJ"); err != nil {
		t.Fatal(err)
	}
	s.ask("POST", "/api/enter", `{"pair":"ABCDEFGHIJ","was":"`+seen.ID+`","name":"Android"}`, nil)
	if d := one(); d.Name != "my old phone" {
		t.Errorf("let in again, it is %q", d.Name)
	}
	if _, err := s.keys.Revoke(seen.ID); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(s.keys.last("*")); len(left) > 0 {
		t.Errorf("of a revoked device there is %v", left)
	}
}

// A file of a page or a link that others can read lets nobody in, and is named with what to do.
func TestFilesThatOthersRead(t *testing.T) {
	t.Parallel()
	s := newStand(t)
	known, once := s.enter(false, nil), s.link(false)
	id, _, _ := strings.Cut(known, ".")
	name, _ := hashed(once)
	device := filepath.Join(s.keys.devices(), id)
	for _, file := range []struct {
		path string
		ask  func() *httptest.ResponseRecorder
	}{
		{device, func() *httptest.ResponseRecorder { return s.ask("GET", "/api/events", "", with(known)) }},
		{device, func() *httptest.ResponseRecorder {
			return s.ask("POST", "/api/enter", `{"was":"`+id+`","nonce":"n"}`, nil)
		}},
		{filepath.Join(s.keys.links(), name+unused), func() *httptest.ResponseRecorder {
			return s.ask("POST", "/api/enter", `{"token":"`+once+`"}`, nil)
		}},
	} {
		path, ask := file.path, file.ask
		must.Do(t, os.Chmod(path, 0o644))
		w := ask()
		if said := w.Body.String(); w.Code < 400 || w.Code >= 500 || !strings.Contains(said, path+" is open to others (mode 0644); run chmod go= "+path) {
			t.Errorf("%d %s", w.Code, said)
		}
		must.Do(t, os.Chmod(path, 0o600))
		if w := ask(); w.Code != 200 {
			t.Errorf("mended, it says %d %s", w.Code, w.Body)
		}
	}
}
