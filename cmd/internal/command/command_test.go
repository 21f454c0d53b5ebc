package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestFlagsFirst(t *testing.T) {
	var got []string
	seen := func(c *cli.Context) error {
		got = c.Args().Slice()
		for _, level := range c.Lineage() {
			for _, name := range level.LocalFlagNames() {
				got = append(got, name+"="+level.String(name))
			}
		}
		return nil
	}
	app := func() *cli.App {
		return &cli.App{Name: "app", Commands: []*cli.Command{
			{Name: "get", ArgsUsage: "[WORD] [WORD] [WORD]", Action: seen, Flags: []cli.Flag{&cli.StringFlag{Name: "output"}, &cli.BoolFlag{Name: "wait", Aliases: []string{"w"}}}},
			{Name: "settings", Flags: []cli.Flag{&cli.BoolFlag{Name: "global"}}, Subcommands: []*cli.Command{{Name: "set", ArgsUsage: "NAME VALUE", Action: seen, Flags: []cli.Flag{&cli.BoolFlag{Name: "global"}}}}},
			{Name: "run", SkipFlagParsing: true, Action: seen},
		}}
	}
	for _, c := range []struct{ line, want string }{
		{"get a b", "a b"},
		{"get a --output text b", "a b output=text"},
		{"get a --output=text -w b", "a b output=text wait=true w=true"},
		{"get --output --wait a", "a output=--wait"},
		{"get a -5 --unknown", "a -5 --unknown"},
		{"get a -- --wait", "a --wait"},
		{"settings set k v --global", "k v global=true"},
		{"settings --global set k v", "k v global=true"},
		{"run x --output y -- z", "x --output y -- z"},
		{"run -- x --help", "-- x --help"},
	} {
		t.Run(c.line, func(t *testing.T) {
			got = nil
			if code := Run(app(), append([]string{"app"}, strings.Fields(c.line)...)); code != OK {
				t.Fatalf("exit code %d", code)
			}
			want := strings.Fields(c.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	for _, line := range []string{"get --unknown a", "get a --output", "nothing", "settings set --global=x"} {
		if code := Run(app(), append([]string{"app"}, strings.Fields(line)...)); code != BadUsage {
			t.Errorf("%s: exit code %d", line, code)
		}
	}
}
