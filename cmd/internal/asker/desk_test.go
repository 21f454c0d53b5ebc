package asker

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/settings"
)

// A page opens by itself where that is set, the form is long enough, and nothing is muted.
func TestOpensByItself(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		set       settings.Settings
		questions int
		want      bool
	}{
		{settings.Settings{BrowserAutoOpen: true, BrowserMinQuestions: 2}, 2, true},
		{settings.Settings{BrowserAutoOpen: true, BrowserMinQuestions: 2}, 1, false},
		{settings.Settings{BrowserMinQuestions: 1}, 1, false},
		{settings.Settings{BrowserAutoOpen: true, BrowserMinQuestions: 1, MutedUntil: time.Now().Add(time.Hour)}, 1, false},
	} {
		if got := opensByItself(&settings.Loaded{Settings: c.set}, form.Form{Questions: make([]form.Question, c.questions)}); got != c.want {
			t.Errorf("%d questions, %+v: %t", c.questions, c.set, got)
		}
	}
}
