// Package programs is the table of the programs that askpane is made of: which
// of askpane's commands runs which of them, and where they are found.
//
// They are several so that a popup, which is on the way of every question,
// links nothing that it does not need. They are installed side by side.
package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// Program is one of askpane's programs.
type Program struct {
	// Name is the name of its file.
	Name string
	// Command is the command of askpane that runs it; empty when none does.
	Command string
	// Usage says in one line what it does.
	Usage string
	// Refuse tells whoever runs the command that the program cannot run, where
	// they do not read standard error. May be nil.
	Refuse func(why error)
}

// The programs. Adding one is a variable, and a word in all.
var (
	Askpane = Program{Name: "askpane", Usage: "put an agent's question in front of its person, and bring the answer back"}
	MCP     = Program{Name: "askpane-mcp", Command: "mcp", Refuse: refuseMCP,
		Usage: "serve the question tools to an agent over the Model Context Protocol, on standard input and output"}
	Preview = Program{Name: "askpane-preview", Usage: "render Markdown, code and diagrams as styled rows"}
)

var all = []Program{Askpane, MCP, Preview}

// WithCommand lists the programs that a command of askpane runs.
func WithCommand() []Program {
	return slices.DeleteFunc(slices.Clone(all), func(p Program) bool { return p.Command == "" })
}

// expectedEnv carries the version of the program that starts another one to it.
const expectedEnv = "ASKPANE_EXPECTED_VERSION"

// Find is the path of the program's file. It is looked for beside the running
// program, under the name it was started by and where a link with that name
// points to, and then in PATH.
func (p Program) Find() (path string, err error) {
	dirs := own()
	for _, dir := range dirs {
		if path, err := exec.LookPath(filepath.Join(dir, p.Name)); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(p.Name); err == nil {
		return filepath.Abs(path)
	}
	return "", hint.New(installAll, "%s is not installed; it was looked for in %s and in PATH", p.Name, strings.Join(dirs, ", "))
}

const installAll = "install all of askpane's programs side by side: go install github.com/askpane/askpane/cmd/...@latest"

// own are the directories of the running program: that of the name it was
// started by, and that of the file which the name leads to.
func own() []string {
	var dirs []string
	add := func(path string, err error) {
		if err != nil {
			return
		}
		if dir := filepath.Dir(path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	started, err := exec.LookPath(os.Args[0])
	if err == nil {
		add(filepath.Abs(started))
	}
	self, err := os.Executable()
	add(self, err)
	add(filepath.EvalSymlinks(self))
	return dirs
}

// Exec replaces the running program by this one, with args, and returns only
// when it cannot. Process number, standard streams and environment stay.
func (p Program) Exec(args []string) error {
	path, err := p.Find()
	if err == nil {
		err = syscall.Exec(path, append([]string{path}, args...), p.env())
		err = fmt.Errorf("start %s: %w", path, err)
	}
	if p.Refuse != nil {
		p.Refuse(err)
	}
	return err
}

// Cmd is a command that runs this program with args. The program ends with an
// error where it is of another version.
func (p Program) Cmd(args ...string) (*exec.Cmd, error) {
	path, err := p.Find()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Env = p.env()
	return cmd, nil
}

func (p Program) env() []string { return append(os.Environ(), expectedEnv+"="+Version()) }

// Started must be called first in the main of a program that others start: it
// is an error where the one that started this one is of another version.
func (p Program) Started() error {
	expected, started := os.LookupEnv(expectedEnv)
	if err := os.Unsetenv(expectedEnv); err != nil {
		return err
	}
	if !started || expected == Version() {
		return nil
	}
	err := hint.New(installAll, "%s is of version %s, and the askpane that starts it of version %s", p.Name, Version(), expected)
	if p.Refuse != nil {
		p.Refuse(err)
	}
	return err
}

// Check finds the program and has it compare its version with ours.
func (p Program) Check() error {
	cmd, err := p.Cmd("--version")
	if err != nil {
		return err
	}
	_, err = cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return hint.New(installAll, "%s is of another version than %s, or broken: %s", cmd.Path, Version(), text.OneLine(string(exit.Stderr), 200))
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", cmd.Path, err)
	}
	return nil
}
