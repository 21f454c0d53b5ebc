package settings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/askpane/askpane/bridge/text/nearest"
)

// Colours has those of the theme custom: each is #rrggbb or one of a terminal's sixteen by
// its name.
type Colours map[string]string

// palette lists what a theme has colours for (popup/display).
var palette = []string{"accent", "keyword", "name", "good", "number", "removed", "dim"}

// colour reads one of them.
var colour = Field{zero: "", form: "colour"}

// themeFile holds the colours of the theme custom. It stands beside the global file and
// nowhere else, so that no project's file can name one.
func themeFile() string { return own("theme.json").Path }

// custom reads the person's own colours. What is wrong in their file leaves the colour that auto
// has.
func (l *Loaded) custom() {
	wrong := func(what string) { l.Problems = append(l.Problems, Problem{themeFile(), "theme", what}) }
	doc, err := readObject(themeFile())
	if err != nil {
		wrong(err.Error() + "; the colours are those of auto")
		return
	}
	l.Colours = Colours{}
	for _, name := range slices.Sorted(maps.Keys(doc)) {
		said, err := colour.decode(doc[name])
		switch {
		case !slices.Contains(palette, name):
			wrong(fmt.Sprintf("there is no colour %s%s", quoted(name), nearest.DidYouMean(nearest.Name(name, palette))))
		case err != nil:
			wrong(fmt.Sprintf("%s: %v; auto's is used", name, err))
		default:
			l.Colours[name] = said.(string)
		}
	}
}
