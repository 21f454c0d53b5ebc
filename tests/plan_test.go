package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A document is commented on in tmux and sent back; the comment comes back with the next
// version, and an approval counts only for the text that was on view.
func TestTmuxPlan(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writes := func(plan string) {
		if err := os.WriteFile(path("plan.md"), []byte(plan), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reviews := func(out string) {
		s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "cd "+quote(dir)+"; env ASKPANE_SESSION=s "+unguarded+" ASKPANE_SPOOL="+quote(string(s.spool))+" "+quote(binary)+
			" review plan.md >"+out+" 2>&1; echo $? >>"+out+"; mv "+out+" "+out+".over")
	}
	said := func(out, want string) {
		t.Helper()
		eventually(t, out+" is over", func() bool {
			got, _ := os.ReadFile(path(out + ".over"))
			return string(got) == want
		})
	}
	writes("# Move\n\nFirst write to **both**.\n\nThen read.\n")
	reviews("first")
	v.see("Approve this document?", "First write to both.")
	v.press(down)
	v.press(enter)
	v.see("Comment on line 3")
	v.press("for how long?")
	v.press(enter)
	v.see("✎ for how long?")
	v.press("2")
	v.see("What should change?")
	v.press(enter)
	said("first", "The person did not approve the plan: keep planning, and carry nothing out yet.\n\nLine 3:\n> First write to **both**.\nfor how long?\n8\n")
	writes("# Move\n\nFirst write to **both**.\n\nThen read after a week.\n")
	reviews("second")
	v.see("> Then read after a week.", "✎ you said before: for how long?")
	writes("# Move\n\nFirst write to **both**.\n\nThen drop the table.\n")
	v.press("1")
	v.see("The file has changed since you approved it", "Then drop the table.")
	v.press("1")
	said("second", "The person approved the plan (Approve).\n0\n")
}

// On the page a part of a document is pressed to comment on it.
func TestPagePlan(t *testing.T) {
	t.Parallel()
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(`{"plan":"# Move\n\nFirst write to **both**.\n\n- one week\n- then read\n","modes":[{"label":"Yes"}]}`)
	b.at("q=" + id).until("document.activeElement.closest('#form')")
	b.until("document.querySelector('#line6') || (document.querySelectorAll('.places > div')[3].click(), false)")
	b.steps("and then?{Enter} → ✎ and then?", "[✎] → #line1", "{Esc} → ✎ and then?", "[Keep planning] → #note0", "smaller steps{Enter} → "+said).well()
	a.answered("The person did not approve the plan: keep planning, and carry nothing out yet.\n\nsmaller steps\n\nLine 6:\n> - then read\nand then?")
	a, id = p.ask(`{"plan":"# Move\n\nFirst write to **both**.\n","modes":[{"label":"Yes"}]}`)
	b.at("q=" + id).until("document.activeElement.closest('#form')")
	b.steps("[Approve as edited…] → #entry0", "{End}At once. → At once", "{Esc} → what you edited", "[Yes] → "+said).well()
	if a.answered("The person approved the plan (Yes)."); strings.Contains(a.read("out"), "At once") {
		t.Error("what was not approved is sent")
	}
}

// On the page, too, no key approves a plan of which the end was not on view, and no line of code in it goes on beside
// the screen.
func TestPagePlanIsSeen(t *testing.T) {
	t.Parallel()
	p := newPerson(t, newSpool(t))
	b := p.browse()
	tail := "document.querySelector('.document').getBoundingClientRect().bottom <= innerHeight"
	a, id := p.ask(`{"plan":"# Move\n\n` + "```" + `sh\nls` + strings.Repeat(" and more", 60) + `; rm -rf x\n` + "```" + `\n\n` + strings.Repeat(`\none more\n`, 80) + `\nthe end\n"}`)
	b.at("q=" + id).until("document.activeElement.closest('#form') && !(" + tail + ")")
	b.until("[...document.querySelectorAll('.document pre')].every((e) => e.scrollWidth <= e.clientWidth + 2)")
	b.until("scrollTo(0, 0), scrollY == 0").types("1").until(tail).steps("1 → " + said).well()
	a.answered("The person approved the plan (Approve).")
}

// On the page, too, no key allows a command of which the end was not on view, nor a change of a
// file that has only just been shown anew.
func TestPagePermission(t *testing.T) {
	t.Parallel()
	p := newPerson(t, newSpool(t), "ASKPANE_GUARD_MS=5000")
	b := p.browse()
	tail := "document.querySelector('.subject pre').getBoundingClientRect().bottom <= innerHeight"
	for _, c := range []struct{ asked, typed, key string }{
		{`"command":"ls` + strings.Repeat(" ", 400) + strings.Repeat(`\n`, 60) + `; touch f"}`, "", "1"},
		{`"confirm":"rm","command":"rm` + strings.Repeat(`\n`, 60) + ` f"}`, "rm", "{Enter}"},
	} {
		a, id := p.ask(`{"tool":"Bash",` + c.asked)
		b.at("q=" + id).until("document.activeElement.closest('#form') && !(" + tail + ")").unguarded()
		b.types(c.typed).until("scrollTo(0, 0), scrollY == 0")
		b.types(c.key).until(tail).steps(c.key + " → " + said).well()
		a.answered("Allowed once.")
	}
	file := filepath.Join(t.TempDir(), "f")
	holds := func(content string) {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	holds("one")
	a, id := p.ask(`{"tool":"Edit","file":{"path":"` + file + `","replace":[{"old":"one","new":"two"}]}}`)
	b.at("q=" + id).until("document.activeElement.closest('#form')").unguarded()
	holds("zero\none")
	b.steps("1 → The file has changed meanwhile", "1 → Held back: the question has only just come up").unguarded().steps("1 → " + said).well()
	a.answered("Allowed once.")
}
