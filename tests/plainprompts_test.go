package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Line by line, where the person or the terminal wants it so: askpane ask <
// request > result, with nothing but plain text between.
func TestPlainPrompts(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		args []string
	}{
		{"--host plain", nil, []string{"--host", "plain"}},
		{"TERM=dumb", []string{"TERM=dumb"}, nil},
		{"no TERM", []string{"TERM="}, nil},
		{"ASKPANE_HOST", []string{"ASKPANE_HOST=plain"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := openTerminal(t, 80, 40, append(c.env, unguarded)...)
			a := p.ask(trip, c.args...)
			p.see("Question 1 of 3", "1. Seaside", "\n>")
			p.press("9\n")
			p.see("There is no choice 9")
			p.press("2\n")
			p.see("Question 2 of 3")
			p.press("1\n")
			p.see("Question 3 of 3")
			p.press("o by sea\n")
			p.see("Your answers:", "Hills", "by sea")
			p.press("s\n")
			r := a.result()
			if r.Outcome != "answered" || r.code != 0 || !strings.Contains(r.Text, "user selected: 2. Hills") || !strings.Contains(r.Text, "user wrote: by sea") {
				t.Errorf("exit %d, %+v", r.code, r)
			}
			p.see("Sent.")
			if at := strings.IndexByte(p.output(), '\x1b'); at >= 0 {
				t.Errorf("an escape sequence: %q", p.output()[at:])
			}
		})
	}
}

// The screen is never tried where there is none.
func TestNoScreenOnADumbTerminal(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 80, 40, "TERM=dumb")
	r := p.ask(colour, "--host", "terminal").result()
	if r.Outcome != "unavailable" || r.code != 5 || !strings.Contains(r.Text, "--host plain asks there line by line") {
		t.Errorf("exit %d, %+v", r.code, r)
	}
}

// A terminal of which this machine has never heard is asked line by line too.
func TestUnheardOfTerminal(t *testing.T) {
	t.Parallel()
	p := openTerminal(t, 80, 40, "TERM=unheard-of", unguarded)
	a := p.ask(colour)
	p.see("1. Red", "\n>")
	p.press("1\n")
	a.answered("Colour: user selected: 1. Red")
}

// What is typed and drawn is UTF-8, whichever character set the locale names.
func TestForeignCharacterSet(t *testing.T) {
	for _, set := range []string{"de_DE.ISO-8859-1", "ja_JP.EUC-JP", "en_US.US-ASCII", "en_US.utf8", "de_DE.UTF-8@euro"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			p := openTerminal(t, 80, 40, "LC_ALL="+set, unguarded)
			a := p.ask(`{"questions":[{"id":"q","type":"text","prompt":"Heißt wie?"}]}`)
			p.see("Heißt wie?")
			p.press("Jürgen 日本")
			p.see("Jürgen 日本")
			p.press("\r")
			a.answered("Q1: Jürgen 日本")
		})
	}
}

// atOnce runs scripts at the same time on one terminal, which is asked line by line.
func atOnce(t *testing.T, spool spoolDir, scripts ...string) *terminal {
	t.Helper()
	v := newTerminal(t, 80, 40)
	t.Cleanup(func() {
		spool.noneLeft(t)
		v.close()
	})
	v.start(environ(t.TempDir(), unguarded, "TERM=dumb"), "sh", "-c", "("+strings.Join(scripts, ") & (")+") & wait")
	return v
}

// Of two that ask on one terminal at once, the second shows its question when the first has its
// answer: what is typed went to either. When a third has expired, the second had long time enough.
func TestTwoAskOnOneTerminal(t *testing.T) {
	t.Parallel()
	spool := newSpool(t)
	cup, plate, fork := newAsker(t, spool, about("Cup")), newAsker(t, spool, about("Plate")), newAsker(t, spool, about("Fork"))
	v := atOnce(t, spool, cup.script(nil), plate.script(nil), fork.script(nil, "--timeout", "1s"))
	fork.result()
	eventually(t, "one of the others is asked", func() bool {
		last := v.output()
		last = last[max(0, strings.LastIndex(last, "Which ")):]
		return !strings.HasPrefix(last, "Which Fork?") && strings.Contains(last, "\n> ")
	})
	v.press("1\n")
	v.see("Sent.", "Which Cup?", "Which Plate?")
	if first, _, _ := strings.Cut(v.output(), "Sent."); strings.Contains(first, "Which Cup?") == strings.Contains(first, "Which Plate?") {
		t.Errorf("before the first answer there was\n%s", first)
	}
	v.press("1\n")
	cup.result()
	plate.result()
}

// An answer that cannot be written is not told as one that nobody could give.
func TestAnswerThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 80, 24)
	said := filepath.Join(t.TempDir(), "said")
	s.tmux("new-window", "-d", "-t", "main:", "ASKPANE_SPOOL="+quote(string(s.spool))+" "+unguarded+" "+quote(binary)+" ask 'Which colour?' Red Green >/dev/full 2>"+quote(said)+"; echo code $? >>"+quote(said))
	v.see("Which colour?", "Green")
	v.press("2")
	var got []byte
	eventually(t, "it has ended", func() bool {
		got, _ = os.ReadFile(said)
		return strings.Contains(string(got), "code")
	})
	if contains(t, "standard error", string(got), "could not be handed over", "code 1\n"); strings.Contains(string(got), "nobody can be asked") {
		t.Errorf("it says %s", got)
	}
}

// Of two that ask on one terminal at once, the second may have its answer from elsewhere before its
// turn: nothing is written over the first form then, and keys still answer that.
func TestOneOfTwoIsAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	spool := newSpool(t)
	first, second := newAsker(t, spool, about("Cup")), newAsker(t, spool, about("Plate"))
	v := atOnce(t, spool, first.script(nil), second.script(nil))
	eventually(t, "one is on view, and one waits", func() bool { return len(spool.popups()) == 2 && strings.Contains(v.output(), "Which ") })
	if strings.Contains(v.output(), "Which Plate?") {
		first, second = second, first
	}
	waits, list := "", ""
	eventually(t, "the spool says so", func() bool {
		list, _ = spool.run(t, "", "list")
		return strings.Contains(list, " shown ") && strings.Contains(list, " pending ")
	})
	for row := range strings.Lines(list) {
		if fields := strings.Fields(row); fields[1] == "pending" {
			waits = fields[0]
		}
	}
	if out, code := spool.run(t, `{"q":"1"}`, "answer", waits); code != 0 {
		t.Fatalf("answer %q: exit %d, %s", waits, code, out)
	}
	second.result()
	v.press("2\n")
	first.result()
	if said := second.read("err"); said != "" {
		t.Errorf("said on the terminal: %s", said)
	}
}
