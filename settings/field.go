package settings

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/bridge/text/nearest"
)

// Field describes one setting, as the tags of Settings say.
type Field struct {
	Name    string
	Label   string // its name for people
	Env     string // its variable; empty where none sets it
	Section string
	Help    string
	Default string   // as text
	Choices []string // the words it may be; empty where any will do
	Pi      bool     // pi's files count too
	Only    string   // what may set it

	zero     any // of the type that Get gives: bool, int, float64, string, []float64 or []string
	form     string
	min, max float64
	index    int // of the struct's field
}

// Fields lists all settings by section.
func Fields() []Field {
	fields, _ := described()
	return fields
}

// described says what the tags do, in a process that uses settings at all.
var described = sync.OnceValues(func() (fields []Field, defaults Settings) {
	for field := range reflect.TypeFor[Settings]().Fields() {
		if field.Tag == "" {
			continue
		}
		tag, parts := map[string]string{}, strings.Split(string(field.Tag), `"`) // name:"value" name:"value"
		for i := 1; i < len(parts); i += 2 {                                     // Tag.Get would read the long help for each name
			tag[strings.Trim(parts[i-1], " :")] = parts[i]
		}
		f := Field{
			Name: tag["name"], Label: cmp.Or(tag["label"], tag["name"]), Section: tag["section"], Help: tag["help"], Default: tag["default"],
			Choices: strings.Fields(tag["oneof"]), Pi: tag["pi"] != "", Only: tag["only"],
			zero: reflect.Zero(field.Type).Interface(), form: tag["form"], index: field.Index[0],
		}
		if tag["max"] != "" { // for most there is none, and an error takes time
			f.min, _ = strconv.ParseFloat(tag["min"], 64)
			f.max, _ = strconv.ParseFloat(tag["max"], 64)
		}
		if f.Only != "global" {
			f.Env = variable(f.Name)
		}
		into := reflect.ValueOf(&defaults).Elem().Field(f.index)
		value, _ := f.read(f.Default) // to check them would be half of what the settings take at each start; TestDefaults does
		into.Set(reflect.ValueOf(value).Convert(into.Type()))
		fields = append(fields, f)
	}
	return fields, defaults
})

// variable returns ASKPANE_FOO_BAR of fooBar.
func variable(name string) string {
	said := append(make([]byte, 0, 48), "ASKPANE_"...)
	for _, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			said = append(said, '_')
		}
		said = append(said, c)
	}
	return strings.ToUpper(string(said))
}

// Lookup finds a setting by its name. The error names the nearest one.
func Lookup(name string) (Field, error) {
	i := slices.IndexFunc(Fields(), func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, fmt.Errorf("there is no setting %s%s", quoted(name), cmp.Or(didYouMean(name), "; askpane settings list shows them"))
	}
	return Fields()[i], nil
}

func didYouMean(name string) string {
	var names []string
	for _, f := range Fields() {
		names = append(names, f.Name)
	}
	return nearest.DidYouMean(nearest.Name(name, names))
}

// Get returns the setting's value in s, as JSON has it.
func (f Field) Get(s Settings) any { return reflect.ValueOf(s).Field(f.index).Interface() }

// Text writes the setting's value in s as Parse reads it.
func (f Field) Text(s Settings) string {
	switch v := f.Get(s).(type) {
	case []float64:
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ")
	case []string:
		return strings.Join(v, ", ")
	default:
		return fmt.Sprint(v)
	}
}

// IsSwitch reports whether the setting is true or false.
func (f Field) IsSwitch() bool { return f.zero == false }

// IsList reports whether the setting holds several values.
func (f Field) IsList() bool { return reflect.TypeOf(f.zero).Kind() == reflect.Slice }

// Expected says what the setting's value must be, as in "true or false".
func (f Field) Expected() string {
	between := fmt.Sprint("from ", f.min, " to ", f.max)
	switch f.zero.(type) {
	case bool:
		return "true or false"
	case int:
		return "a whole number " + between
	case float64:
		return "a number " + between
	case []float64:
		return "numbers " + between + ", separated by commas"
	}
	if len(f.Choices) > 0 {
		of := "one of "
		if f.IsList() {
			of = "some of "
		}
		return of + strings.Join(f.Choices, ", ")
	}
	return forms[f.form].expected
}

// quoted shows a text from outside in one line, without anything a terminal would act on.
func quoted(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}

// shown quotes a path or a value if a terminal would act on it: the names of directories come
// with a repository.
func shown(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
