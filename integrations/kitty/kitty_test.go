package kitty

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/adapter"
	"github.com/askpane/askpane/integrations/host"
)

func at(network, address string) remote {
	return remote{adapter.Remote{Network: network, Address: address, Named: "$KITTY_LISTEN_ON names a kitty"}}
}

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]remote{
		"unix:/tmp/kitty-7":    at("unix", "/tmp/kitty-7"),
		"unix:@mykitty":        at("unix", "@mykitty"),
		"tcp:localhost:12345":  at("tcp", "localhost:12345"),
		"unix:/tmp/with:colon": at("unix", "/tmp/with:colon"),
	} {
		if got, err := parseAddress(in); got != want || err != nil {
			t.Errorf("parseAddress(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "unix:", "/tmp/kitty", "udp:x:1"} {
		if got, err := parseAddress(in); err == nil || !strings.Contains(err.Error(), "$KITTY_LISTEN_ON") {
			t.Errorf("parseAddress(%q) = %v, %v", in, got, err)
		}
	}
}

// The shapes are those of kitty 0.26.5 (focus only) and of 0.27 and later
// (is_active of tabs and windows), shortened.
func TestCurrent(t *testing.T) {
	for _, c := range []struct {
		name, list string
		id         int
		ok         bool
	}{
		{"no window", `[]`, 0, false},
		{"the keyboard's", `[{"is_focused":true,"last_focused":true,"tabs":[
			{"id":2,"is_focused":false,"windows":[{"id":1,"is_focused":true,"columns":9,"lines":9}]},
			{"id":7,"is_focused":true,"windows":[{"id":3,"is_focused":false},{"id":5,"is_focused":true,"columns":100,"lines":29}]}]}]`, 7, true},
		{"of the OS window used last", `[
			{"is_focused":false,"last_focused":false,"tabs":[{"id":1,"is_active":true,"is_focused":false,"windows":[{"id":1,"is_active":true}]}]},
			{"is_focused":false,"last_focused":true,"tabs":[{"id":2,"is_active":false,"windows":[{"id":2,"is_active":true}]},{"id":6,"is_active":true,"windows":[{"id":3,"is_active":false},{"id":4,"is_active":true}]}]}]`, 6, true},
		{"nothing said", `[{"is_focused":false,"tabs":[{"id":3,"is_focused":false,"windows":[{"id":8,"is_focused":false}]}]}]`, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := parseList(c.list)
			if err != nil {
				t.Fatal(err)
			}
			v, err := front(all)
			if (err == nil) != c.ok || c.ok && v.ID != fmt.Sprintf("kitty tab %d", c.id) {
				t.Errorf("Viewer = %+v, %v; want %d, %t", v, err, c.id, c.ok)
			}
		})
	}
}

// answering is a kitty that gives one answer, as it came from 0.26.5.
func answering(t *testing.T, answer string) remote {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Read(make([]byte, 4096))
		_, _ = conn.Write([]byte(answer))
	}()
	return at("unix", path)
}

func TestCall(t *testing.T) {
	for _, c := range []struct{ name, answer, data, err string }{
		{"data", prefix + `{"ok": true, "data": "5"}` + suffix, "5", ""},
		{"a long one", prefix + `{"ok": true, "data": "` + strings.Repeat(`a\\`, 50000) + `"}` + suffix, strings.Repeat(`a\`, 50000), ""},
		{"an error", prefix + `{"ok": false, "error": "No matching windows for expression: id:9"}` + suffix, "", `it said "No matching windows for expression: id:9"`},
		{"off", prefix + `{"ok": false, "error": "Remote control is disabled. Add allow_remote_control to your kitty.conf"}` + suffix, "", "remote control is off; put `allow_remote_control"},
		{"nothing", "", "", "it gave no answer"},
		{"half", prefix + `{"ok": tr`, "", "it gave no answer"},
		{"something else", "HTTP/1.1 400 Bad Request" + suffix + suffix, "", "is not of the protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := answering(t, c.answer).call(t.Context(), "ls", map[string]any{})
			if data != c.data {
				t.Errorf("data %.80q, want %.80q", data, c.data)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}

func TestFindOutside(t *testing.T) {
	t.Setenv("KITTY_WINDOW_ID", "")
	if _, err := find(t.Context()); err == nil || err.Error() != "not inside kitty ($KITTY_WINDOW_ID is not set)" {
		t.Errorf("Find: %v", err)
	}
	t.Setenv("KITTY_WINDOW_ID", "1")
	t.Setenv("KITTY_LISTEN_ON", "")
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "takes no commands ($KITTY_LISTEN_ON is not set); put `allow_remote_control") {
		t.Errorf("Find without remote control: %v", err)
	}
	t.Setenv("KITTY_LISTEN_ON", "unix:"+filepath.Join(t.TempDir(), "gone"))
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("Find of a kitty that has ended: %v", err)
	}
}

func TestPane(t *testing.T) {
	in := func(window string) string {
		k, err := newInstance("unix:/tmp/a b", window)
		if err != nil {
			t.Fatal(err)
		}
		return ref(k)
	}
	p, ok := findPane(in("7")).(*instance)
	if !ok || ref(p) != in("7") || p.remote != at("unix", "/tmp/a b") {
		t.Errorf("findPane(%q) = %+v", in("7"), p)
	}
	if ref := in(""); ref != "" {
		t.Errorf("without a window Ref is %q", ref)
	}
	for _, ref := range []string{"", "7", "7 nowhere", "-7 unix:/tmp/a", "x unix:/tmp/a"} {
		if p := findPane(ref); p != nil {
			t.Errorf("findPane(%q) = %v", ref, p)
		}
	}
}

// ref is what a host calls the asking pane.
func ref(h host.Host) string {
	_, ref := h.Asker()
	return ref
}

// kitty 0.26.5 replaced $HOME in a map line, also between single quotes, and read $$ as $.
func TestLinesOfAPathWithADollar(t *testing.T) {
	if lines := setup.Lines("/opt/$HOME it/askpane"); strings.Count(lines, "launch --type=overlay '/opt/$$HOME it/askpane' ") != 2 {
		t.Errorf("the lines are\n%s", lines)
	}
}
