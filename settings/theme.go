package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	var problems []Problem
	wrong := func(what string) { problems = append(problems, Problem{themeFile(), "theme", what}) }
	defer func() { l.report(themeFile(), problems) }()
	data, err := read(themeFile())
	if err == nil {
		_, err = parse(data)
	}
	if err != nil {
		wrong(err.Error() + "; the colours are those of auto")
		return
	}
	l.Colours = Colours{}
	dec := json.NewDecoder(bytes.NewReader(data))
	for _, _ = dec.Token(); dec.More(); { // the brace; parse has seen that the rest is right
		token, _ := dec.Token()
		name := fmt.Sprint(token)
		line := 1 + bytes.Count(data[:dec.InputOffset()], []byte("\n"))
		var raw json.RawMessage
		_ = dec.Decode(&raw)
		said, err := colour.decode(raw)
		switch {
		case !slices.Contains(palette, name):
			wrong(fmt.Sprintf("line %d: there is no colour %s%s", line, quoted(name), nearest.DidYouMean(nearest.Name(name, palette))))
		case err != nil:
			wrong(fmt.Sprintf("line %d: %s: %v; auto's is used", line, name, err))
		default:
			l.Colours[name] = said.(string)
		}
	}
}
