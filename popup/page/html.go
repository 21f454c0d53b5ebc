package page

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/askpane/askpane/popup/preview/styled"
)

var templates = template.Must(template.New("").Funcs(template.FuncMap{"class": class, "blocks": blocks, "number": number,
	"dim": func() styled.Style { return styled.Dim }, "events": encodeEvents, "keys": typeable, "style": func(s styled.Style) string { return classes[s] }}).ParseFS(web, "web/form.html", "web/lists.html", "web/attach.html"))

// classes maps the styles to their names in page.css; plain text has none.
var classes = map[styled.Style]string{
	styled.Dim: "dim", styled.Strike: "struck", styled.Emphasis: "em", styled.Strong: "strong", styled.Heading: "heading", styled.Link: "link", styled.Code: "code",
	styled.Keyword: "keyword", styled.Type: "type", styled.Name: "name", styled.String: "string", styled.Number: "number", styled.Comment: "comment",
	styled.Added: "added", styled.Removed: "removed", styled.Done: "done", styled.Advice: "advice", styled.Warn: "warn", styled.Danger: "danger",
	styled.Accent: "accent", styled.Rule: "dim",
}

// class returns the classes of a span.
func class(s styled.Span) string {
	all := []string{classes[s.Style]}
	for _, also := range []struct {
		on   bool
		name string
	}{{s.Bold, "strong"}, {s.Italic, "em"}, {s.Struck, "struck"}} {
		if also.on {
			all = append(all, also.name)
		}
	}
	return strings.TrimSpace(strings.Join(all, " "))
}

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
