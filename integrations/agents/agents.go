// Package agents installs askpane into the agents that people use: it knows
// which of their files say what, puts our part in and takes it out again.
//
// It touches those files and nothing else, and knows nothing of forms. The rule
// that must hold here: what a person wrote stays as it is, to the byte; only our
// own part comes and goes, and before a file changes there is a copy beside it.
package agents

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings/edit"
)

// Agent describes a program that askpane can be installed into.
type Agent struct {
	Name string
	// Parts can be installed. Carriers carry its questions, and are if nothing else is said.
	Parts, Carriers []string
	Personal        bool                   // it has no files of a project
	Setup           *host.Setup            // a multiplexer's or a terminal's; nil of an agent
	Hint            string                 // what else may be wanted, where only the carriers are; AGENT in it is the name
	Caution         string                 // what has to be known of the part Permissions
	Use             string                 // what it is for, where it is no agent
	Starts, Ends    string                 // of a service, the person's commands after it was installed and taken out
	Dir             string                 // of the skill, the folder that is named to a person as an instance
	files           func(o Options) []file // what each part of the agent puts where
}

// Parts of agents.
const (
	Questions   = "questions"   // stands for the parts that carry an agent's questions
	Permissions = "permissions" // asks for its permissions here
	Plans       = "plans"       // asks about its plans here
	Auto        = "auto"        // has it ask, where it decides by itself, before what permissionDangerous lists
	MCP         = "mcp"         // makes it start our MCP server
	hook        = "hook"        // has it run askpane for its own question tool
	Server      = "MCP server"  // is what a file has of MCP
)

// unasked are the parts that are installed for nobody who has not asked for them.
var unasked = []string{Permissions, Auto, Plans}

// Options say what is installed, and where.
type Options struct {
	Binary string // askpane's absolute path, which is written in
	// Project names the directory of the project that it is installed for; empty for the
	// person, wherever they work.
	Project string
	Home    string // the person's home directory
	Dir     string // of the skill; empty for those that are known
	Env     func(name string) string
	Tools   []Tool   // that models are offered; none for the default one
	Parts   []string // of the agent; none for those that Wanted returns
	// Version returns what Claude Code prints for --version; empty where that is not known.
	Version func() string
}

// Tool is a question tool: the name that models call it by, and the dialect of
// `askpane ask` that it speaks.
type Tool struct {
	Name    string `json:"name"`
	Dialect string `json:"dialect"`
}

// forever is a week, in seconds: agents are told that a call may take so long. As
// milliseconds it still fits the 31 bits of a JavaScript timer, which fires at once where it
// does not.
const forever = 7 * 24 * hour

const hour = 60 * 60

// ServerName names our MCP server in the agents' files. Models see it before the names of its tools.
const ServerName = "askpane"

// All lists the agents and the multiplexers.
func All() []Agent { return slices.Concat(all, multiplexers()) }

// Everything lists all that askpane can be installed into, or as.
func Everything() []Agent { return slices.Concat(All(), Services(), []Agent{skill}) }

// Words lists what o.Parts may name.
func (a Agent) Words() []string {
	carriers := slices.DeleteFunc(slices.Clone(a.Parts), func(p string) bool { return slices.Contains(unasked, p) })
	asked := slices.DeleteFunc(slices.Clone(a.Parts), func(p string) bool { return slices.Contains(carriers, p) })
	if len(carriers) == 1 {
		carriers = nil
	}
	return slices.Concat([]string{Questions}, asked, carriers)
}

// Wanted returns the parts that o asks for; if it names none, those that are installed, or else
// the Carriers.
func (a Agent) Wanted(o Options) (parts []string, err error) {
	for _, p := range o.Parts {
		switch {
		case p == Questions:
			parts = append(parts, a.Carriers...)
		case slices.Contains(a.Parts, p):
			parts = append(parts, p)
		default:
			return nil, fmt.Errorf("%s has no part %q; there are %s", a.Name, p, strings.Join(a.Words(), ", "))
		}
	}
	if parts == nil {
		found, _ := a.check(o) // a file that cannot be read is told of by who is to change it
		for _, f := range found {
			parts = append(parts, f.Part)
		}
	}
	if parts == nil {
		parts = a.Carriers
	}
	return slices.Compact(parts), nil
}

// holding returns the files of the parts that are wanted, one entry a file.
func (a Agent) holding(o Options, wanted func(part file) bool) (files []file) {
	for _, f := range a.files(o) {
		switch i := slices.IndexFunc(files, func(other file) bool { return other.path == f.path }); {
		case !wanted(f):
		case i < 0:
			files = append(files, f)
		default:
			files[i].what += ", " + f.what
			files[i].kind = files[i].kind.with(f.kind)
		}
	}
	return files
}

// file holds a part of ours, or several (holding).
type file struct {
	part string // the first
	what string // in a word or two
	path string
	kind kind
}

// kind puts our part into a file's content and takes it out. Content is nil of a file that is
// not there.
type kind interface {
	// add returns the content with our part in it; if that is there already in the same
	// words the content comes back as it was.
	add(content []byte) ([]byte, error)
	// remove returns the content without our part. before is the content from before we
	// came, nil if there was none or that is not known.
	remove(content, before []byte) ([]byte, error)
	// present reports whether anything of our part is in the content, and what commands it
	// runs, if it runs any.
	present(content []byte) (commands []string, ours bool, err error)
	// snippet returns our part alone, for a person to put in themselves.
	snippet() string
	// with returns what puts in another part, too, which is of the same kind.
	with(other kind) kind
}

// Install plans what installs askpane into the agent.
func (a Agent) Install(o Options) ([]Step, error) {
	var err error
	if o.Parts, err = a.Wanted(o); err != nil {
		return nil, err
	}
	whole := a.holding(o, func(file) bool { return true })
	return a.steps(o, a.holding(o, func(f file) bool { return slices.Contains(o.Parts, f.part) }), func(f file) (Step, error) {
		i := slices.IndexFunc(whole, func(w file) bool { return w.path == f.path })
		return f.install(whole[i].kind)
	})
}

// Uninstall plans what takes all parts of askpane out of the agent: nothing where none is
// installed.
func (a Agent) Uninstall(o Options) ([]Step, error) {
	there := a.holding(o, func(f file) bool {
		_, _, ours, err := f.inspect(f.kind)
		return ours || cmp.Or(err, o.within(f)) != nil
	})
	return a.steps(o, there, func(f file) (Step, error) { return f.uninstall(cmp.Or(o.Project, o.Home)) })
}

// within refuses a file of a project where a link leads out of that.
func (o Options) within(f file) error {
	if o.Project == "" {
		return nil
	}
	return cmp.Or(edit.Within(o.Project, f.path), edit.Within(o.Project, copyOf(f.path)))
}

// steps is a step for each file. With an error the last is of a file that has no place for our part, which a person may put in by hand.
func (a Agent) steps(o Options, files []file, step func(file) (Step, error)) (steps []Step, err error) {
	if a.Personal && o.Project != "" {
		return nil, hint.New("leave --project out", "%s: its configuration is a person's own, not a project's", a.Name)
	}
	for _, f := range files {
		if err := o.within(f); err != nil {
			return nil, err
		}
		s, err := step(f)
		if steps = append(steps, s); err != nil {
			return steps, fmt.Errorf("%s is left alone: %w", f.path, err)
		}
	}
	return steps, nil
}

// Found describes a part of ours that is installed.
type Found struct {
	Agent, Part, What, Path string
	Commands                []string // that it runs
	Ours                    bool     // these are all this askpane
	Older                   bool     // install has a better way by now, as for the agent's version
}

// Check looks for what is installed, in every agent and as a skill: for the person,
// and for the project if o names one. The error is about files that could not be
// read; the others are looked at all the same.
func Check(o Options) (found []Found, err error) {
	personal := o
	personal.Project = ""
	places := []Options{personal}
	if o.Project != "" && o.Project != o.Home { // there both are the same files
		places = append(places, o)
	}
	for _, o := range places {
		for _, a := range Everything() {
			if a.Personal && o.Project != "" {
				continue
			}
			here, e := a.check(o)
			found, err = append(found, here...), errors.Join(err, e)
		}
	}
	return found, err
}

// check looks for each part of a in one place. A file that cannot be read is named once, whatever
// parts it may have.
func (a Agent) check(o Options) (found []Found, err error) {
	var broken []string
	for _, f := range a.files(o) {
		content, commands, _, e := f.inspect(f.kind)
		switch {
		case e != nil && !slices.Contains(broken, f.path):
			broken, err = append(broken, f.path), errors.Join(err, fmt.Errorf("%s: %w", f.path, e))
		case len(commands) > 0 && commands[0] != "":
			parts, _ := f.kind.(inJSON)
			doc, _ := edit.Parse(content) // which has been read
			older := f.outdated(content) || slices.ContainsFunc(parts, func(e entry) bool { return e.gone && e.find(doc) != "" })
			found = append(found, Found{a.Name, f.part, f.what, f.path, commands, run(commands, o.Binary), older})
		}
	}
	return found, err
}

// chosen matches the lines of a script that are the person's choice: where askpane is, and pi's tools.
var chosen = regexp.MustCompile(`(?m)^(// askpane begin: |const (ASKPANE|TOOLS)\b).*`)

// outdated reports whether f is a script as another askpane has written it.
func (f file) outdated(content []byte) bool {
	now, err := f.kind.add(content)
	return err == nil && filepath.Ext(f.path) == ".ts" && !bytes.Equal(chosen.ReplaceAll(now, nil), chosen.ReplaceAll(content, nil))
}

// run reports whether all commands, which may be ones for a shell, run binary, or the file that it leads to, also by another link.
func run(commands []string, binary string) bool {
	file, _ := filepath.EvalSymlinks(binary)
	names := []string{binary + " ", hint.Word(binary) + " ", file + " ", hint.Word(file) + " "}
	return !slices.ContainsFunc(commands, func(command string) bool {
		program, _, _ := strings.Cut(command, " ")
		leads, _ := filepath.EvalSymlinks(strings.Trim(program, "'"))
		return (leads != file || file == "") && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(command+" ", name) })
	})
}

// mcp makes our server's command line, for a client that we configure to wait limit seconds.
func (o Options) mcp(limit int) []string {
	args := []string{"mcp", "--call-limit", fmt.Sprint(limit)}
	var names []string
	for _, t := range o.Tools {
		names = append(names, t.Name)
	}
	if names != nil {
		args = append(args, "--tools", strings.Join(names, ","))
	}
	return args
}
