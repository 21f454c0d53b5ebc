package form

import "testing"

func TestSurface(t *testing.T) {
	t.Parallel()
	dom := &Via{Name: "Dom", ID: "42"}
	for want, r := range map[string]Result{
		"in the popup":             {By: ByPopup},
		"in the browser on laptop": {By: ByPage, Machine: "laptop"},
		"in Discord by Dom":        {By: "discord", Via: dom},
		"in Discord by “a, 12:03”": {By: "discord", Via: &Via{Name: "a, 12:03"}},
		"in Irc by Dom on laptop":  {By: "irc", Via: dom, Machine: "laptop"},
		"by askpane answer":        {By: ByAnswer},
	} {
		if got := r.Surface(); got != want {
			t.Errorf("%+v ended %q, want %q", r, got, want)
		}
	}
}
