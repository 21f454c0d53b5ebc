package discord

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// What a bot may do in a channel, by all who have a say in it.
func TestMay(t *testing.T) {
	t.Parallel()
	const both = `"permissions":"3072"`
	for name, c := range map[string]struct {
		roles, overwrites string // of the server, and of the channel
		may               bool
	}{
		"by everyone's role":        {`{"id":"1",` + both + `}`, ``, true},
		"by its own":                {`{"id":"1","permissions":"0"},{"id":"2",` + both + `}`, ``, true},
		"not by another":            {`{"id":"1","permissions":"1024"},{"id":"3",` + both + `}`, ``, false},
		"not in the channel":        {`{"id":"1",` + both + `}`, `{"id":"1","allow":"0","deny":"2048"}`, false},
		"there alone":               {`{"id":"1","permissions":"0"}`, `{"id":"1","allow":"3072","deny":"0"}`, true},
		"its role over everyone":    {`{"id":"1",` + both + `}`, `{"id":"2","allow":"2048","deny":"0"},{"id":"1","allow":"0","deny":"2048"}`, true},
		"its role against":          {`{"id":"1",` + both + `}`, `{"id":"2","allow":"0","deny":"1024"}`, false},
		"another's against":         {`{"id":"1",` + both + `}`, `{"id":"3","allow":"0","deny":"1024"}`, true},
		"one role for, one against": {`{"id":"1",` + both + `}`, `{"id":"2","allow":"0","deny":"2048"},{"id":"4","allow":"2048","deny":"0"}`, true},
		"itself over its role":      {`{"id":"1",` + both + `}`, `{"id":"9","allow":"1024","deny":"0"},{"id":"2","allow":"0","deny":"1024"}`, true},
		"itself against":            {`{"id":"1",` + both + `}`, `{"id":"9","allow":"0","deny":"1024"},{"id":"2","allow":"1024","deny":"0"}`, false},
		"an administrator in any":   {`{"id":"2","permissions":"8"}`, `{"id":"1","allow":"0","deny":"3072"}`, true},
	} {
		var s server
		var p place
		var me member
		must.Do(t, json.Unmarshal([]byte(`{"id":"1","owner_id":"7","roles":[`+c.roles+`]}`), &s))
		must.Do(t, json.Unmarshal([]byte(`{"guild_id":"1","permission_overwrites":[`+c.overwrites+`]}`), &p))
		must.Do(t, json.Unmarshal([]byte(`{"user":{"id":"9"},"roles":["2","4"]}`), &me))
		if may := me.may(s, p)&rights == rights; may != c.may {
			t.Errorf("%s: %t", name, may)
		}
		if s.Owner = "9"; me.may(s, p)&rights != rights {
			t.Errorf("%s: whose server it is may not", name)
		}
	}
}
