package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// newCodexPermitted is Codex whose permissions are asked for in askpane, too.
func newCodexPermitted(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newCodex(t, script...)
	t.Cleanup(a.endDaemons)
	a.install("--only", "questions,permissions", "--write")
	return a
}

// escalated is a command that Codex asks about.
const escalated = `{"cmd":"touch made.txt","sandbox_permissions":"require_escalated","justification":"May I make a file?"}`

// itsPrompt is in Codex's own.
const itsPrompt = "Would you like to"

// wants starts Codex, which asks to be allowed something, and shows its form beside its prompt.
func (a *agent) wants(texts ...string) string {
	a.t.Helper()
	a.start(false, "-s", "read-only", "-a", "on-request", "go on")
	id := a.asks(append(texts, "codex asks", "Yes, once")...)
	a.shows(itsPrompt)
	return id
}

// unasked reports whether no permission is asked for on a screen.
func unasked(screen string) bool { return !strings.Contains(screen, "Yes, once") }

// hasShop gives Codex another MCP server, whose tool changes something, so that Codex asks first.
func (a *agent) hasShop() {
	a.t.Helper()
	node, err := exec.LookPath("node")
	must.Do(a.t, err)
	a.write("shop.js", `
const tools = [{ name: "buy", description: "Buys a thing.", inputSchema: { type: "object", properties: { thing: { type: "string" } }, required: ["thing"] } }];
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
	const { id, method, params } = JSON.parse(line);
	const result = {
		initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "shop", version: "1" } }),
		"tools/list": () => ({ tools }),
		"tools/call": () => ({ content: [{ type: "text", text: "bought " + params.arguments.thing }] }),
	}[method];
	if (id !== undefined && result) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: result() }));
});
`)
	a.edit(".codex/config.toml", "[mcp_servers.askpane.env]", fmt.Sprintf("[mcp_servers.shop]\ncommand = %q\nargs = [%q]\n\n[mcp_servers.askpane.env]", node, filepath.Join(a.home, "shop.js")))
}

// Codex's permissions are asked for beside its own prompt, and whoever is first decides.
func TestCodexPermission(t *testing.T) {
	t.Parallel()
	command := calls("exec_command", escalated)
	for name, play := range map[string]func(t *testing.T){
		"once": func(t *testing.T) {
			a := newCodexPermitted(t, command)
			a.wants("Allow exec_command to run this command?", "touch made.txt", "“May I make a file?”")
			a.counts("1", unasked)
			a.made()
			a.becomes("allowed")
			a.shows(modelSaysLast)
		},
		"always": func(t *testing.T) {
			a := newCodexPermitted(t, command, command)
			a.wants("Yes, always: commands that begin with touch made.txt, in every session")
			a.counts("2", unasked)
			a.model.result(2) // the second was not asked about
			a.becomes("allowed")
			if rules, _ := os.ReadFile(filepath.Join(a.home, ".codex/rules/default.rules")); !strings.Contains(string(rules), `prefix_rule(pattern=["touch", "made.txt"], decision="allow")`) {
				t.Errorf("the rules are %q", rules)
			}
		},
		"denied with a reason": func(t *testing.T) {
			a := newCodexPermitted(t, command)
			a.wants()
			a.counts("\x18", func(screen string) bool { return strings.Contains(screen, "Decline") })
			a.person.press("not in this folder", enter)
			if got := a.model.result(1); !strings.Contains(got, "rejected by user") {
				t.Errorf("the model reads %q", got)
			}
			eventually(t, "the model reads the reason", func() bool { return strings.Contains(strings.Join(a.model.said(), ""), "not in this folder") })
			a.becomes("denied")
		},
		"left to Codex": func(t *testing.T) {
			a := newCodexPermitted(t, command)
			a.wants()
			a.counts(esc, unasked)
			a.step(itsPrompt, "y", "")
			a.made()
		},
		"its own first": func(t *testing.T) {
			a := newCodexPermitted(t, command)
			id := a.wants()
			a.press("y", func() bool { return a.model.count() > 0 })
			a.person.unsee("Yes, once")
			a.is(id, "elsewhere")
			a.made()
		},
		"Esc in Codex": func(t *testing.T) {
			a := newCodexPermitted(t, command)
			id := a.wants()
			a.step(itsPrompt, "Escape", "")
			a.person.unsee("Yes, once")
			a.is(id, "elsewhere")
		},
		"a change of files": func(t *testing.T) {
			const first = `*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Add File: b.txt\n+new`
			const second = `*** Update File: a.txt\n@@\n one\n-2\n+II\n three`
			patch := func(text string) turn {
				return calls("exec_command", `{"cmd":"apply_patch <<'EOF'\n*** Begin Patch\n`+text+`\n*** End Patch\nEOF\n"}`)
			}
			a := newCodexPermitted(t, patch(first), patch(second))
			if err := os.WriteFile(filepath.Join(a.cwd, "a.txt"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			a.wants("Allow apply_patch to change these files?", "- 2  two", "+ 2  2", "b.txt", "+ 1  new", "changes of these files, for this session")
			a.counts("2", unasked)
			a.becomes("allowed")
			a.model.result(2) // the second was not asked about
			if got, _ := os.ReadFile(filepath.Join(a.cwd, "a.txt")); string(got) != "one\nII\nthree\n" {
				t.Errorf("the file has %q", got)
			}
		},
		"a tool of an MCP server": func(t *testing.T) {
			buy := calls("buy", `{"thing":"a book"}`)
			a := newCodexPermitted(t, buy, buy)
			a.hasShop()
			a.start(false, "go on")
			a.asks("codex asks", "Allow mcp__shop__buy", "a book", "buy of the MCP server shop, for this session")
			a.shows("Allow for this session") // in Codex's own prompt
			a.counts("2", unasked)
			a.becomes("allowed")
			if got := a.model.result(2); !strings.Contains(got, "bought a book") { // it was not asked about again
				t.Errorf("the model reads %q", got)
			}
		},
		"not installed": func(t *testing.T) {
			a := newCodex(t, command)
			t.Cleanup(a.endDaemons)
			a.start(false, "-s", "read-only", "-a", "on-request", "go on")
			a.step(itsPrompt, "y", "")
			a.shows(modelSaysLast)
			if ids, _ := os.ReadDir(filepath.Join(string(a.spool), "history")); len(a.spool.pending())+len(ids) > 0 {
				t.Errorf("it was asked here: %v", ids)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			play(t)
		})
	}
}

// Where both decide at once, one decision counts, and the history and the model agree which.
func TestCodexPermissionRaces(t *testing.T) {
	t.Parallel()
	script := slices.Repeat([]turn{calls("exec_command", escalated)}, *races)
	next := oneByOne(script)
	a := newCodexPermitted(t, script...)
	denied := 0
	for round := range script {
		var id string
		if round == 0 {
			id = a.wants()
		} else {
			id = a.asks("Yes, once")
			a.shows(itsPrompt)
		}
		a.counts(up, func(screen string) bool { return strings.Contains(screen, "> 3. No") })
		var both sync.WaitGroup
		both.Go(func() { a.keys("y") })
		both.Go(func() { a.person.press(enter) })
		both.Wait()
		want := "elsewhere"
		got := a.model.result(round + 1)
		if strings.Contains(got, "rejected by user") {
			want = "answered"
			denied++
		}
		if outcome := a.outcome(id); outcome != want {
			t.Errorf("round %d: the history says %s, and the model got %s", round, outcome, got)
		}
		a.hasRead() // a key that came too late would allow what is asked for next
		next()
	}
	a.shows(modelSaysLast)
	t.Logf("ours was first in %d of %d rounds", denied, *races)
}

// Where the process that serves Codex is killed, another session's takes over what it had asked.
func TestCodexPermissionTakenOver(t *testing.T) {
	t.Parallel()
	a := newCodexPermitted(t, calls("exec_command", escalated))
	id, first := a.wants(), a.pane
	locks, _ := filepath.Glob(filepath.Join(a.home, ".local/state/askpane/codex/*/lock"))
	if len(locks) != 1 {
		t.Fatalf("the locks are %q", locks)
	}
	serving := func() int {
		said, _ := os.ReadFile(locks[0])
		pid, _ := strconv.Atoi(string(said))
		return pid
	}
	was := serving()
	a.start(false)
	a.shows("scripted-1")
	eventually(t, "the second session has its server", func() bool { return len(runningWith(a.home, "--permissions")) > 1 })
	if err := syscall.Kill(was, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another process has taken over", func() bool {
		out, _ := a.spool.run(t, "", "list")
		return serving() != was && !strings.Contains(out, "agent gone")
	})
	if again := a.asks("Yes, once"); again != id {
		t.Errorf("%s was asked, and %s before", again, id)
	}
	a.counts("1", func(string) bool { // the form may come anew, from the other process
		_, err := os.Stat(filepath.Join(a.cwd, "made.txt"))
		return err == nil
	})
	a.becomes("allowed")
	a.pane = first
	a.shows(modelSaysLast)
}
