package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Every key that docs/keys.md, the footers and the help name is pressed here as
// the bytes that a terminal sends for it, and has to do what they say. The test
// reads the names from the screens that it comes by, so that a new one is missed.

// plainKeys are the bytes as terminals have always sent them.
var plainKeys = func() map[string]string {
	keys := map[string]string{
		"Up": up, "Down": down, "Right": right, "Left": left, "Enter": enter, "Tab": tab, "Shift+Tab": shiftTab, "Esc": esc, "Space": " ",
		"Home": "\x1b[H", "End": "\x1b[F", "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F7": "\x1b[18~",
		"Alt+Enter": "\x1b\r", "Alt+b": "\x1bb", "Alt+c": "\x1bc", "Alt+f": "\x1bf", "Alt+t": "\x1bt", "Alt+u": "\x1bu", "Alt+?": "\x1b?",
	}
	for _, sign := range "/?[]0123456789GRcegjknouy" {
		keys[string(sign)] = string(sign)
	}
	for _, n := range "123456789" {
		keys["Alt+"+string(n)] = "\x1b" + string(n)
	}
	for _, c := range "ABDEGJKNOPRTUWXY" {
		keys["Ctrl+"+string(c)] = string(c & 0x1f)
	}
	return keys
}()

// extendedKeys are the bytes of terminals that tell more keys apart. How they
// write a key with a sign of its own is format, of the sign and the modifiers.
func extendedKeys(format string) map[string]string {
	keys := maps.Clone(plainKeys)
	for name := range keys {
		if c, ok := strings.CutPrefix(name, "Ctrl+"); ok {
			keys[name] = fmt.Sprintf(format, strings.ToLower(c)[0], 5)
		} else if c, ok := strings.CutPrefix(name, "Alt+"); ok && len(c) == 1 {
			keys[name] = fmt.Sprintf(format, c[0], 3)
		}
	}
	keys["Alt+Enter"], keys["Shift+Enter"] = fmt.Sprintf(format, 13, 3), fmt.Sprintf(format, 13, 2)
	return keys
}

var (
	// sharedKeys: xterm's modifyOtherKeys; tmux with extended-keys.
	sharedKeys = extendedKeys("\x1b[27;%[2]d;%[1]d~")
	// kittyKeys: kitty's protocol, which foot, Ghostty, wezterm and others have too.
	kittyKeys = func() map[string]string {
		keys := extendedKeys("\x1b[%d;%du")
		keys["Esc"], keys["Shift+Tab"] = "\x1b[27u", "\x1b[9;2u"
		return keys
	}()
)

// presser presses keys in forms and keeps account of them.
type presser struct {
	bytes map[string]string
	mu    sync.Mutex
	// named are the keys with what the footers and the help said of them, pressed those
	// that were pressed while one said it, and used all that were.
	named, pressed, used map[string]bool
}

// hand is a presser at one form.
type hand struct {
	*presser
	place
	reads bool // the footers and the help, and keeps account of them
	bare  bool // the form draws on the terminal, and not through a multiplexer
	sent  int  // how much had been drawn when a key was pressed last
}

// drawn reports whether a program has drawn a whole screen after so many bytes, and the
// emulator has it: a screen stands between two sequences (private mode 2026).
func (v *terminal) drawn(after int) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	output := string(v.raw[after:])
	begun, ended := strings.LastIndex(output, "\x1b[?2026h"), strings.LastIndex(output, "\x1b[?2026l")
	return begun >= 0 && begun < ended && v.shown == len(v.raw)
}

// hints is what the footer on view says: what each key does.
func (h *hand) hints() map[string]string {
	for _, row := range slices.Backward(h.rows()) {
		hints := map[string]string{}
		if !read(hints, row) {
			hints = nil
		}
		if len(hints) > 1 { // a button, “[ Redis ]”, begins like one
			return hints
		}
	}
	return nil
}

// read adds what a row of a footer or of the help says, and reports whether it is one.
func read(hints map[string]string, row string) bool {
	for part := range strings.SplitSeq(strings.Trim(row, "│ "), " · ") {
		names, does := "", part
		for {
			word, rest, _ := strings.Cut(does, " ")
			keys := named(word)
			if len(keys) == 0 || rest == "" {
				break
			}
			names, does = names+" "+strings.Join(keys, " "), strings.TrimLeft(rest, " ")
		}
		for key := range strings.FieldsSeq(names) {
			hints[key] = does
		}
		if names == "" {
			return false
		}
	}
	return true
}

// help is what the help says, which is opened and closed for that by key.
func (h *hand) help(key string) map[string]string {
	h.t.Helper()
	const head = "any key closes this"
	h.types(h.bytes[key], head)
	listed := h.rests(func() map[string]string {
		listed, rows := map[string]string{}, h.rows()
		if !slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, head) }) {
			return nil
		}
		for _, row := range rows {
			for _, cell := range columns.Split(strings.Trim(row, "│ "), -1) {
				read(listed, cell)
			}
		}
		return listed
	})
	h.types(h.bytes[key])
	h.unsee(head)
	return listed
}

// named are the keys that a word of a footer means; a range is one.
func named(word string) (keys []string) {
	signs := map[string]string{"↑": "Up", "↓": "Down", "←": "Left", "→": "Right", "⇧Tab": "Shift+Tab"}
	if word == "/" {
		return []string{word}
	}
	for one := range strings.SplitSeq(word, "/") {
		_, known := plainKeys[one]
		switch {
		case signs[one] != "":
			keys = append(keys, signs[one])
		case known, rangeOfKeys.MatchString(one):
			keys = append(keys, one)
		case one != "" && strings.Trim(one, "↑↓←→") == "":
			for _, r := range one {
				keys = append(keys, signs[string(r)])
			}
		default:
			return nil
		}
	}
	return keys
}

// leaving has the words in which a form asks whether another Esc shall end it.
const leaving = "Cancel this question?"

// columns matches what is between two columns of the help.
var columns = regexp.MustCompile(` {3,}`)

var rangeOfKeys = regexp.MustCompile(`^(Alt\+)?1–[0-9]$`)

// rests is what is read once the screen is drawn. A multiplexer does not say when that
// is: there the same has to stand for a while.
func (h *hand) rests(read func() map[string]string) (hints map[string]string) {
	h.t.Helper()
	same := 0
	h.until("came to rest", func(string) bool {
		if h.bare {
			if h.drawn(h.sent) {
				hints = read()
			}
			return len(hints) > 0
		}
		now := read()
		if same++; len(now) == 0 || !maps.Equal(now, hints) {
			same = 0
		}
		hints = now
		return same == 12
	})
	return hints
}

// footer is hints, at rest. A footer leaves to the help what does not matter now: where
// it names the help, that is read too, unless a key would keep a form that is being
// cancelled. The help has to say whatever the footer does, which is read again where it
// may have been that from before the last key.
func (h *hand) footer() (hints map[string]string) {
	h.t.Helper()
	hints = h.rests(h.hints)
	for _, key := range []string{"?", "F1"} {
		if hints[key] == "" || strings.Contains(h.screen(), leaving) {
			continue
		}
		eventually(h.t, "the help says whatever the footer does", func() bool {
			footer := hints
			hints = h.help(key)
			for key, does := range footer {
				if hints[key] != does {
					hints = h.rests(h.hints)
					return false
				}
			}
			return true
		})
		break
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, does := range hints {
		h.named[name+" "+does] = true
	}
	return hints
}

// press presses a key that the footer or its help names, and sees what it does.
func (h *hand) press(key string, see ...string) {
	h.t.Helper()
	if !h.reads {
		h.send(key, see...)
		return
	}
	hints, name := h.footer(), key
	if digits := strings.TrimLeft(key, "Alt+"); digits >= "1" && digits <= "9" {
		for of := range hints {
			if first, _, ok := strings.Cut(of, "–"); ok && first == strings.TrimSuffix(key, digits)+"1" {
				name = of
			}
		}
	}
	if hints[name] == "" {
		h.t.Fatalf("neither the footer nor the help names %s; the screen is\n%s", key, frame(h.rows()))
	}
	h.mu.Lock()
	h.pressed[name+" "+hints[name]] = true
	h.mu.Unlock()
	h.send(key, see...)
}

// does presses one key after the other: each step is a key and what to see then. After
// "type" stands a text that is typed, after "also" a key that neither need name.
func (h *hand) does(steps ...string) {
	h.t.Helper()
	for _, step := range steps {
		keys, seen, _ := strings.Cut(step, " → ")
		see := strings.Split(seen, " & ")
		if text, ok := strings.CutPrefix(keys, "type "); ok {
			h.types(text, see...)
		} else if key, ok := strings.CutPrefix(keys, "also "); ok {
			h.key(key, see...)
		} else {
			h.press(keys, see...)
		}
	}
}

// key presses a key that neither need name here.
func (h *hand) key(key string, see ...string) {
	h.t.Helper()
	if h.reads {
		if help := h.footer()[key]; help != "" {
			h.mu.Lock()
			h.pressed[key+" "+help] = true
			h.mu.Unlock()
		}
	}
	h.send(key, see...)
}

func (h *hand) send(key string, see ...string) {
	h.t.Helper()
	bytes, ok := h.bytes[key]
	if !ok {
		h.t.Fatalf("there are no bytes for %s", key)
	}
	h.mu.Lock()
	h.used[key] = true
	h.mu.Unlock()
	h.types(bytes, see...)
}

// types sends bytes to a form that has shown what the last ones did.
func (h *hand) types(bytes string, see ...string) {
	h.t.Helper()
	if h.bare {
		h.until("showed what the last key did", func(string) bool { return h.drawn(h.sent) })
	}
	h.sent = len(h.output())
	h.place.press(bytes)
	h.see(see...)
}

// upperCase is an editor.
func upperCase(t *testing.T) string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "editor")
	const text = "#!/bin/sh\ntr a-z A-Z <\"$1\" >\"$1.new\"\nmv \"$1.new\" \"$1\"\n"
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

// The footers are read with the bytes that all terminals send: what they say does not
// depend on how a key comes. With the other bytes, each key does the same.
func TestKeys(t *testing.T) {
	// Over ssh no browser is opened: the form shows the page's link.
	editor, ssh := "EDITOR="+upperCase(t), "SSH_CONNECTION=192.0.2.1 50000 192.0.2.2 22"
	forms := map[string]func(*hand){
		"AskUserQuestion": (*hand).typedForm, "danger": (*hand).dangerForm, "question": (*hand).questionForm,
		"ask_user_question": (*hand).controlsForm, "ask_user": (*hand).decisionForm,
		"yes or no": (*hand).yesOrNoForm, "buttons": (*hand).buttonsForm, "dropdown": (*hand).dropdownForm, "long": (*hand).longForm,
	}
	for name, bytes := range map[string]map[string]string{"plain": plainKeys, "modifyOtherKeys": sharedKeys, "kitty": kittyKeys} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &presser{bytes: bytes, named: map[string]bool{}, pressed: map[string]bool{}, used: map[string]bool{}}
			t.Run("forms", func(t *testing.T) {
				for title, form := range forms {
					t.Run(title, func(t *testing.T) {
						t.Parallel()
						// High enough for all of the help.
						place := openTerminal(t, 340, 40, unguarded, editor, ssh, "XDG_STATE_HOME="+stateWithDesk(t))
						form(&hand{presser: p, place: place, reads: name == "plain", bare: true})
					})
				}
				if name != "plain" {
					return // tmux reads the keys, and gives a popup its own bytes for them
				}
				t.Run("in tmux", func(t *testing.T) {
					t.Parallel()
					s := newTmux(t)
					v := s.attach("main", 400, 40)
					(&hand{presser: p, place: place{terminal: v, spool: s.spool}, reads: true}).waitingForms(s)
				})
			})
			if t.Failed() || name != "plain" {
				return
			}
			for hint := range p.named {
				if !p.pressed[hint] {
					t.Errorf("a footer or the help says %q, and nobody pressed that", hint)
				}
			}
			for _, key := range documentedKeys(t) {
				if !p.used[key] {
					t.Errorf("docs/keys.md names %s, and nobody pressed that", key)
				}
			}
		})
	}
}

// documentedKeys are the keys that the table in docs/keys.md names.
func documentedKeys(t *testing.T) (keys []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		row, _ := strings.CutPrefix(line, "| ")
		cell, _, inTable := strings.Cut(row, " |")
		for i, span := range strings.Split(cell, "`") {
			if !inTable || i%2 == 0 {
				continue // what stands between backticks is a key
			}
			name := named(span)
			if len(name) == 0 {
				t.Errorf("docs/keys.md names %q, which is no key", span)
			}
			keys = append(keys, name...)
		}
	}
	if len(keys) < 30 {
		t.Fatalf("docs/keys.md names only %v", keys)
	}
	return keys
}
