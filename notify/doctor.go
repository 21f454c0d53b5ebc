package notify

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// Describe says what each alert would do. It asks the host and the
// desktop, but raises nothing.
func Describe(ctx context.Context, s settings.Settings, r Routes) []hint.Check {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return eachListed("alerts", func(one *alert) hint.Check {
		if !one.isOn(s) {
			field, _ := settings.Lookup(one.setting) // a test holds that there is one
			return hint.Check{State: hint.Off, Detail: one.setting + " is " + cmp.Or(field.Text(s), "empty")}
		}
		return one.describe(ctx, job{Routes: r, set: &s})
	})
}

// Try raises each alert that is set now, whatever its delay and the quiet
// hours, takes it back after hold, and says how each went.
func Try(ctx context.Context, q Question, s settings.Settings, r Routes, hold time.Duration) []hint.Check {
	return eachListed("try", func(one *alert) hint.Check {
		if !one.isOn(s) {
			return hint.Check{State: hint.Off, Detail: "not set"}
		}
		j := job{Question: q, Routes: r, set: &s}
		if would := one.describe(ctx, j); would.State != hint.OK {
			return hint.Check{State: hint.Warn, Detail: would.Detail}
		}
		raising, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		back, err := one.raise(raising, j)
		if back != nil {
			within(hold, ctx.Done())
			clearing, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			err = cmp.Or(err, back(clearing))
		}
		return checked("raised", err, "")
	})
}

// eachListed checks all alerts that can be described, at once.
func eachListed(section string, check func(*alert) hint.Check) []hint.Check {
	listed := slices.DeleteFunc(slices.Clone(all), func(one *alert) bool { return one.describe == nil })
	checks := make([]hint.Check, len(listed))
	var each sync.WaitGroup
	for i, one := range listed {
		each.Go(func() {
			checks[i] = check(one)
			checks[i].Section, checks[i].Name = section, one.name
		})
	}
	each.Wait()
	return checks
}

// checked says what an alert does, or what keeps it from that and what mends it.
func checked(does string, err error, fix string) hint.Check {
	if err != nil {
		return hint.Check{State: hint.Warn, Detail: err.Error(), Fix: fix}
	}
	return hint.Check{State: hint.OK, Detail: does}
}

func given(there bool, detail, otherwise string) hint.Check {
	if there {
		return hint.Check{State: hint.OK, Detail: detail}
	}
	return hint.Check{State: hint.Warn, Detail: otherwise}
}
