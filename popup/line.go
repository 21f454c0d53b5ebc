package popup

import (
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// line lists the keys of a shell's line in an entry, where the text area has others or
// skips words of one letter: each gives the range of text that the cursor at i passes.
var line = map[string]func(text string, i int) (from, to int){
	"Alt+b": wordLeft, "Ctrl+Left": wordLeft, "Alt+Left": wordLeft,
	"Alt+f": wordRight, "Ctrl+Right": wordRight, "Alt+Right": wordRight,
}

// kills lists those that cut the text out, for Ctrl+Y to put it back.
var kills = map[string]func(text string, i int) (from, to int){
	"Ctrl+W": blankLeft, "Alt+Backspace": wordLeft, "Alt+d": wordRight, "Ctrl+K": lineRight, "Ctrl+U": lineLeft,
}

// sameAs replaces keys by those of the text area where they have another meaning in a shell, or
// none: Ctrl+L selects everything there, and the next letter would replace it.
var sameAs = map[string]tcell.Key{
	"Ctrl+F": tcell.KeyRight, "Ctrl+_": tcell.KeyCtrlZ, "Ctrl+/": tcell.KeyCtrlZ, "Alt+e": tcell.KeyCtrlY, "Ctrl+L": tcell.KeyNUL,
}

// editLine handles a key in the open entry.
func (t *entry) editLine(name string, e *tcell.EventKey) {
	again := t.killing
	t.killing = false
	all := t.GetText()
	_, start, end := t.GetSelection()
	key, other := sameAs[name]
	switch {
	case line[name] != nil:
		from, to := line[name](all, end)
		at := from + to - end // the far end of the range
		t.Select(at, at)
	case kills[name] != nil:
		from, to := kills[name](all, end)
		if start != end {
			from, to = start, end
		}
		t.kill(all[from:to], again, from < end)
		t.Replace(from, to, "").Select(from, from)
	case name == "Ctrl+Y":
		text := t.clean(t.killed)
		t.Replace(start, end, text).Select(start+len(text), start+len(text))
	case other:
		t.InputHandler()(tcell.NewEventKey(key, 0, 0), func(tview.Primitive) {})
	case e.Key() == tcell.KeyRune && e.Modifiers()&(tcell.ModCtrl|tcell.ModMeta) != 0: // a command, not text
	default:
		t.InputHandler()(e, func(tview.Primitive) {})
	}
}

// kill keeps what was taken out; what is taken out again at once belongs to it.
func (t *entry) kill(text string, again, before bool) {
	switch {
	case !again:
		t.killed = text
	case before:
		t.killed = text + t.killed
	default:
		t.killed += text
	}
	t.killing = true
}

func wordLeft(text string, i int) (from, to int) {
	from = len(strings.TrimRightFunc(text[:i], apart))
	return len(strings.TrimRightFunc(text[:from], inWord)), i
}

func wordRight(text string, i int) (from, to int) {
	rest := strings.TrimLeftFunc(strings.TrimLeftFunc(text[i:], apart), inWord)
	return i, len(text) - len(rest)
}

// blankLeft goes to the blank before, as Ctrl+W does in a shell.
func blankLeft(text string, i int) (from, to int) {
	from = len(strings.TrimRightFunc(text[:i], unicode.IsSpace))
	return len(strings.TrimRightFunc(text[:from], solid)), i
}

// lineRight goes to the end of the line, and from there over it.
func lineRight(text string, i int) (from, to int) {
	end := strings.IndexByte(text[i:], '\n')
	if end < 0 {
		return i, len(text)
	}
	return i, i + max(1, end)
}

// lineLeft goes to the start of the line, and from there over the one before.
func lineLeft(text string, i int) (from, to int) {
	if from = strings.LastIndexByte(text[:i], '\n') + 1; from == i && i > 0 {
		from--
	}
	return from, i
}

func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }
func apart(r rune) bool  { return !inWord(r) }
func solid(r rune) bool  { return !unicode.IsSpace(r) }
