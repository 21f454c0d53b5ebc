package popup

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/popup/machine"
)

// A key that two rows bind in one place would do what the first says while the
// footer promises the second too.
func TestNoKeyIsBoundTwice(t *testing.T) {
	places := map[string][]string{ // how to get there
		"list": nil, "entry": {"3"}, "review, submit row": {"Tab", "Tab", "Tab"}, "review, question": {"Tab", "Tab", "Tab", "Up"},
	}
	for _, request := range []string{oneQuestion, threeQuestions} {
		for place, way := range places {
			s := newStage(t, request, nil, 62, 16).press(way...)
			for dialect, keys := range keymaps {
				bound := map[string]int{}
				for i, b := range keys {
					if b.mode != s.m.Mode() || b.when != nil && !b.when(s.m) {
						continue
					}
					for _, k := range b.keys {
						if first, twice := bound[k]; twice {
							t.Errorf("%s, %s: rows %d and %d both bind %s", dialect, place, first, i, k)
						}
						bound[k] = i
					}
				}
			}
		}
	}
}

// In an entry, what can be typed is text, and the new line keys are theirs alone.
func TestEntryKeysAreNoText(t *testing.T) {
	for dialect, keys := range keymaps {
		for i, b := range keys {
			for _, k := range b.keys {
				if b.mode == machine.Entry && (newlineKeys[k] || len([]rune(k)) == 1) {
					t.Errorf("%s: row %d takes %s away from the text", dialect, i, k)
				}
			}
		}
	}
}

// The footer says nothing that is not bound: each of its keys, pressed, is known.
func TestFooterKeysAreBound(t *testing.T) {
	names := map[string]string{"⇧Tab": "Shift+Tab", "↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}
	for _, c := range []struct {
		request string
		keys    []string
	}{
		{oneQuestion, nil}, {oneQuestion, []string{"4"}}, {threeQuestions, nil},
		{threeQuestions, []string{"3"}}, {threeQuestions, []string{"Tab", "Tab", "Tab"}}, {longQuestion, nil},
	} {
		s := newStage(t, c.request, nil, 200, 24).press(c.keys...)
		rows := s.rows()
		footer := rows[len(rows)-1]
		if footer == "" {
			t.Fatalf("no footer in %s", s.m.Mode())
		}
		for part := range strings.SplitSeq(footer, " · ") {
			sign, help, ok := strings.Cut(part, " ")
			if !ok || help == "" {
				t.Errorf("footer part %q says no key and what it does", part)
			}
			var keys []string
			for one := range strings.SplitSeq(sign, "/") {
				switch {
				case names[one] != "":
					keys = append(keys, names[one])
				case one == "↑↓":
					keys = append(keys, "Up", "Down")
				case strings.HasPrefix(one, "1–"):
					keys = append(keys, "1", strings.TrimPrefix(one, "1–"))
				default:
					keys = append(keys, one)
				}
			}
			for _, k := range keys {
				_, bound, _ := keymaps["question"].event(s.m, k)
				if !bound && !(newlineKeys[k] && s.m.Mode() == machine.Entry) {
					t.Errorf("the footer of %s says %q, and %s is not bound", s.m.Mode(), part, k)
				}
			}
		}
	}
}

// Every row that has help stands in the footer of its mode, if there is room.
func TestFooterSaysEveryRow(t *testing.T) {
	for _, c := range []struct {
		keys []string
		mode machine.Mode
	}{{nil, machine.List}, {[]string{"3"}, machine.Entry}, {[]string{"Tab", "Tab", "Tab"}, machine.Review}} {
		s := newStage(t, threeQuestions, nil, 300, 24).press(c.keys...)
		if s.m.Mode() != c.mode {
			t.Fatalf("mode %s, want %s", s.m.Mode(), c.mode)
		}
		rows := s.rows()
		for _, b := range keymaps["question"] {
			if b.mode == c.mode && (b.when == nil || b.when(s.m)) && !strings.Contains(rows[len(rows)-1], b.help) {
				t.Errorf("%s: no %q in %q", c.mode, b.help, rows[len(rows)-1])
			}
		}
	}
}

func TestEveryDialectHasAKeymap(t *testing.T) {
	for _, keys := range keymaps {
		modes := map[machine.Mode]bool{}
		for _, b := range keys {
			modes[b.mode] = true
		}
		for _, mode := range []machine.Mode{machine.List, machine.Entry, machine.Review} {
			if !modes[mode] {
				t.Errorf("nothing is bound in mode %s", mode)
			}
		}
	}
}
