package settings

import (
	"maps"
	"strings"
	"testing"
)

const themeName = ".config/askpane/theme.json"

// What is wrong in the file of the theme custom is reported, and the rest counts.
func TestCustomTheme(t *testing.T) {
	h := newHome(t)
	h.write(globalFile, `{"theme": "custom"}`)
	where := "~/" + themeName + ": theme: "
	for _, c := range []struct {
		content string
		want    Colours
		says    []string
	}{
		{"{\n \"accent\": \"#5FD7d7\",\n \"dim\": \"bright-black\"\n}", Colours{"accent": "#5FD7d7", "dim": "bright-black"}, nil},
		{"{\"good\": \"green\",\n\"acent\": \"red\", \"dim\": \"grey\",\n\n\"name\": 7}", Colours{"good": "green"}, []string{
			`there is no colour "acent" (did you mean accent?)`,
			`dim: expected #rrggbb or a name such as red or bright-red, got "grey"; auto's is used`,
			`name: expected #rrggbb or a name such as red or bright-red, got 7; auto's is used`,
		}},
		{"{\n\"accent\" \"red\"}", nil, []string{"does not parse: line 2, column 10: invalid character '\"' after object key; the colours are those of auto"}},
	} {
		h.write(themeName, c.content)
		l := Load(h.repo)
		for i := range c.says {
			c.says[i] = where + c.says[i]
		}
		h.says(l.Problems, c.says...)
		if !maps.Equal(l.Colours, c.want) {
			t.Errorf("of %s the colours are %v", c.content, l.Colours)
		}
	}
	checks := Load(h.repo).Checks()
	if last := checks[len(checks)-1]; !strings.HasPrefix(last.Fix, "mend ") || !strings.HasSuffix(last.Fix, "/"+themeName) {
		t.Errorf("doctor's help is %q", last.Fix)
	}
}

// A project may choose the theme custom, and has no say in its colours.
func TestCustomThemeOfAProject(t *testing.T) {
	h := newHome(t)
	h.write(projectFile, `{"theme": "custom"}`)
	h.write("src/shop/.askpane/theme.json", `{"accent": "red"}`)
	l := Load(h.repo)
	h.says(l.Problems, "~/"+themeName+": theme: no such file or directory; the colours are those of auto")
	if len(l.Colours) > 0 {
		t.Errorf("the colours are %v", l.Colours)
	}
	h.write(themeName, `{"accent": "blue"}`)
	if l = Load(h.repo); l.Colours["accent"] != "blue" {
		t.Errorf("the colours are %v", l.Colours)
	}
}
