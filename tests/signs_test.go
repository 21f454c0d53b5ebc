package tests

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/askpane/askpane/tests/needs"
)

// ownSigns are all signs beyond ASCII that stand in the texts of our own screens:
// read from the source, so that a new one is among them.
func ownSigns(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	for _, dir := range []string{"../popup", "../popup/machine", "../popup/inbox", "../popup/preview", "../popup/preview/styled", "../popup/preview/render", "../popup/preview/diagram",
		"../settings/menu", "../bridge/form"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if lit, ok := n.(*ast.BasicLit); ok && (lit.Kind == token.STRING || lit.Kind == token.CHAR) {
					for sign := range strings.SplitSeq(lit.Value, "") { // by runes, so that no selector comes along
						if sign > "\x7f" && !selectors[sign] {
							found[sign] = true
						}
					}
				}
				return true
			})
		}
	}
	signs := make([]string, 0, len(found))
	for sign := range found {
		signs = append(signs, sign)
	}
	slices.Sort(signs)
	return signs
}

var selectors = map[string]bool{"\ufe0e": true, "\ufe0f": true}

// measure is a script that writes into the file widths how many cells each line
// of the file signs takes where it runs: it prints the sign and asks the terminal
// where the cursor is then.
const measure = `stty raw -echo
while IFS= read -r sign <&3; do
	printf '\r%s\033[6n' "$sign"
	IFS=';' read -r -s -d R row column
	echo "$((column - 1)) $sign" >>DIR/new
done 3<DIR/signs
mv DIR/new DIR/widths
`

// widths measures signs where run runs a script.
func widths(t *testing.T, signs []string, run func(script string)) map[string]int {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/signs", []byte(strings.Join(signs, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/measure", []byte(strings.ReplaceAll(measure, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	run("bash " + dir + "/measure")
	var measured string
	eventually(t, "every sign is measured", func() bool {
		text, err := os.ReadFile(dir + "/widths")
		measured = string(text)
		return err == nil
	})
	of := map[string]int{}
	for line := range strings.Lines(measured) {
		width, sign, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		cells, err := strconv.Atoi(width)
		if err != nil {
			t.Fatalf("the terminal answered %q for %q", width, sign)
		}
		of[sign] = cells
	}
	return of
}

// xtermWindow is a private xterm on a display of its own that runs a command. Its
// screen is read by having it printed.
type xtermWindow struct {
	t     testing.TB
	print string
	tty   string
}

func newXterm(t testing.TB, display string, env []string, width, height int, command ...string) *xtermWindow {
	t.Helper()
	x := &xtermWindow{t: t, print: filepath.Join(t.TempDir(), "printed")}
	needs.Program(t, "xterm")
	args := append([]string{"-u8", "-geometry", fmt.Sprintf("%dx%d", width, height), "-xrm", "XTerm*printerCommand: cat >>" + x.print, "-xrm", "XTerm*printAttributes: 0", "-e"}, command...)
	cmd := exec.Command("xterm", args...)
	cmd.Env = append(env, "DISPLAY="+display)
	start(t, cmd)
	t.Cleanup(func() { stop(t, cmd) })
	return x
}

// rows prints the screen: the sequence goes to the xterm as if its program wrote it.
func (x *xtermWindow) rows() []string {
	_ = os.Remove(x.print)
	if err := os.WriteFile(x.tty, []byte("\x1b[i"), 0); err != nil {
		x.t.Fatal(err)
	}
	var printed string
	needs.Within(patience, func() bool {
		text, err := os.ReadFile(x.print)
		printed = string(text)
		return err == nil && printed != ""
	})
	return strings.Split(strings.ReplaceAll(printed, "\uffff", ""), "\n") // that is the second half of a wide sign
}

func (x *xtermWindow) press(keys string)        { x.t.Fatal("nobody types into an xterm here") }
func (x *xtermWindow) resize(width, height int) { x.t.Fatal("nobody resizes an xterm here") }

// TestSigns: tmux and the terminals that it is drawn in give each of our own
// signs as many cells as we do. They differ over signs with variation selectors,
// which agents write; with these in a form, every border still stands in its column.
func TestSigns(t *testing.T) {
	signs := ownSigns(t)
	description := strings.Join(signs, " ") + "\n" + strings.Join(signs, "\ufe0f ") + "\ufe0f\n⌚\ufe0e ⚡\ufe0e 1\ufe0f\u20e3 ☎\ufe0f."
	request, err := json.Marshal(map[string]any{"questions": []any{
		map[string]any{"header": "Drop ✂\ufe0f it", "question": "Drop ☎\ufe0f orders_old?", "description": description, "type": "confirm_enum", "is_dangerous": true},
		map[string]any{"header": "Tell", "question": "Tell the team?", "type": "confirm_enum"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(t *testing.T, s *tmuxServer) (v *terminal, run func(script string)){
		"tmux": func(t *testing.T, s *tmuxServer) (*terminal, func(string)) {
			return s.attach("main", 100, 40), func(script string) { s.tmux("new-window", "-d", script) }
		},
		"kitty": func(t *testing.T, s *tmuxServer) (*terminal, func(string)) {
			k := newKitty(t, 100, 40)
			k.kitty("launch", map[string]any{"type": "tab", "args": append([]string{"env"}, append(s.env, "tmux", "-L", s.name, "attach-session", "-t", "main")...)})
			return &terminal{t: t, screens: k}, k.run
		},
		"xterm": func(t *testing.T, s *tmuxServer) (*terminal, func(string)) {
			display := startDisplay(t, t.TempDir())
			x := newXterm(t, display, s.env, 100, 40, "tmux", "-L", s.name, "attach-session", "-t", "main")
			eventually(t, "tmux is attached", func() bool { return len(s.clients()) == 1 })
			x.tty = s.clients()[0]
			return &terminal{t: t, screens: x}, func(script string) { newXterm(t, display, s.env, 100, 30, "sh", "-c", script) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTmux(t)
			v, run := open(t, s)
			of := widths(t, signs, run)
			for _, sign := range signs {
				if of[sign] != uniseg.StringWidth(sign) {
					t.Errorf("%s (%+q) takes %d cells, and we count %d", sign, sign, of[sign], uniseg.StringWidth(sign))
				}
			}
			s.ask("main", string(request))
			v.see("DESTRUCTIVE — Drop", "Type the resource name", "Type your answer", "Esc cancel", "F1 help")
			if name != "xterm" { // nobody types into that
				v.press("✂\ufe0f shears")
				v.see("shears")
				s.tmux("refresh-client", "-t", s.clients()[0]) // draws whole rows, and not what has changed
			}
			if name == "tmux" { // what it counts is not what it draws on: our emulator
				run = nil
			}
			var wrong string
			if !poll(func() bool { wrong = borders(t, v.rows(), run); return wrong == "" }) {
				t.Error(wrong)
			}
			s.spool.run(t, "", "answer", "--cancel", s.spool.only(t))
			v.unsee("DESTRUCTIVE")
		})
	}
}

// borders says which rows of the popup have its right side in another column than
// its top. How many cells a sign takes is measured by run; nil is in our own
// emulator.
func borders(t *testing.T, rows []string, run func(script string)) (wrong string) {
	t.Helper()
	var clusters []string
	split := func(row string) (parts []string) {
		for g := uniseg.NewGraphemes(row); g.Next(); {
			parts = append(parts, g.Str())
		}
		return parts
	}
	for _, row := range rows {
		for _, c := range split(row) {
			if c > "\x7f" && !slices.Contains(clusters, c) {
				clusters = append(clusters, c)
			}
		}
	}
	var of map[string]int
	if run != nil {
		of = widths(t, clusters, run)
	}
	column, checked := 0, 0
	for _, row := range rows {
		row = strings.TrimRight(row, " ")
		inside := strings.TrimSuffix(strings.TrimSuffix(row, "╮"), "┐") // rounded but where tmux has only the others
		isTop := column == 0 && inside != row
		if !isTop && column == 0 {
			continue // above the popup
		}
		if !isTop {
			inside = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(row, "│"), "╯"), "┘")
		}
		at := 0
		for _, c := range split(inside) {
			switch width, measured := of[c]; {
			case measured:
				at += width
			case run == nil:
				at += vtWidth(c)
			default:
				at++
			}
		}
		if isTop {
			column = at
		} else if checked++; at != column || inside == row {
			wrong += fmt.Sprintf("the popup's side stands in column %d and not in %d: %s\n", at, column, row)
		}
		if strings.HasSuffix(row, "╯") || strings.HasSuffix(row, "┘") {
			break
		}
	}
	if checked < 10 {
		wrong += fmt.Sprintf("only %d rows of a popup in\n%s", checked, frame(rows))
	}
	return wrong
}
