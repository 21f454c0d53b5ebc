package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const ownDatabase = `{"questions":[{"id":"db","header":"Database","question":"Which database?","options":[{"label":"Postgres","description":"big"},{"label":"SQLite","description":"small"}]}]}`

// planning is Codex in its plan mode, in which it has a tool of its own for questions.
func planning(t *testing.T, script ...turn) *agent {
	t.Helper()
	a := newCodex(t, script...)
	t.Cleanup(a.endDaemons)
	a.plans()
	return a
}

// plans begins a session in plan mode and has its model ask.
func (a *agent) plans() {
	a.t.Helper()
	a.start(false)
	a.shows("scripted-1")
	const line = "/plan ask me" // a key would go back and forth between the modes
	typed := func() bool { return strings.Contains(a.screen(), "› "+line) }
	a.press(line, typed)
	a.press("Enter", func() bool { return !typed() }) // once more would answer the question
	a.shows("enter to submit answer")
}

// outcome waits until a question is in the history, and says how it ended there: "unconfirmed"
// where the agent does not say that it took the answer.
func (a *agent) outcome(id string) string {
	a.t.Helper()
	eventually(a.t, "the question is in the history", func() bool {
		return a.spool.read("history", id, "delivered") != "" || a.spool.read("history", id, "answer.json") != ""
	})
	switch a.spool.read("history", id, "delivered") {
	case "outrun":
		return "elsewhere"
	case "unconfirmed":
		return "unconfirmed"
	}
	var r struct{ Outcome string }
	if err := json.Unmarshal([]byte(a.spool.read("history", id, "answer.json")), &r); err != nil {
		a.t.Fatal(err)
	}
	return r.Outcome
}

func (a *agent) is(id, want string) {
	a.t.Helper()
	if got := a.outcome(id); got != want {
		a.t.Errorf("the history says %s, want %s", got, want)
	}
}

func chose(label string) string { return `{"answers":{"db":{"answers":["` + label + `"]}}}` }

// Codex's own question is asked beside its dialog, and whoever is first answers.
func TestCodexOwn(t *testing.T) {
	t.Parallel()
	for name, play := range map[string]func(a *agent, id string){
		"ours first": func(a *agent, id string) {
			a.person.press(down, enter)
			a.told(1, chose("SQLite"))
			a.shows(modelSaysLast)
			a.is(id, "answered")
		},
		"its own first": func(a *agent, id string) {
			a.press("Enter", func() bool { return a.model.count() > 0 })
			a.told(1, chose("Postgres"))
			a.person.unsee("Which database?")
			a.is(id, "elsewhere")
		},
		"Esc in Codex": func(a *agent, id string) {
			a.press("Escape", func() bool { return !strings.Contains(a.screen(), "enter to submit answer") })
			a.person.unsee("Which database?")
			a.is(id, "elsewhere")
		},
		"Esc in ours": func(a *agent, id string) {
			a.person.press(esc)
			a.told(1, chose("user_note: the person declined to answer"))
			a.is(id, "cancelled")
		},
		"the daemon is killed": func(a *agent, id string) {
			for _, pid := range runningWith(a.home, "--managed-daemon") {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			a.person.unsee("Which database?")
			a.is(id, "aborted")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := planning(t, calls("request_user_input", ownDatabase))
			a.shows("enter to submit answer")
			play(a, a.asks("codex asks", "Which database?"))
		})
	}
}

// runningWith are the processes at a home that have a word on their command line.
func runningWith(home, word string) (pids []int) {
	for _, pid := range atHome(home) {
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); strings.Contains(string(line), word) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Where both are answered at once, one counts, and the history and the model agree which.
func TestCodexOwnRace(t *testing.T) {
	t.Parallel()
	script := slices.Repeat([]turn{calls("request_user_input", ownDatabase)}, *races)
	next := oneByOne(script)
	a := planning(t, script...)
	for round := range script {
		a.shows("enter to submit answer")
		id := a.asks("codex asks", "Which database?")
		var both sync.WaitGroup
		both.Go(func() { a.keys("Enter") })
		both.Go(func() { a.person.press(down, enter) })
		both.Wait()
		got := a.model.result(round + 1)
		want := map[string]string{chose("SQLite"): "answered", chose("Postgres"): "elsewhere"}[got]
		if outcome := a.outcome(id); outcome != want {
			t.Errorf("round %d: the history says %s, and the model got %s", round, outcome, got)
		}
		a.hasRead() // a key that came too late would answer what is asked next
		next()
	}
	a.shows(modelSaysLast)
}

// Two sessions in one directory are told apart, and where the process that serves Codex is
// killed the other's takes over what it had asked.
func TestCodexOwnTwice(t *testing.T) {
	t.Parallel()
	a := planning(t, calls("request_user_input", ownDatabase))
	first, firstPane := a.asks("codex asks", "Which database?"), a.pane
	a.plans()
	second := ""
	eventually(t, "the second asks", func() bool {
		for _, id := range a.spool.pending() {
			if id != first && !strings.HasPrefix(id, ".") {
				second = id
			}
		}
		return second != ""
	})
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
	if err := syscall.Kill(was, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "another process has taken over both", func() bool {
		out, _ := a.spool.run(t, "", "list")
		return serving() != was && !strings.Contains(out, "agent gone")
	})
	a.step("enter to submit answer", "Enter", "") // in the second session
	a.is(second, "elsewhere")
	a.spool.answers(t, first, `{"db":"SQLite"}`)
	a.is(first, "answered")
	a.pane = firstPane
	a.shows(modelSaysLast)
}
