package dialect

import (
	"cmp"
	"maps"
	"slices"
)

// Unknown is a field of a request that its dialect does not have: it is ignored, and
// most often another was meant.
type Unknown struct {
	Path, Name string
	Known      []string // what may stand there, and does not
}

// UnknownFields are those of a request in the named dialect, or without a name in
// the one of its shape. What cannot be read, or is in an older version of its
// contract, has none: its error says what to do.
func UnknownFields(name string, raw []byte) []Unknown {
	v, err := parse(raw)
	top := node{v: v, errs: new(faults)}
	d, _ := ByName(name)
	if d == nil {
		d = detect(top)
	}
	if err != nil || d == nil {
		return nil
	}
	if d.shape != nil {
		d = cmp.Or(d.shape(top), d)
	}
	if d.early != nil {
		d.early(top)
	}
	if len(*top.errs) > 0 {
		return nil
	}
	return d.structure().unknown(top)
}

func (s *schema) unknown(n node) (all []Unknown) {
	if s == nil {
		return nil
	}
	for _, item := range n.list() {
		all = append(all, s.Items.unknown(item)...)
	}
	members, _ := n.v.(map[string]any)
	if len(s.Properties) == 0 {
		return all
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		i := slices.IndexFunc(s.Properties, func(p property) bool { return p.name == name })
		if i >= 0 {
			all = append(all, s.Properties[i].unknown(n.field(name))...)
			continue
		}
		u := Unknown{Path: n.field(name).path, Name: name}
		for _, p := range s.Properties {
			if _, there := members[p.name]; !there {
				u.Known = append(u.Known, p.name)
			}
		}
		all = append(all, u)
	}
	return all
}
