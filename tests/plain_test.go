package tests

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The form takes the alternate screen and gives it back: nothing that was
// there before is touched, and standard output has the envelope alone.
func TestTerminalIsRestored(t *testing.T) {
	for _, way := range []struct{ name, key, outcome string }{
		{"answered", "1", "answered"},
		{"cancelled", esc, "cancelled"},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			p := openTerminal(t, 100, 30, unguarded)
			a := p.ask(colour)
			p.see("> 1. Red")
			if !p.alternate() {
				t.Error("the form is not on the alternate screen")
			}
			p.press(way.key)
			if r := a.result(); r.Outcome != way.outcome {
				t.Errorf("the outcome is %s", r.Outcome)
			}
			var left []string
			if !poll(func() bool {
				left = modesLeftOn(p.output())
				return !p.alternate() && strings.TrimRight(p.screen(), "\n") == before && len(left) == 0
			}) {
				t.Errorf("alternate screen: %t, modes left on: %v, the screen was %q before and is now\n%s",
					p.alternate(), left, before, frame(p.rows()))
			}
		})
	}
}

// Where the form was killed, the terminal is given back as well: it hands over lines again, and not
// single keys.
func TestTerminalOfAKilledForm(t *testing.T) {
	t.Parallel()
	v, spool := newTerminal(t, 100, 30), newSpool(t)
	t.Cleanup(func() {
		spool.noneLeft(t)
		v.close()
	})
	a := newAsker(t, spool, colour)
	v.start(environ(t.TempDir(), unguarded), "sh", "-c", a.script(nil)+"; until stty -a | grep -q ' icanon'; do sleep 0.05; done; stty sane; echo given back")
	v.see("> 1. Red")
	first := spool.popups()[0]
	killed(t, first)
	eventually(t, "another form is up", func() bool { now := spool.popups(); return len(now) == 1 && now[0] != first })
	v.see("> 1. Red")
	v.press("1")
	a.answered("Colour: user selected: 1. Red")
	v.see("given back")
}

// modesLeftOn are the private modes that a program switched and did not switch
// back: the mouse, bracketed paste, the alternate screen, a hidden cursor.
func modesLeftOn(output string) []string {
	state := map[string]string{}
	var order []string
	for _, m := range regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`).FindAllStringSubmatch(output, -1) {
		for _, mode := range strings.Split(m[1], ";") {
			if state[mode] == "" {
				order = append(order, mode)
			}
			state[mode] = m[2]
		}
	}
	normal := map[string]string{"25": "h", "7": "h"} // the cursor and the wrapping of lines
	var left []string
	for _, mode := range order {
		want := normal[mode]
		if want == "" {
			want = "l"
		}
		if mode != "12" && state[mode] != want { // 12 is the blinking of the cursor, a matter of taste
			left = append(left, mode+state[mode])
		}
	}
	return left
}

// A tick of the form's clock sends what has changed, and not the form again:
// over ssh, and in a terminal that shows other things as well, that counts.
func TestTerminalTickIsSmall(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 100, 30, unguarded)
	a := p.ask(colour)
	p.see("  1s")
	before := len(p.output())
	p.see("  2s")
	if sent := len(p.output()) - before; sent > 100 {
		t.Errorf("a tick sent %d bytes: %q", sent, p.output()[before:])
	}
	p.press("1")
	a.answered("Colour: user selected: 1. Red")
}

// askpane ask < q.json | program: the program gets the result, the person the form.
func TestTerminalPiped(t *testing.T) {
	t.Parallel()
	v, spool := newTerminal(t, 100, 30), newSpool(t)
	t.Cleanup(func() {
		spool.noneLeft(t)
		v.close()
	})
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/q.json", []byte(colour), 0o600); err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("%s ask --output text < q.json | tr a-z A-Z > out.new; mv out.new out; read line", quote(binary))
	v.start(environ(dir, "ASKPANE_SPOOL="+string(spool), unguarded), "sh", "-c", "cd "+quote(dir)+"; "+script)
	v.see("> 1. Red")
	v.press("2")
	var out []byte
	eventually(t, "the other program has got the result", func() bool {
		var err error
		out, err = os.ReadFile(dir + "/out")
		return err == nil
	})
	if string(out) != "COLOUR: USER SELECTED: 2. GREEN\n" {
		t.Errorf("the other program got %q", out)
	}
}

// Another program draws on the terminal: it is not ours to take.
func TestTerminalInUse(t *testing.T) {
	t.Parallel()
	v, spool := newTerminal(t, 100, 30), newSpool(t)
	t.Cleanup(func() {
		spool.noneLeft(t)
		v.close()
	})
	a := newAsker(t, spool, colour)
	v.start(environ(t.TempDir(), unguarded), "sh", "-c", "stty raw -echo; printf 'an agent draws here'; "+a.script(nil)+"; printf ', and goes on'")
	r := a.result()
	if r.Outcome != "unavailable" || r.code != 5 || !strings.Contains(r.Text, "in use by another program") {
		t.Errorf("exit %d, %+v", r.code, r)
	}
	v.see("and goes on")
	if got := strings.TrimSpace(v.screen()); got != "an agent draws here, and goes on" {
		t.Errorf("the screen is %q", got)
	}
}

// Colour sequences of SGR: 30–37, 40–47, 90–97, 100–107, and 38 and 48.
var colourSGR = regexp.MustCompile(`\x1b\[(?:[0-9:]*;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:[;:][0-9;:]*)?m`)

func TestTerminalColours(t *testing.T) {
	for _, kind := range []struct {
		name    string
		env     []string
		colours bool
	}{
		{"xterm", []string{"TERM=xterm"}, true},
		{"true colour", []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, true},
		{"NO_COLOR", []string{"TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1"}, false},
		{"NO_COLOR empty", []string{"TERM=xterm-256color", "NO_COLOR="}, true}, // as no-color.org has it
		{"theme light", []string{"TERM=xterm-256color", "ASKPANE_THEME=light"}, true},
		{"theme high-contrast", []string{"TERM=xterm-256color", "ASKPANE_THEME=high-contrast"}, false},
		{"theme over NO_COLOR", []string{"TERM=xterm-256color", "ASKPANE_THEME=dark", "NO_COLOR=1"}, false},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			p := openTerminal(t, 100, 30, append(kind.env, unguarded)...)
			a := p.ask(trip)
			p.see("> 1. Seaside", "[○ Where]")
			p.press(down)
			p.see("> 2. Hills")
			p.press(enter)
			p.see("✓ Where")
			p.press(shiftTab)
			p.see("2. Hills ✓")
			p.press(tab, esc)
			p.see(leaving)
			p.press(esc)
			a.ends("cancelled", 3, closed)
			if got := colourSGR.FindString(p.output()); (got != "") != kind.colours {
				t.Errorf("colours: %q; wanted %t", got, kind.colours)
			}
		})
	}
}

// Half a line that is typed when its question is over goes to no shell, which would show and run it.
func TestHalfALineGoesWithItsQuestion(t *testing.T) {
	t.Parallel()
	v, spool := newTerminal(t, 100, 30), newSpool(t)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir(), "ASKPANE_SPOOL="+string(spool), unguarded, "TERM=dumb"), "sh", "-c",
		quote(binary)+" ask --timeout 3s --secret 'Token?'; read -r line; echo \"read <$line>\"; exec cat")
	v.see("Type the secret")
	v.press("hunter2")
	v.see("Expired", "No answer before the deadline")
	v.press("ls", enter)
	v.see("read <ls>")
}
