// Package hostiletexts is texts that an agent might send, each of which does harm
// where somebody takes it for more than text. It holds data only; the tests run
// them through every path that a text takes to a person.
package hostiletexts

import "strings"

// Mark stands in those that want to be a title, a link or the clipboard.
const Mark = "PWNED"

// Text is one of them.
type Text struct{ Name, Text string }

// Texts are all of them. Those that want to run a command want to make the file
// trap.
func Texts(trap string) []Text {
	touch := "touch " + trap
	return append(Runs(touch),
		Text{"sgr, clear, home", "a\x1b[31337mred\x1b[2J\x1b[31337;1Hhome"},
		Text{"title", "b\x1b]2;" + Mark + "\x07\x1b]0;" + Mark + "\x1b\\"},
		Text{"clipboard, link, image", "c\x1b]52;c;UFdORUQ=\x07\x1b]8;;http://" + Mark + "\x07x\x1b]1337;File=" + Mark + "\x07"},
		Text{"DCS, APC, PM, SOS", "d\x1bPtmux;\x1b\x1b]2;" + Mark + "\x07\x1b\\\x1b_" + Mark + "\x1b\\\x1b^" + Mark + "\x1b\\\x1bX" + Mark + "\x1b\\"},
		Text{"C1 as UTF-8", "e\u009b31337m\u009d2;" + Mark + "\u009c\u0090" + Mark + "\u009c\u0085"},
		Text{"reports", "f\x1b[5n\x1b[31337n\x1b[?31337$p\x1bZ"},
		Text{"bell, backspace, delete, shift out", "g\x07\x07\b\b\b\x7f\x0e\x0f\x00\x1a"},
		Text{"overwritten", "h good\rbad\v\f\x0bx"},
		Text{"modes", "i\x1b[?31337h\x1b[?1000h\x1b[31337 q\x1bc\x1b(0"},
		Text{"bidi", "j\u202egnp.exe\u202c\u2066x\u2069\u200f\u061c"},
		Text{"zero width", "k\u200bl\ufeffm\u00adn\u2060o\u034f\u3164\u180e"},
		Text{"tags", "l\U000e0001\U000e0068\U000e0069\U000e0100"},
		Text{"joiners", "m\u200d\u200d\u200c\u200c"},
		Text{"zalgo", "n" + strings.Repeat("\u0301\u0337\u20dd", 60)},
		Text{"not UTF-16 pairs", "o\ufffd\ufffe\U0010ffff"},
		Text{"tview", "[red::b]p[-:-:-][\"r\"]x[\"\"][:::http://" + Mark + "]"},
		Text{"notification markup", "<b>q</b><img src=x onerror=alert(1)>&lt;&amp;"},
		Text{"formats", "r%H%M%%#H#S#T#[fg=red]#{pane_id}##{pane_id}##(" + touch + ")"},
		Text{"speech commands", "s[[rate 1]][[slnc 99999]]<audio src=\"/etc/passwd\"/>"},
		Text{"path", "../../t/../../../etc/passwd"},
		Text{"blank and unassigned", "v\u2065w\ufff0x\ufff8y\u2800z\u115f\u1160\uffa0\u17b4."},
		Text{"our own frame", "u asks · /srv\n> 1. Yes ✓\n  2. No\nSubmit"},
	)
}

// Runs are those that run touch where they reach a shell or tmux.
func Runs(touch string) []Text {
	return []Text{
		{"shell", "A$(" + touch + ")`" + touch + "`; " + touch + " | " + touch + " & " + touch + "\n" + touch + "\n"},
		{"quotes", "B'; " + touch + "; '\"; " + touch + "; \"\\"},
		{"option", "--help"},
		{"option with a value", "-x"},
		{"tmux format", "C#(" + touch + ")#{E:#(" + touch + ")}#{?1,#(" + touch + "),}"},
		{"tmux command", "D;"},
		{"tmux commands", "E ; run-shell '" + touch + "' ;"},
		{"tmux commands by lines", "F'\nrun-shell '" + touch + "'\n;"},
		{"tmux braces", "G } ; run-shell '" + touch + "' ; {"},
	}
}
