package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// surroundings tell what there is to set up here.
type surroundings struct {
	host           host.Host      // nil where no form can open
	agents, ready  []agents.Agent // those found and not set up, and those set up
	keys, keyReady []agents.Agent // the same of multiplexers
	stale          bool           // one is set up for another askpane
	settings       settings.Loaded
}

// lookAround finds the agents and multiplexers that are in PATH, or that askpane is
// installed in.
func lookAround(o agents.Options) (s surroundings) {
	s.settings = settings.Load(here())
	ctx, cancel := context.WithTimeout(context.Background(), doctorLimit)
	defer cancel()
	if integrations.Known(s.settings.Host) != nil {
		s.settings.Host = integrations.Auto // as for any question
	}
	s.host, _ = integrations.Find(ctx, s.settings.Host)
	found, err := agents.Check(o)
	if err != nil {
		warn(err)
	}
	for _, a := range agents.All() {
		_, absent := exec.LookPath(a.Name)
		todo, done := &s.agents, &s.ready
		if a.Setup != nil {
			todo, done = &s.keys, &s.keyReady
		}
		switch i := slices.IndexFunc(found, func(f agents.Found) bool { return f.Agent == a.Name }); {
		case i >= 0 && found[i].Ours:
			*done = append(*done, a)
		case i >= 0 || absent == nil:
			s.stale = s.stale || i >= 0
			*todo = append(*todo, a)
		}
	}
	return s
}

// overview says what is here and what to do next.
func overview() error {
	o, err := installOptions(false)
	if err != nil {
		return err
	}
	s, screen := lookAround(o), command.ScreenOf(os.Stdout)
	row := func(name, said string) {
		fmt.Print(screen.Hang(fmt.Sprintf("  %-8s ", name), 11, command.Plain, said))
	}
	fmt.Print("askpane: what your agents ask pops up where you are.\n\n")
	row("Forms", text.OneLine(s.whereForms(), 0))
	row("Agents", s.which(s.ready, s.agents, "askpane is set up in none"))
	if len(s.keys)+len(s.keyReady) > 0 {
		row("Keys", s.which(s.keyReady, s.keys, "none"))
	}
	var on []string
	for _, f := range setupAlerts() {
		if isOn(f, s.settings.Settings) {
			on = append(on, strings.ToLower(f.Label))
		}
	}
	row("Alerts", cmp.Or(strings.Join(on, ", "), "none"))
	now, err := countWaiting()
	if err != nil {
		warn(err)
	}
	said := "none"
	if now.Waiting > 0 {
		said = fmt.Sprintf("%d, the oldest for %s", now.Waiting, now.age())
	}
	row("Waiting", said)
	if said := settings.SayMuted(); said != "" {
		row("Muted", strings.TrimPrefix(said, "muted ")+"; askpane mute off ends that")
	}
	fmt.Println()
	switch {
	case now.Waiting > 0:
		row("Next", "askpane next    shows the one that has waited longest")
	case s.host == nil:
		row("Next", "askpane doctor    says why no form can open here")
	case len(s.ready) == 0 || s.stale:
		row("Next", "askpane setup    asks which agents, keys and alerts to set up, and shows every change")
	default:
		row("Next", "askpane demo    shows what a question looks like")
	}
	row("All", "askpane help")
	return nil
}

func (s surroundings) whereForms() string {
	if s.host == nil {
		return "none can open here"
	}
	where := "open in " + s.host.Kind().Name
	if pane, _ := s.host.Asker(); pane != "" {
		where += ", from pane " + pane
	}
	if s.host.Kind().Borrows {
		where = "open on this terminal for what you run here yourself, for an agent with askpane run -- AGENT"
	}
	return where
}

// which names what is ready and what could be.
func (s surroundings) which(ready, todo []agents.Agent, none string) string {
	names := func(all []agents.Agent) string {
		var names []string
		for _, a := range all {
			name := a.Name
			if a.Setup != nil {
				name += " (" + a.Setup.Oldest() + ", " + a.Setup.Inbox + ")"
			}
			names = append(names, name)
		}
		return strings.Join(names, ", ")
	}
	said := cmp.Or(names(ready), none)
	if len(todo) > 0 {
		said += "; not yet: " + names(todo)
	}
	return said
}
