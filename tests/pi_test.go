package tests

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// newPi is pi with our extension in it.
func newPi(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, "pi", script...)
	a.env = []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	a.write(".pi/agent/models.json", `{"providers":{"scripted":{"baseUrl":"`+a.model.url+`/v1","api":"openai-completions","apiKey":"dummy-key","models":[{"id":"scripted-1"}]}}}`)
	a.write(".pi/agent/settings.json", `{"defaultProvider":"scripted","defaultModel":"scripted-1","enableInstallTelemetry":false,"quietStartup":true}`)
	a.install("--write", "--tools", "ask_human,question,AskUserQuestion,ask_user_question")
	return a
}

// database is a request of ask_human with one choice.
const database = `{"questions":[{"type":"choice","id":"db","header":"Database","prompt":"Which database?","options":[
 {"value":"pg","label":"Postgres"},{"value":"lite","label":"SQLite"}]}]}`

// The popup works in every mode of pi, since it is not pi's own screen.
func TestPiModes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"print", "json"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			a := newPi(t, calls("question", colour))
			if mode == "print" {
				a.start(true, "-p", "ask me")
			} else {
				a.start(true, "--mode", "json", "ask me")
			}
			a.asks("pi asks", "Which colour?", "> 1. Red")
			a.person.press("2")
			a.told(1, "Colour: user selected: 2. Green")
			a.ended()
			if mode == "print" && strings.TrimSpace(a.read("out")) != modelSaysLast {
				t.Errorf("pi printed %q", a.read("out"))
			}
			if mode == "json" {
				details := piDetails(t, a.read("out"))
				if !strings.Contains(details, `"value":"g"`) || !strings.Contains(details, `"cancelled":false`) {
					t.Errorf("the details in pi's session are %s", details)
				}
			}
		})
	}
}

// piDetails are the details of the one tool result among pi's JSON events.
func piDetails(t *testing.T, events string) string {
	t.Helper()
	for line := range strings.Lines(events) {
		var e struct {
			Type   string
			Result struct{ Details json.RawMessage }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("pi's event %q: %v", line, err)
		}
		if e.Type == "tool_execution_end" {
			return string(e.Result.Details)
		}
	}
	t.Fatalf("there is no tool_execution_end in %s", events)
	return ""
}

// RPC: the prompt comes on standard input, which stays open.
func TestPiRPC(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("ask_human", database))
	a.stdin = a.file("stdin")
	if err := syscall.Mkfifo(a.stdin, 0o600); err != nil {
		t.Fatal(err)
	}
	stdin, err := os.OpenFile(a.stdin, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close() // pi ends with it
	if _, err := stdin.WriteString(`{"type":"prompt","message":"ask me"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	a.start(true, "--mode", "rpc")
	a.asks("Which database?")
	a.person.press(down, enter, enter)
	a.told(1, "Database: SQLite")
}

// What the model reads of a tool before it calls it is what askpane says.
func TestPiTellsTheModel(t *testing.T) {
	t.Parallel()
	a := newPi(t)
	a.start(true, "-p", "say hello")
	r := a.model.offered("ask_human")
	a.ended()
	for _, want := range []string{"- ask_human: get a decision from the person", "Use ask_human only where you are blocked on the person", "- question: ask the person one or more"} {
		if !strings.Contains(r.system, want) {
			t.Errorf("the system prompt lacks %q:\n%s", want, r.system)
		}
	}
	if strings.Contains(r.system, "ask_user ") {
		t.Errorf("ask_human is called ask_user somewhere in:\n%s", r.system)
	}
	for _, want := range []string{`"AskUserQuestion"`, `"ask_user_question"`, `"question"`, `"recommendation"`} {
		if !strings.Contains(string(r.body), want) {
			t.Errorf("the request lacks %s", want)
		}
	}
}

// On its screen pi shows the call and the answers, a line each, and no JSON.
func TestPiScreen(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("question", trip))
	a.start(false, "ask me")
	a.asks("Where to?")
	a.shows("question 3 questions (Where, When, Who)")
	a.person.press("1")
	a.person.see("In which month?")
	a.person.press("3")
	a.person.press("when the kids are off", enter)
	a.person.see("With whom?")
	a.person.press("2")
	a.person.see("Submit")
	a.person.press(enter)
	a.told(1, "Where: user selected: 1. Seaside\nWhen: user wrote: when the kids are off\nWho: user selected: 2. With the dog")
	a.shows(modelSaysLast)
	a.shows("✓ Where: 1. Seaside")
	a.shows("✓ When: (wrote) when the kids are off")
	a.shows("✓ Who: 2. With the dog")
	if strings.Contains(a.screen(), "{") {
		t.Errorf("there is JSON on pi's screen:\n%s", a.screen())
	}
}

func TestPiCancel(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("ask_human", database))
	a.start(false, "ask me")
	a.asks("Which database?")
	a.person.press(esc)
	a.told(1, "The user interaction was cancelled.")
	a.shows("Cancelled")
}

// Esc in pi while the popup is open ends the question, and no result goes to
// the model.
func TestPiInterrupted(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("ask_human", database))
	a.start(false, "ask me")
	a.asks("Which database?")
	a.keys("Escape")
	a.person.unsee("Which database?")
	a.shows("aborted")
	eventually(t, "nothing waits in the spool", func() bool { return len(a.spool.pending()) == 0 })
	if n := a.model.count(); n != 0 {
		t.Errorf("%d requests carry results:\n%s", n, a.model.log())
	}
}

func TestPiKilled(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("question", colour))
	a.start(true, "-p", "ask me")
	id := a.asks("Which colour?")
	a.kill()
	a.gone(id)
	a.start(true, "-p", "ask me") // the next run has what was said to the one before
	if said := a.model.result(1); !strings.HasPrefix(said, "Colour: user selected: 1. Red\n") {
		t.Errorf("the model was told %q", said)
	}
	a.toldRecovered()
	a.ended()
}

// The settings menu takes pi's terminal, and gives it back.
func TestPiSettings(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("question", colour))
	a.start(false)
	a.shows("scripted-1")
	a.keys("/askpane-settings", "Enter")
	eventually(t, "the menu is there", func() bool { // pi (0.87.1) takes no command while it starts
		menu := func() bool { return strings.Contains(a.screen(), "Alerts") }
		if !needs.Within(3*time.Second, menu) && strings.Contains(a.screen(), "Startup is still in progress") {
			a.keys("Enter")
		}
		return menu()
	})
	a.shows("Ask before Esc cancels")
	a.keys("q")
	a.unshows("Ask before Esc cancels")
	a.keys("ask me")
	a.press("Enter", func() bool { return len(a.spool.pending()) > 0 })
	a.asks("Which colour?")
	a.person.press("1")
	a.told(1, "Colour: user selected: 1. Red")
	a.shows(modelSaysLast)
}

// Where the settings want a heartbeat, pi is sent a message of ours while its
// question waits. The interval is the shortest there is.
func TestPiHeartbeat(t *testing.T) {
	t.Parallel()
	a := newPi(t, calls("question", colour))
	a.env = append(a.env, "ASKPANE_HEARTBEAT_WHILE_ACTIVE=true", "ASKPANE_HEARTBEAT_INTERVAL_MINUTES=0.5")
	a.start(true, "--mode", "json", "ask me")
	a.asks("Which colour?")
	<-time.After(32 * time.Second) // what is tested
	a.person.press("1")
	a.told(1, "Colour: user selected: 1. Red")
	a.ended()
	if out := a.read("out"); !strings.Contains(out, `"askpane-heartbeat"`) || !strings.Contains(out, "question has waited for the person for") {
		t.Errorf("there is no heartbeat in %s", out)
	}
}
