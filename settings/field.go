package settings

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

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
	Guards  bool     // it protects the person from a hasty or a forged answer
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

var table = sync.OnceValue(describe)

func describe() described {
	t := reflect.TypeFor[Settings]()
	d := described{fields: make([]Field, 0, t.NumField()), byName: make(map[string]int, t.NumField())}
	for i := range t.NumField() {
		f := Field{index: i, kind: kinds[t.Field(i).Type]}
		f.read(string(t.Field(i).Tag))
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
}

// read takes the field's tags, in one pass: reflect's Get begins anew for each,
// which made up most of what settings cost a process (100 µs, and this 25).
func (f *Field) read(tags string) {
	for {
		key, rest, ok := strings.Cut(strings.TrimLeft(tags, " "), ":")
		if !ok {
			return
		}
		value, rest, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`) // none of ours has a quote in it
		if !ok {
			return
		}
		tags = rest
		switch key {
		case "name":
			f.Name = value
		case "default":
			f.Default = value
		case "section":
			f.Section = value
		case "help":
			f.Help = value
		case "oneof":
			f.Choices = strings.Fields(value)
		case "form":
			f.form = value
		case "min":
			f.min, _ = strconv.ParseFloat(value, 64)
		case "max":
			f.max, _ = strconv.ParseFloat(value, 64)
		case "runs":
			f.Runs = value == "true"
		case "guards":
			f.Guards = value == "true"
		case "pi":
			f.Pi = value == "true"
		case "only":
			f.globalOnly = value == "global"
		}
	}
}

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

// JSON is the setting's value in s as JSON has it.
func (f Field) JSON(s Settings) any { return asJSON(f.Get(s)) }

// asJSON is a value as a file has it: a list is never null.
func asJSON(v any) any {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice && list.IsNil() {
		return []string{}
	}
	return v
}

// Trusted is what a project's file may do with the setting only where the person
// trusts the project, as in "set what runs commands"; empty where any may set it.
func (f Field) Trusted() string {
	switch {
	case f.Runs:
		return "set what runs commands"
	case f.Guards:
		return "change what protects you from a hasty answer"
	}
	return ""
}

// IsSwitch reports whether the setting is true or false.
func (f Field) IsSwitch() bool { return f.kind == boolKind }

func (f Field) put(s *Settings, v any) {
	reflect.ValueOf(s).Elem().Field(f.index).Set(reflect.ValueOf(v))
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func envName(name string) string {
	b := append(make([]byte, 0, 48), "ASKPANE_"...)
	for i := range len(name) { // our names are ASCII
		if c := name[i]; 'A' <= c && c <= 'Z' {
			b = append(b, '_', c)
		} else {
			b = append(b, c-'a'+'A')
		}
	}
	return string(b)
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
