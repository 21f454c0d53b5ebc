package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/settings"
)

// installedChecks says what of askpane is installed for the person that is not this one's: it may have
// been moved or removed since.
func installedChecks() (checks []hint.Check) {
	var found []agents.Found
	o, err := installOptions(false)
	if err == nil {
		o.Version = func() string { return "" } // which takes Claude Code a second, and tells no more here
		found, err = agents.Check(o)
	}
	if err != nil {
		checks = append(checks, hint.Wrong("agents", "files", hint.Warn, err))
	}
	for _, f := range found {
		if !f.Ours {
			checks = append(checks, hint.Check{Section: "agents", Name: f.Agent, State: hint.Warn, Fix: "askpane install " + f.Agent + " --write",
				Detail: fmt.Sprintf("%s in %s: it runs %s, and not this askpane", f.What, text.Tilde(f.Path), strings.Join(f.Commands, ", "))})
		}
	}
	return checks
}

// tryInstalled calls what is installed for the person as the agents do, in a spool of its own where
// no form opens, and answers itself. It does not try whether the agents call it.
func tryInstalled() (checks []hint.Check) {
	o, err := installOptions(false)
	if err != nil {
		return []hint.Check{hint.Wrong("try", "agents", hint.Fail, err)}
	}
	found, _ := agents.Check(o) // of what is unreadable, or not ours, installedChecks has told
	s := settings.Load(here())
	for _, f := range found {
		for _, trial := range f.Trials() {
			what := cmp.Or(trial.What, f.What)
			check := hint.Check{Section: "try", Name: f.Agent, State: hint.OK, Detail: what + ": a call asks, and gets the answer"}
			switch {
			case !f.Ours:
				check.State, check.Detail = hint.Warn, what+": it is not this askpane, and was not tried"
			case f.Part == agents.Permissions && s.PermissionFor(f.Agent, "Bash") == settings.Never:
				check.State, check.Detail = hint.Off, what+": the setting permissions leaves them to "+f.Agent
			default:
				if trial.Quiet {
					check.Detail = what + ": what is dangerous is left to the agent's own prompt"
				}
				if err := try(o.Binary, trial); err != nil {
					check.State, check.Detail = hint.Fail, fmt.Sprintf("%s: %v", what, err)
				}
			}
			checks = append(checks, check)
		}
	}
	if len(checks) == 0 {
		checks = append(checks, hint.Check{Section: "try", Name: "agents", State: hint.Off, Detail: "askpane is installed in none"})
	}
	return checks
}

// trialLimit bounds one call: it takes some 100 ms, and more on a busy machine.
const trialLimit = 15 * time.Second

// try makes one call, and answers what it asks.
func try(binary string, t agents.Trial) error {
	dir, err := os.MkdirTemp("", "askpane-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sp, err := spool.Open(filepath.Join(dir, "spool"))
	if err != nil {
		return err
	}
	defer sp.Close()
	ctx, cancel := context.WithTimeout(context.Background(), trialLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, t.Args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir, "ASKPANE_SPOOL="+sp.Path(), "ASKPANE_OPEN_MODE=manual", "ASKPANE_PERMISSIONS=always", "ASKPANE_PERMISSION_ASK=bash",
		"ASKPANE_TITLE_ON_QUESTION=false", "ASKPANE_BELL_ON_QUESTION=false", "ASKPANE_BROWSER_ENABLED=false")
	cmd.Dir = dir // where no project's settings are
	var said, errs bytes.Buffer
	cmd.Stderr = &errs
	in, closed := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err = cmp.Or(closed, err); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	_, _ = in.Write([]byte(t.Input)) // one that has ended says why
	if !t.Open {
		in.Close()
	}
	answered := make(chan error, 1)
	go func() { answered <- takeFirst(ctx, sp) }()
	lines := bufio.NewScanner(out)
	got := false
	for !got && lines.Scan() {
		got = strings.Contains(lines.Text(), t.Says)
		said.WriteString(lines.Text())
	}
	in.Close()
	_ = cmd.Wait() // what it has printed counts
	cancel()
	what := text.OneLine(said.String()+" "+errs.String(), doctorRunes)
	if err := <-answered; err != nil && !t.Quiet {
		return fmt.Errorf("nobody was asked (%w): %s", err, what)
	}
	if !got {
		return fmt.Errorf("the answer was not handed over: %s", what)
	}
	return nil
}

// takeFirst waits for a question in sp, and answers it with the first choice.
func takeFirst(ctx context.Context, sp *spool.Spool) error {
	watch := sp.Watch()
	defer watch.Stop()
	for {
		if waiting, _, err := sp.Scan(); err == nil && len(waiting) > 0 {
			e, err := sp.Open(waiting[0])
			if err != nil {
				return err
			}
			defer e.Close()
			return e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()})
		}
		select {
		case <-watch.Changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
