package agents

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// What is new in a JSON file is laid out like what stands beside it.

// item is what surrounds a member or an element: the blanks and comments before
// it, and those before the comma after it.
type item struct{ lead, tail *hujson.Extra }

func objectItems(o *hujson.Object) []item {
	var items []item
	for i := range o.Members {
		items = append(items, item{&o.Members[i].Name.BeforeExtra, &o.Members[i].Value.AfterExtra})
	}
	return items
}

func arrayItems(a *hujson.Array) []item {
	var items []item
	for i := range a.Elements {
		items = append(items, item{&a.Elements[i].BeforeExtra, &a.Elements[i].AfterExtra})
	}
	return items
}

// childIndent is how far the items of a list or an object are indented, itself
// being indented as said. It is "" where they all stand in one line.
func childIndent(items []item, indent, unit string) string {
	if len(items) == 0 {
		return indent + unit
	}
	lead := *items[0].lead
	if i := bytes.LastIndexByte(lead, '\n'); i >= 0 {
		return string(lead[i+1:])
	}
	return ""
}

// unitOf is what the file indents by.
func unitOf(root *hujson.Value) string {
	if o, isObject := root.Value.(*hujson.Object); isObject && len(o.Members) > 0 {
		if unit := childIndent(objectItems(o), "", ""); strings.TrimLeft(unit, " \t") == "" && unit != "" {
			return unit
		}
	}
	return "  "
}

// laidOut is a new value, of several lines if it stands at an indent.
func laidOut(raw []byte, indent, unit string) hujson.ValueTrimmed {
	if indent == "" {
		return mustParse(raw)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, indent, unit); err != nil {
		panic(err) // only our own values come here
	}
	return mustParse(b.Bytes())
}

func mustParse(raw []byte) hujson.ValueTrimmed {
	v, err := hujson.Parse(raw)
	if err != nil {
		panic(err) // only what was encoded here
	}
	return v.Value
}

// extend makes room for one more item at the end: its lead and its tail.
func extend(items []item, after *hujson.Extra, indent, unit string) (lead, tail hujson.Extra) {
	inner := childIndent(items, indent, unit)
	line := func(indent string) hujson.Extra { return hujson.Extra("\n" + indent) }
	if len(items) == 0 {
		lead = append(bytes.TrimRight(*after, " \t\r\n"), line(inner)...)
		*after = line(indent)
		return lead, nil
	}
	last := items[len(items)-1]
	tail, *last.tail = *last.tail, nil // a comma at the end stays at the end
	if inner == "" && !bytes.ContainsRune(*items[0].lead, '\n') {
		return hujson.Extra(" "), tail
	}
	// A comment behind the last item stays behind it.
	lead = append(bytes.TrimRight(*after, " \t\r\n"), line(inner)...)
	*after = line(indent)
	return lead, tail
}

// shrink is the opposite, for the item i that is about to go.
func shrink(items []item, i int, after *hujson.Extra) {
	lead := bytes.TrimRight(*items[i].lead, " \t\r\n")
	last := i == len(items)-1
	switch {
	case len(items) == 1:
		*after = lead // comments
	case last:
		*after = append(slices.Clone(lead), *after...)
		*items[i-1].tail = *items[i].tail
	case len(lead) > 0: // comments in front of ours
		*items[i+1].lead = append(slices.Clone(lead), *items[i+1].lead...)
	case i == 0:
		*items[1].lead = *items[0].lead
	}
}

func appendMember(o *hujson.Object, name string, value hujson.ValueTrimmed, indent, unit string) *hujson.ObjectMember {
	lead, tail := extend(objectItems(o), &o.AfterExtra, indent, unit)
	o.Members = append(o.Members, hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: lead, Value: hujson.String(name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value, AfterExtra: tail},
	})
	return &o.Members[len(o.Members)-1]
}

func appendElement(a *hujson.Array, value hujson.ValueTrimmed, indent, unit string) {
	lead, tail := extend(arrayItems(a), &a.AfterExtra, indent, unit)
	a.Elements = append(a.Elements, hujson.Value{BeforeExtra: lead, Value: value, AfterExtra: tail})
}

func removeMember(o *hujson.Object, name string) {
	for i := len(o.Members) - 1; i >= 0; i-- {
		if &o.Members[i] == member(o, name) {
			shrink(objectItems(o), i, &o.AfterExtra)
			o.Members = slices.Delete(o.Members, i, i+1)
			return
		}
	}
}

func removeElement(a *hujson.Array, i int) {
	shrink(arrayItems(a), i, &a.AfterExtra)
	a.Elements = slices.Delete(a.Elements, i, i+1)
}
