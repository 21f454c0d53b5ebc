package preview

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// patient is time enough for a slow machine to draw everything; the limit that
// Render sets has its own test.
const patient = time.Minute

// drawn is rows as a person sees them, with the edge drawn so that blanks at the
// end and a row that is too wide can be seen.
func drawn(rows []Line, width int) string {
	var b strings.Builder
	for _, row := range rows {
		for _, s := range row {
			b.WriteString(s.Text)
		}
		b.WriteString(strings.Repeat(" ", max(0, width-row.width())) + "▏\n")
	}
	return b.String()
}

// TestGolden draws each file in testdata/in, whose extension is its type, at
// three widths and compares with testdata/<file>.<width>.txt.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/in/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs in testdata/in: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p := form.Preview{Type: filepath.Ext(file)[1:], Content: string(content)}
		for _, width := range []int{30, 60, 100} {
			name := filepath.Base(file) + "." + strconv.Itoa(width) + ".txt"
			t.Run(name, func(t *testing.T) {
				rows := render(p, width, Colours(TerminalPalette), patient)
				checkRows(t, rows, width)
				compare(t, name, drawn(rows, width))
			})
		}
	}
}

// TestNarrow draws everything where there is hardly room for anything.
func TestNarrow(t *testing.T) {
	files, err := filepath.Glob("testdata/in/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs in testdata/in: %v", err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for width := -1; width < 20; width++ {
			rows := render(form.Preview{Type: filepath.Ext(file)[1:], Content: string(content)}, width, Mono(), patient)
			checkRows(t, rows, max(1, width))
			if len(rows) == 0 {
				t.Errorf("%s at width %d: nothing", file, width)
			}
		}
	}
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	golden := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v (go test -update writes it; then look at it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got\n%s\nwant\n%s", name, got, want)
	}
}

// checkRows holds what is true of every rendering: no row too wide, nothing in
// it that a terminal would act on.
func checkRows(t *testing.T, rows []Line, width int) {
	t.Helper()
	for i, row := range rows {
		if w := row.width(); w > width {
			t.Errorf("row %d is %d cells wide, more than %d: %v", i, w, width, row)
		}
		for _, s := range row {
			if s.Text != text.Visible(s.Text) || strings.Contains(s.Text, "\n") {
				t.Errorf("row %d holds a text that is not safe: %q", i, s.Text)
			}
		}
	}
}
