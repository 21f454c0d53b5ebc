package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
	"github.com/askpane/askpane/tests/bench/stage"
)

// contender is one way to put a question in front of a person.
type contender struct {
	name string
	key  string // what answers it
	// begin asks a question that begins with marker.
	begin func(pane *agent.Agent, st *stage.Stage, marker string) (*process, error)
	// check looks at what came back; nil where nothing does.
	check func(out []byte) error

	open, answer []time.Duration
}

// contenders is everything that is here to be measured, the limit first, and
// what is missing with how to get it. Copies of the others are made in dir.
func contenders(st *stage.Stage, dir, limit, binary, beside string) (all []*contender, missing []error) {
	all = []*contender{
		{name: "static program", key: "\r", begin: silent(func(marker string) agent.Order {
			return agent.Order{Args: st.Popup(limit, marker)}
		})},
		{name: "askpane ask", key: "1", check: answered, begin: ask(binary)},
		{name: "askpane mcp", key: "1", check: replied, begin: (&server{binary: binary}).ask},
	}
	if beside != "" {
		all = append(all, &contender{name: "ask beside", key: "1", check: answered, begin: ask(beside)}, &contender{name: "mcp beside", key: "1", check: replied, begin: (&server{binary: beside}).ask})
	}
	others := []struct {
		bin, install string
		opens        bool   // a popup of its own
		script       string // $1 is the binary, $2 the marker
	}{
		{"gum", "go install github.com/charmbracelet/gum@v0.17.0", false, `exec "$1" choose --header "$2" "Paint it green" "Paint it red"`},
		{"fzf", fzf, false, `printf "Paint it green\nPaint it red\n" | "$1" --header "$2"`},
		{"fzf", fzf, true, `printf "Paint it green\nPaint it red\n" | "$1" --tmux --header "$2"`},
	}
	for _, o := range others {
		bin, err := exec.LookPath(o.bin)
		if errors.Is(err, exec.ErrNotFound) {
			err = fmt.Errorf("%s is not installed and not measured (%s)", o.bin, o.install)
		} else if err == nil {
			bin, err = install(bin, filepath.Join(dir, "others"))
		}
		if err != nil {
			missing = append(missing, err)
			continue
		}
		name, args := o.bin, []string{"/bin/sh", "-c", o.script, "sh", bin}
		if o.opens {
			name += " --tmux"
		}
		all = append(all, &contender{name: name, key: "\r", begin: silent(func(marker string) agent.Order {
			if argv := append(args[:len(args):len(args)], marker); o.opens {
				return agent.Order{Args: argv}
			} else {
				return agent.Order{Args: st.Popup(argv...)}
			}
		})})
	}
	return all, missing
}

const fzf = "go install github.com/junegunn/fzf@v0.65.2"

// questions is the request, one question that begins with marker.
func questions(marker string) any {
	type option struct {
		Value string `json:"value"`
		Label string `json:"label"`
	}
	return map[string]any{"questions": []map[string]any{{
		"id": "paint", "prompt": marker + " is the shed. Which colour?",
		"options": []option{{"green", "Paint it green"}, {"red", "Paint it red"}},
	}}}
}

// askpane is a command of the binary as an agent in the pane runs it.
func askpane(st *stage.Stage, binary string, args ...string) agent.Order {
	return agent.Order{
		Args: append([]string{binary}, args...), Dir: st.Dir,
		// No guard: it is there for people's fingers and would only add its time.
		Env: []string{"ASKPANE_SPOOL=" + st.Spool(), "ASKPANE_GUARD_MS=0"},
	}
}

// details is what of the question tool's details is looked at.
type details struct{ Answers []struct{ Value string } }

func (d details) check(out []byte) error {
	if len(d.Answers) != 1 || d.Answers[0].Value != "green" {
		return fmt.Errorf("it is not the answer that was given: %s", out)
	}
	return nil
}

// answered checks that the envelope holds the answer that was given.
func answered(out []byte) error {
	var envelope struct{ Details details }
	if err := json.Unmarshal(out, &envelope); err != nil {
		return fmt.Errorf("its envelope: %w", err)
	}
	return envelope.Details.check(out)
}

// patience is how long one step of a round may take before the run is given up.
const patience = 10 * time.Second

// calm is how long the terminal must be at rest before the next round, so that
// no round pays for another, and none finds a popup that its call has not waited
// for. settled is the same before a key is typed: a person
// answers after the alerts have been raised, which begins 100 ms after the paint.
const (
	calm    = 250 * time.Millisecond
	settled = 300 * time.Millisecond
)

// round asks once and answers.
func (c *contender) round(pane *agent.Agent, st *stage.Stage, marker string) (open, answer time.Duration, err error) {
	fail := func(err error) (time.Duration, time.Duration, error) {
		return 0, 0, fmt.Errorf("%s: %w", c.name, err)
	}
	deadline := time.Now().Add(patience)
	if err := st.Quiet(calm, deadline); err != nil {
		return fail(err)
	}
	st.Arm()
	p, err := c.begin(pane, st, marker)
	if err != nil {
		return fail(err)
	}
	defer p.end()
	seen, err := st.Seen(marker, deadline)
	if err == nil {
		err = st.Quiet(settled, deadline)
	}
	if err != nil {
		return fail(errors.Join(err, p.complaint()))
	}
	typed, err := st.Type(c.key)
	if err != nil {
		return fail(err)
	}
	for _, end := range []<-chan struct{}{p.answered, p.Done} {
		select {
		case <-end:
		case <-time.After(patience):
			return fail(errors.New("it did not end after its key"))
		}
	}
	if err := p.complaint(); err != nil {
		return fail(err)
	}
	if c.check != nil {
		if err := c.check(p.output); err != nil {
			return fail(err)
		}
	}
	return seen.Sub(p.Began), p.at.Sub(typed), nil
}

// process is a contender's command while it runs, or a call to a server.
type process struct {
	*agent.Process
	stderr string
	// answered is closed when there is an answer, all of output, which came at that
	// time. It is the end of a command that says nothing.
	answered chan struct{}
	output   []byte
	at       time.Time
}

// silent starts a command whose end is its answer.
func silent(order func(marker string) agent.Order) func(*agent.Agent, *stage.Stage, string) (*process, error) {
	return func(pane *agent.Agent, st *stage.Stage, marker string) (*process, error) {
		o := order(marker)
		o.Stderr = filepath.Join(st.Dir, "stderr")
		started, err := pane.Start(o)
		if err != nil {
			return nil, err
		}
		p := &process{Process: started, stderr: o.Stderr, answered: make(chan struct{})}
		go func() {
			<-p.Done
			p.at = p.Exited
			close(p.answered)
		}()
		return p, nil
	}
}

// ask starts askpane ask < q.json, whose answer is a line on its output.
func ask(binary string) func(*agent.Agent, *stage.Stage, string) (*process, error) {
	return func(pane *agent.Agent, st *stage.Stage, marker string) (*process, error) {
		request, err := json.Marshal(questions(marker))
		if err != nil {
			return nil, err
		}
		o := askpane(st, binary, "ask")
		o.Stdin, o.Stdout, o.Stderr = filepath.Join(st.Dir, "q.json"), filepath.Join(st.Dir, "stdout"), filepath.Join(st.Dir, "stderr")
		if err := os.WriteFile(o.Stdin, request, 0o600); err != nil {
			return nil, err
		}
		stdout, err := fifo(o.Stdout)
		if err != nil {
			return nil, err
		}
		started, err := pane.Start(o)
		if err != nil {
			return nil, errors.Join(err, stdout.Close())
		}
		p := &process{Process: started, stderr: o.Stderr, answered: make(chan struct{})}
		go func() {
			defer close(p.answered)
			defer stdout.Close()
			p.output, _ = bufio.NewReader(stdout).ReadBytes('\n') // what is missing is found by the check
			p.at = time.Now()
		}()
		return p, nil
	}
}

// fifo makes a pipe with a name, and opens both its ends, so that opening waits
// for nobody.
func fifo(name string) (*os.File, error) {
	_ = os.Remove(name) // of the round before
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDWR, 0)
}

// complaint is what went wrong with the command so far, if anything.
func (p *process) complaint() error {
	said, _ := os.ReadFile(p.stderr)
	said = bytes.TrimSpace(said)
	select {
	case <-p.Done:
		if p.Err != nil {
			return fmt.Errorf("%w: %s", p.Err, said)
		}
	default:
	}
	if len(said) > 0 {
		return fmt.Errorf("it said: %s", said)
	}
	return nil
}

// end ends a command that is still there.
func (p *process) end() {
	select {
	case <-p.Done:
	default:
		_ = syscall.Kill(p.PID, syscall.SIGINT) // so that askpane takes its popup with it
		<-p.Done
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
