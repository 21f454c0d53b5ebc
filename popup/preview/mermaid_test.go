package preview

import (
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// edges are what parseFlow understood, one edge a string.
func edges(f *flow) []string {
	var out []string
	for _, e := range f.edges {
		line := map[stroke]string{solid: "-", thick: "=", dotted: ".", unseen: "~"}[e.stroke]
		out = append(out, strings.TrimSpace(f.nodes[e.from].id+" "+strings.TrimSpace(string(e.tail))+line+strings.TrimSpace(string(e.head))+" "+f.nodes[e.to].id+" "+e.text))
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

// TestFallBack: what cannot be drawn whole is shown as it is, with the reason.
func TestFallBack(t *testing.T) {
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
		rows := Render(form.Preview{Type: "mermaid", Content: source}, 44, Colours(TerminalPalette))
		got := strings.Join(strings.Fields(plain(rows)), " ")
		if !strings.Contains(got, "shown as its source") || !strings.Contains(got, reason) {
			t.Errorf("%.40q: %.200q, want the reason %q", source, got, reason)
		}
		if last := strings.TrimSpace(source[strings.LastIndex(source, "\n")+1:]); len(source) < 2000 && !strings.Contains(got, last[:min(len(last), 12)]) {
			t.Errorf("%.40q: its source is not shown: %q", source, got)
		}
	}
}

// TestEverythingIsDrawn: a diagram that is drawn has every text of its source.
func TestEverythingIsDrawn(t *testing.T) {
	for _, direction := range []string{"TD", "LR", "BT", "RL"} {
		source := "flowchart " + direction + "\nA[Alpha]-->|one|B(Beta)\nB-->C{Gamma}\nC-->|two|A\nC-->D((Delta))\nA-->D\nD---E\nE-->|self|E\n"
		rows := Render(form.Preview{Type: "mermaid", Content: source}, 100, Mono())
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
