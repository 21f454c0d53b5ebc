// Package agents installs askpane into the agents that people use: it knows
// which of their files say what, puts our part in and takes it out again.
//
// It touches those files and nothing else, and knows nothing of forms. The rule
// that must hold here: what a person wrote stays as it is, to the byte; only our
// own part comes and goes, and before a file changes there is a copy beside it.
package agents

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/integrations/host"
)

// all is every agent, and every host with a configuration of its own. Adding an
// agent is a file and a line here.
var all = append([]agent{pi, claude, opencode, codex, gemini}, multiplexers()...)

// agent is one program that askpane can be installed into.
type agent struct {
	name string
	// parts are what can be installed, the first of them by default unless
	// byDefault names others.
	parts, byDefault []string
	// personal: it has no configuration for a project alone.
	personal bool
	// files are those that hold the parts that has says, one entry a file.
	files func(o Options, has func(part string) bool) []file
}

// Options say what is installed, and where.
type Options struct {
	// Binary is askpane's absolute path, which is written in.
	Binary string
	// Project is the directory of the project that it is installed for; empty is
	// for the person, wherever they work.
	Project string
	// Home is the person's home directory; Env looks a variable up.
	Home string
	Env  func(name string) string
	// Tools are what models are offered; none is the default one.
	Tools []Tool
	// Parts are which of the agent's parts; none is the default ones.
	Parts []string
}

// Tool is a question tool: the name that models call it by, and the dialect of
// `askpane ask` that it speaks.
type Tool struct{ Name, Dialect string }

// forever is how long agents are told that a call may take: a week, in seconds.
// As milliseconds it still fits the 31 bits of a JavaScript timer, which fires
// at once where it does not.
const forever = 7 * 24 * 60 * 60

// server is the name of our MCP server in the agents' files. Models see it in
// front of the tools' names.
const server = "askpane"

// Names lists the agents.
func Names() []string {
	var names []string
	for _, a := range all {
		names = append(names, a.name)
	}
	return names
}

// Parts lists what can be installed into an agent, and what is if nothing else
// is said.
func Parts(name string) (parts, byDefault []string) {
	a, err := byName(name)
	if err != nil {
		return nil, nil
	}
	return a.parts, a.defaults()
}

func (a agent) defaults() []string {
	if a.byDefault == nil {
		return a.parts[:1]
	}
	return a.byDefault
}

func byName(name string) (agent, error) {
	for _, a := range all {
		if a.name == name {
			return a, nil
		}
	}
	return agent{}, fmt.Errorf("unknown agent %q; there are %s", name, strings.Join(Names(), ", "))
}

// byNameFor is byName, if that can be installed where o says.
func byNameFor(name string, o Options) (agent, error) {
	a, err := byName(name)
	if err == nil && a.personal && o.Project != "" {
		err = fmt.Errorf("%s: %w", name, errPersonal)
	}
	return a, err
}

// Multiplexer reports whether the name is that of a multiplexer or terminal,
// which offers models no tools and has no configuration for a project.
func Multiplexer(name string) bool {
	a, err := byName(name)
	return err == nil && a.personal
}

// parts that o asks for.
func (a agent) wanted(o Options) (has func(part string) bool, err error) {
	parts := o.Parts
	if len(parts) == 0 {
		parts = a.defaults()
	}
	for _, p := range parts {
		if !slices.Contains(a.parts, p) {
			return nil, fmt.Errorf("%s has no part %q; there are %s", a.name, p, strings.Join(a.parts, ", "))
		}
	}
	return func(part string) bool { return slices.Contains(parts, part) }, nil
}

// everything is every part.
func everything(string) bool { return true }

// file is one file that holds parts of ours.
type file struct {
	what string // in a word or two
	path string
	kind kind
}

// kind is how our part is put into a file's content and taken out. Content nil
// is a file that is not there.
type kind interface {
	// add is the content with our part in it; if it is there already in the same
	// words the content comes back as it was.
	add(content []byte) ([]byte, error)
	// remove is the content without our part, or nil if nothing else is left.
	// before is the content from before we came, nil if that is not known.
	remove(content, before []byte) ([]byte, error)
	// present reports whether anything of our part is in the content, and what
	// command it runs, if it runs any.
	present(content []byte) (command string, ours bool, err error)
	// snippet is our part alone, for a person to put in themselves.
	snippet() string
}

// Install is what has to be done to install askpane into an agent.
func Install(name string, o Options) ([]Step, error) {
	a, err := byNameFor(name, o)
	if err != nil {
		return nil, err
	}
	has, err := a.wanted(o)
	if err != nil {
		return nil, err
	}
	var steps []Step
	whole := a.files(o, everything)
	for _, f := range a.files(o, has) {
		i := slices.IndexFunc(whole, func(w file) bool { return w.path == f.path })
		err := o.within(f.path)
		var s Step
		if err == nil {
			s, err = f.install(whole[i].kind)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// Uninstall is what has to be done to take askpane out of an agent: all its
// parts. It is nothing where none is installed.
func Uninstall(name string, o Options) ([]Step, error) {
	a, err := byNameFor(name, o)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, f := range a.files(o, everything) {
		err := o.within(f.path)
		var s Step
		if err == nil {
			s, err = f.uninstall(cmp.Or(o.Project, o.Home))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
		if s.Changed {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// Found is a part of ours that is installed.
type Found struct {
	Agent, What, Path string
	// Command is what it runs.
	Command string
	// Ours: that is this askpane.
	Ours bool
}

// Check looks for what is installed, in every agent. The error is about files
// that could not be read; the others are looked at all the same.
func Check(o Options) ([]Found, error) {
	var found []Found
	var errs []error
	for _, a := range all {
		if a.personal && o.Project != "" {
			continue
		}
		for _, f := range a.files(o, everything) {
			content, err := read(f.path)
			var command string
			if err == nil {
				command, _, err = f.kind.present(content)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", f.path, err))
			}
			if command != "" {
				found = append(found, Found{a.name, f.what, f.path, command, runs(command, o.Binary)})
			}
		}
	}
	return found, errors.Join(errs...)
}

// runs reports whether a command, which may be one for a shell, runs binary.
func runs(command, binary string) bool {
	return strings.HasPrefix(command+" ", binary+" ") || strings.HasPrefix(command, host.ShellWord(binary)+" ")
}

// dir is the first that is not empty of a variable and a directory in the
// person's home.
func (o Options) dir(variable string, below ...string) string {
	if d := o.Env(variable); d != "" && filepath.IsAbs(d) {
		return d
	}
	return filepath.Join(append([]string{o.Home}, below...)...)
}

// mcp is our server's command line, for a client that we configure to wait
// forever or, without limit, for one that gives calls up as it always does.
func (o Options) mcp(limit bool) []string {
	args := []string{"mcp"}
	if limit {
		args = append(args, "--call-limit", fmt.Sprint(forever))
	}
	var names []string
	for _, t := range o.Tools {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		args = append(args, "--tools", strings.Join(names, ","))
	}
	return args
}
