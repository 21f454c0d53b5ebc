package command

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/cmd/internal/programs"
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
			{Name: "settings", Flags: []cli.Flag{&cli.BoolFlag{Name: "global"}}, Subcommands: []*cli.Command{{Name: "set", ArgsUsage: "NAME VALUE", Action: seen, Flags: []cli.Flag{&cli.BoolFlag{Name: "global"}, &cli.BoolFlag{Name: "quiet"}}}}},
			{Name: "run", SkipFlagParsing: true, Action: seen},
		}}
	}
	for _, c := range []struct{ line, want string }{
		{"get a b", "a b"},
		{"get a --output text b", "a b output=text"},
		{"get a --output=text -w b", "a b output=text wait=true w=true"},
		{"get --output --wait a", "a output=--wait"},
		{"get a -5", "a -5"},
		{"get -5 -w a", "-5 a wait=true w=true"},
		{"get a -- --wait", "a --wait"},
		{"settings set k v --global", "k v global=true"},
		{"settings --global set k v", "k v global=true"},
		{"run x --output y -- z", "x --output y -- z"},
		{"run -- x --help", "-- x --help"},
	} {
		t.Run(c.line, func(t *testing.T) {
			got = nil
			if code := Run(app(), append([]string{"app"}, strings.Fields(c.line)...)); code != programs.OK {
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
	for _, line := range []string{"get --unknown a", "get a --unknown", "settings set k v --unknown", "get a --output", "--output text get a", "settings --quiet set k v", "nothing", "settings set --global=x"} {
		if code := Run(app(), append([]string{"app"}, strings.Fields(line)...)); code != programs.BadUsage {
			t.Errorf("%s: exit code %d", line, code)
		}
	}
}

func TestTimes(t *testing.T) {
	var got *time.Duration
	app := func() *cli.App {
		return &cli.App{Name: "app", Flags: []cli.Flag{TimeFlag("timeout", "")}, Action: func(c *cli.Context) error {
			got = Time(c, "timeout")
			return nil
		}}
	}
	for given, want := range map[string]time.Duration{"90": 90 * time.Second, "0.5": time.Second / 2, "5m": 5 * time.Minute, "1h30m": 90 * time.Minute, "0": 0} {
		if code := Run(app(), []string{"app", "--timeout", given}); code != programs.OK || got == nil || *got != want {
			t.Errorf("%s: exit code %d, %v", given, code, got)
		}
	}
	for _, given := range []string{"soon", "-1", "-5m", "9000h", "NaN", ""} {
		if code := Run(app(), []string{"app", "--timeout=" + given}); code != programs.BadUsage {
			t.Errorf("%q: exit code %d", given, code)
		}
	}
	if code := Run(app(), []string{"app"}); code != programs.OK || got != nil {
		t.Errorf("without: exit code %d, %v", code, got)
	}
}

// Columns line up by cells. On a terminal the widest give way, and where there are
// colours they change nothing of that.
func TestTable(t *testing.T) {
	rows := [][]string{{"A", "B", "C"}, {"a", "日本語の長い見出し", "c"}, {"日本", "", "longer"}}
	for _, c := range []struct {
		screen Screen
		want   string
	}{
		{Screen{}, "A     B                   C\na     日本語の長い見出し  c\n日本                      longer\n"},
		{Screen{Width: 20}, "A     B       C\na     日本…   c\n日本          longer\n"},
		{Screen{20, true}, "\x1b[2mA\x1b[m     \x1b[2mB\x1b[m       \x1b[2mC\x1b[m\n\x1b[31ma\x1b[m     日本…   c\n\x1b[31m日本\x1b[m          longer\n"},
		{Screen{Width: 3}, "A     B       C\na     日本…   c\n日本          longer\n"},
	} {
		got := c.screen.Table(rows, func(column int, _ string) Style { return []Style{Red, Plain, Plain}[column] })
		if got != c.want {
			t.Errorf("%+v: it is\n%q, want\n%q", c.screen, got, c.want)
		}
	}
}
