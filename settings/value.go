package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askpane/askpane/settings/edit"
)

// The most that one setting may hold: nobody needs more, and a file that has
// it is not a person's.
const (
	mostText = 4096 // bytes
	mostList = 100  // elements
)

// Parse reads a value from text, as in a variable or on a command line, and
// checks it. A list has commas between its elements, or is a JSON array.
func (f Field) Parse(text string) (any, error) { return f.check(f.asFile(text), quoted(text)) }

// decode reads a value from a file, which is valid JSON, and checks it.
func (f Field) decode(raw json.RawMessage) (any, error) { return f.check(raw, brief(raw)) }

// asFile is a text as it stands in a file; empty where the setting cannot be that.
func (f Field) asFile(text string) json.RawMessage {
	switch f.zero.(type) {
	case bool:
		if is, err := strconv.ParseBool(text); err == nil {
			text = strconv.FormatBool(is)
		}
	case int, float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		text = fmt.Sprint(n)
	case string:
		if !utf8.ValidString(text) {
			return nil
		}
		text = edit.JSON(text)
	default:
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") {
			break
		}
		words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
		if _, ofTexts := f.zero.([]string); ofTexts {
			for i, w := range words {
				words[i] = edit.JSON(strings.TrimSpace(w))
			}
		}
		text = "[" + strings.Join(words, ",") + "]"
	}
	return json.RawMessage(text)
}

// check is the value, if the setting may be that; got is what an error calls it.
// An empty list is nil.
func (f Field) check(raw json.RawMessage, got string) (any, error) {
	_, isWhole := f.zero.(int)
	into := any(new(float64)) // 300.0 is as whole as 300
	if !isWhole {
		into = reflect.New(reflect.TypeOf(f.zero)).Interface()
	}
	ok := json.Unmarshal(raw, into) == nil && string(raw) != "null"
	switch v := into.(type) {
	case *float64:
		ok = ok && f.in(*v) && (!isWhole || *v == math.Trunc(*v))
		if ok && isWhole {
			return int(*v), nil
		}
	case *string:
		ok = ok && f.fits(*v)
	case *[]float64:
		if ok {
			return elements(f, *v, "numbers", f.in)
		}
	case *[]string:
		if ok {
			return elements(f, *v, "directories", f.isDirectory)
		}
	}
	if !ok {
		return nil, f.refuse(got)
	}
	return reflect.ValueOf(into).Elem().Interface(), nil
}

// elements is a list, if each of its elements may be in it.
func elements[T any](f Field, list []T, what string, allowed func(T) bool) (any, error) {
	if len(list) == 0 {
		return []T(nil), nil
	}
	if len(list) > mostList {
		return nil, fmt.Errorf("expected at most %d %s, got %d", mostList, what, len(list))
	}
	for _, v := range list {
		if !allowed(v) {
			return nil, f.refuse(brief([]byte(edit.JSON(v))))
		}
	}
	return list, nil
}

// in reports whether a number is one that the setting may be.
func (f Field) in(n float64) bool { return n >= f.min && n <= f.max } // false for NaN

// isDirectory: absolute, or in the person's home.
func (f Field) isDirectory(dir string) bool {
	return f.fits(dir) && (filepath.IsAbs(dir) || dir == "~" || strings.HasPrefix(dir, "~/"))
}

// fits reports whether a text may be the setting.
func (f Field) fits(text string) bool {
	if len(text) > mostText || !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) || len(f.Choices) > 0 && !slices.Contains(f.Choices, text) {
		return false
	}
	switch f.form {
	case "percent":
		return percent(text)
	case "hours":
		_, _, err := parseHours(text)
		return err == nil
	}
	return true
}

// isControl: a tab may stand in a command line.
func isControl(r rune) bool { return unicode.IsControl(r) && r != '\t' }

func percent(text string) bool {
	digits, ok := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	return ok && err == nil && n >= 10 && n <= 100 && strconv.Itoa(n) == digits
}

func (f Field) refuse(got string) error {
	return errors.New("expected " + f.Expected() + ", got " + got)
}

// brief is a value of a file as an error shows it.
func brief(raw json.RawMessage) string {
	var s string
	switch {
	case json.Unmarshal(raw, &s) == nil && s != "":
		return quoted(s)
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	}
	return string(raw[:min(len(raw), 40)])
}

// InQuietHours reports whether t, by its own zone's clock, lies in quietHours.
// The first minute belongs to them and the last does not; where the end is not
// after the beginning they cross midnight.
func (s Settings) InQuietHours(t time.Time) bool {
	from, to, err := parseHours(s.QuietHours)
	if err != nil || from == to {
		return false
	}
	now := t.Hour()*60 + t.Minute()
	if from < to {
		return from <= now && now < to
	}
	return from <= now || now < to
}

// parseHours gives minutes after midnight; both are 0 for an empty text.
func parseHours(text string) (from, to int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, last, ok := strings.Cut(text, "-")
	from, fromOK := parseClock(strings.TrimSpace(first))
	to, toOK := parseClock(strings.TrimSpace(last))
	if !ok || !fromOK || !toOK || from == to || from == 24*60 {
		return 0, 0, fmt.Errorf("expected hours such as 22:00-07:00, or nothing, got %s", quoted(text))
	}
	return from, to, nil
}

// parseClock is strict about two digits on each side; 24:00 is the day's end.
func parseClock(text string) (minutes int, ok bool) {
	if text == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == len("15:04")
}
