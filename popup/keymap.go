package popup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/machine"
)

// A keymap is one dialect's table of keys. Handling, footer and the help
// overlay all come from it, so what is shown is what is bound. Order is
// importance: a narrow footer drops from the end.
type keymap []binding

// binding is one row: in a mode, keys that belong together.
type binding struct {
	mode machine.Mode
	keys []string // as keyName gives them
	help string   // what the footer says; empty keeps the row out of it
	// event is what a key of the row does; nil swallows it. bind is the same
	// for rows that depend on the form.
	event func(key string) machine.Event
	bind  func(*machine.Machine) func(key string) machine.Event
	// when says whether the row means something now; nil is always.
	when func(*machine.Machine) bool
}

func row(mode machine.Mode, help string, event func(string) machine.Event, keys ...string) binding {
	return binding{mode: mode, keys: keys, help: help, event: event}
}

func (b binding) where(when func(*machine.Machine) bool) binding {
	b.when = when
	return b
}

// applies reports whether the row means something to m now.
func (b binding) applies(m *machine.Machine) bool {
	return b.mode == m.Mode() && (b.when == nil || b.when(m))
}

// newlineKeys put a line break into an entry that may have several lines, in
// every dialect. A terminal without an extended keyboard protocol cannot send
// Shift+Enter.
var newlineKeys = map[string]bool{"Shift+Enter": true, "Alt+Enter": true, "Ctrl+J": true}

// event is what a key means to m. swallow: it means nothing, and must not be
// typed either.
func (km keymap) event(m *machine.Machine, key string) (e machine.Event, bound, swallow bool) {
	for _, b := range km {
		if !b.applies(m) {
			continue
		}
		for _, k := range b.keys {
			if k != key {
				continue
			}
			event := b.event
			if b.bind != nil {
				event = b.bind(m)
			}
			if event == nil {
				return e, false, true
			}
			return event(key), true, false
		}
	}
	return e, false, false
}

// hint is what a row says: its keys, and what they do.
type hint struct{ keys, help string }

// hints are the keys that work now, most important first, rows that do the
// same together. choices is how many digits mean something.
func (km keymap) hints(m *machine.Machine, choices int) []hint {
	var all []hint
	for _, b := range km {
		if b.help == "" || !b.applies(m) {
			continue
		}
		most := choices
		if strings.HasPrefix(b.keys[0], "Alt+") { // these go to questions
			most = len(m.Form().Questions)
		}
		keys := keysText(b.keys, most)
		if keys == "" {
			continue
		}
		same := -1
		for i := range all {
			if all[i].help == b.help {
				same = i
			}
		}
		if same >= 0 {
			all[same].keys += "/" + keys
			continue
		}
		all = append(all, hint{keys, b.help})
	}
	return all
}

// handed is keys without those that the terminal keeps for itself; all of them if
// it keeps all, for it may do so only in some state of its own.
func handed(keys, kept []string) []string {
	ours := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return slices.Contains(kept, k) })
	if len(ours) == 0 {
		return keys
	}
	return ours
}

var signs = map[string]string{"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Shift+Tab": "⇧Tab"}

// keysText writes a row's keys: arrows together, digits as a range.
func keysText(keys []string, choices int) string {
	if first, ok := strings.CutSuffix(keys[0], "1"); ok && len(keys) > 1 {
		last := min(choices, len(keys))
		switch {
		case last < 1:
			return ""
		case last == 1:
			return keys[0]
		}
		return fmt.Sprintf("%s1–%d", first, last)
	}
	var texts []string
	joined := ""
	for _, k := range keys {
		sign, ok := signs[k]
		if !ok {
			sign = k
		}
		if k != "Up" && k != "Down" && k != "Left" && k != "Right" {
			joined = "/"
		}
		texts = append(texts, sign)
	}
	return strings.Join(texts, joined)
}

// keyName is a key's name as the tables write it.
func keyName(e *tcell.EventKey) string {
	key, mod := e.Key(), e.Modifiers()
	var name string
	switch key {
	case tcell.KeyRune:
		if e.Rune() == 'm' && mod == tcell.ModAlt|tcell.ModCtrl {
			return "Alt+Enter" // tcell reads Esc and a carriage return as Alt and Ctrl+M
		}
		if name = string(e.Rune()); name == " " {
			name = "Space"
		}
		mod &^= tcell.ModShift // a capital says so itself
	case tcell.KeyEnter:
		name = "Enter"
	case tcell.KeyTab:
		name = "Tab"
	case tcell.KeyBacktab:
		return "Shift+Tab"
	case tcell.KeyEscape:
		name = "Esc"
	case tcell.KeyLF:
		return "Ctrl+J"
	default:
		if n, ok := tcell.KeyNames[key]; ok {
			name = strings.ReplaceAll(n, "-", "+")
		}
		if strings.HasPrefix(name, "Ctrl+") {
			mod &^= tcell.ModCtrl
		}
	}
	for _, m := range []struct {
		mask tcell.ModMask
		name string
	}{{tcell.ModShift, "Shift+"}, {tcell.ModAlt, "Alt+"}, {tcell.ModCtrl, "Ctrl+"}} {
		if mod&m.mask != 0 {
			name = m.name + name
		}
	}
	return name
}
