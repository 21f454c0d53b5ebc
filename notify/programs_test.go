package notify

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/needs"
)

// late is when what does not wait for a program has taken too long, on a busy machine: the
// programs here run for longer.
const late = 30 * time.Second

// program writes a shell script that a test runs.
func program(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	// A child that is forked meanwhile would have it open for writing, and such a file is not run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// written is what a program has written to the file, once it ends in a line break.
func written(t *testing.T, path string) string {
	t.Helper()
	var data []byte
	eventually(t, "a program has written "+filepath.Base(path), func() bool {
		data, _ = os.ReadFile(path)
		return strings.HasSuffix(string(data), "\n")
	})
	return strings.TrimSuffix(string(data), "\n")
}

// alive reports whether the process is there and is no zombie.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) || !isDir("/proc/self")
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

func isDir(path string) bool { info, err := os.Stat(path); return err == nil && info.IsDir() }

func pids(t *testing.T, path string) (all []int) {
	t.Helper()
	for _, word := range strings.Fields(written(t, path)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	return all
}

// espeak-ng really speaks, into a file.
func TestSpeechByEspeak(t *testing.T) {
	t.Parallel()
	needs.Program(t, "espeak-ng")
	wav := filepath.Join(t.TempDir(), "with a blank.wav")
	var p pane
	a := begin(Question{Form: asked}, settings.Settings{TtsOnQuestion: true, TtsCommand: `espeak-ng -w "` + wav + `"`}, p.routes(), p.fail)
	var data []byte
	eventually(t, "it has spoken", func() bool {
		data, _ = os.ReadFile(wav)
		return len(data) > 44 && int(binary.LittleEndian.Uint32(data[40:]))+44 == len(data)
	})
	a.Clear()
	p.says(t, nil)
	if string(data[:4]) != "RIFF" || string(data[8:12]) != "WAVE" {
		t.Errorf("it wrote %q…", data[:12])
	}
	// A second of speech has more samples than this, and silence none that are loud.
	loud := 0
	for i := 44; i+1 < len(data); i += 2 {
		if s := int16(binary.LittleEndian.Uint16(data[i:])); s > 2000 || s < -2000 {
			loud++
		}
	}
	if loud < 1000 {
		t.Errorf("%d bytes with %d loud samples", len(data), loud)
	}
}

// The text is one argument, whatever it holds, and no shell reads it.
func TestSpeechText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ agent, header, want string }{
		{"claude", "Store", "claude asks: Store"},
		{"", "$(touch x); `id` \"'", "an agent asks: $(touch x); `id` \"'"},
		{"--help", "-w /tmp/x", "help asks: -w /tmp/x"},
		{"-w", "--help", "w asks: --help"},
		{"--", "Store", "an agent asks: Store"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		speaker := program(t, `printf '[%s]' "$@" > `+out+`; echo >> `+out)
		var p pane
		q := Question{Agent: c.agent, Form: &form.Form{Title: c.header}}
		a := begin(q, settings.Settings{TtsOnQuestion: true, TtsCommand: speaker + ` -v 'en us' \$HOME`}, p.routes(), p.fail)
		if got, want := written(t, out), "[-v][en us][$HOME]["+c.want+"]"; got != want {
			t.Errorf("its arguments are %s, want %s", got, want)
		}
		a.Clear()
		p.says(t, nil)
	}
}

func TestSpeakerThatThereIs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, _, err := speaker(""); err == nil || err.Error() != "there is none of attn, say, spd-say, espeak-ng" {
		t.Errorf("with none: %v", err)
	}
	for _, name := range []string{"espeak-ng", "spd-say", "attn"} { // each goes before the last
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if path, _, err := speaker(" "); err != nil || filepath.Base(path) != name {
			t.Errorf("speaker = %s, %v, want %s", path, err, name)
		}
	}
	if _, _, err := speaker("nobody -x"); err == nil || !strings.Contains(err.Error(), "ttsCommand") {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestSplit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`say`:                  {"say"},
		` say  -v	en `:         {"say", "-v", "en"},
		`say -v "en us" 'a b'`: {"say", "-v", "en us", "a b"},
		`a\ b c\"d`:            {"a b", `c"d`},
		`x "a\"b\\c" 'e\f'`:    {"x", `a"b\c`, `e\f`},
		`x "" ''`:              {"x", "", ""},
		`a"b"'c'd`:             {"abcd"},
		`x $HOME | y; ~ *`:     {"x", "$HOME", "|", "y;", "~", "*"},
		`é "ü ß"`:              {"é", "ü ß"},
	} {
		if got, err := split(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, wrong := range []string{"", "  ", `say "x`, `say 'x`, `say \`, `"" x`} {
		if got, err := split(wrong); err == nil {
			t.Errorf("%q is taken as %q", wrong, got)
		}
	}
}

// A reminder does not speak over what is still being spoken.
func TestSpeechThatHangs(t *testing.T) {
	out := filepath.Join(t.TempDir(), "pid")
	// The reminder is not raised before the title is, and that is only when the first one
	// speaks: ended earlier, it would have written nothing.
	p := pane{mark: func(ctx context.Context, _ string) (func(context.Context) error, error) {
		pids(t, out)
		return func(context.Context) error { return nil }, nil
	}}
	c := settings.Settings{TitleOnQuestion: true, TtsOnQuestion: true, TtsCommand: program(t, `trap "" TERM; echo $$ >> `+out+`; while :; do sleep 60; done`),
		ReminderMinutes: []float64{0.005}}
	a := begin(Question{Form: asked}, c, p.routes(), p.fail)
	first := pids(t, out)[0]
	eventually(t, "the reminder speaks", func() bool { return len(pids(t, out)) == 2 })
	if alive(first) {
		t.Error("the first one speaks on")
	}
	began := time.Now()
	a.Clear()
	if took := time.Since(began); took > late {
		t.Errorf("Clear took %v", took)
	}
	if alive(pids(t, out)[1]) {
		t.Error("the second one speaks on")
	}
	p.says(t, nil)
}

func TestCommandGetsTheRequest(t *testing.T) {
	needs.Program(t, "ps")
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	out := filepath.Join(t.TempDir(), "out")
	run := `{ ls -l "$ASKPANE_PAYLOAD_FILE" | cut -c1-10; cat "$PI_QUESTIONNAIRE_PAYLOAD_FILE"; echo;
		echo "$ASKPANE_ID|$ASKPANE_DIALECT|$ASKPANE_AGENT"; readlink /proc/$$/fd/0; ps -o tty= -o sid= -p $$; } > ` + out + `- 2>&1; mv ` + out + `- ` + out + `; exec sleep 60`
	if !isDir("/proc/self") {
		run = strings.Replace(run, "readlink /proc/$$/fd/0; ps -o tty= -o sid= -p $$;", "echo /dev/null;", 1)
	}
	var p pane
	f := *asked
	f.Echo = []byte(`{"questions":[{"header":"x; y"}]}`)
	a := begin(Question{Form: &f, ID: "01M7", Agent: "cla\x1bude"}, settings.Settings{OnQuestionCommand: run}, p.routes(), p.fail)
	lines := strings.Split(written(t, out), "\n")
	want := []string{"-rw-------", string(f.Echo), "01M7|question|cla␛ude", "/dev/null"}
	if len(lines) < len(want) || !slices.Equal(lines[:len(want)], want) {
		t.Errorf("it saw %q, want %q", lines, want)
	}
	if len(lines) > len(want) && !strings.HasPrefix(strings.TrimSpace(lines[len(want)]), "?") {
		t.Errorf("its terminal is %q, want none", lines[len(want)])
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files while it runs", len(left))
	}
	a.Clear()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%s is left", left[0].Name())
	}
	p.says(t, nil)
}

// What the agent sent goes before the form's echo of it.
func TestCommandPayload(t *testing.T) {
	file, err := payload(Question{Form: asked, Payload: []byte(`{"raw":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file)
	if data, err := os.ReadFile(file); err != nil || string(data) != `{"raw":1}` {
		t.Errorf("%s, %v", data, err)
	}
}

// All that a command started goes with it: what it runs, what it left behind
// when it ended, and what does not care for SIGTERM.
func TestCommandIsKilledWithItsGroup(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]string{
		"running":       `sleep 300 & echo $$ $! > OUT; wait`,
		"left behind":   `sleep 300 > /dev/null 2>&1 & sleep 300 & echo $! > OUT; exit 0`,
		"stubborn":      `trap "" TERM; sh -c 'trap "" TERM; while :; do sleep 1; done' & echo $$ $! > OUT; while :; do sleep 1; done`,
		"stubborn left": `sh -c 'trap "" TERM; echo $$ > OUT; while :; do sleep 1; done' & exit 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "pids")
			var p pane
			a := begin(Question{Form: asked}, settings.Settings{OnQuestionCommand: strings.ReplaceAll(run, "OUT", out)}, p.routes(), p.fail)
			all := pids(t, out)
			began := time.Now()
			a.Clear()
			if took := time.Since(began); took > late {
				t.Errorf("Clear took %v", took)
			}
			for _, pid := range all {
				eventually(t, "it is gone", func() bool { return !alive(pid) })
			}
			p.says(t, nil)
		})
	}
}

// Somebody who left the group keeps the output open; that is not waited for.
func TestCommandWhoseOutputStaysOpen(t *testing.T) {
	t.Parallel()
	needs.Program(t, "setsid")
	out := filepath.Join(t.TempDir(), "pids")
	var p pane
	a := begin(Question{Form: asked}, settings.Settings{OnQuestionCommand: `setsid sh -c 'echo $$ > ` + out + `; exec sleep 300' & wait`}, p.routes(), p.fail)
	away := pids(t, out)[0]
	began := time.Now()
	a.Clear()
	if took := time.Since(began); took > late {
		t.Errorf("Clear took %v", took)
	}
	if !alive(away) {
		t.Error("it did not leave the group, so this shows nothing")
	}
	if err := syscall.Kill(away, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	p.says(t, nil)
}

func TestCommandOutputAndFailure(t *testing.T) {
	t.Parallel()
	var p pane
	r := p.routes()
	r.Output = func(alert, line string) { p.hear(alert + ": " + line) }
	out := filepath.Join(t.TempDir(), "pid")
	a := begin(Question{Form: asked}, settings.Settings{OnQuestionCommand: `echo $$ > ` + out + `; echo "one"; printf '\033[2Jtwo' >&2; exit 3`}, r, p.fail)
	pid := pids(t, out)[0]
	eventually(t, "it has ended by itself", func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
	a.Clear()
	p.says(t, []string{"command: one", "command: ␛[2Jtwo"}, "command: exit status 3: ␛[2Jtwo")
}

// A command that never stops printing blocks nobody and fills nothing.
func TestCommandThatPrintsForEver(t *testing.T) {
	t.Parallel()
	done := filepath.Join(t.TempDir(), "done")
	var p pane
	r := p.routes()
	kept := 0
	r.Output = func(_, line string) { kept += len(line) }
	a := begin(Question{Form: asked}, settings.Settings{OnQuestionCommand: `head -c 3000000 /dev/zero | tr '\0' 'x' | fold -w 99; echo > ` + done + `; exec yes`}, r, p.fail)
	written(t, done)
	a.Clear()
	if kept == 0 || kept > maxOutput {
		t.Errorf("%d bytes of its output are kept", kept)
	}
	p.says(t, nil)
}

func TestTry(t *testing.T) {
	var d daemon
	d.serve(t, privateBus(t))
	var p pane
	c := settings.Settings{TitleOnQuestion: true, NotificationOnQuestion: true, NotificationDelaySeconds: 3600, QuietHours: "00:00-23:59", TtsOnQuestion: true, TtsCommand: program(t, "echo no audio; exit 1"), OnQuestionCommand: "true"}
	got := map[string]string{}
	for _, tried := range Try(context.Background(), Question{Form: asked}, c, p.routes(), 500*time.Millisecond) {
		got[tried.Name] = string(tried.State) + " " + tried.Detail
	}
	want := map[string]string{"title": "ok raised", "bell": "off not set", "desktop": "ok raised", "speech": "warn exit status 1: no audio",
		"command": "ok raised", "heartbeat": "off not set"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s, want %s", name, got[name], want[name])
		}
	}
	eventually(t, "the notification is withdrawn", func() bool { n, _ := d.state(); return n == 0 })
	if d.last != 1 {
		t.Errorf("%d notifications were shown", d.last)
	}
	p.says(t, []string{marked, "title back"})
}

// What makes itself heard once is not made up for when it is switched on late,
// and is ended at once when it is switched off.
func TestChangeOfPrograms(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	out := filepath.Join(t.TempDir(), "pid")
	on := settings.Settings{OnQuestionCommand: `echo $$ > ` + out + `; exec sleep 300`, TtsOnQuestion: true, TtsCommand: program(t, "exit 9"), TitleOnQuestion: true}
	var p pane
	late := begin(Question{Form: asked}, settings.Settings{}, p.routes(), p.fail)
	late.Change(on)
	eventually(t, "the title is made up for", func() bool { return p.has(marked) })
	late.Clear()
	if _, err := os.Stat(out); err == nil {
		t.Error("the command was run though it was switched on late")
	}

	a := begin(Question{Form: asked}, settings.Settings{OnQuestionCommand: on.OnQuestionCommand}, p.routes(), p.fail)
	pid := pids(t, out)[0]
	a.Change(settings.Settings{})
	eventually(t, "it is ended", func() bool { return !alive(pid) })
	eventually(t, "its file is removed", func() bool { left, err := os.ReadDir(dir); return err == nil && len(left) == 0 })
	a.Clear()
	p.says(t, []string{marked, "title back"})
}
