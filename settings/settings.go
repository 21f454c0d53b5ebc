// Package settings holds what a person can set. Each setting is one field whose
// tags are the only source of its name, default, range and help.
//
// It reads the environment. The rule that must hold here: a value that cannot
// be used is reported and dropped, and never stops a question.
package settings

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Settings are the values in force.
type Settings struct {
	Host               string `name:"host" default:"auto" help:"where popups open"`
	PopupWidth         string `name:"popupWidth" default:"80%" help:"of the viewer's terminal"`
	PopupHeight        string `name:"popupHeight" default:"75%" help:"of the viewer's terminal"`
	TimeoutSeconds     int    `name:"timeoutSeconds" default:"0" min:"0" max:"604800" help:"a question nobody answers ends after so long; 0 is never"`
	GuardMs            int    `name:"guardMs" default:"400" min:"0" max:"5000" help:"a new popup ignores keys until none has come for so long"`
	HostWaitSeconds    int    `name:"hostWaitSeconds" default:"0" min:"0" max:"604800" help:"how long a question waits for somebody to attach; 0 is for ever"`
	DebounceMs         int    `name:"debounceMs" default:"300" min:"0" max:"10000" help:"told to agents that ask by AskUserQuestion"`
	DangerCheckEnabled bool   `name:"dangerCheckEnabled" default:"true" help:"a dangerous question is answered by typing the name of what is at stake"`
	Theme              string `name:"theme" default:"auto" oneof:"auto dark light high-contrast mono" help:"auto, dark, light, high-contrast or mono"`
	BellOnQuestion     bool   `name:"bellOnQuestion" default:"true" help:"ring the terminal's bell"`
	TitleOnQuestion    bool   `name:"titleOnQuestion" default:"true" help:"mark the asking pane's title with a bell sign"`
}

// Load is the defaults with the environment (ASKPANE_GUARD_MS for guardMs)
// over them, and what of it could not be used.
func Load() (Settings, []error) {
	var s Settings
	var problems []error
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if err := set(v.Field(i), f, f.Tag.Get("default")); err != nil {
			panic(fmt.Sprintf("settings: default of %s: %v", f.Name, err)) // our own tag
		}
		env := envName(f.Tag.Get("name"))
		if text, ok := os.LookupEnv(env); ok {
			if err := set(v.Field(i), f, text); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w; using %s", env, err, f.Tag.Get("default")))
			}
		}
	}
	return s, problems
}

// set parses text into one field; a text that does not fit changes nothing.
func set(v reflect.Value, f reflect.StructField, text string) error {
	switch v.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("expected true or false, got %q", text)
		}
		v.SetBool(b)
	case reflect.Int:
		low, _ := strconv.Atoi(f.Tag.Get("min"))
		high, _ := strconv.Atoi(f.Tag.Get("max"))
		n, err := strconv.Atoi(text)
		if err != nil || n < low || n > high {
			return fmt.Errorf("expected a whole number from %d to %d, got %q", low, high, text)
		}
		v.SetInt(int64(n))
	default:
		if strings.HasPrefix(f.Tag.Get("name"), "popup") && !percent(text) {
			return fmt.Errorf("expected a percentage from 10%% to 100%%, got %q", text)
		}
		if words := strings.Fields(f.Tag.Get("oneof")); len(words) > 0 && !slices.Contains(words, text) {
			return fmt.Errorf("expected one of %s, got %q", strings.Join(words, ", "), text)
		}
		v.SetString(text)
	}
	return nil
}

func percent(text string) bool {
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	return err == nil && strings.HasSuffix(text, "%") && n >= 10 && n <= 100
}

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
