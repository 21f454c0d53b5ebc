package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// What can happen to a message. Each reports what is to be done: send, or try again later.
var happenings = map[string]func(*delivery) string{
	"other":       func(d *delivery) string { d.want = Message{Key: "other"}; return "" },
	"try":         func(d *delivery) string { return tried(d.try(noon)) },
	"try later":   func(d *delivery) string { return tried(d.try(noon.Add(mostPause))) },
	"doubt":       func(d *delivery) string { d.doubt(); return "" },
	"reconnected": func(d *delivery) string { d.reconnected(); return "" },
	"conclude":    func(d *delivery) string { d.conclude(Message{Key: "end"}); return "" },
	"took":        func(d *delivery) string { d.returned(noon, "m1", nil); return "" },
	"away":        func(d *delivery) string { d.returned(noon, "", errors.New("status 500")); return "" },
	"canceled":    func(d *delivery) string { d.returned(noon, "", context.Canceled); return "" },
	"gone":        func(d *delivery) string { d.returned(noon, "", fmt.Errorf("edit: %w", ErrGone)); return "" },
	"unfit":       func(d *delivery) string { d.returned(noon, "", ErrUnfit); return "" },
}

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func tried(send bool, wait time.Duration) string {
	switch {
	case send:
		return ", send"
	case wait > 0:
		return ", wait " + wait.String()
	}
	return ""
}

// Every stage and all that can happen there. What is not in a row leaves the stage as it is, and
// took and the failures come only while something is under way.
func TestDelivery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before string // by which it has come there
		stage  stage
		then   map[string]string
	}{
		{"", unposted, map[string]string{"try": "posting, send", "try later": "posting, send", "conclude": "closed"}},
		{"try", posting, map[string]string{"took": "shown", "away": "unposted", "canceled": "unposted", "gone": "unposted", "unfit": "unposted"}},
		{"try doubt", posting, map[string]string{"took": "doubted", "away": "unposted", "canceled": "unposted", "gone": "unposted", "unfit": "unposted"}},
		{"try conclude", posting, map[string]string{"took": "shown", "away": "closed", "canceled": "closed", "gone": "closed", "unfit": "closed"}},
		{"try away", unposted, map[string]string{"try": "unposted, wait 1s", "try later": "posting, send", "conclude": "closed"}},
		{"try away reconnected", unposted, map[string]string{"try": "posting, send", "try later": "posting, send", "conclude": "closed"}},
		{"try away reconnected try", posting, map[string]string{"took": "doubted", "away": "unposted", "canceled": "unposted", "gone": "unposted", "unfit": "unposted"}},
		{"try unfit try", posting, map[string]string{"took": "shown", "away": "unposted", "canceled": "unposted", "gone": "unposted", "unfit": "left"}},

		{"try took", shown, map[string]string{"doubt": "doubted", "reconnected": "doubted"}},
		{"try took other", shown, map[string]string{"try": "editing, send", "try later": "editing, send", "doubt": "doubted", "reconnected": "doubted"}},
		{"try took doubt", doubted, map[string]string{"try": "editing, send", "try later": "editing, send"}},
		{"try took doubt try", editing, map[string]string{"took": "shown", "away": "doubted", "canceled": "doubted", "gone": "unposted", "unfit": "doubted"}},
		{"try took doubt try doubt", editing, map[string]string{"took": "doubted", "away": "doubted", "canceled": "doubted", "gone": "unposted", "unfit": "doubted"}},
		{"try took doubt try away", doubted, map[string]string{"try": "doubted, wait 1s", "try later": "editing, send"}},
		{"try took doubt try unfit try", editing, map[string]string{"took": "shown", "away": "doubted", "canceled": "doubted", "gone": "unposted", "unfit": "left"}},
		{"try took doubt try gone", unposted, map[string]string{"try": "posting, send", "try later": "posting, send", "conclude": "closed"}},
		{"try took doubt try gone try took doubt try", editing, map[string]string{"took": "shown", "away": "doubted", "canceled": "doubted", "gone": "left", "unfit": "doubted"}},

		{"try took conclude", shown, map[string]string{"try": "editing, send", "try later": "editing, send", "doubt": "doubted", "reconnected": "doubted"}},
		{"try took doubt conclude", doubted, map[string]string{"try": "editing, send", "try later": "editing, send"}},
		{"try took conclude try", editing, map[string]string{"took": "closed", "away": "doubted", "canceled": "doubted", "gone": "closed", "unfit": "doubted"}},
		{"try took doubt try conclude", editing, map[string]string{"took": "shown", "away": "doubted", "canceled": "doubted", "gone": "closed", "unfit": "doubted"}},
		{"try took conclude try unfit try", editing, map[string]string{"took": "closed", "away": "doubted", "canceled": "doubted", "gone": "closed", "unfit": "closed"}},
		{"try unfit try unfit", left, map[string]string{"conclude": "closed"}},
		{"try took conclude try took", closed, nil},
	} {
		for name, happens := range happenings {
			d := newDelivery(message{})
			d.want = Message{Key: "first"}
			for _, before := range strings.Fields(c.before) {
				happenings[before](&d)
			}
			if d.stage != c.stage {
				t.Errorf("%s: %s, not %s", c.before, d.stage, c.stage)
			}
			want, named := c.then[name]
			if underWay := d.stage == posting || d.stage == editing; !named && !underWay && strings.Contains("took away canceled gone unfit", name) {
				continue
			} else if !named {
				want = string(c.stage)
			}
			effect := happens(&d)
			if d.final && d.Ref == "" && name == "gone" && strings.Contains(c.before, "took") {
				t.Errorf("%s, then gone: nobody knows that it was there", c.before)
			}
			if got := string(d.stage) + effect; got != want {
				t.Errorf("%s: %s, then %s: %s, not %s", c.before, c.stage, name, got, want)
			}
		}
	}
}

// Another desk's message is there, and what it shows is not known.
func TestDeliveryKept(t *testing.T) {
	t.Parallel()
	if d := newDelivery(message{Ref: "m1"}); d.stage != doubted {
		t.Error(d.stage)
	}
}

// A service that stays away is tried more and more slowly, and at once when it has been reached.
func TestDeliveryPauses(t *testing.T) {
	t.Parallel()
	d := newDelivery(message{})
	d.want = Message{Key: "first"}
	now := noon
	for _, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute, time.Minute} {
		d.try(now)
		d.returned(now, "", errors.New("status 500"))
		_, wait := d.try(now)
		if wait != want {
			t.Errorf("it waits %s, not %s", wait, want)
		}
		now = now.Add(wait)
	}
	d.try(now)
	d.returned(noon, "m1", nil)
	d.try(now) // since it may be that of an earlier try
	d.returned(now, "", errors.New("status 500"))
	if _, wait := d.try(now); wait != firstPause {
		t.Errorf("it waits %s after it was reached", wait)
	}
}

// Where the service refuses a message's end, that only says that it is over.
func TestDeliveryShortEnd(t *testing.T) {
	t.Parallel()
	d := newDelivery(message{Ref: "m1"})
	d.conclude(Message{Key: "end"})
	d.try(noon)
	d.returned(noon, "", ErrUnfit)
	if d.want.Blocks[0].Text != overWords {
		t.Errorf("it is to show %+v", d.want)
	}
}
