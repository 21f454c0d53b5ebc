package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/tests/bench/stage"
)

// contender is one way to put a question in front of a person.
type contender struct {
	name string
	key  string // what answers it
	// command asks a question that begins with marker.
	command func(marker string) (*exec.Cmd, error)
	// check looks at what the command left on its standard output.
	check func(out []byte) error

	open, answer []time.Duration
}

// contenders is everything that is here to be measured, the limit first, and
// what is missing with how to get it.
func contenders(st *stage.Stage, limit, askpane string) (all []*contender, missing []error) {
	all = []*contender{
		{name: "static program", key: "\r", command: func(marker string) (*exec.Cmd, error) {
			return st.Popup(limit, marker), nil
		}},
		{name: "askpane ask", key: "1", check: answered, command: func(marker string) (*exec.Cmd, error) {
			return ask(st, askpane, marker)
		}},
	}
	others := []struct {
		bin, install string
		script       string // $1 is the binary, $2 the marker
	}{
		{"gum", "go install github.com/charmbracelet/gum@v0.17.0", `exec "$1" choose --header "$2" "Paint it green" "Paint it red"`},
		{"fzf", "apt-get install fzf", `printf "Paint it green\nPaint it red\n" | "$1" --header "$2"`},
	}
	for _, o := range others {
		bin, err := exec.LookPath(o.bin)
		if errors.Is(err, exec.ErrNotFound) {
			missing = append(missing, fmt.Errorf("%s is not installed and not measured (%s)", o.bin, o.install))
			continue
		}
		all = append(all, &contender{name: o.bin, key: "\r", command: func(marker string) (*exec.Cmd, error) {
			return st.Popup("/bin/sh", "-c", o.script, "sh", bin, marker), nil
		}})
	}
	return all, missing
}

// ask is what an agent in the pane runs: askpane ask < q.json.
func ask(st *stage.Stage, askpane, marker string) (*exec.Cmd, error) {
	type option struct {
		Value string `json:"value"`
		Label string `json:"label"`
	}
	request, err := json.Marshal(map[string]any{"questions": []map[string]any{{
		"id": "paint", "prompt": marker + " is the shed. Which colour?",
		"options": []option{{"green", "Paint it green"}, {"red", "Paint it red"}},
	}}})
	if err != nil {
		return nil, err
	}
	file := filepath.Join(st.Dir, "q.json")
	if err := os.WriteFile(file, request, 0o600); err != nil {
		return nil, err
	}
	cmd := exec.Command(askpane, "ask")
	// No guard: it is there for people's fingers and would only add its time.
	cmd.Env = st.Env("ASKPANE_GUARD_MS=0")
	cmd.Dir = st.Dir
	cmd.Stdin, err = os.Open(file)
	return cmd, err
}

// answered checks that askpane's envelope holds the answer that was given.
func answered(out []byte) error {
	var envelope struct {
		Outcome string
		Details struct{ Answers []struct{ Value string } }
	}
	if err := json.Unmarshal(out, &envelope); err != nil {
		return fmt.Errorf("its envelope: %w", err)
	}
	if a := envelope.Details.Answers; envelope.Outcome != "answered" || len(a) != 1 || a[0].Value != "green" {
		return fmt.Errorf("its envelope is not the answer that was given: %s", out)
	}
	return nil
}

// patience is how long one step of a round may take before the run is given up.
const patience = 10 * time.Second

// calm is how long the terminal must be at rest before a key is typed and
// before the next round, so that no round pays for another.
const calm = 60 * time.Millisecond

// round asks once and answers.
func (c *contender) round(st *stage.Stage, marker string) (open, answer time.Duration, err error) {
	fail := func(err error) (time.Duration, time.Duration, error) {
		return 0, 0, fmt.Errorf("%s: %w", c.name, err)
	}
	deadline := time.Now().Add(patience)
	if err := st.Quiet(calm, deadline); err != nil {
		return fail(err)
	}
	st.Arm()
	p, err := c.begin(st, marker)
	if err != nil {
		return fail(err)
	}
	defer p.end()
	seen, err := st.Seen(marker, deadline)
	if err == nil {
		err = st.Quiet(calm, deadline)
	}
	if err != nil {
		return fail(errors.Join(err, p.complaint()))
	}
	typed, err := st.Type(c.key)
	if err != nil {
		return fail(err)
	}
	select {
	case <-p.done:
	case <-time.After(patience):
		return fail(errors.New("it did not end after its key"))
	}
	if err := p.complaint(); err != nil {
		return fail(err)
	}
	if c.check != nil {
		if err := c.check(p.output()); err != nil {
			return fail(err)
		}
	}
	return seen.Sub(p.began), p.exited.Sub(typed), nil
}

// process is a contender's command while it runs. Its output goes to files, so
// that its end is its exit and not the end of a pipe.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr *os.File
	began, exited  time.Time
	err            error
	done           chan struct{}
}

func (c *contender) begin(st *stage.Stage, marker string) (*process, error) {
	p := &process{done: make(chan struct{})}
	var err error
	if p.stdout, err = os.Create(filepath.Join(st.Dir, "stdout")); err != nil {
		return nil, err
	}
	if p.stderr, err = os.Create(filepath.Join(st.Dir, "stderr")); err != nil {
		return nil, err
	}
	if p.cmd, err = c.command(marker); err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		p.exited = time.Now()
		close(p.done)
	}()
	return p, nil
}

// complaint is what went wrong with the command so far, if anything.
func (p *process) complaint() error {
	said, _ := os.ReadFile(p.stderr.Name())
	said = bytes.TrimSpace(said)
	select {
	case <-p.done:
		if p.err != nil {
			return fmt.Errorf("%w: %s", p.err, said)
		}
	default:
	}
	if len(said) > 0 {
		return fmt.Errorf("it said: %s", said)
	}
	return nil
}

func (p *process) output() []byte {
	out, _ := os.ReadFile(p.stdout.Name()) // none reads as none
	return bytes.TrimSpace(out)
}

// end ends a command that is still there, and what it held.
func (p *process) end() {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Process.Signal(os.Interrupt) // so that askpane takes its popup with it
		<-p.done
	}
	p.stdout.Close()
	p.stderr.Close()
	if f, ok := p.cmd.Stdin.(*os.File); ok {
		f.Close()
	}
}

// names lists the contenders.
func names(all []*contender) string {
	var list []string
	for _, c := range all {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}
