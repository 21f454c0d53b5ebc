package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/xrash/smetrics"
)

// Field describes one setting; it is what the tags of Settings say.
type Field struct {
	Name    string
	Env     string // its variable; empty where none sets it
	Section string
	Help    string
	Default string   // as text
	Choices []string // the words it may be; empty where any will do
	Runs    bool     // it is a command line
	Pi      bool     // pi's files count too

	kind       kind
	form       string
	min, max   float64
	globalOnly bool
	index      int // of the struct's field
}

// kind is what a setting's value is. Get gives a bool, int, float64, string,
// []float64 or []string accordingly.
type kind int

const (
	boolKind kind = iota
	intKind
	floatKind
	stringKind
	numbersKind
	stringsKind
)

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[bool](): boolKind, reflect.TypeFor[int](): intKind, reflect.TypeFor[float64](): floatKind,
	reflect.TypeFor[string](): stringKind, reflect.TypeFor[[]float64](): numbersKind, reflect.TypeFor[[]string](): stringsKind,
}

// Fields are all settings, in the order they are listed in: by section.
func Fields() []Field { return table().fields }

// described is the tags, read once and only where settings are used at all.
type described struct {
	fields   []Field
	byName   map[string]int
	defaults Settings
}

var table = sync.OnceValue(func() described {
	d := described{byName: map[string]int{}}
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		f := Field{
			Name: tag.Get("name"), Section: tag.Get("section"), Help: tag.Get("help"), Default: tag.Get("default"),
			Choices: strings.Fields(tag.Get("oneof")), Runs: tag.Get("runs") != "", Pi: tag.Get("pi") != "",
			kind: kinds[t.Field(i).Type], form: tag.Get("form"), globalOnly: tag.Get("only") == "global", index: i,
		}
		f.min, _ = strconv.ParseFloat(tag.Get("min"), 64)
		f.max, _ = strconv.ParseFloat(tag.Get("max"), 64)
		if !f.globalOnly {
			f.Env = envName(f.Name)
		}
		v, err := f.Parse(f.Default)
		if err != nil {
			panic(fmt.Sprintf("settings: default of %s: %v", f.Name, err)) // our own tag
		}
		f.put(&d.defaults, v)
		d.fields = append(d.fields, f)
		d.byName[f.Name] = i
	}
	return d
})

// Lookup finds a setting by its name. The error names the nearest one.
func Lookup(name string) (Field, error) {
	if i, ok := table().byName[name]; ok {
		return Fields()[i], nil
	}
	return Field{}, fmt.Errorf("there is no setting %s%s", quoted(name), nearest(name))
}

// nearest is what somebody who wrote name may have meant, as the end of a sentence.
func nearest(name string) string {
	if len(name) > 64 { // the distance of two texts costs the product of their lengths
		return ""
	}
	best, least := "", len(name)/2+1
	for _, f := range Fields() {
		d := smetrics.WagnerFischer(strings.ToLower(name), strings.ToLower(f.Name), 1, 1, 1)
		if f.Env != "" && strings.EqualFold(name, f.Env) {
			d = 0
		}
		if d < least {
			best, least = f.Name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// Get is the setting's value in s.
func (f Field) Get(s Settings) any { return reflect.ValueOf(s).Field(f.index).Interface() }

// Text is the setting's value in s as Parse reads it.
func (f Field) Text(s Settings) string {
	switch v := f.Get(s).(type) {
	case float64:
		return number(v)
	case []float64:
		texts := make([]string, len(v))
		for i, n := range v {
			texts[i] = number(n)
		}
		return strings.Join(texts, ", ")
	case []string:
		return strings.Join(v, ", ")
	default:
		return fmt.Sprint(v)
	}
}

// JSON is the setting's value in s as JSON has it: a list is never null.
func (f Field) JSON(s Settings) any {
	v := f.Get(s)
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		return []string{}
	}
	return v
}

// IsSwitch reports whether the setting is true or false.
func (f Field) IsSwitch() bool { return f.kind == boolKind }

func (f Field) put(s *Settings, v any) {
	reflect.ValueOf(s).Elem().Field(f.index).Set(reflect.ValueOf(v))
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func envName(name string) string {
	var b strings.Builder
	b.WriteString("ASKPANE_")
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// quoted shows a text from outside in one line, without anything a terminal
// would act on.
func quoted(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}

// shown is a path as it is, or in quotes if a terminal would act on it: the
// names of directories come with a repository.
func shown(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(path)
	}
	return path
}

// Expected says what the setting's value must be, as in "true or false".
func (f Field) Expected() string {
	switch {
	case f.kind == boolKind:
		return "true or false"
	case f.kind == intKind:
		return fmt.Sprintf("a whole number from %s to %s", number(f.min), number(f.max))
	case f.kind == floatKind:
		return fmt.Sprintf("a number from %s to %s", number(f.min), number(f.max))
	case f.kind == numbersKind:
		return fmt.Sprintf("numbers from %s to %s, with commas between", number(f.min), number(f.max))
	case f.kind == stringsKind:
		return "absolute directories, with commas between"
	case len(f.Choices) > 0:
		return "one of " + strings.Join(f.Choices, ", ")
	case f.form == "percent":
		return "a percentage from 10% to 100%"
	case f.form == "hours":
		return "hours such as 22:00-07:00, or nothing"
	default:
		return "a text in one line"
	}
}

// in reports whether a number is one that the setting may be.
func (f Field) in(n float64) bool { return n >= f.min && n <= f.max } // false for NaN

// oneOf reports whether the setting may be this word.
func (f Field) oneOf(text string) bool {
	return len(f.Choices) == 0 || slices.Contains(f.Choices, text)
}
