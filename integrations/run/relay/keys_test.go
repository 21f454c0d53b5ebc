package relay

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/askpane/askpane/integrations/run"
)

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ typed, popup, command string }{
		"text":                    {"abc漢\r\t\x7f", "abc漢\r\t\x7f", ""},
		"keys":                    {"\x1b[A\x1bOP\x1b[1;5C\x1b[15~\x1b[1;2R\x1b[Z", "\x1b[A\x1bOP\x1b[1;5C\x1b[15~\x1b[1;2R\x1b[Z", ""},
		"Esc":                     {"\x1b", "\x1b", ""},
		"Esc twice":               {"\x1b\x1b", "\x1b\x1b", ""},
		"Alt and a key":           {"\x1bx", "\x1bx", ""},
		"paste":                   {"\x1b[200~two\rlines\x1b[201~", "\x1b[200~two\rlines\x1b[201~", ""},
		"click inside":            {"\x1b[<0;13;8M\x1b[<0;13;8m", "\x1b[<0;3;3M\x1b[<0;3;3m", ""},
		"click outside":           {"\x1b[<0;2;2M", "", ""},
		"let go outside":          {"\x1b[<0;100;2m", "\x1b[<0;20;1m", ""},
		"answers of the terminal": {"a\x1b[?62;22c\x1b[12;40R\x1b]11;rgb:0/0/0\x1b\\\x1b[?1;2$y\x1b[?1u\x1bP1+r\x1b\\b", "ab", "\x1b[?62;22c\x1b[12;40R\x1b]11;rgb:0/0/0\x1b\\\x1b[?1;2$y\x1b[?1u\x1bP1+r\x1b\\"},
		"focus and size":          {"\x1b[I\x1b[O\x1b[48;24;80;0;0t\x1b[?997;1n", "", "\x1b[I\x1b[O\x1b[48;24;80;0;0t\x1b[?997;1n"},
	} {
		for _, pieces := range []int{1 << 10, 5} {
			if pieces == 5 && strings.Contains(name, "Esc") {
				continue
			}
			b := &box{}
			area := uv.Rect(10, 5, 20, 8)
			b.area.Store(&area)
			var popup, command string
			var half []byte
			for rest := c.typed; len(rest) > 0; {
				n := min(pieces, len(rest))
				for n < len(rest) && rest[n-1] == '\x1b' || n < len(rest) && n > 1 && rest[n-2] == '\x1b' { // terminals send those together
					n++
				}
				var p, q []byte
				p, q, half = b.keys(append(half, rest[:n]...))
				popup, command, rest = popup+string(p), command+string(q), rest[n:]
			}
			if popup != c.popup || command != c.command {
				t.Errorf("%s, in pieces of %d: the popup gets %q and the command %q, want %q and %q", name, pieces, popup, command, c.popup, c.command)
			}
		}
	}
}

// pipe is what the relay writes to, and where that comes out.
func pipe(t *testing.T) (out, in *os.File) {
	t.Helper()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close(); in.Close() })
	return out, in
}

// An answer of the terminal's whose half has come when the popup ends reaches the
// command whole.
func TestHalfAnAnswer(t *testing.T) {
	t.Parallel()
	s := newStage(t, 40, 12)
	b := s.open("Which colour?")
	var command, popup, typed *os.File
	command, s.inner = pipe(t)
	popup, b.pty = pipe(t)
	s.in, typed = pipe(t)
	go s.carryInput()
	const answer = "\x1b]11;rgb:00/00/00\x1b\\"
	got := make([]byte, len(answer))
	typed.WriteString("1" + answer[:9])
	if n, err := popup.Read(got); string(got[:n]) != "1" {
		t.Fatalf("the popup gets %q, %v", got[:n], err)
	}
	s.close(b)
	typed.WriteString(answer[9:])
	if _, err := io.ReadFull(command, got); string(got) != answer {
		t.Errorf("the command gets %q, %v", got, err)
	}
}

// A command that asks its terminal and does not read what that says keeps nobody else
// from the terminal.
func TestAnswersThatNobodyReads(t *testing.T) {
	t.Parallel()
	s := newStage(t, 40, 12)
	b := s.open("Which colour?")
	_, s.inner = pipe(t)
	_ = s.inner.SetWriteDeadline(time.Now().Add(time.Millisecond))
	for err := error(nil); err == nil; { // until it is full
		_, err = s.inner.Write(make([]byte, 4<<10))
	}
	_ = s.inner.SetWriteDeadline(time.Time{})
	done := make(chan struct{})
	go func() { defer close(done); s.output([]byte("what is this?\x1b[c")) }()
	for late := time.Now().Add(30 * time.Second); ; {
		if s.mu.TryLock() {
			over := len(b.backlog.output) > 0
			s.mu.Unlock()
			if over {
				break
			}
		}
		if time.Now().After(late) {
			t.Error("the relay waits for it with its lock held")
			break
		}
		runtime.Gosched()
	}
	s.inner.Close()
	<-done
}

// server is a relay that answers on its socket.
func serving(t *testing.T) (*stage, string) {
	t.Helper()
	s := newStage(t, 40, 12)
	s.ground = groundLimit
	dir, err := os.MkdirTemp("", "ap") // a socket's path is at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s.Popup = func([]string) ([]string, error) { return nil, errors.New("nothing is run here") }
	server, err := listen([]string{"/dev/null/nowhere", filepath.Join(dir, "run")})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); s.accept(server) }()
	t.Cleanup(func() { server.Close(); <-done })
	return s, server.Addr().String()
}

func say(t *testing.T, path string, q run.Request) (net.Conn, run.Reply) {
	t.Helper()
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	var r run.Reply
	if err := json.NewEncoder(c).Encode(q); err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(c).Decode(&r); err != nil {
		t.Fatal(err)
	}
	return c, r
}

func TestServer(t *testing.T) {
	t.Setenv("TERM", "xterm-kitty")
	t.Setenv("TERM_PROGRAM", "")
	t.Setenv("LC_TERMINAL", "")
	s, path := serving(t)
	info, err := os.Stat(path)
	dir, err2 := os.Stat(filepath.Dir(path))
	if err != nil || err2 != nil || info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
		t.Fatalf("the socket is %v, its directory %v; %v, %v", info, dir, err, err2)
	}
	if _, r := say(t, path, run.Request{Op: run.OpDescribe}); r.Width != 40 || r.Height != 12 || r.Terminal == "" || r.Term != "xterm-kitty" || r.Program != "kitty" {
		t.Errorf("look: %+v", r)
	}
	if _, r := say(t, path, run.Request{Op: run.OpOpen, Args: []string{"sh", "-c", "id"}}); r.Error != "nothing is run here" {
		t.Errorf("open: %+v", r)
	}
	for _, env := range []string{"LD_PRELOAD=/tmp/x.so", "PATH=/tmp", run.SocketEnv + "=/tmp/x", "ASKPANE_ON_QUESTION_COMMAND=id", "ASKPANE_POPUP_=", ""} {
		if foreign(env) == strings.HasPrefix(env, "ASKPANE_POPUP_") {
			t.Errorf("%q reaches a popup, or should", env)
		}
	}
	if _, r := say(t, path, run.Request{Op: "dance"}); !strings.Contains(r.Error, `does not know "dance"`) {
		t.Errorf("dance: %+v", r)
	}
	if _, r := say(t, path, run.Request{Op: run.OpRing}); r.Error != "" || !strings.HasSuffix(s.written(), "\a") {
		t.Errorf("ring: %+v, %q", r, s.written())
	}
}

// Notifications reach the terminal, and nothing else does; what is on the screen
// can be looked at.
func TestTellAndScreen(t *testing.T) {
	t.Parallel()
	s, path := serving(t)
	s.output([]byte("\x1b[31mred\x1b[m 漢字 \r\n\r\nthird"))
	if _, r := say(t, path, run.Request{Op: run.OpNotify, Text: "\x1b]9;waits\a"}); r.Error != "" || !strings.HasSuffix(s.written(), "\x1b]9;waits\a") {
		t.Errorf("tell: %+v, %q", r, s.written())
	}
	was := s.written()
	for _, bad := range []string{"\x1b[2J", "\x1b]52;c;eA==\a", "\x1b]9;a\x1b[2Jb\a", ""} {
		if _, r := say(t, path, run.Request{Op: run.OpNotify, Text: bad}); r.Error == "" || s.written() != was {
			t.Errorf("tell %q: %+v", bad, r)
		}
	}
	if _, r := say(t, path, run.Request{Op: run.OpScreen}); r.Screen != "red 漢字\n\nthird"+strings.Repeat("\n", 10) {
		t.Errorf("screen: %q", r.Screen)
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"a": true, "\x1b": true, "\x1b[A": true, "\x1b[<0;3;3M": true, "\x1b[I": true, "\x1b[1;1R\x1b[B": true,
		"": false, "\x1b[O": false, "\x1b[12;5R": false, "\x1b]11;rgb:0/0/0\x1b\\": false, "\x1b[?62;22c\x1b[?1u": false,
	} {
		if byPerson([]byte(p)) != want {
			t.Errorf("byPerson(%q) is not %v", p, want)
		}
	}
}

// A title of ours lasts as long as who set it, and the command's comes back; it
// is never written into the middle of a sequence.
func TestMarks(t *testing.T) {
	t.Parallel()
	s, path := serving(t)
	s.output([]byte("\x1b]2;mine\x1b\\text"))
	first, _ := say(t, path, run.Request{Op: run.OpMark, Text: "🔔 one\x1b]0;evil\a"})
	second, _ := say(t, path, run.Request{Op: run.OpMark, Text: "🔔 two"})
	s.titled(t, "🔔 two")
	second.Close()
	s.titled(t, "🔔 one␛]0;evil␇")
	s.output([]byte("\x1b]2;mine, later\x1b\\"))
	first.Close()
	s.titled(t, "mine, later")
	third, _ := say(t, path, run.Request{Op: run.OpMark, Text: "🔔 three"})
	s.titled(t, "🔔 three")
	s.finish(0) // the command has ended, and whoever asked has not
	s.titled(t, "mine, later")
	third.Close()
	s.output([]byte("\x1b[3"))
	if _, r := say(t, path, run.Request{Op: run.OpMark, Text: "cut"}); !strings.Contains(r.Error, "in the middle") {
		t.Errorf("in the middle of a sequence: %+v", r)
	}
}

// Two that wait for the end of a sequence put one title away, and take one back.
func TestMarksAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, 40, 12)
		s.ground = time.Minute
		s.output([]byte("\x1b]2;mi"))
		var marking sync.WaitGroup
		var marks [2]*string
		for i := range marks {
			marking.Go(func() { marks[i], _ = s.mark("🔔") })
		}
		synctest.Wait()
		s.output([]byte("ne\a"))
		marking.Wait()
		s.unmark(marks[0])
		s.unmark(marks[1])
		if put, taken := strings.Count(s.written(), "\x1b[22;0t"), strings.Count(s.written(), "\x1b[23;0t"); put != 1 || taken != 1 {
			t.Errorf("%d titles were put away and %d taken back", put, taken)
		}
	})
}

// titled waits until the terminal has a title.
func (s *stage) titled(t *testing.T, want string) {
	t.Helper()
	var title string
	for late := time.Now().Add(30 * time.Second); title != want; {
		if title, _ = s.seen(0).Title(); time.Now().After(late) {
			t.Fatalf("the title is %q, want %q", title, want)
		}
	}
}
