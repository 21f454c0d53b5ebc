package diagram

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

func sign(m mark) string {
	if m == noMark {
		return ""
	}
	return string(rune(m))
}

// plain is what rows say, without styles.
func plain(rows []styled.Row) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(row.String(), " ") + "\n")
	}
	return b.String()
}

// edges are what parseFlow understood, one edge a string.
func edges(f *flow) []string {
	var out []string
	for _, e := range f.edges {
		line := map[stroke]string{solid: "-", thick: "=", dotted: ".", invisible: "~"}[e.stroke]
		out = append(out, strings.TrimSpace(e.ends[tail].id+" "+sign(e.ends[tail].mark)+line+sign(e.ends[head].mark)+" "+e.ends[head].id+" "+e.text))
	}
	return out
}

func TestParseFlow(t *testing.T) {
	for _, tt := range []struct {
		source string
		edges  []string
	}{
		{"A-->B", []string{"A -> B"}},
		{"A --- B", []string{"A - B"}},
		{"A-.->B", []string{"A .> B"}},
		{"A -.- B", []string{"A . B"}},
		{"A==>B===C", []string{"A => B", "B = C"}},
		{"A ---->B", []string{"A -> B"}},
		{"A-->|yes|B", []string{"A -> B yes"}},
		{"A -- no way --> B", []string{"A -> B no way"}},
		{"A == t ==> B -. d .-> C", []string{"A => B t", "B .> C d"}},
		{"A --text--- B", []string{"A - B text"}},
		{"A & B --> C & D", []string{"A -> C", "A -> D", "B -> C", "B -> D"}},
		{"A --> B --> C", []string{"A -> B", "B -> C"}},
		{"A <--> B", []string{"A >-> B"}},
		{"A o--o B x--x C", []string{"A o-o B", "B x-x C"}},
		{"A ~~~ B", []string{"A ~ B"}},
		{"A-->B; B-->C;", []string{"A -> B", "B -> C"}},
		{"a-b --> c.d", []string{"a-b -> c.d"}},
		{"数据 --> 結果", []string{"数据 -> 結果"}},
		{`A["x [y] --> z"] --> B`, []string{"A -> B"}},
		{"A:::big --> B", []string{"A -> B"}},
		{"A-->A", nil},
	} {
		f, err := parseFlow("TD", strings.Split(tt.source, "\n"))
		if err != nil {
			t.Errorf("%q: %v", tt.source, err)
		} else if got := edges(f); !slices.Equal(got, tt.edges) {
			t.Errorf("%q: %q, want %q", tt.source, got, tt.edges)
		}
	}
}

func TestParseFlowNodes(t *testing.T) {
	for source, want := range map[string]string{
		"A": "A", "A[x y]": "x y", "A(x)": "x", "A([x])": "x", "A((x))": "x", "A(((x)))": "x", "A{x?}": "x?", "A{{x}}": "x",
		"A[[x]]": "x", "A[(x)]": "x", "A[/x/]": "x", `A["x (y)"]`: "x (y)", "A[x<br/>y]": "x\ny", "A[#quot;x#quot;]": `"x"`,
		"A[a (b)]": "a (b)", "A>x]": "x",
	} {
		f, err := parseFlow("", []string{source})
		if err != nil || len(f.nodes) != 1 || f.nodes[0].text != want {
			t.Errorf("%q: %+v %v, want %q", source, f, err, want)
		}
	}
}

// What cannot be drawn whole is not drawn, and the error says why.
func TestRefused(t *testing.T) {
	for source, reason := range map[string]string{
		"gantt\n title x":               "not gantt",
		"classDiagram\nA <|-- B":        "not classDiagram",
		"":                              "it is empty",
		"graph XX\nA-->B":               `direction "XX"`,
		"graph TD\nA --> ":              "not understood",
		"graph TD\nA -->|x B":           "not understood",
		"graph TD\nA@{ shape: circle }": "not understood",
		"graph TD\nend":                 "ends nothing",
		"graph TD":                      "no nodes",
		"graph TD\n" + strings.Repeat("A-->B\n", 200):                             "too many edges",
		"graph TD\n" + strings.Repeat("A & ", 30) + "B --> C & D & E & F & G & H": "too many edges",
		"graph TD\nA-->B & C & D & E & F & G & H & I & J & K":                     "too wide",
		"sequenceDiagram\nA->>B: x\nwhatever":                                     "not understood",
		"sequenceDiagram\nelse":                                                   "belongs to nothing",
		"sequenceDiagram\nend":                                                    "ends nothing",
		"sequenceDiagram\nNote beside A: x":                                       "not understood",
		"graph TD\n" + strings.Repeat("%% x\n", 5000):                             "too large",
	} {
		if rows, err := Draw(source, 44); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%.40q: %q, %v; want the reason %q", source, plain(rows), err, reason)
		}
	}
}

// A diagram that is drawn has every text of its source.
func TestEverythingIsDrawn(t *testing.T) {
	for _, direction := range []string{"TD", "LR", "BT", "RL"} {
		source := "flowchart " + direction + "\nA[Alpha]-->|one|B(Beta)\nB-->C{Gamma}\nC-->|two|A\nC-->D((Delta))\nA-->D\nD---E\nE-->|self|E\n"
		rows, err := Draw(source, 100)
		if err != nil {
			t.Fatalf("%s: %v", direction, err)
		}
		got := plain(rows)
		for _, text := range []string{"Alpha", "Beta", "Gamma", "Delta", "E", "one", "two", "↺ self"} {
			if strings.Count(got, text) != 1 && text != "E" {
				t.Errorf("%s: %q is there %d times:\n%s", direction, text, strings.Count(got, text), got)
			}
		}
		heads := 0
		for _, sign := range "▲▼◄►" {
			heads += strings.Count(got, string(sign))
		}
		// Two edges into Delta share one head; D---E has none.
		if heads < 4 || heads > 5 {
			t.Errorf("%s: %d arrow heads:\n%s", direction, heads, got)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// sources reads the diagrams in testdata.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.mermaid")
	if err != nil || len(files) == 0 {
		t.Fatalf("no diagrams in testdata: %v", err)
	}
	all := map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = string(source)
	}
	return all
}

// TestGolden draws each diagram in testdata at three widths and compares with the
// picture beside it; where there is none, it has no room.
func TestGolden(t *testing.T) {
	for file, source := range sources(t) {
		for _, width := range []int{30, 60, 100} {
			golden := strings.TrimSuffix(file, ".mermaid") + "." + strconv.Itoa(width) + ".txt"
			t.Run(filepath.Base(golden), func(t *testing.T) {
				rows, err := Draw(text.Bare(source), width)
				if err != nil {
					rows = styled.Wrap([]styled.Span{{Text: err.Error()}}, width)
				}
				for i, row := range rows {
					if row.Width() > width {
						t.Errorf("row %d is %d cells wide", i, row.Width())
					}
				}
				if *update {
					if err := os.WriteFile(golden, []byte(plain(rows)), 0o644); err != nil {
						t.Fatal(err)
					}
					return
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatalf("%v (go test -update writes it; then look at it)", err)
				}
				if got := plain(rows); got != string(want) {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
}

func FuzzDraw(f *testing.F) {
	f.Add("graph LR\nA-->B & C-->A\nsubgraph x\nB o--x B\nend", 20)
	f.Add("sequenceDiagram\nA->>A: x\nNote left of A: y\nloop\nend", 1)
	f.Fuzz(func(t *testing.T, source string, width int) {
		rows, _ := Draw(source, max(1, min(width, 300)))
		for i, row := range rows {
			if row.Width() > max(1, min(width, 300)) {
				t.Errorf("row %d is %d cells wide", i, row.Width())
			}
		}
	})
}
