package tests

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/agents/denial"
)

const geminiChoice = `{"questions":[{"question":"Which database?","header":"Database","type":"choice","options":[{"label":"Postgres","description":"one"},{"label":"SQLite","description":"two"}]}]}`

// denied are the agents whose own question tool is answered by a hook that refuses the call.
var denied = []struct {
	name  string
	start func(t *testing.T, parts string, script ...turn) *agent
	args  []string // with a screen
	tool  string
	asks  string // the tool's input: one choice of Postgres and SQLite
	// told is what the model reads; SAID stands for what the refusal says, and answer is how it
	// has the person's.
	told, answer string
	second       string // on the agent's own dialog where the cursor is on SQLite
}{
	{
		name: "gemini", start: newGeminiWith, args: []string{"-m", "gemini-2.5-flash", "-i", "ask me"}, tool: "ask_user",
		asks: geminiChoice,
		told: `{"error":"Tool execution blocked: SAID"}`, answer: `{\"answers\":{\"0\":\"SQLite\"}}`, second: "● 2.",
	},
	{
		name: "copilot", start: newCopilot, args: []string{"-i", "ask me"}, tool: "ask_user",
		asks: `{"message":"Choose","requestedSchema":{"properties":{"db":{"type":"string","title":"Which database?","enum":["Postgres","SQLite"]}},"required":["db"]}}`,
		told: "Denied by preToolUse hook: SAID", answer: "Which database?: SQLite", second: "❯ SQLite",
	},
	{
		name: "qwen", start: newQwen, args: []string{"-i", "ask me"}, tool: "ask_user_question", asks: choice,
		told: "SAID", answer: "Database: SQLite", second: "❯ 2.",
	},
}

// The person's answer is what the model reads of the refusal, and so is a reason for
// declining. Esc gives the question to the agent's own dialog.
func TestDenials(t *testing.T) {
	t.Parallel()
	for _, c := range denied {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ask := func(question string) turn {
				return calls(c.tool, strings.ReplaceAll(c.asks, "Which database?", question))
			}
			a := c.start(t, "hook", ask("Which database?"), ask("Which store?"), ask("Which queue?"))
			a.start(false, c.args...)
			a.asks(c.name+" asks", "Which database?")
			a.person.press("2")
			a.told(1, strings.Replace(c.told, "SAID", denial.Answered+c.answer, 1))
			a.asks("Which store?")
			a.declines("ask the team")
			a.told(2, strings.Replace(c.told, "SAID", denial.Declined+"ask the team", 1))
			a.asks("Which queue?", "hand back")
			a.person.press(esc)
			a.person.unsee(c.name + " asks")
			a.shows("Which queue?")
			a.press("Down", func() bool { return strings.Contains(a.screen(), c.second) })
			a.enters(3)
			if got := a.model.result(3); !strings.Contains(got, "SQLite") || strings.Contains(got, "askpane") {
				t.Errorf("of its own dialog the model was told %q", got)
			}
			a.shows(modelSaysLast)
		})
	}
}

// The key that hands the question back brings the agent's own dialog; the form of an agent
// that is killed stays.
func TestDenialsHandedBackAndKilled(t *testing.T) {
	t.Parallel()
	for _, c := range denied {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := c.start(t, "hook", calls(c.tool, c.asks), calls(c.tool, c.asks))
			a.start(false, c.args...)
			id := a.asks("Which database?", "hand back")
			a.person.press("\x02") // Ctrl+B
			a.person.unsee(c.name + " asks")
			a.shows("Which database?")
			a.press("Down", func() bool { return strings.Contains(a.screen(), c.second) })
			if got := a.spool.read("history", id, "answer.json"); !strings.Contains(got, `"outcome":"elsewhere"`) {
				t.Errorf("the history has %s", got)
			}
			a.enters(1)
			id = a.asks("Which database?")
			a.kill()
			a.gone(id)
		})
	}
}

// Who stops an agent that tells its hook nothing of that ends the question: until the hook has ended it goes on with
// nothing else, and what is answered then is read by no model.
func TestDenialsStopped(t *testing.T) {
	t.Parallel()
	gemini, copilot, command := denied[0], denied[1], permitting[0]
	for name, c := range map[string]struct {
		start     func(t *testing.T) *agent
		args      []string
		key, said string
	}{
		"gemini":                 {func(t *testing.T) *agent { return gemini.start(t, "hook", calls(gemini.tool, gemini.asks)) }, gemini.args, "Escape", "Request cancelled"},
		"copilot":                {func(t *testing.T) *agent { return copilot.start(t, "hook", calls(copilot.tool, copilot.asks)) }, copilot.args, "C-c", "aborted by user"},
		"a command of copilot's": {func(t *testing.T) *agent { return command.start(t, "permissions", calls(command.tool, command.asks)) }, command.args, "C-c", "aborted by user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := c.start(t)
			a.start(false, c.args...)
			id := a.asks(" asks ")
			a.keys(c.key)
			a.shows(c.said)
			a.person.unsee(" asks ")
			if got := a.historyOf(id); got.Outcome != "aborted" {
				t.Errorf("the history says %+v", got)
			}
			a.keys("go on")
			a.shows("go on")
			before := len(a.model.said())
			a.press("Enter", func() bool { return len(a.model.said()) > before })
		})
	}
}

// What is no call of the tool prints nothing and is no failure: the agent's dialog shows.
func TestDenialsOfBadInput(t *testing.T) {
	t.Parallel()
	for _, a := range denial.All {
		for _, input := range []string{"", "{", `{"tool_name":"run_shell_command"}`, strings.Repeat(" ", 20<<20)} {
			cmd := exec.Command(binary, "hook", a.Name)
			cmd.Env, cmd.Stdin = environ(t.TempDir()), strings.NewReader(input)
			if out, err := cmd.Output(); err != nil || len(out) != 0 {
				t.Errorf("%s, given %.40q, prints %q, %v", a.Name, input, out, err)
			}
		}
	}
}
