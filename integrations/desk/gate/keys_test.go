package gate

import (
	"path/filepath"
	"testing"
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
