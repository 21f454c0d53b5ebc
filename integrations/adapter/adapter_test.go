package adapter

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/process"
	"github.com/askpane/askpane/tests/must"
)

// A host is looked for where all of its variables are set, and in no process of ours
// there is a "nohost".
func TestFind(t *testing.T) {
	failed := errors.New("it does not answer")
	for _, c := range []struct {
		name          string
		first, second string // what the variables are
		fails         error
		want          error
	}{
		{"nothing is set", "", "", nil, host.NotInside{Program: "nohost", Variable: "ASKPANE_TEST_FIRST"}},
		{"one is set", "x", "", nil, host.NotInside{Program: "nohost", Variable: "ASKPANE_TEST_FIRST"}},
		{"both are set", "x", "y", nil, nil},
		{"it does not answer", "x", "y", failed, failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("ASKPANE_TEST_FIRST", c.first)
			t.Setenv("ASKPANE_TEST_SECOND", c.second)
			t.Setenv("ASKPANE_TEST_PANE", "1")
			_, err := Find(t.Context(), "nohost", "ASKPANE_TEST_PANE", []string{"ASKPANE_TEST_FIRST", "ASKPANE_TEST_SECOND"}, func(env Environment, pane string) (Found, error) {
				if got := env("ASKPANE_TEST_SECOND"); got != "y" || pane != "" {
					t.Errorf("at %q, the pane %q", got, pane)
				}
				return answers{err: c.fails}, nil
			})
			if !errors.Is(err, c.want) {
				t.Errorf("Find: %v, want %v", err, c.want)
			}
		})
	}
}

// The pane's number counts where this process comes from the host, and nothing else does that
// only looks like one.
func TestFindPane(t *testing.T) {
	parent := strings.ToLower(process.Line()[1].Name)
	for said, want := range map[string]string{"3": "3", "--x": ""} {
		t.Setenv("ASKPANE_TEST_PANE", said)
		got := "not looked for"
		_, err := Find(t.Context(), parent, "ASKPANE_TEST_PANE", nil, func(env Environment, pane string) (Found, error) {
			if env("ASKPANE_TEST_PANE") != said {
				return nil, errors.New("what this process was started with")
			}
			got = pane
			return answers{}, nil
		})
		if got != want || err != nil {
			t.Errorf("of %q the pane is %q, %v", said, got, err)
		}
	}
}

// answers is a host that says who looks at it, or why it cannot.
type answers struct {
	host.Host
	err error
}

func (a answers) Prefetch(context.Context) error { return a.err }

// The commands print their version in different ways, and one with a status of 1.
func TestVersion(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := Version(t.Context(), []string{"screen", "--version"}); got != "" {
		t.Errorf("a command that is not there has version %q", got)
	}
	for said, want := range map[string]string{"tool 3.3a": "3.3a", "Tool version 4.09.00 (GNU) 30-Jan-22": "4.09.00", "tool next-3.8": "next-3.8"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\necho '"+said+"'\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		if got := Version(t.Context(), []string{"tool", "--version"}); got != want {
			t.Errorf("%q has version %q", said, got)
		}
	}
}

// The person's title is there again where the question is over, or the host refuses,
// while ours is being set.
func TestTitleIsGivenBack(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		covers := "mine"
		ctx, over := context.WithCancel(t.Context())
		title := Titled{
			Pane:  Pane{Ref: "it"},
			Title: func(ctx context.Context) (string, error) { return cmp.Or(covers, "the program's"), ctx.Err() },
			SetTitle: func(ctx context.Context, title string) error {
				if !refuses {
					over()
				} else if strings.HasPrefix(title, host.MarkSign) {
					return errors.New("refused")
				}
				covers = title
				return ctx.Err()
			},
		}
		if _, err := title.Mark(ctx, "Colour"); err == nil || covers != "mine" {
			t.Errorf("refuses %t: the title is %q, %v", refuses, covers, err)
		}
		over()
	}
}

// A title that covers another is taken back, or given back where it is the person's.
func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, covers, meanwhile, want string }{
		{"the program's", "", "", ""},
		{"the person's", "mine", "", "mine"},
		{"another question's", host.MarkSign + "other", "", ""},
		{"changed meanwhile", "", "new", "new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			covers := c.covers
			title := Titled{
				Pane: Pane{Ref: "it"},
				Title: func(context.Context) (string, error) {
					if covers == "" {
						return "the program's", nil
					}
					return covers, nil
				},
				SetTitle: func(_ context.Context, title string) error {
					covers = title
					return nil
				},
			}
			restore, err := title.Mark(t.Context(), "Colour")
			if err != nil || covers != host.MarkSign+"Colour" {
				t.Fatalf("marked as %q, %v", covers, err)
			}
			if c.meanwhile != "" {
				covers = c.meanwhile
			}
			if err := restore(t.Context()); err != nil || covers != c.want {
				t.Errorf("afterwards %q, %v; want %q", covers, err, c.want)
			}
		})
	}
}

// A directory's own name is no pattern.
func TestSocketsInADirectoryWithAnySign(t *testing.T) {
	above := t.TempDir()
	for _, name := range []string{`odd [a] *?\ x`, "odd a more x", "plain"} {
		dir := filepath.Join(above, name)
		for _, socket := range []string{"run-1", "other"} {
			must.Do(t, os.MkdirAll(dir, 0o700))
			must.Do(t, os.WriteFile(filepath.Join(dir, socket), nil, 0o600))
		}
		if got, want := Sockets(dir, "run-*"), []string{filepath.Join(dir, "run-1")}; !slices.Equal(got, want) {
			t.Errorf("in %s are %q, want %q", dir, got, want)
		}
	}
}
