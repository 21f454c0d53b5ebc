package page

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// typeable are those of keys that a browser keeps for nothing of its own.
func typeable(keys []string) string {
	var ours []string
	for _, k := range keys {
		switch {
		case k == "Esc":
			ours = append(ours, "Escape")
		case utf8.RuneCountInString(k) == 1:
			ours = append(ours, k)
		}
	}
	return strings.Join(ours, " ")
}

// keys are the help: those of the question or the review under it.
func (s *session) keys() (keys [][2]string) {
	under := *s.M
	under.Handle(machine.Event{Action: machine.Back}) // any event leaves the help
	if n := under.Picks(); n > 0 && under.Mode() != machine.Number && under.Mode() != machine.Closed {
		keys = append(keys, [2]string{"1–" + strconv.Itoa(min(n, 9)), "choose"})
	}
	keys = append(keys, [2]string{"Tab, Shift+Tab", "go through what can be done"}, [2]string{"Enter, Space", "do it"}, [2]string{"↑ ↓", "another choice"},
		[2]string{"Shift+Enter", "new line"})
	for _, a := range scene.Of(&under, s.Status()).Actions {
		if key := typeable(a.Keys); key != "" {
			keys = append(keys, [2]string{strings.ReplaceAll(strings.ReplaceAll(key, "Escape", "Esc"), " ", ", "), strings.ToLower(a.Label[:1]) + a.Label[1:]})
		}
	}
	return keys
}

// field is what the open entry holds. A secret is never sent.
func (s *session) field(e *entry) *field {
	value := s.M.Buffer()
	if mode := s.M.Mode(); mode == machine.Number || mode == machine.Closed {
		value = s.M.EntryText(s.M.Step())
	}
	if e.Secret {
		value = s.typed.Value
	}
	if s.typed.ID != e.ID {
		if e.Secret {
			value = ""
		}
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	} else if s.typed.Value != value {
		s.typed = field{e.ID, s.typed.Rev + 1, value}
	}
	shown := s.typed
	if e.Secret {
		shown.Value = ""
	}
	return &shown
}
