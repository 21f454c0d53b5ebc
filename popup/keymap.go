package popup

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/askpane/askpane/popup/machine"
)

// A keymap is one dialect's table of keys. Handling and footer both come from
// it, so what is shown is what is bound. Order is importance: a narrow footer
// drops from the end.
type keymap []binding

// binding is one row: in a mode, keys that belong together.
type binding struct {
	mode  machine.Mode
	keys  []string // tcell's names, as keyName gives them
	event func(key string) machine.Event
	help  string // what the footer says; empty keeps the row out of it
	// when says whether the row means something now; nil is always.
	when func(*machine.Machine) bool
}

func does(a machine.Action) func(string) machine.Event {
	return func(string) machine.Event { return machine.Event{Action: a} }
}

// upDown moves by the arrow that was pressed.
func upDown(key string) machine.Event {
	if key == "Up" {
		return machine.Event{Action: machine.Up}
	}
	return machine.Event{Action: machine.Down}
}

// digit picks by number.
func digit(key string) machine.Event {
	return machine.Event{Action: machine.Pick, N: int(key[0] - '0')}
}

var digits = strings.Split("123456789", "")

func several(m *machine.Machine) bool { return m.Form().Review }

// onSubmit and offSubmit say where the review's cursor is.
func onSubmit(m *machine.Machine) bool  { return m.Cursor() == len(m.Form().Questions) }
func offSubmit(m *machine.Machine) bool { return !onSubmit(m) }

// questionKeys is the keymap of the dialect question (CONTRACTS.md 1).
var questionKeys = keymap{
	{machine.List, []string{"Up", "Down"}, upDown, "move", nil},
	{machine.List, []string{"Enter"}, does(machine.Choose), "choose", nil},
	{machine.List, digits, digit, "choose", nil},
	{machine.List, []string{"Esc"}, does(machine.Cancel), "cancel", nil},
	{machine.List, []string{"Tab", "Right"}, does(machine.Next), "next", several},
	{machine.List, []string{"Shift+Tab", "Left"}, does(machine.Prev), "previous", several},
	{machine.List, []string{"Home"}, does(machine.First), "", nil},
	{machine.List, []string{"End"}, does(machine.Last), "", nil},

	{machine.Entry, []string{"Enter"}, does(machine.Accept), "answer", nil},
	{machine.Entry, []string{"Esc"}, does(machine.Back), "back", nil},
	{machine.Entry, []string{"Tab"}, does(machine.Next), "next", several},
	{machine.Entry, []string{"Shift+Tab"}, does(machine.Prev), "previous", several},

	{machine.Review, []string{"Enter"}, does(machine.Choose), "submit", onSubmit},
	{machine.Review, []string{"Enter"}, does(machine.Choose), "change", offSubmit},
	{machine.Review, []string{"Up", "Down"}, upDown, "move", nil},
	{machine.Review, digits, digit, "change", nil},
	{machine.Review, []string{"Esc"}, does(machine.Cancel), "cancel", nil},
	{machine.Review, []string{"Shift+Tab", "Left"}, does(machine.Prev), "previous", nil},
	{machine.Review, []string{"Home"}, does(machine.First), "", nil},
	{machine.Review, []string{"End"}, does(machine.Last), "", nil},
}

// newlineKeys put a line break into an entry, in every dialect. A terminal
// without an extended keyboard protocol cannot send Shift+Enter.
var newlineKeys = map[string]bool{"Shift+Enter": true, "Alt+Enter": true, "Ctrl+J": true}

// keymaps has one table a dialect.
var keymaps = map[string]keymap{"question": questionKeys}

// event is what a key means to m, if anything.
func (km keymap) event(m *machine.Machine, key string) (machine.Event, bool) {
	for _, b := range km {
		if b.mode != m.Mode() || b.when != nil && !b.when(m) {
			continue
		}
		for _, k := range b.keys {
			if k == key {
				return b.event(key), true
			}
		}
	}
	return machine.Event{}, false
}

// footer says which keys work now, most important first. choices is how many
// digits mean something.
func (km keymap) footer(m *machine.Machine, choices int) []string {
	var parts []string
	keys, help := "", ""
	for _, b := range append(km, binding{mode: m.Mode(), keys: []string{""}, help: "end"}) {
		if b.mode != m.Mode() || b.help == "" || b.when != nil && !b.when(m) {
			continue
		}
		text := keysText(b.keys, choices)
		if b.help == help { // two rows that do the same stand together
			keys += "/" + text
			continue
		}
		if help != "" {
			parts = append(parts, keys+" "+help)
		}
		keys, help = text, b.help
	}
	if m.Mode() == machine.Entry {
		parts = append(parts, "Ctrl+J new line")
	}
	return parts
}

var signs = map[string]string{"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "Shift+Tab": "⇧Tab"}

func keysText(keys []string, choices int) string {
	if keys[0] == "1" {
		last := min(choices, len(keys))
		if last <= 1 {
			return "1"
		}
		return fmt.Sprintf("1–%d", last)
	}
	var texts []string
	arrows := true
	for _, k := range keys {
		sign, ok := signs[k]
		if !ok {
			sign = k
		}
		arrows = arrows && (k == "Up" || k == "Down" || k == "Left" || k == "Right")
		texts = append(texts, sign)
	}
	if arrows {
		return strings.Join(texts, "")
	}
	return strings.Join(texts, "/")
}

// keyName is a key's name as the tables write it.
func keyName(e *tcell.EventKey) string {
	key, mod := e.Key(), e.Modifiers()
	var name string
	switch key {
	case tcell.KeyRune:
		name = string(e.Rune())
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
