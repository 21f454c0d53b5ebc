package herdr

import (
	"bufio"
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/must"
)

type request struct {
	Method string
	Params map[string]any
}

// replay answers as herdr 0.8.0 did in testdata/session.jsonl, where each request stands above
// its answer, and fails where another one comes. What a popup is to run, it runs as the
// plugin's manifest says.
func replay(t *testing.T) *session {
	t.Helper()
	recorded, err := os.ReadFile("testdata/session.jsonl")
	must.Do(t, err)
	lines := strings.Split(strings.TrimSpace(string(recorded)), "\n")
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	must.Do(t, err)
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
		if len(lines) > 0 {
			t.Errorf("nobody made the request %s", lines[0])
		}
	})
	go func() {
		defer close(done)
		for len(lines) > 0 {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			said, _ := bufio.NewReader(conn).ReadBytes('\n')
			var got, want request
			if json.Unmarshal(said, &got) != nil || json.Unmarshal([]byte(lines[0]), &want) != nil {
				t.Errorf("the request %q is no JSON", said)
			}
			env, _ := got.Params["env"].(map[string]any)
			form := maps.Clone(env)
			if env != nil {
				got.Params["env"] = want.Params["env"]
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("the request is %+v, want %+v", got, want)
			}
			if got.Method == "plugin.pane.open" && strings.Contains(lines[1], `"ok"`) {
				run := exec.Command("/bin/sh", "-c", `eval "$ASKPANE_FORM"`)
				run.Env = append(os.Environ(), "ASKPANE_FORM="+form["ASKPANE_FORM"].(string))
				if out, err := run.CombinedOutput(); err != nil {
					t.Errorf("the popup: %v: %s", err, out)
				}
			}
			_, _ = conn.Write([]byte(lines[1] + "\n"))
			conn.Close()
			lines = lines[2:]
		}
	}()
	return newSession(socket, "w1:p2")
}

func TestSession(t *testing.T) {
	t.Parallel()
	s, ctx := replay(t), t.Context()
	must.Do(t, s.linked(ctx))
	v, err := s.findViewer(ctx)
	if err != nil || v.Width != 94 || v.Height != 39 || v.Pane != s.Ref {
		t.Errorf("the viewer is %+v, %v", v, err)
	}
	out := filepath.Join(t.TempDir(), "out")
	odd := []string{"it's", `$HOME; "x"`, "two\nlines", ""}
	cmd := host.Command{Args: append([]string{"/bin/sh", "-c", `printf '<%s>' "$V" "$@" > ` + hint.Word(out), "sh"}, odd...), Env: []string{"V=a 'b'"}, Size: host.Size{Columns: 76, Rows: 12, Width: 90, Height: 90}}
	o, err := s.Open(ctx, v, cmd)
	must.Do(t, err)
	<-o.Ended()
	if got, _ := os.ReadFile(out); string(got) != "<a 'b'><"+strings.Join(odd, "><")+">" {
		t.Errorf("the popup got %s", got)
	}
	busy, err := s.Open(ctx, v, cmd)
	must.Do(t, err)
	busy.Abandon()
	restore, err := s.Mark(ctx, "Colour")
	must.Do(t, err)
	must.Do(t, restore(ctx))
	other := findPane("w1:p1 " + s.socket).(*session)
	if text, err := other.Screen(ctx); err != nil || !strings.Contains(text, "HERDR_PANE_ID=w1:p1\n") {
		t.Errorf("the pane shows %q, %v", text, err)
	}
	must.Do(t, s.GoTo(ctx, ""))
	says := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q", err, want)
		}
	}
	says(newSession(s.socket, "w9:p9").GoTo(ctx, ""), "herdr pane.focus: it said pane_not_found: pane w9:p9 not found")
	says(s.linked(ctx), "its plugin askpane, which opens popups, is not linked; askpane install herdr --write")
	_, err = s.Open(ctx, v, cmd)
	says(err, "it said plugin_not_found")
}

func TestServerThatIsGone(t *testing.T) {
	t.Parallel()
	if err := newSession(filepath.Join(t.TempDir(), "none"), "").linked(t.Context()); err == nil || !strings.Contains(err.Error(), "$HERDR_SOCKET_PATH names a herdr that does not answer") {
		t.Errorf("it says %v", err)
	}
}

func TestPane(t *testing.T) {
	t.Parallel()
	for ref, good := range map[string]bool{"w1:p2 /s": true, "": false, "w1:p2": false, "w1:p2 s": false, "../p2 /s": false} {
		if p := findPane(ref); (p != nil) != good {
			t.Errorf("%q is %v", ref, p)
		}
	}
}
