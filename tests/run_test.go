package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/vt"

	"github.com/askpane/askpane/tests/needs"
)

// runPlace is an agent in askpane run, in an outer tmux as its terminal: another
// emulator than the one that askpane itself goes by.
type runPlace struct {
	*tmuxServer
	v    *terminal
	pane string
	dir  string
}

// newRun starts a shell script in askpane run, in a window that a person looks
// at. The script finds the call of `askpane ask` for request in $ASK, and
// goes on when the file $GO is there.
func newRun(t *testing.T, width, height int, request, script string) (*runPlace, *asker) {
	t.Helper()
	s := newTmux(t)
	s.env = append(s.env, unguarded)
	p := &runPlace{tmuxServer: s, dir: t.TempDir()}
	s.tmux("set-option", "-g", "status", "off")
	s.tmux("set-option", "-g", "default-terminal", "tmux-256color")
	a := newAsker(t, s.spool, request)
	ask := filepath.Join(p.dir, "call")
	if err := os.WriteFile(ask, []byte("#!/bin/sh\n"+a.script([]string{unguarded})+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	inner := fmt.Sprintf("ASK=%s; GO=%s; %s", quote(ask), quote(p.dir), script)
	p.v = newTerminal(t, width, height)
	s.terminals = append(s.terminals, p.v)
	p.v.start(s.env, "tmux", "-L", s.name, "-f", "/dev/null", "attach-session", "-t", "main")
	eventually(t, "the client is attached", func() bool { return len(s.clients()) == 1 })
	p.pane = s.tmux("new-window", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "sh", "-c",
		fmt.Sprintf("echo $$ >%[1]s/pid; %[2]s run -- sh -c %[3]s; echo ended $? >%[1]s/ended; stty -a >%[1]s/stty; exec cat", quote(p.dir), binary, quote(inner)))
	t.Cleanup(p.explain)
	return p, a
}

// shot is all that tmux knows of what is on view, with colours.
func (p *runPlace) shot() string {
	p.t.Helper()
	// Through an emulator, since tmux tells a cell that a blank was written to from
	// one that is blank.
	e := vt.NewEmulator(200, 100)
	_, _ = e.WriteString(strings.ReplaceAll(p.tmux("capture-pane", "-p", "-e", "-t", p.pane), "\n", "\r\n"))
	at, width, _ := strings.Cut(p.format(p.pane, "cursor_x},#{pane_width"), ",")
	x, _ := strconv.Atoi(at)
	columns, _ := strconv.Atoi(width)
	// A cursor that has drawn in the last column is past it; whether it still is
	// after an erase, terminals do not agree.
	return e.Render() + fmt.Sprintf("\n%d,", min(x, columns-1)) +
		p.format(p.pane, "cursor_y},#{cursor_flag},#{alternate_on},#{mouse_any_flag},#{mouse_sgr_flag},#{keypad_cursor_flag},#{keypad_flag},#{insert_flag},#{wrap_flag},#{origin_flag},#{scroll_region_upper},#{scroll_region_lower},#{pane_title")
}

// settles waits until what is on view has not changed for some looks, and
// returns it.
func (p *runPlace) settles() string {
	p.t.Helper()
	last, same := "", 0
	eventually(p.t, "the screen stands still", func() bool {
		if now := p.shot(); now == last {
			same++
		} else {
			last, same = now, 0
		}
		return same > 10
	})
	return last
}

func (p *runPlace) touch(name string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), nil, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// ends waits until askpane run has ended, and returns what it was told.
func (p *runPlace) ends() string {
	p.t.Helper()
	eventually(p.t, "askpane run has ended", func() bool { return p.file("stty") != "" })
	return strings.TrimSpace(p.file("ended"))
}

func (p *runPlace) file(name string) string {
	data, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil && !os.IsNotExist(err) {
		p.t.Fatal(err)
	}
	return string(data)
}

// until is a shell's wait for a file.
func untilFile(name string) string { return "until [ -e $GO/" + name + " ]; do sleep 0.02; done" }

// The screen of any program is, after a form, as it was before.
func TestRunRestores(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "line %d of a text with wide 漢字 and \tübergroße words in it\n", i)
	}
	if err := os.WriteFile(text, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(program string) string { return "(" + untilFile("ask") + "; $ASK) & " + program + "; wait" }
	for _, program := range []struct{ name, script, quit string }{
		{"vim", in("vim -u NONE -N -i NONE -c 'syntax on' -c 'set mouse=a number list hlsearch laststatus=2 guicursor= | /wide' " + quote(text)), ":qa!\r"},
		{"less", in("less -R " + quote(text)), "q"},
		{"top", in("top -d 100"), "q"},
		{"main screen", in(`printf 'a \033[1;31mred\033[0m line\n\033[44mblue\033[0m \033]2;my title\007'; seq 100; printf 'prompt \033[7mhere\033[0m> \033[5 q'; cat >/dev/null`), "\x04"},
		{"modes", in(`printf '\033[?1049h\033[2J\033[5;9r\033[?6h\033[2;2H\033[?1002;1006h\033[?2004h\033[?1h\033=\033[?25l\033[4h\033[32mtext'; cat >/dev/null`), "\x04"},
	} {
		t.Run(program.name, func(t *testing.T) {
			t.Parallel()
			if program.name == "vim" || program.name == "less" || program.name == "top" {
				needs.Program(t, program.name)
			}
			p, a := newRun(t, 100, 30, colour, program.script)
			eventually(t, "the program has drawn something", func() bool { return strings.TrimSpace(p.tmux("capture-pane", "-p", "-t", p.pane)) != "" })
			want := p.settles()
			p.touch("ask")
			p.v.see("Which colour?", "> 1. Red", "╭─ askpane ")
			p.v.press(down)
			p.v.see("> 2. Green")
			p.v.press(enter)
			a.answered("Colour: user selected: 2. Green")
			p.v.unsee("Which colour?")
			got := ""
			if !poll(func() bool { got = p.shot(); return got == want }) {
				t.Errorf("before the form:\n%s\nafter it:\n%s", want, got)
			}
			p.v.press(program.quit)
			if got := p.ends(); got != "ended 0" {
				t.Errorf("askpane run %s", got)
			}
		})
	}
}

// What a program prints while a form is open is there afterwards, all of it, and
// it is never kept waiting.
func TestRunProgramGoesOn(t *testing.T) {
	for _, much := range []struct {
		name  string
		lines int
		kept  int // of the last ones, that must be in the scrollback
	}{{"a little", 300, 300}, {"more than is held", 200000, 1700}} /* tmux keeps 1800 to 2000 */ {
		t.Run(much.name, func(t *testing.T) {
			t.Parallel()
			p, a := newRun(t, 100, 30, colour, fmt.Sprintf(`echo %s; $ASK & %s; seq -f 'line number %%.0f with some more text in it' %d; >$GO/printed; %s; wait; printf 'and on'; cat >/dev/null`,
				before, untilFile("print"), much.lines, untilFile("done")))
			p.v.see("> 1. Red", before)
			p.touch("print")
			eventually(t, "everything is printed", func() bool { _, err := os.Stat(filepath.Join(p.dir, "printed")); return err == nil })
			p.v.see("> 1. Red", before) // still
			p.v.press("2")
			a.answered("Colour: user selected: 2. Green")
			p.v.see(fmt.Sprintf("line number %d with", much.lines))
			p.touch("done")
			p.v.see("and on")
			history := p.tmux("capture-pane", "-p", "-S", "-", "-t", p.pane)
			for i := much.lines - much.kept + 1; i <= much.lines; i++ {
				if strings.Count(history, fmt.Sprintf("\nline number %d with", i)) != 1 {
					t.Fatalf("line %d is there %d times", i, strings.Count(history, fmt.Sprintf("\nline number %d with", i)))
				}
			}
			p.v.press("\x04")
			p.ends()
		})
	}
}

// A program that ends under its form takes the form with it, and its terminal from
// all that it has started.
func TestRunProgramEndsUnderForm(t *testing.T) {
	t.Parallel()
	p, _ := newRun(t, 100, 30, colour, fmt.Sprintf("echo %s; $ASK & %s; echo last words; exit 7", before, untilFile("end")))
	p.v.see("> 1. Red")
	id := p.spool.only(t)
	p.touch("end")
	if got := p.ends(); got != "ended 7" {
		t.Errorf("askpane run %s", got)
	}
	p.v.see(before, "last words")
	p.v.unsee("Which colour?")
	// The call was hung up with its terminal, like all that the program had started;
	// and the question waits for whoever asks it again.
	eventually(t, "the call has ended", func() bool { return len(p.spool.processes("ask")) == 0 })
	if list := p.spool.listed(t); len(list) != 1 || list[0].ID != id || list[0].State == "shown" {
		t.Errorf("listed: %+v", list)
	}
}

// A form follows the terminal's size, and leaves the program's screen as the
// program has drawn it anew.
func TestRunResize(t *testing.T) {
	t.Parallel()
	p, a := newRun(t, 100, 30, colour, `printf '\033[?1049h'; trap 'printf "\033[H\033[2Jsize %s\n" "$(stty size)"' WINCH; printf 'started'; $ASK & while :; do wait $!; `+
		`[ -e $GO/end ] && exit; sleep 0.02; done`)
	p.v.see("> 1. Red")
	p.v.press(down)
	for _, size := range [][2]int{{60, 20}, {50, 12}, {120, 40}} {
		p.v.resize(size[0], size[1])
		p.v.see("> 2. Green")
		if size[0] >= 60 {
			p.v.see("╭─ askpane ")
		} else {
			p.v.unsee("╭─ askpane ")
		}
	}
	p.v.press(enter)
	a.answered("Colour: user selected: 2. Green")
	p.v.see("size 40 120")
	p.v.unsee("askpane")
	p.touch("end")
	p.ends()
}

// Signals reach the command, and its end is that of askpane run; the terminal is
// as it was.
func TestRunSignals(t *testing.T) {
	const ready = ">$GO/ready; "
	for _, c := range []struct {
		name, script, key string
		sig               syscall.Signal
		want              string
	}{
		{"TERM", ready + "exec cat", "", syscall.SIGTERM, "ended 143"},
		{"TERM caught", "trap 'exit 3' TERM; " + ready + "while :; do sleep 0.02; done", "", syscall.SIGTERM, "ended 3"},
		{"TERM in another screen", `printf '\033[?1049h\033[?1000h\033[?25l'; ` + ready + "exec cat", "", syscall.SIGTERM, "ended 143"},
		{"INT typed", ready + "exec cat", "\x03", 0, "ended 130"},
		{"end of input", ready + "cat; exit 9", "\x04", 0, "ended 9"},
		{"not found", ready + "exec /nonexistent/program 2>/dev/null", "", 0, "ended 127"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, _ := newRun(t, 80, 24, colour, c.script)
			eventually(t, "the command runs", func() bool { _, err := os.Stat(filepath.Join(p.dir, "ready")); return err == nil })
			if c.sig != 0 {
				if err := syscall.Kill(p.pid(), c.sig); err != nil {
					t.Fatal(err)
				}
			}
			if c.key != "" {
				p.v.press(c.key)
			}
			if got := p.ends(); got != c.want {
				t.Errorf("askpane run %s, want %s", got, c.want)
			}
			if stty := p.file("stty"); !strings.Contains(stty, "isig icanon iexten echo ") {
				t.Errorf("the terminal is left as\n%s", stty)
			}
			if got := p.format(p.pane, "alternate_on},#{mouse_any_flag},#{cursor_flag"); got != "0,0,1" {
				t.Errorf("alternate screen, mouse and cursor are %s", got)
			}
		})
	}
}

// pid is the process of askpane run: what its shell waits for.
func (p *runPlace) pid() int {
	p.t.Helper()
	var pid int
	eventually(p.t, "askpane run is there", func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%s/task/%[1]s/children", strings.TrimSpace(p.file("pid"))))
		if err != nil {
			return false
		}
		pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	return pid
}

// Ctrl+Z stops the job, and fg goes on with it, as without askpane.
func TestRunJobControl(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := newTerminal(t, 90, 24)
	s.terminals = append(s.terminals, v)
	v.start(append(s.env, "PS1=shell> ", "ENV="), "bash", "--norc", "--noprofile", "-i")
	v.see("shell>")
	v.press(binary + " run -- sh -c 'echo one; cat; echo end'\r")
	v.see("\none")
	v.press("typed\r")
	v.see("typed\ntyped")
	v.press("\x1a")
	v.see("Stopped")
	v.press("echo $((6*7))\r")
	v.see("42")
	v.press("fg\r")
	v.press("again\r")
	v.see("again\nagain")
	v.press("\x04")
	v.see("\nend\nshell>")
	v.press("echo status $?\r")
	v.see("status 0")
	v.press(binary + " run -- /etc/passwd; echo status $?\r")
	v.see("permission denied", "status 126")
	v.press("exit\r")
}

// A tmux inside askpane run is nearer than it, and askpane run in a tmux nearer
// than that.
func TestRunNearest(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	outer := newTerminal(t, 100, 30)
	s.terminals = append(s.terminals, outer)
	outer.start(append(s.env, unguarded), binary, "run", "--", "tmux", "-L", s.name, "-f", "/dev/null", "attach-session", "-t", "main")
	outer.until("showed tmux's status line", func(string) bool {
		rows := outer.rows()
		return strings.HasPrefix(rows[len(rows)-1], "[main]")
	})
	// The server was started before; a pane that has the variable all the same:
	a := s.askWith([]string{unguarded, "ASKPANE_RUN=" + s.runSocket(outer)}, "main", colour)
	outer.see("> 1. Red")
	if host := s.host(t); host != "tmux" {
		t.Errorf("in a tmux in askpane run, the host is %q", host)
	}
	outer.press("2")
	a.answered("Colour: user selected: 2. Green")
	p, b := newRun(t, 100, 30, colour, "$ASK; echo over; exec cat")
	p.v.see("> 1. Red")
	if host := p.host(t); host != "run" {
		t.Errorf("in askpane run in a tmux, the host is %q", host)
	}
	p.v.press("2")
	b.answered("Colour: user selected: 2. Green")
	p.v.unsee("> 1. Red")
	p.v.see("over") // and the keys are the command's again
	p.v.press("\x03")
	p.ends()
}

// host is where the one question that waits was asked.
func (s *tmuxServer) host(t *testing.T) string {
	t.Helper()
	request := s.spool.read(s.spool.only(t), "request.json")
	_, after, _ := strings.Cut(request, `"host":"`)
	host, _, _ := strings.Cut(after, `"`)
	return host
}

// runSocket is the socket of the askpane run in a terminal.
func (s *tmuxServer) runSocket(v *terminal) string {
	s.t.Helper()
	found, _ := filepath.Glob(filepath.Join(homeIn(s.env), ".local/state/askpane/run/run-*"))
	if len(found) != 1 {
		s.t.Fatalf("the sockets are %v", found)
	}
	return found[0]
}

// Under the form the person looks at what it covers; the form that was put aside
// comes back over the same screen when they ask for it from anywhere inside.
func TestRunPeek(t *testing.T) {
	t.Parallel()
	p, a := newRun(t, 100, 30, colour, `printf 'I have read \033[31mseven\033[0m files\n'; $ASK & `+untilFile("next")+`; ASKPANE_SPOOL=$(cat $GO/spool) `+unguarded+" "+binary+` next; exec cat`)
	if err := os.WriteFile(filepath.Join(p.dir, "spool"), []byte(p.spool), 0o600); err != nil {
		t.Fatal(err)
	}
	p.v.see("> 1. Red")
	p.v.press("\x10") // Ctrl+P
	p.v.see("What the asking pane shows", "I have read seven files")
	p.v.press(esc)
	p.v.unsee("What the asking pane shows")
	p.v.see("> 1. Red")
	p.v.press("\x0f") // Ctrl+O
	p.v.unsee("Which colour?")
	p.v.unsee("What the asking pane shows")
	p.v.see("I have read seven files")
	a.waits()
	eventually(t, "the form has ended, which leaves the screen first", func() bool { return len(p.spool.popups()) == 0 })
	p.touch("next")
	p.v.see("Which colour?")
	p.v.press("2")
	a.answered("Colour: user selected: 2. Green")
	p.v.unsee("Which colour?") // while a form is up, Ctrl+C is its own
	p.v.press("\x03")
	p.ends()
}
