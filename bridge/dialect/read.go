package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of any request or answer payload.
const (
	MaxBytes = 1 << 20
	MaxDepth = 32
)

// parse reads one JSON document within the limits.
func parse(raw []byte) (any, error) {
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("the JSON is larger than 1 MiB (%d bytes allowed)", MaxBytes)
	}
	if !utf8.Valid(raw) {
		return nil, fmt.Errorf("the JSON is not valid UTF-8 (byte %d)", invalidAt(raw))
	}
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, errors.New("not JSON: the input is empty")
	}
	// Counted before parsing: encoding/json recurses, and its own limit is 10,000.
	if depth(raw) > MaxDepth {
		return nil, fmt.Errorf("the JSON is nested deeper than %d levels", MaxDepth)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("not JSON: %s", jsonFault(raw, err))
	}
	if _, err := dec.Token(); err != io.EOF {
		line, col := position(raw, dec.InputOffset())
		return nil, fmt.Errorf("not JSON: more text after the document (line %d, column %d)", line, col)
	}
	return v, nil
}

func invalidAt(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(raw)
}

func depth(raw []byte) (deepest int) {
	level, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

func jsonFault(raw []byte, err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line, col := position(raw, syntax.Offset)
		return fmt.Sprintf("%v (line %d, column %d)", err, line, col)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "the document ends too early"
	}
	return err.Error()
}

func position(raw []byte, offset int64) (line, col int) {
	before := raw[:min(int(offset), len(raw))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n') - 1
}

// node is a place in a document: the value there, the path to it, and where to
// record what is wrong with it. Reading from a node never fails; a wrong value
// is recorded once and reads as zero.
type node struct {
	v       any
	path    string
	missing bool
	errs    *[]error
}

func (n node) fail(format string, args ...any) {
	path := n.path
	if path == "" {
		path = "request"
	}
	*n.errs = append(*n.errs, fmt.Errorf("%s: %s", path, fmt.Sprintf(format, args...)))
}

// given reports whether the value is there and not null.
func (n node) given() bool { return !n.missing && n.v != nil }

// field is the named member of an object; a missing one reads as not given.
func (n node) field(name string) node {
	path := name
	if n.path != "" {
		path = n.path + "." + name
	}
	obj, _ := n.v.(map[string]any)
	v, ok := obj[name]
	return node{v: v, path: path, missing: !ok, errs: n.errs}
}

// object reports whether n is an object, and records it if not.
func (n node) object() bool {
	if _, ok := n.v.(map[string]any); !ok {
		n.fail("expected an object, got %s", n.kind())
		return false
	}
	return true
}

// list is the elements of an array.
func (n node) list() []node {
	items, ok := n.v.([]any)
	if !ok {
		n.fail("expected an array, got %s", n.kind())
		return nil
	}
	nodes := make([]node, len(items))
	for i, v := range items {
		nodes[i] = node{v: v, path: fmt.Sprintf("%s[%d]", n.path, i), errs: n.errs}
	}
	return nodes
}

// text is a string that must be there and hold more than blanks.
func (n node) text() string {
	s, ok := n.v.(string)
	if !ok || strings.TrimSpace(s) == "" {
		got := n.kind()
		if ok {
			got = "a blank one"
		}
		n.fail("expected a non-empty string, got %s", got)
		return ""
	}
	return s
}

// optionalText is a string that may be absent.
func (n node) optionalText() string {
	if !n.given() {
		return ""
	}
	s, ok := n.v.(string)
	if !ok {
		n.fail("expected a string, got %s", n.kind())
	}
	return s
}

func (n node) kind() string {
	if n.missing {
		return "nothing"
	}
	return kindOf(n.v)
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}

// items is list for an array that may be absent.
func (n node) items() []node {
	if !n.given() {
		return nil
	}
	return n.list()
}

// flag is a boolean; an absent one reads as initially.
func (n node) flag(initially bool) bool {
	if v, ok := n.v.(bool); ok {
		return v
	}
	return initially
}

// unique records values that come twice.
type unique map[string]string

// add notes that text stands at n. A text that came before is recorded as a
// duplicate; add then reports false.
func (u unique) add(n node, text string) bool {
	first, dup := u[text]
	if !dup {
		u[text] = n.path
		return true
	}
	n.fail("duplicate %s %q, already used by %s", n.path[strings.LastIndexByte(n.path, '.')+1:], text, strings.TrimSuffix(first, ".id"))
	return false
}

// plainFloat writes a number without an exponent.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// elements is the objects in an array, if n is one; anything else is passed
// over in silence, for the schema to speak of.
func elements(n node) []node {
	if _, isList := n.v.([]any); !isList {
		return nil
	}
	return n.list()
}
