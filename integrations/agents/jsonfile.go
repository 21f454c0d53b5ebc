package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// inJSON is our part of a JSON file, which may have comments and commas at the
// ends of lists (JSONC). The rest of the file keeps its layout.
type inJSON struct {
	edits []edit
}

// edit is one thing of ours: a member, or an element of a list.
type edit struct {
	path []string
	// value is what stands at path, or an element of the list that does.
	value   any
	element bool
	// runs takes the command out of the value; nil where it has none. It also
	// tells our element of a list from others.
	runs func(value []byte) string
}

func (j inJSON) snippet() string {
	content, err := j.add(nil)
	if err != nil {
		panic(err) // it depends on our own edits only
	}
	return string(content)
}

func (j inJSON) add(content []byte) ([]byte, error) {
	root, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	for _, e := range j.edits {
		if err := e.add(&root); err != nil {
			return nil, err
		}
	}
	return root.Pack(), nil
}

// remove gives back the content from before we came, if nothing else was
// changed since. Else it takes out what is ours, and what was only there for it.
func (j inJSON) remove(content, before []byte) ([]byte, error) {
	if installed, err := j.reinstalled(content, before); err == nil && bytes.Equal(installed, content) {
		return before, nil
	}
	root, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	old, err := parseJSON(before)
	if err != nil {
		old = hujson.Value{Value: &hujson.Object{}} // somebody spoiled the copy
	}
	for _, e := range slices.Backward(j.edits) {
		e.remove(&root, &old)
	}
	if o, isObject := root.Value.(*hujson.Object); isObject && len(o.Members) == 0 && before == nil && len(bytes.TrimSpace(o.AfterExtra)) == 0 {
		return nil, nil
	}
	return root.Pack(), nil
}

// reinstalled is what installing into before gives, with the command that is in
// content: it may be another binary's by now.
func (j inJSON) reinstalled(content, before []byte) ([]byte, error) {
	root, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	old, err := parseJSON(before)
	if err != nil {
		return nil, err
	}
	for _, e := range j.edits {
		found := e.find(&root)
		if found == nil {
			continue
		}
		e.value = json.RawMessage(standard(found))
		if err := e.add(&old); err != nil {
			return nil, err
		}
	}
	return old.Pack(), nil
}

func (j inJSON) present(content []byte) (command string, ours bool, err error) {
	root, err := parseJSON(content)
	if err != nil {
		return "", false, err
	}
	for _, e := range j.edits {
		v := e.find(&root)
		switch {
		case v == nil:
		case e.runs != nil:
			command, ours = e.runs(standard(v)), true
		case e.same(v):
			ours = true
		}
	}
	return command, ours, nil
}

// same reports whether v is the value that we would write.
func (e edit) same(v *hujson.Value) bool {
	raw, err := json.Marshal(e.value)
	return err == nil && bytes.Equal(standard(v), raw)
}

// parseJSON takes no content, and an empty file, for an empty object.
func parseJSON(content []byte) (hujson.Value, error) {
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	root, err := hujson.Parse(content)
	if err != nil {
		return root, fmt.Errorf("it is not JSON, so it is left alone: %w", err)
	}
	if _, isObject := root.Value.(*hujson.Object); !isObject {
		return root, fmt.Errorf("it is left alone: expected a JSON object in it")
	}
	return root, nil
}

// standard is a value without comments.
func standard(v *hujson.Value) []byte {
	c := v.Clone()
	c.Minimize()
	return c.Pack()
}

func (e edit) add(root *hujson.Value) error {
	raw, err := json.Marshal(e.value)
	if err != nil {
		return err
	}
	if found := e.find(root); found != nil {
		if !e.same(found) {
			found.Value = laidOut(raw, e.indentAt(root), unitOf(root))
		}
		return nil
	}
	v, indent := root, ""
	steps := e.path
	if !e.element {
		steps = e.path[:len(e.path)-1]
	}
	for i, name := range steps {
		o, isObject := v.Value.(*hujson.Object)
		if !isObject {
			return fmt.Errorf("%s is not an object", strings.Join(e.path[:i], "."))
		}
		m := member(o, name)
		if m == nil {
			empty := hujson.ValueTrimmed(&hujson.Object{})
			if e.element && i == len(steps)-1 {
				empty = &hujson.Array{}
			}
			m = appendMember(o, name, empty, indent, unitOf(root))
		}
		indent = childIndent(objectItems(o), indent, unitOf(root))
		v = &m.Value
	}
	inner := func(items []item) string { return childIndent(items, indent, unitOf(root)) }
	switch list := v.Value.(type) {
	case *hujson.Object:
		if e.element {
			return fmt.Errorf("%s is not a list", strings.Join(e.path, "."))
		}
		appendMember(list, e.path[len(e.path)-1], laidOut(raw, inner(objectItems(list)), unitOf(root)), indent, unitOf(root))
	case *hujson.Array:
		if !e.element {
			return fmt.Errorf("%s is not an object", strings.Join(steps, "."))
		}
		appendElement(list, laidOut(raw, inner(arrayItems(list)), unitOf(root)), indent, unitOf(root))
	default:
		return fmt.Errorf("%s is neither an object nor a list", strings.Join(steps, "."))
	}
	return nil
}

// find is our value, nil where it is not there.
func (e edit) find(root *hujson.Value) *hujson.Value {
	v := at(root, e.path)
	if v == nil || !e.element {
		return v
	}
	list, isList := v.Value.(*hujson.Array)
	if !isList {
		return nil
	}
	for i := range list.Elements {
		el := &list.Elements[i]
		if e.runs != nil && e.runs(standard(el)) != "" || e.runs == nil && e.same(el) {
			return el
		}
	}
	return nil
}

// indentAt is how far our value, which is there, is indented.
func (e edit) indentAt(root *hujson.Value) string {
	indent, v := "", root
	for _, name := range e.path {
		o := v.Value.(*hujson.Object)
		indent = childIndent(objectItems(o), indent, unitOf(root))
		v = &member(o, name).Value
	}
	if e.element {
		indent = childIndent(arrayItems(v.Value.(*hujson.Array)), indent, unitOf(root))
	}
	return indent
}

// remove takes our value out, and the objects and lists around it that were not
// there before and are empty now. Where something else stood before, that comes
// back.
func (e edit) remove(root, before *hujson.Value) {
	found := e.find(root)
	if found == nil {
		return
	}
	if e.runs == nil {
		if !e.same(found) {
			return // changed since: theirs now
		}
		if was := e.find(before); was != nil {
			found.Value = was.Clone().Value
			return
		}
	}
	path := e.path
	if e.element {
		list := at(root, path).Value.(*hujson.Array)
		i := slices.IndexFunc(list.Elements, func(v hujson.Value) bool { return v.StartOffset == found.StartOffset })
		removeElement(list, i)
		if len(list.Elements) > 0 || at(before, path) != nil {
			return
		}
	}
	for n := len(path); n > 0; n-- {
		o := at(root, path[:n-1]).Value.(*hujson.Object)
		removeMember(o, path[n-1])
		if len(o.Members) > 0 || at(before, path[:n-1]) != nil {
			return
		}
	}
}

// at is the value at a path of names, nil where there is none.
func at(root *hujson.Value, path []string) *hujson.Value {
	v := root
	for _, name := range path {
		o, isObject := v.Value.(*hujson.Object)
		if !isObject {
			return nil
		}
		m := member(o, name)
		if m == nil {
			return nil
		}
		v = &m.Value
	}
	return v
}

// member is the last of that name: the one that counts.
func member(o *hujson.Object, name string) *hujson.ObjectMember {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if l, isLiteral := o.Members[i].Name.Value.(hujson.Literal); isLiteral && l.String() == name {
			return &o.Members[i]
		}
	}
	return nil
}
