package bridge

import (
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// A popup is told when the person last typed something there, as far as the host knows.
func TestPopupIsToldOfTyping(t *testing.T) {
	t.Parallel()
	typed := time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)
	for want, v := range map[string]host.Viewer{"2026-01-02T03:04:05.678Z": {Active: typed}, "0001-01-01T00:00:00Z": {}} {
		env, err := popupEnv(&host.Kind{}, v)
		if want = TypedEnv + "=" + want; err != nil || !slices.Contains(env, want) {
			t.Errorf("%s is not in %q (%v)", want, env, err)
		}
	}
}
