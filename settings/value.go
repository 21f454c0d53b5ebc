package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
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
	switch f.kind {
	case boolKind:
		if b, err := strconv.ParseBool(text); err == nil {
			return b, nil
		}
	case intKind:
		if n, err := strconv.Atoi(text); err == nil && f.in(float64(n)) {
			return n, nil
		}
	case floatKind:
		if n, err := strconv.ParseFloat(text, 64); err == nil && f.in(n) {
			return n, nil
		}
	case numbersKind, stringsKind:
		return f.parseList(text)
	default:
		if f.fits(text) {
			return text, nil
		}
	}
	return nil, f.refuse(quoted(text))
}

func (f Field) parseList(text string) (any, error) {
	if t := strings.TrimSpace(text); strings.HasPrefix(t, "[") {
		if !json.Valid([]byte(t)) {
			return nil, f.refuse(quoted(text))
		}
		return f.decode([]byte(t))
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	if strings.TrimSpace(text) == "" {
		words = nil
	}
	if f.kind == stringsKind {
		return f.directories(words)
	}
	var list []float64
	for _, w := range words {
		n, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, f.refuse(quoted(text))
		}
		list = append(list, n)
	}
	return f.numbers(list)
}

// decode reads a value from a file and checks it. raw is valid JSON.
func (f Field) decode(raw json.RawMessage) (any, error) {
	raw = bytes.TrimSpace(raw)
	if bytes.Equal(raw, []byte("null")) {
		return nil, f.refuse("null")
	}
	switch f.kind {
	case boolKind:
		var b bool
		if json.Unmarshal(raw, &b) == nil {
			return b, nil
		}
	case intKind, floatKind:
		var n float64
		if json.Unmarshal(raw, &n) != nil || !f.in(n) {
			break
		}
		if f.kind == floatKind {
			return n, nil
		}
		if n == math.Trunc(n) { // 300.0 is as whole as 300
			return int(n), nil
		}
	case numbersKind:
		var list []*float64 // null is no number
		if json.Unmarshal(raw, &list) == nil && !slices.Contains(list, nil) {
			numbers := make([]float64, len(list))
			for i, n := range list {
				numbers[i] = *n
			}
			return f.numbers(numbers)
		}
	case stringsKind:
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			return f.directories(list)
		}
	default:
		var text string
		if json.Unmarshal(raw, &text) == nil && f.fits(text) {
			return text, nil
		}
	}
	return nil, f.refuse(brief(raw))
}

// fits reports whether a text may be the setting.
func (f Field) fits(text string) bool {
	if len(text) > mostText || !utf8.ValidString(text) || strings.ContainsFunc(text, isControl) || !f.oneOf(text) {
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

func (f Field) numbers(list []float64) (any, error) {
	if len(list) == 0 {
		return []float64(nil), nil
	}
	if len(list) > mostList {
		return nil, fmt.Errorf("expected at most %d numbers, got %d", mostList, len(list))
	}
	for _, n := range list {
		if !f.in(n) {
			return nil, f.refuse(number(n))
		}
	}
	return list, nil
}

// directories are absolute, or begin with ~/.
func (f Field) directories(list []string) (any, error) {
	if len(list) == 0 {
		return []string(nil), nil
	}
	if len(list) > mostList {
		return nil, fmt.Errorf("expected at most %d directories, got %d", mostList, len(list))
	}
	for _, dir := range list {
		if !f.fits(dir) || !filepath.IsAbs(dir) && dir != "~" && !strings.HasPrefix(dir, "~/") {
			return nil, f.refuse(quoted(dir))
		}
	}
	return list, nil
}

func (f Field) refuse(got string) error {
	return errors.New("expected " + f.Expected() + ", got " + got)
}

// brief is a value of a file as an error shows it.
func brief(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return quoted(text)
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	if len(raw) > 40 { // a number
		return string(raw[:40]) + "…"
	}
	return string(raw)
}
