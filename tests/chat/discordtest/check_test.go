package discordtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestWhatIsRefused has the fake find what Discord would: a fake that takes everything
// proves nothing.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return fmt.Sprintf(`{"type":10,"content":%q}`, strings.Repeat("x", n)) }
	button := func(id, label string) string {
		return fmt.Sprintf(`{"type":1,"components":[{"type":2,"style":1,"custom_id":%q,"label":%q}]}`, id, label)
	}
	list := func(more, option string) string {
		return fmt.Sprintf(`{"type":1,"components":[{"type":3,"custom_id":"a"%s,"options":[%s]}]}`, more, option)
	}
	for _, c := range []struct{ components, where string }{
		{text(4000), ""},
		{text(4001), "components.0.content"},
		{text(2000) + "," + text(2001), "components"},
		{text(0), "components.0.content"},
		{``, "components"},
		{button("", "x"), "components.0.components.0.custom_id"},
		{button(strings.Repeat("x", 100), strings.Repeat("x", 80)), ""},
		{button(strings.Repeat("x", 101), "x"), "components.0.components.0.custom_id"},
		{button("a", strings.Repeat("x", 81)), "components.0.components.0.label"},
		{button("a", "x") + "," + button("a", "y"), "components.1.components.0.custom_id"},
		{`{"type":17,"components":[` + strings.Repeat(text(1)+",", 38) + text(1) + `]}`, ""},
		{`{"type":17,"components":[` + strings.Repeat(text(1)+",", 39) + text(1) + `]}`, "components"},
		{`{"type":17,"components":[{"type":17,"components":[` + text(1) + `]}]}`, "components.0.components.0.type"},
		{`{"type":2,"style":1,"custom_id":"a","label":"x"}`, "components.0.type"},
		{`{"type":1,"components":[{"type":2,"style":5,"url":"http://localhost:1","label":"x"}]}`, "components.0.components.0.url"},
		{`{"type":1,"components":[{"type":2,"style":1,"custom_id":"a","label":"x","emoji":{"name":"rocket"}}]}`, "components.0.components.0.emoji.name"},
		{list("", `{"label":"x","value":"0"}`), ""},
		{list("", `{"label":"x","value":"0"},{"label":"y","value":"0"}`), "components.0.components.0.options.1.value"},
		{list(`,"max_values":2`, `{"label":"x","value":"0"}`), "components.0.components.0.max_values"},
		{list("", `{"label":"","value":"0"}`), "components.0.components.0.options.0.label"},
		{list("", strings.TrimSuffix(strings.Repeat(`{"label":"x","value":"0"},`, 26), ",")), "components.0.components.0.options"},
	} {
		var components []component
		if err := json.Unmarshal([]byte("["+c.components+"]"), &components); err != nil {
			t.Fatalf("%s: %v", c.components, err)
		}
		f := form{}
		f.message(components)
		at, found := any(f.wrong), f.wrong != nil
		for _, key := range strings.Split(c.where, ".") {
			if c.where != "" && found {
				at, found = below(at, key)
			}
		}
		if c.where == "" && f.wrong != nil || c.where != "" && !found {
			t.Errorf("%.200s: wrong is %v, want something at %q", c.components, f.wrong, c.where)
		}
	}
	f := form{}
	f.modal("a", strings.Repeat("x", 46), []component{{Type: typeRow, Components: []component{{Type: typeInput, CustomID: "b", Label: "x", Style: 1}}}})
	if f.wrong["title"] == nil || len(f.wrong) != 1 {
		t.Errorf("a dialog's title that is too long: wrong is %v", f.wrong)
	}
}

func below(at any, key string) (any, bool) {
	fields, _ := at.(map[string]any)
	found, ok := fields[key]
	return found, ok
}
