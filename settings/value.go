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
	"unicode"
	"unicode/utf8"
)

// The most that one setting may hold: nobody needs more, and a file that has
// it is not a person's.
const (
	mostText = 4096 // bytes
	mostList = 100  // elements
)

// Parse reads a value from text, as in a variable or on a command line, and
// checks it. A list has commas between its elements, or is a JSON array.
func (f Field) Parse(text string) (any, error) {
	var v any
	var err error
	switch f.zero.(type) {
	case bool:
		v, err = strconv.ParseBool(text)
	case int:
		v, err = strconv.Atoi(text)
	case float64:
		v, err = strconv.ParseFloat(text, 64)
	case string:
		v = text
	default:
		v, err = f.parseList(strings.TrimSpace(text))
	}
	if err != nil {
		return nil, f.refuse(quoted(text))
	}
	return f.check(v, quoted(text))
}

func (f Field) parseList(text string) (any, error) {
	if strings.HasPrefix(text, "[") {
		return f.decoded([]byte(text))
	}
	var words []string
	if text != "" {
		words = strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	}
	var numbers []float64
	for i, w := range words {
		words[i] = strings.TrimSpace(w)
		if _, ofNumbers := f.zero.([]float64); ofNumbers {
			n, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return nil, err
			}
			numbers = append(numbers, n)
		}
	}
	if _, ofNumbers := f.zero.([]float64); ofNumbers {
		return numbers, nil
	}
	return words, nil
}

// decode reads a value from a file and checks it. raw is valid JSON.
func (f Field) decode(raw json.RawMessage) (any, error) {
	v, err := f.decoded(raw)
	if err != nil {
		return nil, f.refuse(brief(raw))
	}
	return f.check(v, brief(raw))
}

// decoded is the value as the setting's type.
func (f Field) decoded(raw []byte) (any, error) {
	var generic any
	if err := json.Unmarshal(raw, &generic); err != nil {
		return nil, err
	}
	list, isList := generic.([]any)
	if generic == nil || isList && slices.Contains(list, nil) {
		return nil, errors.New("null is no value")
	}
	if n, isNumber := generic.(float64); isNumber && n == math.Trunc(n) && f.in(n) {
		if _, isInt := f.zero.(int); isInt {
			return int(n), nil // 300.0 is as whole as 300
		}
	}
	v := reflect.New(reflect.TypeOf(f.zero))
	err := json.Unmarshal(raw, v.Interface())
	return v.Elem().Interface(), err
}

// check is v, if the setting may be that. An empty list is nil.
func (f Field) check(v any, got string) (any, error) {
	ok := true
	switch v := v.(type) {
	case int:
		ok = f.in(float64(v))
	case float64:
		ok = f.in(v)
	case string:
		ok = f.fits(v)
	case []float64:
		return checked(f, v, "numbers", f.in, number)
	case []string:
		return checked(f, v, "directories", f.isDirectory, quoted)
	}
	if !ok {
		return nil, f.refuse(got)
	}
	return v, nil
}

// checked is a list, if each of its elements may be in it.
func checked[T any](f Field, list []T, what string, allowed func(T) bool, text func(T) string) (any, error) {
	if len(list) == 0 {
		return []T(nil), nil
	}
	if len(list) > mostList {
		return nil, fmt.Errorf("expected at most %d %s, got %d", mostList, what, len(list))
	}
	for _, v := range list {
		if !allowed(v) {
			return nil, f.refuse(text(v))
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
	var v any
	_ = json.Unmarshal(raw, &v)
	switch v := v.(type) {
	case string:
		return quoted(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	if len(raw) > 40 { // a number
		return string(raw[:40]) + "…"
	}
	return string(raw)
}
