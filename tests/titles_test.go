package tests

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// title is that of the asking pane; pane 0 is the person's.
func (s *zellijSession) title() string {
	s.t.Helper()
	var panes []struct {
		ID     int
		Plugin bool `json:"is_plugin"`
		Title  string
	}
	_ = json.Unmarshal([]byte(s.zellij("action", "list-panes", "--json")), &panes)
	for _, p := range panes {
		if !p.Plugin && p.ID == 1 {
			return p.Title
		}
	}
	return ""
}

// Two questions wait in one pane, and the earlier one ends first: the title stays
// the later one's, and is the agent's own when that is over too.
func TestZellijTitleOfTwo(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	a, b := newAsker(t, s.spool, colour), newAsker(t, s.spool, trip)
	env := []string{"ASKPANE_OPEN_MODE=manual"}
	go2 := b.path("go")
	s.run(a, "printf '\\033]2;my agent\\033\\\\'; ("+a.script(env)+") & until [ -e "+quote(go2)+" ]; do sleep 0.05; done; "+b.script(env)+"; wait")
	eventually(t, "the title is the first one's", func() bool { return s.title() == "🔔 Colour" })
	first := s.spool.only(t)
	if err := os.WriteFile(go2, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the title is the second one's", func() bool { return s.title() == "🔔 Where" })
	cancel := func(id string) {
		t.Helper()
		s.spool.answers(t, id, "")
	}
	cancel(first)
	a.ends("cancelled", 3, closed)
	title := ""
	eventually(t, "zellij tells a title", func() bool { title = s.title(); return title != "" }) // now and then it lists nothing
	if title != "🔔 Where" {
		t.Errorf("while the second waits, the title is %q", title)
	}
	cancel(s.spool.only(t))
	b.ends("cancelled", 3, closed)
	eventually(t, "the title is the agent's own", func() bool { return s.title() == "my agent" })
}

// screen shows what it has to say (a bell in the background, the answer to a
// -Q) over the form's last row, and the form stands still until that is gone,
// 5 s later: there is to be none of it, and the bell is heard all the same.
func TestScreenGoesOn(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 100, 30)
	a := s.askWith([]string{unguarded}, colour)
	s.see("Which colour?")
	// What stands still is all but the row with the clock.
	parts := func() (clock, still string) {
		for _, row := range s.rows() {
			if strings.Contains(row, " asks") {
				clock = row
			} else {
				still += row + "\n"
			}
		}
		return clock, still
	}
	still := ""
	s.until("fitted the display", func(string) bool {
		_, still = parts()
		return strings.Contains(still, strings.Repeat(" ", (100-76)/2)+"╰") && strings.Contains(still, "╯") // all of it, in the middle, and not where that is by 80 columns
	})
	s.see("  2s")
	if _, now := parts(); now != still {
		t.Errorf("below the clock it was\n%sand is\n%s", still, now)
	}
	out := s.output()
	if strings.Contains(out, "Bell in window") || strings.Contains(out, "agent\x1b[27m") {
		t.Errorf("screen said something: %q", out[max(0, len(out)-500):])
	}
	bells := func() int { return s.rung() + strings.Count(s.output(), "\x1b[?5h") } // a flash, as Debian's screenrc has it
	rung := bells()
	if rung == 0 {
		t.Error("no bell was rung")
	}
	// Another asks while the form is up, and rings there.
	b := s.askWith([]string{unguarded}, strings.ReplaceAll(colour, "Colour", "Paint"))
	s.see("1 more waiting")
	eventually(t, "the bell rings again", func() bool { return bells() > rung })
	seconds, _ := parts()
	s.until("showed the clock going on", func(string) bool { now, _ := parts(); return now != seconds })
	if out := s.output(); strings.Contains(out, "Bell in window") {
		t.Errorf("screen said something of the second: %q", out[max(0, len(out)-500):])
	}
	s.press("1")
	a.answered("Colour: user selected: 1. Red")
	s.unsee("1 more waiting")
	s.press("1")
	b.answered("Paint: user selected: 1. Red")
}

func TestKittyTitle(t *testing.T) {
	t.Parallel()
	k := newKitty(t, 100, 30)
	a := k.askWith([]string{unguarded}, colour)
	before := ""
	title := func() string {
		var all []struct {
			Tabs []struct {
				Windows []struct {
					ID    int
					Title string
				}
			}
		}
		_ = json.Unmarshal([]byte(k.kitty("ls", nil)), &all)
		for _, o := range all {
			for _, tab := range o.Tabs {
				for _, w := range tab.Windows {
					if w.ID == 2 { // 1 is the person's
						return w.Title
					}
				}
			}
		}
		return ""
	}
	p := place{terminal: &terminal{t: t, screens: k}}
	p.see("Which colour?")
	eventually(t, "the title is marked", func() bool { return title() == "🔔 Colour" })
	p.press("1")
	a.answered("Colour: user selected: 1. Red")
	eventually(t, "the title is the program's", func() bool { before = title(); return before != "" && !strings.HasPrefix(before, "🔔") })
}

// Nobody attached: the question waits and opens when somebody comes; a client
// that goes and comes again finds the form with what was typed.
func TestScreenDetached(t *testing.T) {
	t.Parallel()
	s := newScreen(t, 100, 30)
	detaches(s, func() *terminal { return s.terminal }, s.spool)
}

func TestZellijDetached(t *testing.T) {
	t.Parallel()
	s := newZellij(t, 100, 30)
	detaches(s, func() *terminal { return s.terminal }, s.spool)
}

// detachable is a session of a multiplexer.
type detachable interface {
	attach(width, height int)
	attached(bool)
	askWith(env []string, request string, args ...string) *asker
}

// detaches goes and comes again; v is the terminal that is attached now.
func detaches(s detachable, v func() *terminal, spool spoolDir) {
	v().close()
	s.attached(false)
	a := s.askWith([]string{unguarded}, colour)
	spool.only(a.t)
	s.attach(100, 30)
	openEntry(place{terminal: v()}, 4)
	v().press("half a thought")
	v().see("│ half a thought")
	v().close()
	s.attached(false)
	s.attach(90, 25)
	v().see("│ half a thought")
	v().press(", now whole", enter)
	a.answered("Colour: user wrote: half a thought, now whole")
}
