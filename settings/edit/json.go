// Package edit changes files that people keep: JSON in the layout that it has, with
// or without comments and commas at the ends of lists, and any file in one step.
//
// The rule that must hold here: what is not edited stays as it is, and what is new
// is laid out like what stands beside it.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/askpane/askpane/bridge/text/hint"
)

// Document holds an object and its text. A JSON pointer (RFC 6901) says where a value is in
// it: "/env/HOME", "/list/0", and "/list/-" for the element after the last.
//
// The text itself is edited: hujson's Patch drops comments that stand before what
// it removes, and lays nothing out.
type Document struct {
	text []byte
	root hujson.Value // with the offsets in text
}

// Parse reads a document. No content, or blank content, is an empty object. An
// object that has a name twice is refused: which one counts is for its reader to say.
func Parse(content []byte) (*Document, error) {
	if len(bytes.TrimSpace(Blank(content))) == 0 {
		content = []byte("{}\n")
	}
	root, err := hujson.Parse(Blank(content))
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	if _, isObject := root.Value.(*hujson.Object); !isObject {
		return nil, errors.New("expected a JSON object in it")
	}
	for v := range root.All() {
		seen := map[string]bool{}
		for _, it := range items(v) {
			literal, _ := it.Name.Value.(hujson.Literal) // an element has none
			name := literal.String()
			if name != "" && seen[name] {
				return nil, fmt.Errorf("%q stands twice in one object", name)
			}
			seen[name] = true
		}
	}
	return &Document{content, root}, nil
}

// Blank puts blanks in the place of the byte order mark that some editors begin a file with.
func Blank(text []byte) []byte {
	rest := bytes.TrimPrefix(text, []byte("\ufeff"))
	return slices.Concat(bytes.Repeat([]byte(" "), len(text)-len(rest)), rest)
}

// Bytes returns the document's text.
func (d *Document) Bytes() []byte { return d.text }

// Get returns the value there, as JSON without comments; it is empty where there is none.
func (d *Document) Get(at string) string {
	v := d.root.Find(at)
	if v == nil {
		return ""
	}
	plain := v.Clone()
	plain.Minimize()
	return plain.String()
}

// Set puts a value there, raw being its JSON in one line, and objects and lists on
// the way to it. A member that is new becomes the last of its object.
func (d *Document) Set(at, raw string) error {
	if v := d.root.Find(at); v != nil {
		if bytes.ContainsRune(d.text[v.StartOffset:v.EndOffset], '\n') {
			raw = d.laidOut(raw, d.indent(v.StartOffset))
		}
		d.splice(v.StartOffset, v.EndOffset, raw)
		return nil
	}
	parent, name := Above(at)
	for ; d.root.Find(parent) == nil; parent, name = Above(parent) {
		if name == "-" {
			raw = "[" + raw + "]"
		} else {
			raw = "{" + hint.JSON(name) + ":" + raw + "}"
		}
	}
	in := d.root.Find(parent)
	_, isObject := in.Value.(*hujson.Object)
	_, isList := in.Value.(*hujson.Array)
	switch where := strings.ReplaceAll(strings.TrimPrefix(parent, "/"), "/", "."); {
	case name == "-" && !isList:
		return fmt.Errorf("%s is not a list", where)
	case name != "-" && !isObject:
		return fmt.Errorf("%s is not an object", where)
	}
	d.add(in, name, raw)
	return nil
}

// Above leads to what a value is in, and name is the value's there.
func Above(at string) (parent, name string) {
	i := strings.LastIndexByte(at, '/')
	return at[:i], at[i+1:]
}

// Remove takes a value out, and what has its name. It reports whether there was one.
func (d *Document) Remove(at string) (had bool) {
	v := d.root.Find(at)
	if v == nil {
		return false
	}
	parent, _ := Above(at)
	in := d.root.Find(parent)
	all := items(in)
	i := slices.IndexFunc(all, func(it hujson.ObjectMember) bool { return it.Value.EndOffset == v.EndOffset })
	from, to := all[i].Name.StartOffset, v.EndOffset
	comma := i+1 < len(all) || v.AfterExtra != nil
	if comma {
		to += len(v.AfterExtra) + 1
	}
	next := len(d.text) - len(bytes.TrimLeft(d.text[to:], blanks))
	inside, closing := in.StartOffset+1, in.EndOffset-1
	switch {
	case i+1 < len(all): // what comes next takes its place, with the comments before it
		to = next
	case next == closing && len(bytes.TrimSpace(d.text[inside:from])) == 0:
		from, to = inside, closing
	case bytes.ContainsRune(d.text[to:next], '\n'):
		from = len(bytes.TrimRight(d.text[:from], blanks))
	default: // the end of the line before may end a comment
		from = len(bytes.TrimRight(d.text[:from], " \t"))
	}
	d.splice(from, to, "")
	if i > 0 && !comma {
		before := all[i-1].Value.EndOffset + len(all[i-1].Value.AfterExtra)
		d.splice(before, before+1, "")
	}
	return true
}

// items lists the members of an object, or the elements of a list as members that begin with
// their values. A comma follows all but the last, and that where it has an AfterExtra.
func items(v *hujson.Value) (all []hujson.ObjectMember) {
	switch in := v.Value.(type) {
	case *hujson.Object:
		return in.Members
	case *hujson.Array:
		for _, e := range in.Elements {
			all = append(all, hujson.ObjectMember{Name: hujson.Value{StartOffset: e.StartOffset}, Value: e})
		}
	}
	return all
}

const blanks = " \t\r\n"

// add makes one more item at the end of an object or a list.
func (d *Document) add(in *hujson.Value, name, raw string) {
	outer, closing := d.indent(in.StartOffset), in.EndOffset-1
	end := len(bytes.TrimRight(d.text[:closing], blanks)) // of the last item, or of a comment after it
	lead, colon, tail := "\n"+outer+d.unit(), ": ", ""
	all := items(in)
	if len(all) > 0 {
		last := all[len(all)-1]
		lead = string(d.text[len(bytes.TrimRight(d.text[:last.Name.StartOffset], blanks)):last.Name.StartOffset])
		if d.text[last.Value.StartOffset-1] == ':' {
			colon = ":"
		}
		switch {
		case bytes.ContainsRune(d.text[last.Value.EndOffset:end], '/') && !strings.Contains(lead, "\n"):
			lead = "\n" // the end of the line may end a comment
		case len(all) == 1 && lead == "":
			lead = strings.TrimPrefix(colon, ":")
		}
		if last.Value.AfterExtra != nil {
			tail = "," // a comma at the end stays at the end
		} else {
			d.text = slices.Insert(slices.Clone(d.text), last.Value.EndOffset, ',')
			end++
		}
	} else if !bytes.ContainsRune(d.text[end:closing], '\n') {
		tail = "\n" + outer
	}
	if i := strings.LastIndexByte(lead, '\n'); i >= 0 {
		raw = d.laidOut(raw, lead[i+1:])
	}
	if name != "-" {
		raw = hint.JSON(name) + colon + raw
	}
	d.splice(end, end, lead+raw+tail)
}

// indent returns the blanks that the line begins with.
func (d *Document) indent(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unit returns the blanks that the document indents by.
func (d *Document) unit() string {
	if all := items(&d.root); len(all) > 0 && d.indent(all[0].Name.StartOffset) != "" {
		return d.indent(all[0].Name.StartOffset)
	}
	return "  "
}

// laidOut lays a new value out: an object has a line for each member.
func (d *Document) laidOut(raw, indent string) string {
	var b bytes.Buffer
	if !strings.Contains(raw, "{") || json.Indent(&b, []byte(raw), indent, d.unit()) != nil {
		return raw
	}
	return b.String()
}

// splice puts a text in the place of another.
func (d *Document) splice(from, to int, by string) {
	d.text = slices.Concat(d.text[:from], []byte(by), d.text[to:])
	root, err := hujson.Parse(Blank(d.text))
	if err != nil {
		panic(err) // it did parse before
	}
	d.root = root
}
