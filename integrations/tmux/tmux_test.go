package tmux

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

func TestPopupArgs(t *testing.T) {
	t.Parallel()
	cmd := host.Command{Args: []string{"/opt/askpane", "popup", "01X"}, Env: []string{"A=b c", "B=$(id);"}, Size: host.Size{Columns: 59, Rows: 12, Width: 100, Height: 100}}
	for _, c := range []struct {
		name   string
		v      host.Viewer
		size   []string
		border bool
	}{
		{"ordinary", host.Viewer{ID: "/dev/pts/7", Width: 120, Height: 40}, []string{"-b", "rounded", "-S", "fg=colour244", "-w", "59", "-h", "12"}, true},
		{"just large enough", host.Viewer{ID: "c", Width: host.SmallWidth, Height: host.SmallHeight}, []string{"-b", "rounded", "-S", "fg=colour244", "-w", "59", "-h", "12"}, true},
		{"narrow", host.Viewer{ID: "c", Width: host.SmallWidth - 1, Height: 40}, []string{"-w", "100%", "-h", "100%"}, false},
		{"low", host.Viewer{ID: "c", Width: 120, Height: host.SmallHeight - 1}, []string{"-w", "100%", "-h", "100%"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := popupArgs(c.v, cmd)
			want := []string{"display-popup", "-c", c.v.ID, "-E", "-T", " askpane "}
			if !c.border {
				want = append(want, "-B")
			}
			want = append(append(want, c.size...), "-e", "A=b c", "-e", `B=$(id);`, "--", "/opt/askpane", "popup", "01X")
			if !slices.Equal(args, want) {
				t.Errorf("args\n%q\nwant\n%q", args, want)
			}
			if n := strings.Count(strings.Join(args, "\n")+"\n", "-E\n"); n != 1 {
				t.Errorf("-E %d times", n)
			}
		})
	}
	cmd.Args = []string{"/opt/ask pane;", "popup", "x;"}
	args := popupArgs(host.Viewer{ID: "c", Width: 99, Height: 99}, cmd)
	if got := args[len(args)-3:]; !slices.Equal(got, []string{"/opt/ask pane;", "popup", "x;"}) {
		t.Errorf("words that end in ; are %q before they are quoted", got)
	}
}

func TestOpenWantsTwoWords(t *testing.T) {
	t.Parallel()
	s := &server{}
	if _, err := s.Open(t.Context(), host.Viewer{}, host.Command{Args: []string{"one"}}); err == nil || !strings.Contains(err.Error(), "through a shell") {
		t.Errorf("Open of one word: %v", err)
	}
}

func TestArgAndLiteral(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"": "", "a": "a", ";": `\;`, "a;": `a\;`, "a;b": "a;b", "a;;": `a;\;`, ";a": ";a"} {
		if got := arg(in); got != want {
			t.Errorf("arg(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"": "", "a": "a", "#(id)": "##(id)", "##": "####", "#{x} #[fg=red]": "##{x} ##[fg=red]"} {
		if got := literal(in); got != want {
			t.Errorf("literal(%q) = %q, want %q", in, got, want)
		}
	}
}

// row is a line of list-clients, as tmux 3.3a prints clientFormat.
func row(activity int, control, readonly, flags string, width, height int, name string) string {
	return fmt.Sprintf("%d\t%s\t%s\t%s\t%d\t%d\t$0\t@2\t120\t39\t7\t/dev/pts/9\txterm\t\t%%5\t1\t%s\n", activity, control, readonly, flags, width, height, name)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	const plain = "attached,focused,UTF-8"
	for _, c := range []struct{ name, out, want string }{
		{"one", row(10, "0", "0", plain, 120, 40, "/dev/pts/1"), "/dev/pts/1"},
		{"the most recently active", row(10, "0", "0", plain, 120, 40, "a") + row(12, "0", "0", plain, 120, 40, "b") + row(11, "0", "0", plain, 120, 40, "c"), "b"},
		{"control mode where there is no other", row(10, "0", "1", plain, 120, 40, "a") + row(9, "1", "0", "attached,focused,control-mode", 80, 0, "b"), "b"},
		{"control mode is no viewer", row(10, "0", "0", plain, 120, 40, "a") + row(99, "1", "0", "attached,focused,control-mode", 80, 24, "b"), "a"},
		{"read-only neither", row(10, "0", "0", plain, 120, 40, "a") + row(99, "0", "1", "attached,focused,read-only,UTF-8", 120, 40, "b"), "a"},
		{"suspended neither", row(10, "0", "0", plain, 120, 40, "a") + row(99, "0", "0", "attached,focused,suspended", 120, 40, "b"), "a"},
		{"too narrow", row(10, "0", "0", plain, 20, 5, "a") + row(99, "0", "0", plain, 19, 40, "b"), "a"},
		{"too low", row(10, "0", "0", plain, 20, 5, "a") + row(99, "0", "0", plain, 120, 4, "b"), "a"},
		{"the focused one of several", row(10, "0", "0", plain, 120, 40, "a") + row(99, "0", "0", "attached,UTF-8", 120, 40, "b"), "a"},
		{"all focused: activity", row(10, "0", "0", plain, 120, 40, "a") + row(99, "0", "0", plain, 120, 40, "b"), "b"},
		{"none focused: activity", row(99, "0", "0", "attached", 120, 40, "a") + row(10, "0", "0", "attached", 120, 40, "b"), "a"},
		{"a focused one that cannot show it", row(99, "0", "1", plain, 120, 40, "a") + row(10, "0", "0", "attached", 120, 40, "b"), "b"},
		{"a tab in the name", row(10, "0", "0", plain, 120, 40, "a\tb"), "a\tb"},
		{"lines that are none", "\nnonsense\n1\t2\t3\n" + row(10, "0", "0", plain, 120, 40, "a"), "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := choose(parseClients(c.out))
			if err != nil || got.ID != c.want {
				t.Errorf("choose = %q, %v, want %q", got.ID, err, c.want)
			}
		})
	}
}

func TestChooseNobody(t *testing.T) {
	t.Parallel()
	for out, want := range map[string]string{
		"": "nobody is attached to the tmux server",
		row(9, "0", "1", "attached,read-only", 120, 40, "a"): "nobody is attached who could answer: a is read-only (attached with -r)",
	} {
		if _, err := choose(parseClients(out)); !errors.Is(err, host.ErrNoViewer) || err.Error() != want {
			t.Errorf("choose: %v, want %s", err, want)
		}
	}
}

func TestParseClient(t *testing.T) {
	t.Parallel()
	c := parseClients("1763719200\t0\t0\tattached,UTF-8\t120\t40\t$3\t@7\t120\t39\t7\t/dev/pts/9\txterm\tXTerm(370)\t%5\t1\t/dev/pts/4\n")
	if len(c) != 1 {
		t.Fatalf("%d clients", len(c))
	}
	want := client{Viewer: host.Viewer{ID: "/dev/pts/4", Width: 120, Height: 40, Active: time.Unix(1763719201, 0)},
		session: "$3", window: "@7", pane: "%5", columns: 120, rows: 39, pid: 7, tty: "/dev/pts/9", term: "xterm", says: "XTerm(370)"}
	if c[0] != want {
		t.Errorf("client %+v, want %+v", c[0], want)
	}
}

// A window may be larger than the client that looks at it, which shows its beginning then.
func TestParseClientOfALargerWindow(t *testing.T) {
	t.Parallel()
	for size, want := range map[string][2]int{"80\t23\t1": {80, 23}, "200\t49\t1": {80, 23}, "200\t49\t0": {80, 24}, "60\t49\t2": {60, 22}, "200\t20\t1": {80, 20}} {
		columns, rest, _ := strings.Cut(size, "\t")
		rows, status, _ := strings.Cut(rest, "\t")
		c := parseClients("1763719200\t0\t0\tattached\t80\t24\t$3\t@7\t" + columns + "\t" + rows + "\t7\t/dev/pts/9\txterm\t\t%5\t" + status + "\t/dev/pts/4\n")
		if len(c) != 1 || c[0].columns != want[0] || c[0].rows != want[1] {
			t.Errorf("of a window of %q a client of 80x24 is said to show %+v, want %v", size, c, want)
		}
	}
}
