package relay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/run/screen"
)

// stage is a relay without processes, whose terminal is a file.
type stage struct {
	*relay
	t   *testing.T
	tty string
}

func newStage(t *testing.T, width, height int) *stage {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tty")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &stage{&relay{out: f, screen: screen.New(width, height), passed: make(chan struct{}, 1)}, t, path}
}

// open is a popup that has drawn something.
func (s *stage) open(draws string) *box {
	width, height := s.screen.Size()
	b := &box{wants: [2]int{width * 6 / 10, height * 6 / 10}}
	b.place(width, height)
	b.screen = screen.New(b.area.Load().Dx(), b.area.Load().Dy())
	b.screen.Hold([]byte(draws))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.box = b
	s.coverWith(b)
	s.paint(b)
	return b
}

func (s *stage) close(b *box) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uncover(b)
	s.box = nil
}

// written is all that was written to the terminal.
func (s *stage) written() string {
	s.t.Helper()
	data, err := os.ReadFile(s.tty)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// seen is the terminal after all that was written to it, from a byte on.
func (s *stage) seen(from int) *screen.Screen {
	s.t.Helper()
	v := screen.New(s.screen.Size())
	v.Feed([]byte(s.written()[from:]))
	return v
}

// show is a screen as a failing test prints it.
func show(sn *screen.Snapshot) string {
	var b strings.Builder
	for _, line := range sn.Cells.Lines {
		b.WriteString(strings.TrimRight(uv.Lines{line}.String(), " ") + "\n")
	}
	return b.String()
}

// aForm is what a popup draws: all of its screen, colours, the mouse, and no end
// of modes.
const aForm = "\x1b[?1049h\x1b[?1;25l\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h\x1b[?2004h\x1b=\x1b(B\x1b[H\x1b[2J\x1b[41;1mWhich colour?\x1b[5;3H漢字 and a lot more"

// programs are what commands write, in the order of how much they do at once.
var programs = map[string]string{
	"prompt":              "$ ls\r\nfile\r\n$ ",
	"colours":             "\x1b[1;38;5;200mone\x1b[48;2;1;2;3m two\x1b[4:3;58;5;9mthree\x1b[m four \x1b[7mrest",
	"scrolled":            strings.Repeat("line\r\n", 30) + "last",
	"wraps next":          strings.Repeat("x", 40),
	"wide wraps next":     strings.Repeat("漢", 20),
	"wide does not fit":   strings.Repeat("漢", 19) + "a字b",
	"combining":           "e\u0301 a\u0308\u0323 \u0928\u0940 👩‍👩‍👧 z",
	"alternate":           "before\r\n\x1b[?1049h\x1b[H\x1b[2Jvim\r\n~\r\n~\x1b[12;1H\x1b[7mstatus\x1b[m\x1b[2;3H",
	"alternate and back":  "before\r\n\x1b[?1049h\x1b[H\x1b[2Jvim\x1b[?1049l after",
	"old alternate":       "before\r\n\x1b[?47hthere\x1b[5;5H\x1b[?47l after",
	"region":              "\x1b[3;9r\x1b[9;1H" + strings.Repeat("in\r\n", 9) + "x",
	"origin":              "\x1b[3;9r\x1b[?6h\x1b[2;2Hin the region",
	"saved":               "one\x1b[32m\x1b7\x1b[5;5H\x1b[31mtwo\x1b8three",
	"saved and open":      "one\x1b[32m\x1b7\x1b[5;5H\x1b[31mtwo",
	"saved by CSI":        "one\x1b[s\x1b[5;5Htwo\x1b[uthree",
	"saved by a mode":     "one\x1b[32m\x1b[?1048h\x1b[5;5H\x1b[31mtwo\x1b[?1048lthree",
	"saved and in a mode": "one\x1b[32m\x1b[?1048h\x1b[5;5H\x1b[31mtwo",
	"line drawing":        "\x1b(0lqqk\x1b(B text \x1b)0\x0elqk\x0f text \x0eqq",
	"insert":              "abcdef\x1b[3D\x1b[4hXY",
	"no wrapping":         "\x1b[?7l" + strings.Repeat("y", 50),
	"hidden cursor":       "\x1b[?25l\x1b[3;3Hwork",
	"mouse and keys":      "\x1b[?1000h\x1b[?1002h\x1b[?1006h\x1b[?2004h\x1b[?1h\x1b=\x1b[?1004hready",
	"kitty keyboard":      "\x1b[>1u\x1b[>4;2mready",
	"hyperlink":           "\x1b]8;id=1;https://example.com\x1b\\link\x1b]8;;\x1b\\ no\x1b]8;;https://example.org\alink",
	"links and screens":   "\x1b[?1049h\x1b]8;;https://example.org\ain\x1b[?1049l and out",
	"links and cursors":   "\x1b7\x1b]8;;https://example.org\ain\x1b8 and out",
	"link wraps next":     "\x1b]8;;https://example.org\a" + strings.Repeat("x", 40),
	"title":               "\x1b]0;one\a\x1b]2;two\x1b\\text",
	"synchronized":        "one\x1b[?2026htwo\x1b[2;2Hthree",
	"erase":               "aaaa\r\nbbbb\r\ncccc\x1b[2;3H\x1b[1J\x1b[44m\x1b[K\x1b[4;1H\x1b[J\x1b[m",
	"tabs":                "a\tb\tc\x1b[3g\x1b[4;11H\x1bH\r\tx",
	"insert and delete":   "one\r\ntwo\r\nthree\x1b[2;1H\x1b[L\x1b[2;2H\x1b[3@x\x1b[3;1H\x1b[2P\x1b[M",
	"next line":           "one\x1bEtwo\x1bDthree\x1bM\x1bMfour",
	"reset":               "text\x1b[?1049h\x1b[31m\x1bcnew",
	"broken off":          "one\x1b[3\x1b[31mtwo\x1b(\x1b[1mthree",
	"cancelled":           "one\x1b[3\x18two\x1b]0;ti\x1athree",
	"a picture":           "one\x1bPq#0;2;0;0;0#0~~@@vv@@~~$\x1b\\two",
	"bracketed by shifts": "a\x0e\x0fb",
}

// What is on the terminal after a popup is what would be there without it,
// wherever in the command's output it comes and goes.
func TestBoxLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step := 1 + len(program)/8 // an emulator is 4 MiB to begin with
			for from := 0; from <= len(program); from += step {
				for _, to := range []int{min(from+3, len(program)), len(program)} { // little of it, or the rest, comes while it is open
					interrupted(t, program, from, to)
					if t.Failed() {
						return
					}
				}
			}
		})
	}
}

// interrupted runs a program with a popup open from one byte to another.
func interrupted(t *testing.T, program string, from, to int) {
	t.Helper()
	from = boundary(program, from)
	want := screen.New(40, 12)
	want.Feed([]byte(program))
	s := newStage(t, 40, 12)
	s.output([]byte(program[:from]))
	b := s.open(aForm)
	terminal, shown := s.seen(0), len(s.written())
	if seen := show(terminal.Snapshot()); !strings.Contains(seen, "Which colour?") {
		t.Fatalf("from %d to %d, the form is not to be seen:\n%s", from, to, seen)
	}
	s.output([]byte(program[from:to]))
	s.close(b)
	s.output([]byte(program[to:]))
	what := fmt.Sprintf("%q, a popup from %d to %d", program, from, to)
	terminal.Feed([]byte(s.written()[shown:]))
	compare(t, what, terminal, want)
	if slices.Contains(savers, program) { // else the cursor that was saved is nobody's
		s.output([]byte("\x1b8x"))
		want.Feed([]byte("\x1b8x"))
		compare(t, what+", and back at its cursor", s.seen(0), want)
	}
}

var savers = []string{programs["saved"], programs["saved and open"], programs["saved by CSI"], programs["saved and in a mode"]}

// boundary is the last place before at where no sign is cut in two: a program
// that stops for long within one leaves half of it behind.
func boundary(program string, at int) int {
	n := 0
	for n < at {
		cluster, _ := ansi.FirstGraphemeCluster(program[n:], ansi.GraphemeWidth)
		if next := n + max(len(cluster), 1); next <= at {
			n = next
		} else {
			break
		}
	}
	return n
}

// compare checks all that a snapshot knows.
func compare(t *testing.T, what string, have, want *screen.Screen) {
	t.Helper()
	h, w := have.Snapshot(), want.Snapshot()
	for y := range w.Cells.Lines {
		for x := range w.Cells.Lines[y] {
			a, z := w.Cells.CellAt(x, y), h.Cells.CellAt(x, y)
			if !same(a, z) {
				t.Fatalf("%s: row %d, column %d is %+v, want %+v\n--- have\n%s--- want\n%s", what, y, x, *z, *a, show(h), show(w))
			}
		}
	}
	empty := blank()
	h.Cells, w.Cells = empty.Cells, empty.Cells
	if a, z := screen.CatchUp(empty, h), screen.CatchUp(empty, w); a != z {
		t.Fatalf("%s: the state is\n%q, want\n%q", what, a, z)
	}
}

// blank is a screen that nothing was written to.
var blank = sync.OnceValue(func() *screen.Snapshot { return screen.New(40, 12).Snapshot() })

// same takes a blank for a blank.
func same(a, b *uv.Cell) bool {
	empty := func(c *uv.Cell) bool { return c.Content == "" || c.Content == " " }
	return a.Equal(b) || empty(a) && empty(b) && a.Style.Equal(&b.Style) && a.Link == b.Link
}

// The same with any mixture of all of them.
func TestBoxLeavesNothingOfAny(t *testing.T) {
	t.Parallel()
	var all []string
	for _, name := range slices.Sorted(maps.Keys(programs)) { // so that a seed is the same mixture in every run
		if name != "cancelled" { // what comes after a sequence that was cut would be its
			all = append(all, programs[name])
		}
	}
	for seed := range 12 {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		var program strings.Builder
		for range 6 {
			program.WriteString(all[r.IntN(len(all))])
		}
		text := program.String()
		for range 4 {
			from := r.IntN(len(text) + 1)
			interrupted(t, text, from, from+r.IntN(len(text)-from+1))
		}
	}
}

// A popup that is drawn again leaves nothing either; and a terminal that has seen
// nothing before shows it, and the command's screen after it.
func TestBoxDrawnAgain(t *testing.T) {
	t.Parallel()
	for name, program := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := screen.New(40, 12)
			want.Feed([]byte(program))
			s := newStage(t, 40, 12)
			s.output([]byte(program))
			b := s.open(aForm)
			before := len(s.written())
			s.redraw()
			if seen := show(s.seen(before).Snapshot()); !strings.Contains(seen, "Which colour?") {
				t.Errorf("on another terminal the form is not to be seen:\n%s", seen)
			}
			s.close(b)
			compare(t, "drawn again", s.seen(0), want)
			if have, want := show(s.seen(before).Snapshot()), show(want.Snapshot()); have != want {
				t.Errorf("on another terminal there is\n%s, want\n%s", have, want)
			}
		})
	}
}

// A terminal that becomes too small for a form with a border, and large again, has the
// box where it was, whatever the form has asked for meanwhile.
func TestBoxAfterASmallTerminal(t *testing.T) {
	t.Parallel()
	for _, small := range [][2]int{{20, 5}, {30, 6}, {60, 5}, {100, 6}, {59, 30}} {
		s := newStage(t, 100, 30)
		b := s.open(aForm)
		before := *b.area.Load()
		for _, size := range [][2]int{small, {100, 30}} {
			s.mu.Lock()
			s.screen.Resize(size[0], size[1])
			s.resizeBox(size[0], size[1])
			s.mu.Unlock()
			if size == small { // 80 % of it, as the settings have it
				s.asks(t, small[0]*8/10, small[1]*8/10)
				if area := b.area.Load(); area.Dx() != small[0] || area.Dy() != small[1] {
					t.Errorf("at %v it has %v", small, area)
				}
			}
		}
		if after := *b.area.Load(); after != before {
			t.Errorf("after %v it has %v, and had %v", small, after, before)
		}
		s.asks(t, 50, 20)
		if area := b.area.Load(); area.Dx() != 48 || area.Dy() != 18 {
			t.Errorf("then it asked for 50x20, and has %v", area)
		}
		s.close(b)
	}
}

// asks is the form asking for a size.
func (s *stage) asks(t *testing.T, columns, rows int) {
	t.Helper()
	if _, _, err := s.handle(run.Request{Op: run.OpSize, Columns: columns, Rows: rows}); err != nil {
		t.Error(err)
	}
}

// A box that was opened on a small terminal has all of a larger one until its form asks.
func TestBoxOpenedOnASmallTerminal(t *testing.T) {
	t.Parallel()
	b := new(box)
	b.want(16, 4, 20, 5)
	b.place(100, 30)
	if area := b.area.Load(); area.Dx() != 98 || area.Dy() != 28 {
		t.Errorf("it has %v", area)
	}
}
