package page

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/askpane/askpane/popup/preview/styled"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{"class": styled.Span.Class, "blocks": blocks, "number": number,
	"dim": func() styled.Style { return styled.Dim }, "events": encodeEvents, "keys": typeable, "style": func(s styled.Style) string { return styled.Classes[s] }}).ParseFS(web, "web/form.html", "web/lists.html", "web/attach.html"))

// blocks divides an agent's text, which has been made visible, into its paragraphs and lists.
func blocks(style styled.Style, said string) []styled.Block {
	if said = strings.Trim(said, "\n"); said == "" {
		return nil
	}
	return styled.Markup(style, said)
}

// render executes a template.
func render(name string, data any) string {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return "<p>" + template.HTMLEscapeString(err.Error()) + "</p>"
	}
	return b.String()
}
