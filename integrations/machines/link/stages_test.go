package link

import (
	"strings"
	"testing"
)

// What can happen to a question of this machine. Each reports whether it is to be written.
var publishing = map[string]func(*publication) bool{
	"begin":   func(p *publication) bool { p.reset(); return false },
	"has":     func(p *publication) bool { p.have = "want"; return false }, // as the hub has shown
	"apart":   func(p *publication) bool { return p.should("want", false) },
	"should":  func(p *publication) bool { return p.should("want", true) },
	"other":   func(p *publication) bool { return p.should("other", true) },
	"taken":   func(p *publication) bool { p.wrote(true); return false },
	"refused": func(p *publication) bool { p.wrote(false); return false },
}

// Every stage of a question of this machine, and all that can happen there: what is not in a row
// leaves it as it is. What was written comes back only while it is under way.
func TestPublication(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before string // by which it has come there
		stage  stage
		then   map[string]string
	}{
		{"", unknown, map[string]string{"apart": "unsent", "should": "writing, write", "other": "writing, write"}},
		{"has", unknown, map[string]string{"apart": "published", "should": "published", "other": "writing, write"}},
		{"apart", unsent, map[string]string{"should": "writing, write", "other": "writing, write"}},
		{"apart begin", unsent, map[string]string{"should": "writing, write", "other": "writing, write"}},
		{"should", writing, map[string]string{"begin": "unsent", "taken": "unsent", "refused": "unsent"}},
		{"should begin", unsent, map[string]string{"should": "writing, write", "other": "writing, write"}},
		{"should refused", unsent, map[string]string{"should": "writing, write", "other": "writing, write"}},
		{"should taken", unsent, map[string]string{"apart": "published", "should": "published", "other": "writing, write"}},
		{"should other taken", unsent, map[string]string{"apart": "published", "should": "published", "other": "writing, write"}},
		{"should taken should", published, map[string]string{"begin": "unknown", "other": "writing, write"}},
		{"should taken should begin", unknown, map[string]string{"apart": "unsent", "should": "writing, write", "other": "writing, write"}},
		{"should taken should other", writing, map[string]string{"begin": "unsent", "taken": "unsent", "refused": "unsent"}},
		{"should taken should other should taken", unsent, map[string]string{"should": "writing, write", "apart": "unsent", "other": "published"}},
	} {
		for name, happens := range publishing {
			p := publication{stage: unknown}
			for _, before := range strings.Fields(c.before) {
				publishing[before](&p)
			}
			if p.stage != c.stage {
				t.Errorf("%s: %s, not %s", c.before, p.stage, c.stage)
			}
			want, named := c.then[name]
			if !named {
				want = string(c.stage)
			}
			if !named && p.stage != writing && (name == "taken" || name == "refused") {
				continue
			}
			write := happens(&p)
			if got := string(p.stage) + map[bool]string{true: ", write"}[write]; got != want {
				t.Errorf("%s: %s, then %s: %s, not %s", c.before, c.stage, name, got, want)
			}
		}
	}
}

// Every stage of a question of another machine, and all that can be seen there.
func TestBidding(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		stage   stage
		showing bool
		begun   stage // after begin
		// By what look is told: nothing, that it has ended, that it was answered here, and so where
		// the hub can be written to.
		nothing, ended, given, ready string
	}{
		{open, true, open, "open", "settled", "answered", "placed, place"},
		{open, false, open, "open", "left", "answered", "placed, place"},
		{answered, true, answered, "answered", "settled", "answered", "placed, place"},
		{answered, false, answered, "answered", "left", "answered", "placed, place"},
		{placed, true, answered, "placed", "settled", "placed", "placed"},
		{placed, false, answered, "placed", "left", "placed", "placed"},
		{settled, true, settled, "settled", "settled", "settled", "settled"},
		{settled, false, settled, "left", "left", "left", "left"}, // its popup has ended
		{left, false, left, "left", "left", "left", "left"},
	} {
		b := bidding{c.stage, c.showing}
		if b.reset(); b.stage != c.begun {
			t.Errorf("%s: begun: %s, not %s", c.stage, b.stage, c.begun)
		}
		for _, seen := range []struct {
			given, ended, ready bool
			want                string
		}{
			{false, false, false, c.nothing}, {false, false, true, c.nothing},
			{false, true, false, c.ended}, {true, true, false, c.ended}, {true, true, true, c.ended}, {false, true, true, c.ended},
			{true, false, false, c.given}, {true, false, true, c.ready},
		} {
			b := bidding{c.stage, c.showing}
			place := b.next(seen.given, seen.ended, seen.ready)
			if got := string(b.stage) + map[bool]string{true: ", place"}[place]; got != seen.want {
				t.Errorf("%s: %+v: %s", c.stage, seen, got)
			}
		}
	}
}
