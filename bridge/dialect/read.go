package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
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
		const none = 0xff // is in no UTF-8
		at := bytes.IndexByte(bytes.ToValidUTF8(raw, []byte{none}), none)
		return nil, fmt.Errorf("the JSON is not valid UTF-8 (byte %d)", at)
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
	var syntax *json.SyntaxError
	switch err := dec.Decode(&v); {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("not JSON: %v %s", err, position(raw, syntax.Offset))
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, errors.New("not JSON: the document ends too early")
	case err != nil:
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("not JSON: more text after the document %s", position(raw, dec.InputOffset()))
	}
	return v, nil
}

// depth counts how deep the document is nested, as far as it can be read.
func depth(raw []byte) (deepest int) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	for level := 0; ; deepest = max(deepest, level) {
		switch token, err := dec.Token(); {
		case err != nil:
			return deepest
		case token == json.Delim('{') || token == json.Delim('['):
			level++
		case token == json.Delim('}') || token == json.Delim(']'):
			level--
		}
	}
}

func position(raw []byte, offset int64) string {
	before := raw[:min(int(offset), len(raw))]
	return fmt.Sprintf("(line %d, column %d)", 1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n')-1)
}

// node is a place in a document: the value there, the path to it, and where to
// record what is wrong with it. Reading from a node never fails; a wrong value
// is recorded once and reads as zero.
type node struct {
	v       any
	raw     []byte // of the document, at its top alone: it has the order of members
	path    string
	missing bool
	errs    *faults
}

// faults has all that is wrong, so that a model can mend it in one go.
type faults []fault

type fault struct {
	path, text string
	more       int // how often it stands at other paths, too
}

func (n node) fail(format string, args ...any) {
	*n.errs = append(*n.errs, fault{path: cmp.Or(n.path, "request"), text: fmt.Sprintf(format, args...)})
}

// gone records that n has a member that an older version of a contract had: each fault
// once, at its first place.
func (n node) gone(name, instead string) {
	member := n.field(name)
	same := func(f fault) bool { return f.text == instead && lastName(f.path) == name }
	if i := slices.IndexFunc(*n.errs, same); member.given() && i >= 0 {
		(*n.errs)[i].more++
	} else if member.given() {
		member.fail("%s", instead)
	}
}

// error joins them all; nil is none.
func (all faults) error() error {
	const most = 8
	var texts []string
	for _, f := range all {
		text := strings.TrimPrefix(f.path+": "+f.text, ": ")
		if f.more > 0 {
			text += fmt.Sprintf(" (and %d more like it)", f.more)
		}
		texts = append(texts, text)
	}
	switch {
	case len(all) == 0:
		return nil
	case len(texts) > most:
		texts = append(texts[:most], fmt.Sprintf("and %d more", len(texts)-most))
	}
	return errors.New(strings.Join(texts, "; "))
}

// given reports whether the value is there and not null.
func (n node) given() bool { return !n.missing && n.v != nil }

// field returns the named member of an object; a missing one reads as not given.
func (n node) field(name string) node {
	path := name
	if n.path != "" {
		path = n.path + "." + name
	}
	obj, _ := n.v.(map[string]any)
	v, ok := obj[name]
	return node{v: v, path: path, missing: !ok, errs: n.errs}
}

// is reports whether n is of that kind, and records it if not.
func (n node) is(kind string) bool {
	if n.kind() == kind {
		return true
	}
	n.fail("expected %s, got %s", kind, n.kind())
	return false
}

// list returns the elements of an array, and of anything else nothing.
func (n node) list() []node {
	items, _ := n.v.([]any)
	nodes := make([]node, len(items))
	for i, v := range items {
		nodes[i] = node{v: v, path: fmt.Sprintf("%s[%d]", n.path, i), errs: n.errs}
	}
	return nodes
}

// string returns the string of the named member; empty for anything else, of which the
// schema or early speaks.
func (n node) string(name string) string {
	s, _ := n.field(name).v.(string)
	return s
}

// optionalText returns a string that may be absent.
func (n node) optionalText() string {
	if n.given() {
		n.is("a string")
	}
	s, _ := n.v.(string)
	return s
}

func (n node) flag(name string) bool { return n.field(name).v == true }

// set changes a member of the object at n, which is there.
func (n node) set(name string, value any) { n.v.(map[string]any)[name] = value }

// drop takes members of the object at n away.
func (n node) drop(names ...string) {
	for _, name := range names {
		delete(n.v.(map[string]any), name)
	}
}

// finite returns the number at n, and records one too large for a float64.
func (n node) finite() float64 {
	v, _ := n.v.(json.Number)
	f, err := v.Float64()
	if err != nil || math.IsInf(f, 0) {
		n.fail("expected a finite number, got %s", clip(fmt.Sprint(n.v)))
		return 0
	}
	return f
}

func (n node) kind() string {
	switch n.v.(type) {
	case nil:
		if n.missing {
			return "nothing"
		}
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

// quoted writes the value at n for an error: a text itself, else its kind.
func (n node) quoted() string {
	if s, ok := n.v.(string); ok {
		return strconv.Quote(clip(s))
	}
	return n.kind()
}

// clip keeps a quoted value from filling an error.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// unique records values that come twice.
type unique map[string]string

// add notes the text at n. One that came before is recorded as a duplicate.
func (u unique) add(n node) {
	text, _ := n.v.(string)
	if first, dup := u[text]; dup {
		n.fail("duplicate %s %q, already used by %s", lastName(n.path), text, strings.TrimSuffix(first, ".id"))
		return
	}
	u[text] = n.path
}

// distinct records values of the named member of a list's elements that come twice.
func (n node) distinct(list, name string) {
	values := unique{}
	for _, item := range n.field(list).list() {
		if value := item.field(name); value.given() {
			values.add(value)
		}
	}
}

// lastName returns the member that a path ends on, also of an element of it.
func lastName(path string) string {
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '.')+1:], "[")
	return name
}

// plainFloat writes a number without an exponent.
func plainFloat(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func joined(values []string) string { return strings.Join(values, ", ") }
