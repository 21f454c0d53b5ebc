package tests

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// agentPatience is how long an agent may take to get to where it asks. Some
// need ten seconds for their start alone, and ten times that where every core
// has ten others to serve.
const agentPatience = 5 * time.Minute

// agentsDir is where tests/run puts the agents, in the versions of
// tests/agents/package.json.
const agentsDir = "../.cache/agents/node_modules/.bin"

// agentBinary is the path of an agent's program.
func agentBinary(t testing.TB, name string) string {
	t.Helper()
	needs.Long(t, "the real agents")
	path, err := filepath.Abs(filepath.Join(agentsDir, name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		needs.Missing(t, name, "./tests/run --all installs it")
	}
	return path
}

// agent is a real agent in a pane of a private tmux server, with a home of its
// own and a scripted model, and a person at a terminal beside it.
type agent struct {
	*tmuxServer
	name   string
	home   string
	cwd    string
	person *terminal
	model  *model
	pane   string
	env    []string // besides what every agent gets
	binary string
	stdin  string // the file that it reads; none by default
}

// newAgent prepares one; nothing of it runs yet.
func newAgent(t testing.TB, name string, script ...turn) *agent {
	t.Helper()
	a := &agent{name: name, binary: agentBinary(t, name), tmuxServer: newTmux(t), home: t.TempDir(), cwd: t.TempDir(), model: newModel(t, script...)}
	a.person = a.attach("main", 100, 30)
	return a
}

// variables are the agent's whole environment but for the pane's.
func (a *agent) variables() []string {
	bin, err := filepath.Abs(agentsDir)
	if err != nil {
		a.t.Fatal(err)
	}
	return append([]string{
		"PATH=" + bin + ":" + os.Getenv("PATH"), // pi wants a newer node than the system may have
		"HOME=" + a.home, "SHELL=/bin/sh", "LC_ALL=C.UTF-8", "TERM=xterm-256color",
		"ASKPANE_SPOOL=" + string(a.spool), unguarded,
		"npm_config_registry=" + a.model.url, "NO_PROXY=127.0.0.1,localhost",
	}, a.env...)
}

// write writes a file in the agent's home.
func (a *agent) write(name, content string) {
	a.t.Helper()
	path := filepath.Join(a.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// edit replaces a text, which is there, in a file of the agent's home.
func (a *agent) edit(name, old, new string) {
	a.t.Helper()
	data, err := os.ReadFile(filepath.Join(a.home, name))
	if err != nil || !strings.Contains(string(data), old) {
		a.t.Fatalf("%q is not in %s, %v:\n%s", old, name, err, data)
	}
	a.write(name, strings.ReplaceAll(string(data), old, new))
}

// install installs askpane into the agent, as a person does.
func (a *agent) install(args ...string) {
	a.t.Helper()
	cmd := exec.Command(binary, append([]string{"install", a.name}, args...)...)
	cmd.Env, cmd.Dir = a.variables(), a.cwd
	if out, err := cmd.CombinedOutput(); err != nil {
		a.t.Fatalf("askpane install %s: %v\n%s", a.name, err, out)
	}
}

// start runs the agent in a pane of its own, with what it prints in the file
// out if printed is true, and on the pane otherwise.
func (a *agent) start(printed bool, args ...string) {
	a.t.Helper()
	words := []string{"exec env -i", `"TMUX=$TMUX" "TMUX_PANE=$TMUX_PANE"`}
	for _, w := range append(a.variables(), append([]string{a.binary}, args...)...) {
		words = append(words, quote(w))
	}
	for _, old := range []string{"pid", "rc", "out", "err"} { // of a run before
		_ = os.Remove(a.file(old))
	}
	line := "echo $$ >" + quote(a.file("pid")) + "; " + strings.Join(words, " ")
	if printed {
		line += " <" + quote(cmp.Or(a.stdin, "/dev/null")) + " >" + quote(a.file("out")) + " 2>" + quote(a.file("err"))
	}
	script := "sh -c " + quote(line) + "; echo $? >" + quote(a.file("rc")) + "; exec cat"
	a.pane = a.tmux("new-window", "-d", "-t", "main:", "-c", a.cwd, "-P", "-F", "#{pane_id}", "--", "sh", "-c", script)
	a.t.Cleanup(a.stop)
}

func (a *agent) file(name string) string { return filepath.Join(a.home, "askpane-test-"+name) }

func (a *agent) read(name string) string {
	data, err := os.ReadFile(a.file(name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.t.Fatal(err)
	}
	return string(data)
}

// stop ends the agent if it still runs.
func (a *agent) stop() {
	if a.t.Failed() {
		a.t.Logf("the agent's pane:\n%s\nits output:\n%s\n%s\nthe model's requests:\n%s", a.screen(), a.read("out"), a.read("err"), a.model.log())
	}
	pid, err := strconv.Atoi(strings.TrimSpace(a.read("pid")))
	if err != nil || a.over() {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	if !needs.Within(5*time.Second, a.over) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		needs.Within(5*time.Second, a.over)
	}
}

// over reports whether the agent has ended.
func (a *agent) over() bool {
	return a.read("rc") != "" || a.command("list-panes", "-t", a.pane).Run() != nil
}

// ended waits for the agent to end well.
func (a *agent) ended() {
	a.t.Helper()
	if !needs.Within(agentPatience, a.over) || strings.TrimSpace(a.read("rc")) != "0" {
		a.t.Fatalf("%s did not end well: %q", a.name, a.read("rc"))
	}
}

// screen is what the agent shows on its pane.
func (a *agent) screen() string {
	out, _ := a.command("capture-pane", "-p", "-t", a.pane).Output()
	return string(out)
}

// shows waits for a text on the agent's pane.
func (a *agent) shows(text string) {
	a.t.Helper()
	if !needs.Within(agentPatience, func() bool { return strings.Contains(a.screen(), text) }) {
		a.t.Fatalf("%s never showed %q", a.name, text)
	}
}

// unshows waits for a text to go from the agent's pane.
func (a *agent) unshows(text string) {
	a.t.Helper()
	if !needs.Within(agentPatience, func() bool { return !strings.Contains(a.screen(), text) }) {
		a.t.Fatalf("%s still shows %q", a.name, text)
	}
}

// keys types into the agent's pane, whatever the person's terminal shows.
func (a *agent) keys(keys ...string) {
	a.t.Helper()
	a.tmux(append([]string{"send-keys", "-t", a.pane}, keys...)...)
}

// hasRead waits until the agent has read what was pressed before, and clears its composer of
// what came too late for a dialog.
func (a *agent) hasRead() {
	a.t.Helper()
	a.keys("-l", "qzq")
	a.shows("qzq")
	a.keys("C-u")
	a.unshows("qzq")
}

// press presses a key until it was taken, every two seconds: an agent that is busy,
// and a dialog that has just been drawn, lets keys go by.
func (a *agent) press(key string, taken func() bool) {
	a.t.Helper()
	var again time.Time
	if !needs.Within(agentPatience, func() bool {
		if taken() {
			return true
		}
		if time.Now().After(again) {
			a.keys(key)
			again = time.Now().Add(2 * time.Second)
		}
		return false
	}) {
		a.t.Fatalf("%s never took %s", a.name, key)
	}
}

// declines declines with a reason of the person's own, the fourth choice.
func (a *agent) declines(why string) {
	a.t.Helper()
	a.person.press("\x18") // Ctrl+X
	a.person.see("another reason")
	a.person.press("4", why)
	a.person.see(why)
	a.person.press(enter)
}

// enters presses Enter until the model has its n-th tool result.
func (a *agent) enters(n int) {
	a.t.Helper()
	a.press("Enter", func() bool {
		_, there := a.model.first(n)
		return there
	})
}

// step presses a key where the agent shows a text, until that is gone and another
// is there.
func (a *agent) step(from, key, to string) {
	a.t.Helper()
	a.shows(from)
	a.press(key, func() bool {
		screen := a.screen()
		return !strings.Contains(screen, from) && strings.Contains(screen, to)
	})
}

// asks waits for the popup of the agent's question, with the texts in it, and is
// the id of the entry. The popup of a question before it, which may look alike, is no such.
func (a *agent) asks(texts ...string) string {
	a.t.Helper()
	if !needs.Within(agentPatience, func() bool {
		ids := a.spool.pending()
		return len(ids) == 1 && !strings.HasPrefix(ids[0], ".") && strings.TrimSpace(a.spool.read(ids[0], "popup.lock")) != ""
	}) {
		a.t.Fatalf("%s never asked", a.name)
	}
	a.person.see(texts...)
	return a.spool.pending()[0]
}

// told checks what the model is told as the result of its n-th call.
func (a *agent) told(n int, want string) {
	a.t.Helper()
	if got := a.model.result(n); got != want {
		a.t.Fatalf("the model was told\n%q\nwant\n%q", got, want)
	}
}

// toldRecovered checks that the model reads, with its first result, that the answer
// was given to an earlier call, and when.
func (a *agent) toldRecovered() {
	a.t.Helper()
	body := string(a.model.carrying(1).body)
	for _, want := range []string{"Recovered: the same question was asked by an earlier call", "The person answered at 20"} {
		if !strings.Contains(body, want) {
			a.t.Errorf("the model does not read %q", want)
		}
	}
}

// kill ends the agent without warning, and what it has run of itself.
func (a *agent) kill() {
	a.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(a.read("pid")))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, pid := range append(ofItself(pid), pid) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
			a.t.Fatal(err)
		}
	}
	if !needs.Within(agentPatience, a.over) {
		a.t.Fatalf("%s was killed and has not ended", a.name)
	}
}

// ofItself lists the processes below one of an agent's, but for askpane's and what is below
// those: some agents are started by a wrapper.
func ofItself(pid int) (pids []int) {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid)).Output() // none is an error
	for _, word := range strings.Fields(string(out)) {
		child, _ := strconv.Atoi(word)
		command, err := os.ReadFile("/proc/" + word + "/comm")
		if err == nil && !strings.HasPrefix(string(command), "askpane") {
			pids = append(append(pids, ofItself(child)...), child)
		}
	}
	return pids
}

// gone checks that the form outlives its agent, and that the answer then given
// is kept.
func (a *agent) gone(id string) {
	a.t.Helper()
	a.person.see("agent gone")
	a.person.press("1")
	a.person.unsee("agent gone")
	a.kept(id)
}

// kept waits for an answer that nobody collects.
func (a *agent) kept(id string) {
	a.t.Helper()
	eventually(a.t, "the answer is on the disk", func() bool {
		return strings.Contains(a.spool.read(id, "answer.json"), `"outcome":"answered"`)
	})
}
