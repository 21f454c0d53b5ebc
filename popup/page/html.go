package page

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/askpane/askpane/popup/preview/styled"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{"class": styled.Span.Class, "blocks": blocks, "number": number,
	"events": encodeEvents, "keys": typeable, "style": func(s styled.Style) string { return styled.Classes[s] }}).ParseFS(web, "web/form.html", "web/lists.html", "web/attach.html"))

// blocks divides what an agent says of an option, which has been made visible, into lines.
func blocks(said string) []styled.Block {
	if said = strings.Trim(said, "\n"); said == "" {
		return nil
	}
	return styled.Markup(styled.Dim, said)
}

// render executes a template.
func render(name string, data any) string {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return "<p>" + template.HTMLEscapeString(err.Error()) + "</p>"
	}
	return b.String()
}
