// Package keymap says which key does what, on the form in each dialect and on every
// other screen.
//
// It knows no terminal: a key is its name (display.KeyName). The rule that must hold
// here: handling, footer and help all come from one table, so that what is shown is
// what is bound. The order of its rows is their importance: a narrow footer drops
// from the end, but for the help.
package keymap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/cells"
)

// Hint says in footer and help what a key does.
type Hint struct {
	Keys, Help string
	Key        string // what a click on it presses; empty where its keys do different things
}

// Joined puts hints together that say the same, with a stroke between their keys: not behind a bracket, where
// it would look like a key.
func Joined(hints []Hint) (joined []Hint) {
	for _, h := range hints {
		i := slices.IndexFunc(joined, func(j Hint) bool { return j.Help == h.Help })
		if i < 0 {
			joined = append(joined, h)
			continue
		}
		same, stroke := &joined[i], "/"
		if strings.HasSuffix(same.Keys, "[") || strings.HasSuffix(same.Keys, "]") {
			stroke = " "
		}
		same.Keys, same.Key = same.Keys+stroke+h.Keys, cmp.Or(same.Key, h.Key)
	}
	return joined
}

// Footer joins as many hints as there is room for: the help always, as the last, then
// how to leave, to go on, to hand back and to tick, then those before others.
func Footer(hints []Hint, width int) string {
	last := slices.IndexFunc(hints, func(h Hint) bool { return h.Help == "help" })
	if last >= 0 {
		hints = append(slices.Delete(slices.Clone(hints), last, last+1), hints[last])
	}
	shown := make([]bool, len(hints))
	footer := func() string {
		var parts []string
		for i, h := range hints {
			if shown[i] {
				parts = append(parts, h.Keys+" "+h.Help)
			}
		}
		return strings.Join(parts, " · ")
	}
	for _, first := range []func(i int) bool{
		func(i int) bool { return last >= 0 && i == len(hints)-1 },
		func(i int) bool { return strings.HasPrefix(hints[i].Keys, "Esc") },
		func(i int) bool { return strings.HasPrefix(hints[i].Keys, "Enter") },
		func(i int) bool { return hints[i].Help == HandBack },
		func(i int) bool { return strings.HasPrefix(hints[i].Keys, "Space") },
		func(int) bool { return true }, // a shorter one may still fit
	} {
		for i := range hints {
			if shown[i] || !first(i) {
				continue
			}
			shown[i] = true
			shown[i] = cells.Width(footer()) <= width || last >= 0 && i == len(hints)-1
		}
	}
	return footer()
}

// Clicked returns the key that a click on a column of the footer presses, if any.
func Clicked(footer string, column int, hints []Hint) string {
	for said := range strings.SplitSeq(footer, " · ") {
		if column < cells.Width(said) {
			i := slices.IndexFunc(hints, func(h Hint) bool { return column >= 0 && said == h.Keys+" "+h.Help })
			if i < 0 {
				return ""
			}
			return hints[i].Key
		}
		column -= cells.Width(said + " · ")
	}
	return ""
}

// Table lists the keys of a screen V.
type Table[V any] []Row[V]

// Row binds keys that do the same.
type Row[V any] struct {
	Keys []string
	Help string // what help and footer say; empty keeps the row out of both
	When func(V) bool
	Do   func(V)
	// Silent: the footer says nothing of the row now. Nil is never.
	Silent func(V) bool
}

// Do does what a key means, and reports whether it means anything.
func (t Table[V]) Do(v V, key string) bool {
	for _, r := range t {
		if r.Do != nil && slices.Contains(r.Keys, key) && r.When(v) {
			r.Do(v)
			return true
		}
	}
	return false
}

// Footer returns a hint for each row that works now: its first key that the terminal does
// not keep for itself. A silent one is only for the help.
func (t Table[V]) Footer(v V, kept []string, silent bool) (hints []Hint) {
	for _, r := range t {
		if r.Help != "" && r.When(v) && (silent || r.Silent == nil || !r.Silent(v)) {
			hints = append(hints, Hint{Text(usable(r.Keys, kept)[:1]), r.Help, r.Keys[0]})
		}
	}
	return hints
}

// Help returns a hint for each row that works now, with all its keys.
func (t Table[V]) Help(v V, kept []string) (hints []Hint) {
	for _, r := range t {
		if r.Help != "" && r.When(v) {
			hints = append(hints, Hint{Text(usable(r.Keys, kept)), r.Help, ""})
		}
	}
	return hints
}

// usable leaves out the keys that the terminal keeps for itself; it returns all of them if
// it keeps all, for it may do so only in some state of its own.
func usable(keys, kept []string) []string {
	ours := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(kept, k) })
	if len(ours) == 0 {
		return keys
	}
	return ours
}

var arrows = map[string]string{"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Shift+Tab": "⇧Tab"}

// Text writes keys that do the same: arrows together, the others with strokes.
func Text(keys []string) string {
	var texts []string
	joined := ""
	for _, k := range keys {
		sign, arrow := arrows[k]
		if !arrow {
			sign = k
		}
		if k == "Shift+Tab" || !arrow {
			joined = "/"
		}
		texts = append(texts, sign)
	}
	return strings.Join(texts, joined)
}

// digits writes keys that count, as a range of the first most of them.
func digits(keys []string, most int) string {
	first := strings.TrimSuffix(keys[0], "1")
	switch last := min(most, len(keys)); {
	case last < 1:
		return ""
	case last == 1:
		return keys[0]
	default:
		return fmt.Sprintf("%s1–%d", first, last)
	}
}
