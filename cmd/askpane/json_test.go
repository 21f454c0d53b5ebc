package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/tests/must"
)

// Every member that --json prints in a list is in docs/contracts.md, so that none is renamed in
// silence.
func TestListsAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/contracts.md")
	must.Do(t, err)
	_, lists, ok := strings.Cut(string(doc), "\n## Lists\n")
	if !ok {
		t.Fatal("docs/contracts.md says nothing of lists")
	}
	var members func(of reflect.Type, table string)
	members = func(of reflect.Type, table string) {
		for i := range of.NumField() {
			f := of.Field(i)
			if f.Anonymous {
				members(f.Type, table)
				continue
			}
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); !strings.Contains(table, "`"+name+"`") {
				t.Errorf("%s.%s is not where docs/contracts.md says what is printed of it:\n%s", of.Name(), name, table)
			}
		}
	}
	part := func(begins string) string {
		_, rest, found := strings.Cut(lists, "\n"+begins)
		table, _, _ := strings.Cut(rest, "\n\n")
		if !found {
			t.Fatalf("nothing there begins with %q", begins)
		}
		return table
	}
	common := part("| of a question ")
	for begins, printed := range map[string][]any{
		"| `askpane list --json` ":                   {waitingQuestion{}},
		"| `askpane history --json`, `show --json` ": {recorded{}, said{}, optionNote{}, lineNote{}, permissionRecord{}},
		"| `askpane status --json` ":                 {waitingNow{}},
		"`settings list --json` has ":                {hint.Check{}, listed{}, diagnosis{}},
	} {
		for _, one := range printed {
			members(reflect.TypeOf(one), common+part(begins))
		}
	}
}

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
