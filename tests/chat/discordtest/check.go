package discordtest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Types of components (Component Reference).
const (
	typeRow       = 1
	typeButton    = 2
	typeSelect    = 3
	typeInput     = 4
	typeText      = 10
	typeSeparator = 14
	typeContainer = 17
)

type emoji struct{ ID, Name string }

type component struct {
	Type        int
	CustomID    string `json:"custom_id"`
	Label       string
	Content     string
	Style       int
	URL         string
	Disabled    bool
	Placeholder string
	Value       string
	Emoji       *emoji
	Min         *int `json:"min_values"`
	Max         *int `json:"max_values"`
	MinLength   int  `json:"min_length"`
	MaxLength   *int `json:"max_length"`
	Required    *bool
	Colour      *int `json:"accent_color"`
	Components  []component
	Options     []struct {
		Label, Value, Description string
		Emoji                     *emoji
		Default                   bool
	}
}

// form collects what is wrong with a form, by the path of the field.
type form struct {
	wrong   map[string]any
	refused map[string]bool // emojis
	ids     map[string]bool
	texts   int // characters
	bytes   int
	all     []component
}

// no notes what is wrong with the field at a path.
func (f *form) no(path []string, code, message string, args ...any) {
	if f.wrong == nil {
		f.wrong = map[string]any{}
	}
	at := f.wrong
	for _, key := range path {
		below, ok := at[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			at[key] = below
		}
		at = below
	}
	at["_errors"] = []map[string]string{{"code": code, "message": fmt.Sprintf(message, args...)}}
}

func (f *form) length(path []string, key, s string, least, most int) {
	if n := utf8.RuneCountInString(s); n < least || n > most {
		f.no(append(path, key), "BASE_TYPE_BAD_LENGTH", "Must be between %d and %d in length.", least, most)
	}
}

// message checks the components of a message with IS_COMPONENTS_V2.
func (f *form) message(components []component) {
	path := []string{"components"}
	if len(components) == 0 {
		f.no(path, "BASE_TYPE_REQUIRED", "This field is required")
	}
	f.children(path, components, typeRow, typeText, typeSeparator, typeContainer)
	if len(f.all) > 40 {
		f.no(path, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The maximum number of total components is 40; there are %d", len(f.all))
	}
	if f.texts > 4000 {
		f.no(path, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "The total size of text is limited to 4000; it is %d", f.texts)
	}
}

// modal checks a modal, whose only component here is a text input.
func (f *form) modal(id, title string, components []component) {
	f.length(nil, "custom_id", id, 1, 100)
	f.length(nil, "title", title, 1, 45)
	if n := len(components); n < 1 || n > 5 {
		f.no([]string{"components"}, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.")
	}
	for i, row := range components {
		path := []string{"components", fmt.Sprint(i)}
		if row.Type != typeRow || len(row.Components) != 1 {
			f.no(path, "UNION_TYPE_CHOICES", "A row of a modal has one text input")
			continue
		}
		f.children(append(path, "components"), row.Components, typeInput)
	}
}

func (f *form) children(path []string, components []component, may ...int) {
	for i, c := range components {
		at := append(path[:len(path):len(path)], fmt.Sprint(i))
		allowed := false
		for _, t := range may {
			allowed = allowed || t == c.Type
		}
		if !allowed {
			f.no(append(at, "type"), "UNION_TYPE_CHOICES", "Value of field \"type\" must be one of %v; it is %d", may, c.Type)
			continue
		}
		f.all = append(f.all, c)
		f.one(at, c)
	}
}

func (f *form) one(at []string, c component) {
	inner := append(at[:len(at):len(at)], "components")
	switch c.Type {
	case typeContainer:
		if len(c.Components) == 0 {
			f.no(inner, "BASE_TYPE_REQUIRED", "This field is required")
		}
		f.children(inner, c.Components, typeRow, typeText, typeSeparator)
	case typeRow:
		most, may := 5, []int{typeButton}
		if len(c.Components) > 0 && c.Components[0].Type == typeSelect {
			most, may = 1, []int{typeSelect}
		}
		if n := len(c.Components); n < 1 || n > most {
			f.no(inner, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", most)
		}
		f.children(inner, c.Components, may...)
	case typeText:
		if strings.TrimSpace(c.Content) == "" {
			f.no(append(at, "content"), "BASE_TYPE_REQUIRED", "This field is required")
		}
		f.length(at, "content", c.Content, 1, 4000)
		f.texts += utf8.RuneCountInString(c.Content)
		f.bytes += len(c.Content) + 12
	case typeButton:
		f.button(at, c)
	case typeSelect:
		f.list(at, c)
	case typeInput:
		f.input(at, c)
	}
}

func (f *form) id(at []string, id string) {
	f.length(at, "custom_id", id, 1, 100)
	if f.ids == nil {
		f.ids = map[string]bool{}
	}
	if f.ids[id] {
		f.no(append(at, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	f.ids[id] = true
}

// emoji refuses what is a name and not a sign, and what the test wants refused.
func (f *form) emoji(at []string, e *emoji) {
	if e != nil && (f.refused[e.Name] || e.Name == "" || strings.ContainsFunc(e.Name, func(r rune) bool { return r == ':' || r == ' ' || r >= 'A' && r <= 'z' })) {
		f.no(append(at, "emoji", "name"), "BUTTON_COMPONENT_INVALID_EMOJI", "Invalid emoji")
	}
}

func (f *form) button(at []string, c component) {
	f.length(at, "label", c.Label, 0, 80)
	if c.Label == "" && c.Emoji == nil {
		f.no(append(at, "label"), "BASE_TYPE_REQUIRED", "A button must have a label or emoji")
	}
	f.emoji(at, c.Emoji)
	if c.Style == 5 {
		f.length(at, "url", c.URL, 1, 512)
		host, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(c.URL, "http://"), "https://"), "/")
		if !strings.HasPrefix(c.URL, "http") || !strings.Contains(host, ".") {
			f.no(append(at, "url"), "URL_TYPE_INVALID_URL", "Not a well formed URL.")
		}
		if c.CustomID != "" {
			f.no(append(at, "custom_id"), "COMPONENT_CUSTOM_ID_NOT_ALLOWED", "A custom id and url cannot both be specified")
		}
		return
	}
	if c.Style < 1 || c.Style > 4 || c.URL != "" {
		f.no(append(at, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2, 3, 4, 5).")
	}
	f.id(at, c.CustomID)
}

func (f *form) list(at []string, c component) {
	f.id(at, c.CustomID)
	f.length(at, "placeholder", c.Placeholder, 0, 150)
	n := len(c.Options)
	if n < 1 || n > 25 {
		f.no(append(at, "options"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.")
	}
	least, most, chosen, values := 1, 1, 0, map[string]bool{}
	if c.Min != nil {
		least = *c.Min
	}
	if c.Max != nil {
		most = *c.Max
	}
	if least < 0 || most < 1 || least > most || most > n {
		f.no(append(at, "max_values"), "SELECT_COMPONENT_MAX_VALUES_INVALID", "min_values %d and max_values %d do not fit %d options", least, most, n)
	}
	for i, o := range c.Options {
		at := append(at[:len(at):len(at)], "options", fmt.Sprint(i))
		f.length(at, "label", o.Label, 1, 100)
		f.length(at, "value", o.Value, 1, 100)
		f.length(at, "description", o.Description, 0, 100)
		f.emoji(at, o.Emoji)
		if values[o.Value] {
			f.no(append(at, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The specified option value is already used")
		}
		if values[o.Value] = true; o.Default {
			chosen++
		}
	}
	if chosen > most {
		f.no(append(at, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "There are more defaults than max_values")
	}
}

func (f *form) input(at []string, c component) {
	f.id(at, c.CustomID)
	f.length(at, "label", c.Label, 1, 45)
	f.length(at, "placeholder", c.Placeholder, 0, 100)
	most := 4000
	if c.MaxLength != nil {
		most = *c.MaxLength
	}
	if most < 1 || most > 4000 || c.MinLength < 0 || c.MinLength > most {
		f.no(append(at, "max_length"), "NUMBER_TYPE_MAX", "int value should be less than or equal to 4000.")
	}
	f.length(at, "value", c.Value, 0, most)
	if c.Style != 1 && c.Style != 2 {
		f.no(append(at, "style"), "BASE_TYPE_CHOICES", "Value must be one of (1, 2).")
	}
}
