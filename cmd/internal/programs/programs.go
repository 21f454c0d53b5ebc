// Package programs lists the programs that askpane is made of: which of askpane's commands
// runs which of them, and where they are found.
//
// They are several so that a popup, which is on the way of every question,
// links nothing that it does not need. They are installed side by side.
package programs

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// Program describes one of askpane's programs.
type Program struct {
	Name     string    // of its file
	Commands []Command // of askpane that run it
	Usage    string    // what it does, in one line
}

// Command describes a command of askpane that another program runs.
type Command struct {
	Name, Usage string
	Examples    string
	Args        []string // that stand before the person's
}

// Adding a program takes a variable, and a word in All.
var (
	Askpane = Program{Name: "askpane", Usage: "put an agent's question in front of its person, and bring the answer back"}
	MCP     = Program{Name: "askpane-mcp", Usage: serves, Commands: []Command{{Name: "mcp", Usage: serves, Examples: "askpane mcp"}}}
	Popup   = Program{Name: "askpane-popup", Usage: "show a waiting question on this terminal; this is what the host runs"}
	Preview = Program{Name: "askpane-preview", Usage: "render Markdown, code and diagrams as styled rows"}
	Desk    = Program{Name: "askpane-desk", Usage: "serve forms, inbox and history to your browser and your phone", Commands: []Command{
		{"desk", "serve the pages in a browser, until nothing waits and nobody looks", "askpane desk --stay", []string{"desk"}},
		{"page", "open a question, or the inbox, in the browser", "askpane page\naskpane page 01KA7Q9T", []string{"page"}},
		{"phone", "pair a phone by a QR code; list and revoke phones and pages", "askpane phone\naskpane phone list\naskpane phone name p3f2 my old phone\naskpane phone revoke p3f2\naskpane phone confirm K7QXM2ABCD", []string{"phone"}},
		{"chat", "have questions posted in a chat, and answer them there", "askpane chat setup discord\naskpane chat\naskpane chat allow\naskpane chat off", []string{"chat"}},
	}}
	Hub = Program{Name: "askpane-hub", Usage: "bring the questions of several machines to the one you sit at", Commands: []Command{
		{"hub", "serve the hub of your machines; set it up, invite machines, list and revoke them", "askpane hub init\naskpane hub\naskpane hub invite build1\naskpane hub machines\naskpane hub revoke build1", []string{"hub"}},
		{"join", "join a hub, by the line of askpane hub invite on standard input", "askpane join\nssh laptop askpane hub invite build1 | askpane join", []string{"join"}},
		{"forward", "have the questions of another machine come here, over ssh", "askpane forward user@build1\naskpane forward build1 -- -p 2222\naskpane forward --socket ~/.cache/askpane/socket", []string{"forward"}},
	}}
)

const serves = "serve the question tools to an agent over the Model Context Protocol, on standard input and output"

// All is every program.
var All = []Program{Askpane, Popup, MCP, Preview, Desk, Hub}

// released is the version where the go command knows of none, as in nix, which has no git: the
// linker sets it (-X).
var released string

// Version says what this program was built from: the module's version, which the go command
// takes from the tag, or makes up from the commit where that has none.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown (built without module information)"
	}
	return cmp.Or(strings.TrimPrefix(info.Main.Version, "(devel)"), released, "(devel)") + " " + info.GoVersion
}

// expectedEnv carries the version of the program that starts another one to it.
const expectedEnv = "ASKPANE_EXPECTED_VERSION"

// Find finds the program's file: beside the running program, under the name it was started by
// and where a link with that name points to, and then in PATH.
func (p Program) Find() (path string, err error) {
	if path := p.Beside(); path != "" {
		return path, nil
	}
	if path, err := exec.LookPath(p.Name); err == nil {
		return filepath.Abs(path)
	}
	return "", hint.New(installAll, "%s is not installed; it was looked for in %s and in PATH", p.Name, strings.Join(own(), ", "))
}

// Beside finds the program's file beside the running program; empty is that it is not there.
func (p Program) Beside() string {
	for _, dir := range own() {
		if path, err := exec.LookPath(filepath.Join(dir, p.Name)); err == nil {
			return path
		}
	}
	return ""
}

// ShowsForm returns the command that shows the form whose id is its next argument. Where
// askpane is alone, as under go run, that is askpane popup, which takes longer to start.
func ShowsForm() (args []string, err error) {
	if path := Popup.Beside(); path != "" {
		return []string{path}, nil
	}
	path, err := Askpane.Find()
	self, _ := os.Executable()
	if there, gone := exec.LookPath(self); err != nil && gone == nil && !slices.ContainsFunc(All[1:], func(p Program) bool { return p.Name == filepath.Base(self) }) {
		path, err = there, nil // askpane by another name
	}
	return []string{path, "popup"}, err
}

const installAll = "install all of askpane's programs side by side: go install github.com/askpane/askpane/cmd/...@latest, or of one release the packages askpane and askpane-hub (install.sh, install.sh --hub)"

// own lists the directories of the running program: that of the name it was started by, and
// that of the file which the name leads to.
func own() (dirs []string) {
	started, _ := exec.LookPath(os.Args[0])
	self, _ := os.Executable()
	real, _ := filepath.EvalSymlinks(self)
	for _, path := range []string{started, self, real} {
		dir, err := filepath.Abs(filepath.Dir(path))
		if path != "" && err == nil && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
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
	return p.refuse(err)
}

// Cmd makes a command that runs this program with args. The program ends with an error where
// it is of another version, but for the desk: it takes the same commands in each, and who has
// run since before an upgrade has the next version's.
func (p Program) Cmd(args ...string) (*exec.Cmd, error) {
	path, err := p.Find()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	if p.Name != Desk.Name || slices.Contains(args, "--version") {
		cmd.Env = p.env()
	}
	return cmd, nil
}

// Output runs this program with args, away from the terminal, to its end. The error is what
// it says.
func (p Program) Output(args ...string) (out []byte, err error) {
	cmd, err := p.Cmd(args...)
	if err != nil {
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err = cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(strings.TrimPrefix(text.OneLine(string(exit.Stderr), 300), "askpane: "))
	}
	return out, err
}

func (p Program) env() []string { return append(os.Environ(), expectedEnv+"="+Version()) }

// Started must be called first in the main of a program that others start. It returns an error
// where the one that started this one is of another version.
func (p Program) Started() error {
	expected, started := os.LookupEnv(expectedEnv)
	_ = os.Unsetenv(expectedEnv)
	if !started || expected == Version() {
		return nil
	}
	return p.refuse(hint.New(installAll, "%s is of version %s, and the askpane that starts it of version %s", p.Name, Version(), expected))
}

// Check finds the program and has it compare its version with ours.
func (p Program) Check() error {
	path, err := p.Find()
	if err != nil {
		return err
	}
	if _, err = p.Output("--version"); err != nil {
		err = hint.New(installAll, "%s is of another version than %s, or broken: %w", path, Version(), err)
	}
	return err
}

// Checks tells askpane doctor of the running program, and of those of its siblings that cannot
// be used.
func Checks() []hint.Check {
	const section = "askpane"
	self, _ := os.Executable() // which asking does without
	checks := []hint.Check{{Section: section, Name: "version", State: hint.OK, Detail: Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ", " + self}}
	for _, p := range All[1:] {
		if err := p.Check(); err != nil {
			checks = append(checks, hint.Wrong(section, strings.TrimPrefix(p.Name, Askpane.Name+"-"), hint.Warn, err))
		}
	}
	return checks
}

// The codes of JSON-RPC: for the request that begins a session, and for any
// other. Claude Code tries server/discover first and turns to initialize where
// that does not exist (docs/dev/agents.md, What was measured).
const (
	internalError  = -32603
	methodNotFound = -32601
)

// refuse tells an MCP client, who does not read standard error, why there is no
// server: each of its requests, up to and with initialize, is answered by err.
// It returns err.
func (p Program) refuse(err error) error {
	info, e := os.Stdin.Stat()
	if p.Name != MCP.Name || e != nil || info.Mode()&os.ModeCharDevice != 0 { // a person's terminal
		return err
	}
	message, _ := json.Marshal(err.Error()) // a string
	for lines, code := bufio.NewScanner(os.Stdin), methodNotFound; code != internalError && lines.Scan(); {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		if request.Method == "initialize" {
			code = internalError
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", request.ID, code, message)
	}
	return err
}
