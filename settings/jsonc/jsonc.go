// Package jsonc edits JSON that people write, with or without comments and commas
// at the ends of lists.
//
// It touches no file. The rule that must hold here: what is not edited stays as it
// is, to the byte, and what is new is laid out like what stands beside it.
package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// Document is an object, in the text it was read from. The edits do not go through
// hujson's own Patch: that changes the first of two members with one name, where
// readers take the last, and drops comments that stand before what it removes.
type Document struct{ root hujson.Value }

// ErrNoObject means that a text is JSON, but no document.
var ErrNoObject = errors.New("expected a JSON object in it")

// Parse reads a document. No content, or blank content, is an empty object.
func Parse(content []byte) (*Document, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return nil, err
	}
	if _, isObject := root.Value.(*hujson.Object); !isObject {
		return nil, ErrNoObject
	}
	return &Document{root}, nil
}

// Bytes is the document's text.
func (d *Document) Bytes() []byte { return d.root.Pack() }

// Path leads to a value: the names of members, of several with one name the last,
// and the numbers of elements from 0. End is the element after the last.
type Path []string

// End as the last step of a path appends to a list.
const End = "-"

// Index is a list's path followed by the number of one of its elements.
func (p Path) Index(i int) Path { return append(slices.Clone(p), strconv.Itoa(i)) }

// Get is the value there, as JSON without comments; nil where there is none.
func (d *Document) Get(p Path) json.RawMessage {
	v := d.at(p)
	if v == nil {
		return nil
	}
	plain := v.Clone()
	plain.Minimize()
	return plain.Pack()
}

// Set puts a value there, and objects and lists on the way to it. A member that
// is new becomes the last of its object.
func (d *Document) Set(p Path, value any) error {
	raw, err := encode(value)
	if err != nil {
		return err
	}
	v, indent, unit := &d.root, "", d.unit()
	for i, step := range p {
		it, err := child(v, step)
		if err != nil {
			return fmt.Errorf("%s is %w", strings.Join(p[:i], "."), err)
		}
		if it.value == nil {
			it = add(v, step, indent, unit)
			if i+1 < len(p) {
				it.value.Value = emptyFor(p[i+1])
			}
		}
		v, indent = it.value, it.indent(indent)
		if i+1 == len(p) {
			v.Value = laidOut(raw, it.ownLine(), indent, unit)
		}
	}
	return nil
}

// Remove takes a value out, and what has its name. It reports whether there was one.
func (d *Document) Remove(p Path) (had bool) {
	parent, step := d.at(p[:len(p)-1]), p[len(p)-1]
	if parent == nil {
		return false
	}
	for it, _ := child(parent, step); it.value != nil; it, _ = child(parent, step) {
		items, after := contents(parent)
		i := slices.IndexFunc(items, func(other item) bool { return other.value == it.value })
		shrink(items, i, after)
		had = true
		switch c := parent.Value.(type) {
		case *hujson.Object:
			c.Members = slices.Delete(c.Members, i, i+1)
		case *hujson.Array:
			c.Elements = slices.Delete(c.Elements, i, i+1)
			return had // the next one has this number now
		}
	}
	return had
}

// Len is how many members or elements the object or list there has.
func (d *Document) Len(p Path) int {
	v := d.at(p)
	if v == nil {
		return 0
	}
	items, _ := contents(v)
	return len(items)
}

// IsBare reports whether the document is an object with neither members nor comments.
func (d *Document) IsBare() bool {
	items, after := contents(&d.root)
	return len(items) == 0 && len(bytes.TrimSpace(*after)) == 0
}

func (d *Document) at(p Path) *hujson.Value {
	v := &d.root
	for _, step := range p {
		it, err := child(v, step)
		if err != nil || it.value == nil {
			return nil
		}
		v = it.value
	}
	return v
}

// item is a member or an element.
type item struct {
	step  string        // its name or number
	lead  *hujson.Extra // blanks and comments before it
	value *hujson.Value // its AfterExtra is what stands before the comma; not nil in the last item is a comma at the end
}

// contents are a value's items, and the blanks and comments after them.
func contents(v *hujson.Value) (items []item, after *hujson.Extra) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			items = append(items, item{name.String(), &m.Name.BeforeExtra, &m.Value})
		}
		return items, &c.AfterExtra
	case *hujson.Array:
		for i := range c.Elements {
			e := &c.Elements[i]
			items = append(items, item{strconv.Itoa(i), &e.BeforeExtra, e})
		}
		return items, &c.AfterExtra
	}
	return nil, nil
}

// child is one step down; without a value where there is nothing yet. The error
// says what v would have to be.
func child(v *hujson.Value, step string) (item, error) {
	_, isObject := v.Value.(*hujson.Object)
	_, isList := v.Value.(*hujson.Array)
	_, err := strconv.Atoi(step)
	switch isNumber := err == nil; {
	case step == End && !isList:
		return item{}, errors.New("not a list")
	case !isObject && (!isList || step != End && !isNumber):
		return item{}, errors.New("not an object")
	}
	items, _ := contents(v)
	for _, it := range slices.Backward(items) {
		if it.step == step {
			return it, nil
		}
	}
	return item{}, nil
}

func emptyFor(step string) hujson.ValueTrimmed {
	if step == End {
		return &hujson.Array{}
	}
	return &hujson.Object{}
}

// encode is a value as JSON; a command line is easier to read with its > and &.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}
