package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is printed is the same JSON, with nothing in it that a terminal acts on
// or that cannot be seen there.
func TestJSONForATerminal(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain <&>", `"plain <&>"`},
		{"日本 é 👩\u200d👧", "\"日本 é 👩\u200d👧\""},
		{"\x1b]2;x\a\x7f", `"\u001b]2;x\u0007\u007f"`},
		{"a\u009b31m", `"a\u009b31m"`},
		{"\u202egnp\u2066\u200b\ufeff", `"\u202egnp\u2066\u200b\ufeff"`},
		{"\U000e0001\u3164\ufffe", `"\udb40\udc01\u3164\ufffe"`},
		{"e" + strings.Repeat("\u0301", 10), "\"e" + strings.Repeat("\u0301", 8) + `\u0301\u0301"`},
	} {
		var b strings.Builder
		if err := printJSON(&b, c.text); err != nil || b.String() != c.want+"\n" {
			t.Errorf("printJSON(%q) = %s, %v, want %s", c.text, b.String(), err, c.want)
		}
		var back string
		if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != c.text {
			t.Errorf("%s reads as %q, %v", b.String(), back, err)
		}
	}
}
