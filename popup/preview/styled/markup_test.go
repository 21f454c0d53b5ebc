package styled

import (
	"testing"
)

// What stands in ⟨⟩ is code, in «» strong, in ‹› emphasis. Nothing else is taken for
// a mark: a name, a glob, a product and a command stay what they are.
func TestInline(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"run `go test` and **read** it":    "run ⟨go test⟩ and «read» it",
		"a *gentle* word, (**loud**).":     "a ‹*gentle*› word, («loud»).",
		"``a ` b`` and `` ` ``":            "⟨a ` b⟩ and ⟨ ` ⟩",
		"`**x**` is code":                  "⟨**x**⟩ is code",
		"**Ask:** who?":                    "«Ask:» who?",
		"日本 **語** 日本":                      "日本 «語» 日本",
		"snake_case_name and _x_":          "snake_case_name and _x_",
		"rm *.go *.mod, src/**/*.go, **/a": "rm *.go *.mod, src/**/*.go, **/a",
		"2 * 3 * 4, 2*3*4, a**b**c":        "2 * 3 * 4, 2*3*4, a**b**c",
		"an open ` and ** and *one":        "an open ` and ** and *one",
		"``, ****, ***x***, ` `":           "``, ****, ***x***, ` `",
		"":                                 "",
	} {
		got := ""
		for _, s := range inline(Text, line) {
			switch {
			case s.Style == Code:
				s.Text = "⟨" + s.Text + "⟩"
			case s.Bold:
				s.Text = "«" + s.Text + "»"
			case s.Italic:
				s.Text = "‹" + s.Text + "›"
			}
			got += s.Text
		}
		if got != want {
			t.Errorf("%q is shown as %q, want %q", line, got, want)
		}
	}
}
