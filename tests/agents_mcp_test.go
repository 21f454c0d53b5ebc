package tests

import (
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// clients are the agents that ask through the MCP server, without a screen of
// their own, as askpane install has configured them.
var clients = []struct {
	name  string
	start func(t *testing.T, script ...turn) *agent
	args  []string
	// config is the file with our server, and limit how it says how long a call
	// may take and how that is said for four seconds.
	config       string
	limit, short string
	// wrap is what a tool result looks like to the model; RESULT stands for it, and DETAILS for
	// the structured content where the model gets both.
	wrap string
	// details: the model gets the structured content and not the text.
	details bool
	// silent: the server is not told that the limit has ended a call.
	silent bool
	// of is the agent that it was made of, with the same MCP client.
	of string
}{
	{
		name: "claude", start: func(t *testing.T, script ...turn) *agent { return newClaude(t, "hook,mcp", script...) },
		args: []string{"-p", "ask me"}, config: ".claude/.claude.json", limit: "604800000", short: "4000", wrap: "^RESULT$", details: true,
	},
	{
		name: "opencode", start: func(t *testing.T, script ...turn) *agent { return newOpencode(t, "mcp", script...) },
		args: []string{"run", "ask me"}, config: ".config/opencode/opencode.json", limit: "604800000", short: "4000", wrap: "^RESULT$",
	},
	{
		name: "codex", start: newCodex,
		args: []string{"exec", "--skip-git-repo-check", "ask me"}, config: ".codex/config.toml", limit: "tool_timeout_sec = 604800", short: "tool_timeout_sec = 4",
		wrap: `^Wall time: [0-9.]+ seconds\nOutput:\nRESULT$`, details: true,
	},
	{
		name: "gemini", start: newGemini,
		args: []string{"-m", "gemini-2.5-flash", "-p", "ask me"}, config: ".gemini/settings.json", limit: "604800000", short: "4000",
		wrap: `^<untrusted_context>\nRESULT\n</untrusted_context>$`,
	},
	{
		name: "kilo", start: func(t *testing.T, script ...turn) *agent { return newKilo(t, "mcp", script...) },
		args: []string{"run", "ask me"}, config: ".config/kilo/kilo.json", limit: "604800000", short: "4000", wrap: "^RESULT$",
		of: "opencode",
	},
	{
		name: "copilot", start: func(t *testing.T, script ...turn) *agent { return newCopilot(t, "mcp", script...) },
		args: []string{"--allow-all-tools", "-p", "ask me"}, config: ".copilot/mcp-config.json", limit: "604800000", short: "4000",
		wrap: `^RESULT\n\nDETAILS$`,
	},
	{
		name: "qwen", start: func(t *testing.T, script ...turn) *agent { return newQwen(t, "mcp", script...) },
		args: []string{"-p", "ask me"}, config: ".qwen/settings.json", limit: "604800000", short: "4000",
		wrap: `^DETAILS\nRESULT$`, of: "gemini",
	},
	{
		name: "cline", start: newCline,
		args: []string{"ask me"}, config: ".cline/data/settings/cline_mcp_settings.json", limit: `"timeout": 3600`, short: `"timeout": 4`,
		wrap: `^\{"_meta":\{[^{}]*\},"content":\[\{"type":"text","text":"RESULT"\}\],"structuredContent":DETAILS\}$`, silent: true,
	},
}

// sqlite is the answer that the tests give to database, as text and as details.
const (
	sqlite        = "Database: SQLite"
	sqliteDetails = `{"questions":[{"type":"choice","id":"db","header":"Database","prompt":"Which database?","options":[{"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}],` +
		`"multi":false,"recommendedIndexes":[0]}],"outcome":"submitted","responses":[{"questionId":"db","answer":{"kind":"choice","answered":true,"options":[{"value":"lite","label":"SQLite","selected":true}]}}]}`
)

// picks is the person's answer to database that the tests give, and sends.
func (a *agent) picks() {
	a.t.Helper()
	a.person.press(down, enter)
	a.person.see("Submit")
	a.person.press(enter)
}

// TestAgentsMCP: each agent with a call that is answered, one that is cancelled,
// one that the agent gives up before there is an answer, one that returns a
// receipt in time, and an agent that is killed and asks again.
func TestAgentsMCP(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		told := func(a *agent, n int, text, details string) {
			a.t.Helper()
			want := text
			if c.details {
				want = details
			}
			pattern := strings.NewReplacer("RESULT", regexp.QuoteMeta(want), "DETAILS", regexp.QuoteMeta(details)).Replace(c.wrap)
			if got := a.model.result(n); !regexp.MustCompile(pattern).MatchString(got) {
				a.t.Fatalf("the model was told\n%q\nwant\n%q", got, pattern)
			}
		}
		// later is told for an answer that was given when perhaps no call waited,
		// which the result then says.
		later := func(a *agent, n int) {
			a.t.Helper()
			want := sqlite
			if c.details {
				want = sqliteDetails[strings.Index(sqliteDetails, `"outcome"`) : len(sqliteDetails)-1]
			}
			if got := a.model.result(n); !strings.Contains(got, want) {
				a.t.Fatalf("the model was told\n%q\nwant in it\n%q", got, want)
			}
		}
		run := func(name string, script []turn, do func(a *agent)) {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if c.of != "" && !strings.HasPrefix(name, "answer") {
					needs.Nightly(t, c.name+"'s long and broken calls, as "+c.of+"'s")
				}
				t.Parallel()
				do(c.start(t, script...))
			})
		}
		once, store := []turn{calls("ask_human", database)}, calls("ask_human", strings.ReplaceAll(database, "Which database?", "Which store?"))
		run("answer and cancel", append(once, store), func(a *agent) {
			a.start(true, c.args...)
			a.asks(c.name+" asks", "Which database?")
			a.picks()
			told(a, 1, sqlite, sqliteDetails)
			a.asks("Which store?")
			a.person.press(esc)
			if got := a.model.result(2); !strings.Contains(got, "The user interaction was cancelled.") {
				a.t.Errorf("the model was told %q", got)
			}
			a.ended()
		})
		tooLong := func(a *agent, n int, question string) (id string) {
			a.t.Helper()
			id = a.asks(question)
			if got := strings.ToLower(a.model.result(n)); !strings.Contains(got, "timed out") && !strings.Contains(got, "timeout") {
				a.t.Errorf("the model was told %q of the call that took too long", got)
			}
			return id
		}
		// The agent's own limit ends the call; the model asks the same again, and
		// gets the answer that is then given to the form that never closed. All but its
		// last key was typed before, since the second call has the same limit. Or the
		// answer is given before that is asked.
		again, answered := make(chan struct{}), make(chan struct{})
		if c.silent {
			run("limit", append(once, once[0].once(again)), func(a *agent) {
				a.edit(c.config, c.limit, c.short)
				a.start(true, c.args...)
				tooLong(a, 1, "Which database?")
				close(again)
				a.picks()
				later(a, 2)
				a.ended()
			})
		} else {
			run("limit", append(once, once[0].once(again), store, store.once(answered)), func(a *agent) {
				a.edit(c.config, c.limit, c.short)
				a.start(true, c.args...)
				tooLong(a, 1, "Which database?")
				a.person.press(down, enter)
				a.person.see("Submit", "agent gone")
				close(again)
				a.person.unsee("agent gone")
				a.person.press(enter)
				later(a, 2)

				id := tooLong(a, 3, "Which store?")
				a.person.see("agent gone")
				a.picks()
				a.kept(id)
				close(answered)
				later(a, 4)
				if got := a.model.result(4); !strings.Contains(got, "answeredAt") && !strings.Contains(got, "when no call was waiting") {
					a.t.Errorf("the model is not told that the answer is an older one: %q", got)
				}
				a.ended()
			})
		}
		// Told of the limit, the server returns a receipt before, and the model
		// collects the answer.
		receipt := turn{"collect_answer", func(results []string) string {
			return `{"id":"` + receiptID.FindString(results[0]) + `"}`
		}}
		run("receipt", append(once, receipt), func(a *agent) {
			a.edit(c.config, callLimit(c.name), `4"`)
			a.start(true, c.args...)
			id := a.asks("Which database?")
			if got := a.model.result(1); !strings.Contains(got, id) {
				a.t.Errorf("the receipt is %q", got)
			}
			a.picks()
			later(a, 2)
			a.ended()
		})
		run("killed", once, func(a *agent) {
			a.start(true, c.args...)
			id := a.asks("Which database?")
			a.kill()
			a.person.see("agent gone")
			a.picks()
			a.kept(id)
			a.start(true, c.args...)
			later(a, 1)
			a.ended()
		})
	}
}

// callLimit is what the agent's file tells our server of the agent's limit, in seconds.
func callLimit(agent string) string {
	if agent == "cline" {
		return `3600"`
	}
	return `604800"`
}

// receiptID is an entry's name: a ULID.
var receiptID = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}`)

// Esc in the agent while it waits: the call is over, and the form stays for the
// person, marked so, until the same is asked again. Gemini CLI does not tell its
// servers that a call is over (0.61.0), so there the form stays as it is.
func TestAgentsInterrupted(t *testing.T) {
	t.Parallel()
	interactive := map[string]struct {
		args []string
		said string // on the agent's screen
	}{
		"claude":   {nil, "Interrupted"},
		"opencode": {[]string{"--prompt", "ask me"}, "interrupted"},
		"codex":    {[]string{"--no-daemon", "ask me"}, "interrupted"},
		"gemini":   {[]string{"-m", "gemini-2.5-flash", "-i", "ask me"}, "Request cancelled"},
	}
	for _, c := range clients {
		if interactive[c.name].args == nil && c.name != "claude" {
			continue // of the others the keys were not tried
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := c.start(t, calls("ask_human", database))
			a.start(false, interactive[c.name].args...)
			if c.name == "claude" {
				a.promptUntilAsked()
			}
			id := a.asks("Which database?")
			a.keys("Escape")
			if c.name == "opencode" {
				a.shows("again to interrupt")
				a.keys("Escape")
			}
			a.shows(interactive[c.name].said)
			if c.name != "gemini" {
				a.person.see("agent gone")
			}
			a.picks()
			answer := []string{id, "answer.json"}
			if c.name == "gemini" {
				answer = append([]string{"history"}, answer...)
			}
			eventually(t, "the answer is on the disk", func() bool {
				return strings.Contains(a.spool.read(answer...), `"outcome":"answered"`)
			})
		})
	}
}
