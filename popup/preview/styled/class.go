package styled

import "strings"

// Classes maps the styles to their names in a page; plain text has none.
var Classes = map[Style]string{
	Dim: "dim", Strike: "struck", Emphasis: "em", Strong: "strong", Heading: "heading", Code: "code",
	Keyword: "keyword", Type: "type", Name: "name", String: "string", Number: "number", Comment: "comment",
	Added: "added", Removed: "removed", Done: "done", Advice: "advice", Warn: "warn", Danger: "danger",
	Accent: "accent", Rule: "dim",
}

// Class returns the names of a span in a page.
func (s Span) Class() string {
	all := []string{Classes[s.Style]}
	for _, also := range []struct {
		on   bool
		name string
	}{{s.Bold, "strong"}, {s.Italic, "em"}, {s.Struck, "struck"}} {
		if also.on && also.name != all[0] {
			all = append(all, also.name)
		}
	}
	return strings.TrimSpace(strings.Join(all, " "))
}
