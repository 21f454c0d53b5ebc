package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

func setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Usage: "ask which agents, keys and alerts to set up; every change is shown before it is written", Action: setup,
		UsageText: "askpane setup",
	}
}

// setup asks by our own form what to write, shows that, asks again, and writes it.
func setup(c *cli.Context) error {
	o, err := installOptions(false)
	if err != nil {
		return err
	}
	s := lookAround(o)
	if len(s.agents)+len(s.ready) == 0 {
		fmt.Println("No agent that askpane knows is in your PATH. askpane install --help names them, and askpane install AGENT --write sets one up.")
	}
	chosen, err := askSetup(s)
	if err != nil {
		return err
	}
	plan, err := planSetup(o, chosen)
	if err != nil {
		return err
	}
	if len(plan.steps) == 0 {
		fmt.Println("All of that is set up already; nothing was written.")
		return nil
	}
	read, err := confirmSetup(plan, s.host)
	if err != nil {
		return err
	}
	if err := write(plan.steps, nil); err != nil {
		return err
	}
	for i, a := range plan.agents {
		sayInstalled(a, o, plan.files[i], a.Name == read && reads(a, plan.files[i][0].Path))
	}
	if topic := plan.alerts[pushTopic]; topic != "" {
		fmt.Printf("Now subscribe to %s in the ntfy app of your phone, and see by askpane doctor --try that it is told.\n", topic)
	}
	for _, name := range slices.Sorted(maps.Keys(plan.alerts)) {
		fmt.Printf("To undo: askpane settings unset %s\n", name)
	}
	fmt.Println("To answer in a browser: askpane page; on a phone: askpane phone. To see that it works, have an agent ask you something; askpane doctor --try calls what is set up in each.")
	return nil
}

// setupAlerts lists the settings that setup asks about: switches, and pushUrl.
func setupAlerts() []settings.Field {
	asked := []string{"titleOnQuestion", "bellOnQuestion", "notificationOnQuestion", "ttsOnQuestion", pushTopic}
	return slices.DeleteFunc(slices.Clone(settings.Fields()), func(f settings.Field) bool { return !slices.Contains(asked, f.Name) })
}

const pushTopic = "pushUrl"

// isOn reports whether an alert is on.
func isOn(f settings.Field, s settings.Settings) bool {
	said := f.Text(s)
	return said != "" && said != "false"
}

// settingTo returns the value that switches an alert on or off; a push goes to a topic with a
// name that nobody guesses.
func settingTo(name string, on bool) string {
	switch {
	case name != pushTopic:
		return fmt.Sprint(on)
	case on:
		return "https://ntfy.sh/askpane-" + rand.Text()
	}
	return ""
}

// askSetup asks what the person wants of what there is, by the questions' ids, in the dialect
// ask_user_question.
func askSetup(s surroundings) (map[string][]string, error) {
	var all, offered []any
	chosen := []string{}
	offer := func(name, label, description string, already bool) {
		offered = append(offered, map[string]string{"value": name, "label": label, "description": description})
		if already {
			chosen = append(chosen, name)
		}
	}
	ask := func(id, label, prompt string) { // of what was offered
		if len(offered) > 0 {
			all = append(all, map[string]any{"id": id, "type": "checkbox", "label": label, "prompt": prompt, "options": offered, "default": chosen, "allowOther": false, "required": false})
		}
		offered, chosen = nil, []string{}
	}
	for _, a := range s.agents {
		parts := a.Carriers
		if slices.Contains(parts, agents.MCP) && programs.MCP.Check() != nil {
			continue // askpane doctor says why
		}
		offer(a.Name, a.Name, "puts its "+strings.ReplaceAll(strings.Join(parts, " and "), "mcp", "MCP server")+" into "+a.Name+"'s configuration", true)
	}
	ask("agents", "Agents", "Which agents should ask you through askpane?")
	for _, a := range s.keys {
		offer(a.Name, a.Name, a.Setup.Oldest()+" the oldest question, "+a.Setup.Inbox+" all of them", s.host != nil && s.host.Kind().Name == a.Name)
	}
	ask("keys", "Keys", "Which of these should get keys that open waiting questions?")
	for _, f := range setupAlerts() {
		help := f.Help
		if f.Name == pushTopic {
			help = "by the ntfy app and ntfy.sh, to which goes who asks, and a header; your own server: askpane settings set pushUrl"
		}
		offer(f.Name, f.Label, help, isOn(f, s.settings.Settings))
	}
	ask("alerts", "Alerts", "What should tell you that a question waits?")
	e, err := askOurselves("ask_user_question", map[string]any{"title": "Set up askpane", "questions": all})
	if err != nil {
		return nil, err
	}
	var said struct {
		Answers []struct {
			ID    string
			Value []string
		}
	}
	wanted := map[string][]string{}
	err = json.Unmarshal(e.Details, &said)
	for _, a := range said.Answers {
		wanted[a.ID] = a.Value
	}
	return wanted, err
}

// askOurselves asks a question of our own, in the way every agent does. The error says how it
// ended where nobody answered it.
func askOurselves(dialect string, request any) (*bridge.Envelope, error) {
	raw, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	got, err := question{dialect: dialect, agent: "askpane setup"}.envelope(raw)
	var ended exit
	switch {
	case got == nil:
		return nil, cmp.Or(err, errors.New("the question ended without a result"))
	case got.Outcome == form.Answered:
		return got, nil
	case errors.As(err, &ended) && ended.Err != nil:
		return nil, err
	case got.Outcome == form.Cancelled:
		return nil, exitWith(exitCodes[got.Outcome], errors.New("nothing is written"))
	}
	return nil, exitWith(exitCodes[got.Outcome], fmt.Errorf("%s; nothing is written; askpane install and askpane settings do without a form", strings.Trim(strings.TrimPrefix(got.Text, "Error: "), ".")))
}

// setupPlan says what is to be written.
type setupPlan struct {
	agents []agents.Agent  // whose files change
	files  [][]agents.Step // of each
	steps  []agents.Step   // all
	alerts map[string]string
}

func planSetup(o agents.Options, chosen map[string][]string) (p setupPlan, err error) {
	for _, a := range agents.All() {
		if !slices.Contains(slices.Concat(chosen["agents"], chosen["keys"]), a.Name) {
			continue
		}
		steps, err := a.Install(o)
		if err != nil { // its file cannot be read, say; the others can
			warn(err)
			continue
		}
		if steps = slices.DeleteFunc(steps, func(s agents.Step) bool { return !s.Changed }); len(steps) > 0 {
			p.agents, p.files, p.steps = append(p.agents, a), append(p.files, steps), append(p.steps, steps...)
		}
	}
	p.alerts = map[string]string{}
	now := settings.Load(here()).Settings
	for _, f := range setupAlerts() {
		if on := slices.Contains(chosen["alerts"], f.Name); isOn(f, now) != on {
			p.alerts[f.Name] = settingTo(f.Name, on)
		}
	}
	if len(p.alerts) == 0 {
		return p, nil
	}
	file, err := settings.Writable(here(), true)
	if err != nil {
		return p, err
	}
	before, after, err := file.Plan(p.alerts)
	p.steps = append(p.steps, agents.Change("settings", file.Path, before, after))
	return p, err
}

// confirmSetup shows what would be written, here and in a form, and asks. Of a multiplexer
// that this runs in it asks too whether it is to read its file at once.
func confirmSetup(plan setupPlan, in host.Host) (read string, err error) {
	var all strings.Builder
	for _, s := range plan.steps {
		all.WriteString(text.Visible(s.Diff()))
	}
	fmt.Print(all.String())
	to := fmt.Sprintf("%d files", len(plan.steps))
	if len(plan.steps) == 1 {
		to = text.Tilde(plan.steps[0].Path)
	}
	questions := []any{yesOrNo("Write", "Write this to "+to+"?", "Write it", "Leave everything as it is", "~~~~~~~~diff\n"+all.String()+"~~~~~~~~\n")}
	for _, a := range plan.agents {
		if a.Setup != nil && a.Setup.Then != "" && in != nil && in.Kind().Name == a.Name {
			questions = append(questions, yesOrNo("Keys", "Then have "+a.Name+" read it, so that the keys are there?", "Yes, run "+a.Setup.Then, "Later", ""))
		}
	}
	e, err := askOurselves(dialect.AskHuman, map[string]any{"questions": questions})
	if err != nil {
		return "", err
	}
	said := "\n" + e.Text // a line for each question, its header first
	if !strings.Contains(said, "\nWrite: Write it") {
		return "", exitWith(programs.Cancelled, errors.New("nothing is written"))
	}
	if strings.Contains(said, "\nKeys: Yes") {
		read = in.Kind().Name
	}
	return read, nil
}

// yesOrNo is a question of confirmSetup's.
func yesOrNo(header, prompt, yes, no, preview string) map[string]any {
	return map[string]any{"id": header, "type": "choice", "header": header, "prompt": prompt, "options": []any{
		map[string]string{"value": "yes", "label": yes, "preview": preview}, map[string]string{"value": "no", "label": no}}}
}

// reads has a multiplexer read its file, and reports whether it did.
func reads(a agents.Agent, path string) bool {
	command := append(strings.Fields(a.Setup.Then), path)
	ctx, cancel := context.WithTimeout(context.Background(), programLimit)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		warn(fmt.Errorf("%s %s: %w: %s", a.Setup.Then, path, err, text.OneLine(string(out), 200)))
	}
	return err == nil
}
