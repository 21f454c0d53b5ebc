package jsonc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

const blanks = " \t\r\n"

// ownLine reports whether the item begins a line.
func (it item) ownLine() bool { return bytes.Contains(*it.lead, []byte("\n")) }

// indent is what the item's line begins with; outer is that of what it is in.
func (it item) indent(outer string) string {
	if !it.ownLine() {
		return outer
	}
	return strings.TrimLeft(string(onlyBlanks(*it.lead)), "\r\n")
}

// unit is what the document indents by.
func (d *Document) unit() string {
	if items, _ := contents(&d.root); len(items) > 0 {
		if unit := items[0].indent(""); unit != "" {
			return unit
		}
	}
	return "  "
}

// onlyBlanks is an item's last line break and indent, or the blanks in its line.
func onlyBlanks(lead hujson.Extra) hujson.Extra {
	if i := bytes.LastIndexByte(lead, '\n'); i > 0 && lead[i-1] == '\r' {
		lead = lead[i-1:]
	} else if i >= 0 {
		lead = lead[i:]
	}
	return slices.Clone(lead[:len(lead)-len(bytes.TrimLeft(lead, blanks))])
}

// add makes one more item, null, at the end of an object or a list.
func add(v *hujson.Value, step, indent, unit string) item {
	items, after := contents(v)
	object, isObject := v.Value.(*hujson.Object)
	lead, colon, comma := hujson.Extra("\n"+indent+unit), hujson.Extra(" "), hujson.Extra(nil)
	if len(items) > 0 {
		last := items[len(items)-1]
		if isObject {
			colon = onlyBlanks(last.value.BeforeExtra)
		}
		if lead = onlyBlanks(*last.lead); len(items) == 1 && len(lead) == 0 { // {"a": 1} and [1] go on with a blank, and {"a":1} does not
			lead = slices.Clone(colon)
		}
		comma, last.value.AfterExtra = last.value.AfterExtra, nil // a comma at the end stays at the end
	}
	comments := bytes.TrimRight(*after, blanks)
	if closing := (*after)[len(comments):]; bytes.Contains(lead, []byte("\n")) && !bytes.Contains(closing, []byte("\n")) {
		*after = hujson.Extra("\n" + indent)
	} else {
		*after = slices.Clone(closing)
	}
	lead = followed(comments, lead)
	null := hujson.Value{BeforeExtra: colon, Value: hujson.Literal("null"), AfterExtra: comma}
	if isObject {
		object.Members = append(object.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: lead, Value: hujson.String(step)}, Value: null})
	} else if list, isList := v.Value.(*hujson.Array); isList {
		null.BeforeExtra = lead
		list.Elements = append(list.Elements, null)
	}
	items, _ = contents(v)
	return items[len(items)-1]
}

// shrink puts what surrounds an item where it belongs once the item is gone:
// comments stay.
func shrink(items []item, i int, after *hujson.Extra) {
	comments := bytes.TrimRight(*items[i].lead, blanks)
	last := len(items) - 1
	switch {
	case i < last && i == 0 && len(comments) == 0:
		*items[1].lead = *items[0].lead
	case i < last:
		*items[i+1].lead = followed(comments, *items[i+1].lead)
	case i == 0 && len(comments) == 0:
		*after = nil
	default:
		*after = followed(comments, *after)
	}
	if i == last && i > 0 {
		items[i-1].value.AfterExtra = items[i].value.AfterExtra
	}
}

// followed is comments with what follows them on another line, where there are any.
func followed(comments, by hujson.Extra) hujson.Extra {
	if len(comments) > 0 && !bytes.Contains(by, []byte("\n")) {
		by = slices.Concat(hujson.Extra("\n"), by)
	}
	return slices.Concat(comments, by)
}

// laidOut is a new value: an object that begins a line has one for each member.
func laidOut(raw []byte, ownLine bool, indent, unit string) hujson.ValueTrimmed {
	if raw[0] == '{' && ownLine {
		var b bytes.Buffer
		if err := json.Indent(&b, raw, indent, unit); err == nil {
			raw = b.Bytes()
		}
	}
	v, err := hujson.Parse(raw)
	if err != nil {
		panic(err) // it comes from encode
	}
	return v.Value
}
