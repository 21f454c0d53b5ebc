package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-shellwords"
	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents"
)

// every calls see with each command that help shows, and its full name.
func every(commands []*cli.Command, under string, see func(name string, c *cli.Command)) {
	for _, c := range commands {
		if !c.Hidden {
			see(under+c.Name, c)
			every(c.Subcommands, under+c.Name+" ", see)
		}
	}
}

// called are the command lines of askpane in an example: the example itself, and what
// stands in quotes in it.
func called(t *testing.T, line string) (all [][]string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " |")
	words, err := shellwords.Parse(regexp.MustCompile(` [<>] ?\S+`).ReplaceAllString(line, ""))
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	for _, word := range words[min(1, len(words)):] {
		if _, inner, ok := strings.Cut(strings.Trim(word, "$#()"), "askpane "); ok {
			all = append(all, called(t, "askpane "+inner)...)
		}
	}
	if len(words) > 0 && words[0] == "askpane" {
		all = append(all, words)
	}
	return all
}

// Every command has an example, which is one of this command, and the command line
// takes each: the actions are replaced, all else is as it is.
func TestExamples(t *testing.T) {
	every(commands(), "askpane ", func(name string, c *cli.Command) {
		mentioned := false
		for line := range strings.Lines(c.UsageText) {
			for _, words := range called(t, line) {
				ran := ""
				all := commands()
				every(all, "askpane ", func(name string, c *cli.Command) {
					c.Action = func(*cli.Context) error { ran = name; return nil }
				})
				if code := command.Run(&cli.App{Name: "askpane", Commands: all}, words); code != programs.OK || ran == "" {
					t.Errorf("%s: %q: exit code %d", name, words, code)
				}
				mentioned = mentioned || strings.HasPrefix(ran, name)
			}
		}
		if !mentioned {
			t.Errorf("%s has no example of its own", name)
		}
	})
}

// Four groups, and nothing outside of them.
func TestGroups(t *testing.T) {
	var groups []string
	for _, c := range commands() {
		if !slices.Contains(groups, c.Category) {
			groups = append(groups, c.Category)
		}
	}
	if want := []string{"Ask", "Answer", "Set up", "For machines"}; !slices.Equal(groups, want) {
		t.Errorf("the groups are %q, want %q", groups, want)
	}
}

// Every agent that askpane is installed into is known by name.
func TestAgentsAreKnown(t *testing.T) {
	t.Parallel()
	for _, a := range agents.All() {
		if _, known := text.Known(a.Name); !known && a.Setup == nil {
			t.Errorf("%s is not in text.Agents", a.Name)
		}
	}
}
